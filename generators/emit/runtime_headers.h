#pragma once
// The C++ headers that compiled kernels need, held inside the program: `compile` writes them beside a library.

#include <string_view>
#include <utility>
#include <vector>

namespace halogen {

/// File name and text of each header of the folder halogen/, HalideRuntime.h among them.
const std::vector<std::pair<std::string_view, std::string_view>>& runtime_headers();

}  // namespace halogen
