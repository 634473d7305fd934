#pragma once
// Which of a library's legs this processor and this operating system can run. Header only, C++17, x86-64; on another
// processor no leg runs.
//
// Source: Intel SDM vol. 2A (CPUID), vol. 1 ch. 13 (XGETBV), AMD APM vol. 3 app. E; the feature sets are those LLVM
// assumes for the processors that Halide picks for each leg (haswell, skylake-avx512, znver4).

#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace halogen::cpu {

/// One instruction set a library may hold code for, worst first.
enum class Leg { best = -1, sse41, avx2, avx512, zen4 };
inline constexpr int leg_count = 4;

constexpr const char* to_string(Leg leg) {
    constexpr const char* names[] = {"sse41", "avx2", "avx512", "zen4"};
    return leg == Leg::best ? "best" : names[static_cast<int>(leg)];
}

/// The words that say what a processor can do, as CPUID and XGETBV give them.
struct Words {
    std::uint32_t max_leaf = 0, max_extended_leaf = 0;
    std::uint32_t leaf1_ecx = 0, leaf1_edx = 0;
    std::uint32_t leaf7_ebx = 0, leaf7_ecx = 0, leaf7_edx = 0, leaf7_1_eax = 0;
    std::uint32_t extended1_ecx = 0;
    std::uint64_t xcr0 = 0;  // 0 when the system has not turned XGETBV on
};

/// Features by bit. `ymm_state` and `zmm_state`: the system saves those registers when it switches threads.
enum Feature : std::uint32_t {
    sse41 = 1u << 0,
    popcnt = 1u << 1,
    ymm_state = 1u << 2,
    avx = 1u << 3,
    avx2 = 1u << 4,
    fma = 1u << 5,
    f16c = 1u << 6,
    bmi1 = 1u << 7,
    bmi2 = 1u << 8,
    lzcnt = 1u << 9,
    movbe = 1u << 10,
    zmm_state = 1u << 11,
    avx512_f = 1u << 12,
    avx512_cd = 1u << 13,
    avx512_bw = 1u << 14,
    avx512_dq = 1u << 15,
    avx512_vl = 1u << 16,
    avx512_ifma = 1u << 17,
    avx512_vbmi = 1u << 18,
    avx512_vbmi2 = 1u << 19,
    avx512_vnni = 1u << 20,
    avx512_bitalg = 1u << 21,
    avx512_vpopcntdq = 1u << 22,
    avx512_bf16 = 1u << 23,
    gfni = 1u << 24,
    vaes = 1u << 25,
    vpclmulqdq = 1u << 26,
    sse4a = 1u << 27,
};

/// Reads the words of the processor this runs on.
inline Words read_words() {
    Words w;
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    w.max_leaf = __get_cpuid_max(0, nullptr);
    w.max_extended_leaf = __get_cpuid_max(0x80000000u, nullptr);
    if (__get_cpuid(1, &a, &b, &c, &d)) w.leaf1_ecx = c, w.leaf1_edx = d;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        w.leaf7_ebx = b, w.leaf7_ecx = c, w.leaf7_edx = d;
        if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) w.leaf7_1_eax = a;
    }
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) w.extended1_ecx = c;
    if (w.leaf1_ecx >> 27 & 1) {  // OSXSAVE: XGETBV may be executed
        std::uint32_t low = 0, high = 0;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        w.xcr0 = std::uint64_t{high} << 32 | low;
    }
#endif
    return w;
}

