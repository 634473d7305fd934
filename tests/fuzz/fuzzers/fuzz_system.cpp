// libFuzzer's entry: one text to try_system.

#include "tests/fuzz/inputs.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    halogen::test::try_system(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
