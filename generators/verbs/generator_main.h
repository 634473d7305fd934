#pragma once
// Halide's generator command line: `halogen -g NAME -o DIR -e ... target=... program=FILE.hgn kernel=K`.

namespace halogen {

/// Any generator name is accepted; `program` (a file or a built-in kernel) and `kernel` say what is generated. When they are
/// left out, NAME is looked up among the built-in kernels. Returns the exit code.
int generator_main(int argc, char** argv);

}  // namespace halogen
