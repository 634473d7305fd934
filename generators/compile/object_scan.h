#pragma once
// What machine code an object file holds, as far as the choice of a leg at run time has to know.

#include <cstdint>
#include <span>
#include <string>

namespace halogen {

/// Whether some bytes may hold an SSE4A instruction (EXTRQ, INSERTQ, MOVNTSS, MOVNTSD), which LLVM may use for znver4 and
/// no Intel processor has. Conservative: no instruction is decoded, so that bytes inside others may look like one.
bool may_hold_sse4a(std::span<const std::uint8_t> code);

/// The same for all executable sections of an ELF64 object file. Errors: Failure(io) for a file that is none.
bool object_may_hold_sse4a(const std::string& path);

}  // namespace halogen
