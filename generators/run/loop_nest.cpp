#include "generators/run/loop_nest.h"

#include <iostream>
#include <sstream>

namespace halogen {

std::string loop_nest(Halide::Pipeline pipeline) {
    std::ostringstream captured;
    std::streambuf* const before = std::cerr.rdbuf(captured.rdbuf());
    try {
        pipeline.print_loop_nest();
    } catch (const Halide::Error&) {  // names that stand in two branches confuse the printer, not the compiler
        captured.str("Halide's printer fails for this nest\n");
    } catch (...) {
        std::cerr.rdbuf(before);
        throw;
    }
    std::cerr.rdbuf(before);
    return captured.str();
}

}  // namespace halogen
