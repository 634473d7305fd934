#pragma once
// What a recipe may know of a machine: one leg (instruction set) of an archive.

#include <string>
#include <vector>

namespace halogen {

/// One instruction set an archive holds code for.
struct Leg {
    std::string name;           // "sse41", "avx2", "avx512", "zen4"
    std::string halide_target;  // "x86-64-linux-sse41-avx-avx2-f16c-fma", the closed set of features, never `host`
};

/// The legs of a shipped archive, best last: sse41, avx2, avx512 (Skylake set), zen4 (VNNI, BF16).
const std::vector<Leg>& all_legs();
const Leg* find_leg(const std::string& name);  // null for an unknown name
/// The best leg this CPU and operating system can run (CPUID and XGETBV).
const Leg& best_leg_here();

/// Registers and caches of a leg. Sizes in bytes.
struct Machine {
    std::string leg;
    int vector_bytes = 16;
    int vector_registers = 16;
    bool masked_tails = false;  // cheap masked loads and stores for every element size (AVX-512)
    bool dot_products = false;  // u8 x i8 -> i32 by four (VNNI)
    int l1_bytes = 32 * 1024;
    int l2_bytes = 1024 * 1024;

    int lanes(int element_bytes) const { return vector_bytes / element_bytes; }
};
Machine machine_of(const Leg&);

}  // namespace halogen
