// Which legs a processor can run, told from CPUID words of our own making.

#include "runtime/cpu.h"

#include <gtest/gtest.h>

namespace halogen::cpu {
namespace {

constexpr std::uint32_t bit(int n) { return 1u << n; }

/// A processor with everything any leg needs, and a system that saves all registers.
Words everything() {
    Words w;
    w.max_leaf = 0xd;
    w.max_extended_leaf = 0x80000008u;
    w.leaf1_ecx = bit(12) | bit(19) | bit(22) | bit(23) | bit(27) | bit(28) | bit(29);
    w.leaf7_ebx = bit(3) | bit(5) | bit(8) | bit(16) | bit(17) | bit(21) | bit(28) | bit(30) | bit(31);
    w.leaf7_ecx = bit(1) | bit(6) | bit(8) | bit(9) | bit(10) | bit(11) | bit(12) | bit(14);
    w.leaf7_1_eax = bit(5);
    w.extended1_ecx = bit(5) | bit(6);
    w.xcr0 = 0xe7;
    return w;
}

/// The legs a processor can run, as four letters: s, a, k (Skylake), z; a dot where it cannot.
std::string legs(const Words& w, bool needs_sse4a = false) {
    const std::uint32_t has = features_of(w);
    std::string out;
    for (int i = 0; i < leg_count; i++) {
        const auto leg = static_cast<Leg>(i);
        const std::uint32_t needs = required_by(leg) | (needs_sse4a && leg == Leg::zen4 ? std::uint32_t{sse4a} : 0u);
        out += has_all(has, needs) ? "sakz"[i] : '.';
    }
    return out;
}

TEST(Cpu, AProcessorWithEverythingRunsEveryLeg) { EXPECT_EQ(legs(everything()), "sakz"); }

TEST(Cpu, ASystemThatDoesNotSaveWideRegistersGetsSse41Only) {
    Words w = everything();
    w.xcr0 = 0x3;  // x87 and XMM
    EXPECT_EQ(legs(w), "s...");
    w.xcr0 = 0;  // XGETBV is off
    EXPECT_EQ(legs(w), "s...");
}

TEST(Cpu, ASystemThatSavesYmmButNotZmmGetsAvx2) {
    Words w = everything();
    w.xcr0 = 0x7;
    EXPECT_EQ(legs(w), "sa..");
    w.xcr0 = 0x67;  // opmask and the high halves, but not ZMM16 to ZMM31
    EXPECT_EQ(legs(w), "sa..");
}

TEST(Cpu, EachFeatureOfHaswellIsNeededForAvx2) {
    struct {
        std::uint32_t Words::* word;
        int position;
    } const needed[] = {{&Words::leaf1_ecx, 12}, {&Words::leaf1_ecx, 22}, {&Words::leaf1_ecx, 23},
                        {&Words::leaf1_ecx, 28}, {&Words::leaf1_ecx, 29}, {&Words::leaf7_ebx, 3},
                        {&Words::leaf7_ebx, 5},  {&Words::leaf7_ebx, 8},  {&Words::extended1_ecx, 5}};
    for (const auto& [word, position] : needed) {
        Words w = everything();
        w.*word &= ~bit(position);
        EXPECT_EQ(legs(w), "s...") << position;
    }
}

TEST(Cpu, EachPartOfTheSkylakeSetIsNeededForAvx512) {
    for (const int position : {16, 17, 28, 30, 31}) {
        Words w = everything();
        w.leaf7_ebx &= ~bit(position);
        EXPECT_EQ(legs(w), "sa..") << position;
    }
}

TEST(Cpu, AnIceLakeWithoutBf16DoesNotRunTheZen4Leg) {
    Words w = everything();
    w.leaf7_1_eax = 0;
    EXPECT_EQ(legs(w), "sak.");
    for (const int position : {1, 6, 8, 9, 10, 11, 12, 14}) {
        w = everything();
        w.leaf7_ecx &= ~bit(position);
        EXPECT_EQ(legs(w), "sak.") << position;
    }
}

TEST(Cpu, AnIntelProcessorRunsTheZen4LegUnlessItsCodeHoldsSse4a) {
    Words w = everything();
    w.extended1_ecx &= ~bit(6);
    EXPECT_EQ(legs(w), "sakz");
    EXPECT_EQ(legs(w, true), "sak.");
}

TEST(Cpu, LeavesPastTheLastOneAreNotBelieved) {
    Words w = everything();
    w.max_leaf = 6;
    EXPECT_EQ(legs(w), "s...");
    w = everything();
    w.max_extended_leaf = 0x80000000u;
    EXPECT_EQ(legs(w), "s...");
    EXPECT_EQ(legs(Words()), "....");
}

TEST(Cpu, LegsAreFoundByName) {
    bool found = false;
    EXPECT_EQ(leg_named("zen4", found), Leg::zen4);
    EXPECT_TRUE(found);
    EXPECT_EQ(leg_named("best", found), Leg::best);
    EXPECT_TRUE(found);
    leg_named("AVX2", found);
    EXPECT_FALSE(found);
}

}  // namespace
}  // namespace halogen::cpu
