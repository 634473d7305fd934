#pragma once
// Halide's statements as they are printed.

#include "Halide.h"

#include <sstream>
#include <string>

namespace halogen {

inline std::string text_of(const Halide::Internal::Stmt& s) {
    std::ostringstream text;
    text << s;
    return text.str();
}

}  // namespace halogen