/// The set of features that code may use. What needs wide registers counts only where the system saves them.
constexpr std::uint32_t features_of(const Words& w) {
    std::uint32_t set = 0;
    const auto take = [&set](std::uint32_t word, int bit, std::uint32_t feature) {
        if (word >> bit & 1) set |= feature;
    };
    if (w.max_leaf < 1) return 0;
    take(w.leaf1_ecx, 19, sse41);
    take(w.leaf1_ecx, 23, popcnt);
    take(w.leaf1_ecx, 22, movbe);
    if (w.max_extended_leaf >= 0x80000001u) {
        take(w.extended1_ecx, 5, lzcnt);
        take(w.extended1_ecx, 6, sse4a);
    }
    if (w.max_leaf >= 7) {
        take(w.leaf7_ebx, 3, bmi1);
        take(w.leaf7_ebx, 8, bmi2);
        take(w.leaf7_ecx, 8, gfni);
    }
    constexpr std::uint64_t ymm_bits = 0x6, zmm_bits = 0xe6;  // XMM+YMM; those and opmask, ZMM high halves, ZMM16-31
    if ((w.xcr0 & ymm_bits) != ymm_bits) return set;
    set |= ymm_state;
    take(w.leaf1_ecx, 28, avx);
    take(w.leaf1_ecx, 12, fma);
    take(w.leaf1_ecx, 29, f16c);
    if (w.max_leaf < 7) return set;
    take(w.leaf7_ebx, 5, avx2);
    take(w.leaf7_ecx, 9, vaes);
    take(w.leaf7_ecx, 10, vpclmulqdq);
    if ((w.xcr0 & zmm_bits) != zmm_bits) return set;
    set |= zmm_state;
    take(w.leaf7_ebx, 16, avx512_f);
    take(w.leaf7_ebx, 17, avx512_dq);
    take(w.leaf7_ebx, 21, avx512_ifma);
    take(w.leaf7_ebx, 28, avx512_cd);
    take(w.leaf7_ebx, 30, avx512_bw);
    take(w.leaf7_ebx, 31, avx512_vl);
    take(w.leaf7_ecx, 1, avx512_vbmi);
    take(w.leaf7_ecx, 6, avx512_vbmi2);
    take(w.leaf7_ecx, 11, avx512_vnni);
    take(w.leaf7_ecx, 12, avx512_bitalg);
    take(w.leaf7_ecx, 14, avx512_vpopcntdq);
    take(w.leaf7_1_eax, 5, avx512_bf16);
    return set;
}

/// What the code of a leg may use. SSE4A is not among it: LLVM's znver4 has it and no Intel processor does, so a
/// library says per kernel whether its zen4 code really holds such an instruction.
constexpr std::uint32_t required_by(Leg leg) {
    constexpr std::uint32_t haswell =
        sse41 | popcnt | ymm_state | avx | avx2 | fma | f16c | bmi1 | bmi2 | lzcnt | movbe;
    constexpr std::uint32_t skylake = haswell | zmm_state | avx512_f | avx512_cd | avx512_bw | avx512_dq | avx512_vl;
    constexpr std::uint32_t znver4 = skylake | avx512_ifma | avx512_vbmi | avx512_vbmi2 | avx512_vnni | avx512_bitalg |
                                     avx512_vpopcntdq | avx512_bf16 | gfni | vaes | vpclmulqdq;
    switch (leg) {
    case Leg::best: return 0;
    case Leg::sse41: return sse41;
    case Leg::avx2: return haswell;
    case Leg::avx512: return skylake;
    case Leg::zen4: return znver4;
    }
    return ~0u;
}

/// The features of this processor; read once.
inline std::uint32_t features_here() {
    static const std::uint32_t set = features_of(read_words());
    return set;
}

constexpr bool has_all(std::uint32_t set, std::uint32_t needed) { return (set & needed) == needed; }

/// Whether this processor and system can run a leg; `needs_sse4a` where the library says so for its zen4 code.
inline bool can_run(Leg leg, bool needs_sse4a = false) {
    const std::uint32_t needed = required_by(leg) | (needs_sse4a ? std::uint32_t{sse4a} : 0u);
    return has_all(features_here(), needed);
}

/// The leg of that name; `found` is false for an unknown one.
constexpr Leg leg_named(std::string_view name, bool& found) {
    found = true;
    for (int i = -1; i < leg_count; i++) {
        if (name == to_string(static_cast<Leg>(i))) return static_cast<Leg>(i);
    }
    found = false;
    return Leg::best;
}

}  // namespace halogen::cpu
