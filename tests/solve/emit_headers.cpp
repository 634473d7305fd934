// emit_headers DIR: writes DIR/NAME_sizes.h for each kernel below, as `halogen solve --cpp` prints it with all parameters open.

#include "frontend/solve/solve.h"
#include "generators/emit/cpp.h"
#include "generators/emit/solution.h"
#include "tests/solve/emitted_kernels.h"

#include <fstream>

int main(int count, char** arguments) {
    using namespace halogen;
    if (count != 2) return 2;
    for (const char* text : test::emitted_kernels) {
        const Kernel kernel = parse(text).value().kernels.at(0);
        std::ofstream(std::string(arguments[1]) + "/" + kernel.name + "_sizes.h")
            << emit_solution(kernel, solve(kernel, test::all_open(kernel)).value());
    }
    return 0;
}
