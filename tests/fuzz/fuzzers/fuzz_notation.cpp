// libFuzzer's entry: one text to try_notation.

#include "tests/fuzz/inputs.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    halogen::test::try_notation(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
