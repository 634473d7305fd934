#pragma once
// The kernels that come with Halogen: the files of generators/kernels, put into the program at build time.

#include <string>
#include <string_view>
#include <vector>

namespace halogen {

struct BuiltinKernel {
    std::string_view name;
    std::string_view text;
};

/// Sorted by name, as generators/kernels.cmake lists them.
const std::vector<BuiltinKernel>& builtin_kernels();
/// Null for a name that is not built in.
const BuiltinKernel* find_builtin(std::string_view name);

}  // namespace halogen
