#include "schedules/machine/machine.h"

#include "runtime/cpu.h"

#include <algorithm>

namespace halogen {

const std::vector<Leg>& all_legs() {
    // Closed sets: has_feature and natural_vector_size look at the named bits alone (docs/halide.md).
    static const std::vector<Leg> legs = [] {
        const std::string sse41 = "x86-64-linux-sse41";
        const std::string avx2 = sse41 + "-avx-avx2-f16c-fma";
        const std::string avx512 = avx2 + "-avx512-avx512_skylake";
        const std::string zen4 = avx512 + "-avx512_cannonlake-avx512_zen4";
        return std::vector<Leg>{{"sse41", sse41}, {"avx2", avx2}, {"avx512", avx512}, {"zen4", zen4}};
    }();
    return legs;
}

const Leg* find_leg(const std::string& name) {
    const auto& legs = all_legs();
    const auto found = std::find_if(legs.begin(), legs.end(), [&](const Leg& leg) { return leg.name == name; });
    return found == legs.end() ? nullptr : &*found;
}

const Leg& best_leg_here() {
    // The zen4 leg is asked for with SSE4A: this serves code compiled for here and now (`run`, `bench`), of which
    // nobody has looked whether it holds such an instruction.
    const auto& legs = all_legs();
    for (auto leg = legs.rbegin(); leg != legs.rend(); ++leg) {
        bool known = false;
        const cpu::Leg number = cpu::leg_named(leg->name, known);
        if (known && cpu::can_run(number, number == cpu::Leg::zen4)) return *leg;
    }
    return legs.front();
}

Machine machine_of(const Leg& leg) {
    Machine m;
    m.leg = leg.name;
    const bool has_avx2 = leg.halide_target.find("-avx2") != std::string::npos;
    const bool has_avx512 = leg.halide_target.find("-avx512") != std::string::npos;
    m.vector_bytes = has_avx512 ? 64 : has_avx2 ? 32 : 16;
    m.vector_registers = has_avx512 ? 32 : 16;
    m.masked_tails = has_avx512;
    m.dot_products = leg.halide_target.find("-avx512_zen4") != std::string::npos;
    // The smallest caches among the processors a leg is for: Nehalem and Haswell 256 KiB, Skylake-SP and Zen 4 1 MiB.
    m.l2_bytes = has_avx512 ? 1024 * 1024 : 256 * 1024;
    return m;
}

}  // namespace halogen
