#pragma once
// Reading a text to its end, past kernels that are wrong.

#include "frontend/notation/program.h"

#include <string>
#include <vector>

namespace halogen {

/// What a text holds: the kernels that are right, and the first mistake of each other one, both in textual order.
struct Reading {
    Program program;
    std::vector<Error> errors;
};

/// `parse_each` reads as `parse` does, but goes on at the next `kernel` behind one that is wrong: of a text of three kernels, the
/// first of them misspelt, it gives two kernels and one error. A text that cannot be cut into words gives one error alone;
/// behind the hundredth mistake nothing is read.
Reading parse_each(const std::string& text);

}  // namespace halogen
