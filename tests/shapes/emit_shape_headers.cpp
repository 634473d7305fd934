// emit_shape_headers DIR: writes DIR/NAME_shapes.h for each program of emitted_programs.h, as `halogen shape --cpp` prints it.

#include "generators/emit/shape_cpp.h"
#include "tests/shapes/emitted_programs.h"

#include <fstream>

int main(int count, char** arguments) {
    using namespace halogen;
    if (count != 2) return 2;
    for (std::size_t i = 0; i < std::size(test::emitted_programs); ++i) {
        const std::string name = test::emitted_names[i];
        std::ofstream(std::string(arguments[1]) + "/" + name + "_shapes.h")
            << emit_shapes(test::emitted_program(i), name);
    }
    return 0;
}
