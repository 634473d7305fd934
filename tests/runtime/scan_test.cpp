// Finding SSE4A in machine code.

#include "generators/compile/object_scan.h"

#include <gtest/gtest.h>

#include <vector>

namespace halogen {
namespace {

bool holds(std::vector<std::uint8_t> code) {
    code.insert(code.begin(), 5, 0x90);
    code.insert(code.end(), 3, 0x90);
    return may_hold_sse4a(code);
}

TEST(ObjectScan, FindsEveryFormOfSse4a) {
    EXPECT_TRUE(holds({0x66, 0x0f, 0x78, 0xc0, 0x01, 0x02}));  // extrq xmm0, 1, 2
    EXPECT_TRUE(holds({0x66, 0x41, 0x0f, 0x79, 0xc8}));        // extrq xmm1, xmm8
    EXPECT_TRUE(holds({0xf2, 0x0f, 0x78, 0xc1, 0x01, 0x02}));  // insertq xmm0, xmm1, 1, 2
    EXPECT_TRUE(holds({0xf2, 0x44, 0x0f, 0x79, 0xc1}));        // insertq xmm8, xmm1
    EXPECT_TRUE(holds({0xf3, 0x0f, 0x2b, 0x07}));              // movntss [rdi], xmm0
    EXPECT_TRUE(holds({0xf2, 0x45, 0x0f, 0x2b, 0x07}));        // movntsd [r15], xmm8
}

TEST(ObjectScan, LetsOtherInstructionsPass) {
    EXPECT_FALSE(holds({}));
    EXPECT_FALSE(holds({0x0f, 0x2b, 0x07}));                    // movntps [rdi], xmm0
    EXPECT_FALSE(holds({0x66, 0x0f, 0x2b, 0x07}));              // movntpd [rdi], xmm0
    EXPECT_FALSE(holds({0xf3, 0x0f, 0x10, 0xc1}));              // movss xmm0, xmm1
    EXPECT_FALSE(holds({0x62, 0xf1, 0x7c, 0x48, 0x79, 0xc1}));  // vcvtps2udq, an EVEX code with opcode 79
}

TEST(ObjectScan, ReadsNothingPastTheEnd) {
    const std::vector<std::uint8_t> cut{0x66, 0x0f};
    EXPECT_FALSE(may_hold_sse4a(cut));
    const std::vector<std::uint8_t> cut_behind_rex{0x66, 0x41, 0x0f};
    EXPECT_FALSE(may_hold_sse4a(cut_behind_rex));
}

}  // namespace
}  // namespace halogen
