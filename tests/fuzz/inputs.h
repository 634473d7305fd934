#pragma once
// What the fuzzers do with a text; the same is done with every text they found trouble with (findings/).

#include <string>

namespace halogen::test {

/// Reads a program, prints it, reads it back, solves every kernel open and with numbers, and prints all that is known.
/// Throws std::logic_error where a promise is broken; mistakes in the text are fine.
void try_notation(const std::string& text);

/// Solves constraint systems given as JSON. Any text must give an answer or an error.
void try_system(const std::string& text);

}  // namespace halogen::test
