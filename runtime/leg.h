#pragma once
// Which leg of a library a call runs.

#include "cpu.h"
#include "status.h"

#include <atomic>
#include <string>
#include <string_view>

namespace halogen {
namespace detail {

/// Code of a variant; null where this leg has none.
using VariantCode = int (*)(void**);

/// The code of one leg of one kernel: Halide's entry points that take an array of arguments. `check` may be null, and
/// `reversed` too: the code of the kernel with the dims of every tensor reversed, for buffers whose first dim is contiguous.
/// `variants` has one for each variant of the kernel.
struct LegInfo {
    cpu::Leg leg;
    bool needs_sse4a;
    int (*call)(void**);
    int (*check)(void**);
    int (*reversed)(void**) = nullptr;
    const VariantCode* variants = nullptr;
};

/// The leg all calls must use; `best` when nothing is forced.
inline std::atomic<cpu::Leg>& forced_leg() {
    static std::atomic<cpu::Leg> leg{cpu::Leg::best};
    return leg;
}

inline Status unknown_leg(const std::string& who, std::string_view name) {
    return Status(StatusCode::leg,
                  who + "unknown leg \"" + std::string(name) + "\"\n  fix  one of sse41, avx2, avx512, zen4, or best");
}

/// Finds the code a call runs: the leg its options name, else the forced one, else the best this processor can run.
/// `legs` are best first. `chosen` is null when the Status says why.
inline Status choose_leg(const char* kernel, const LegInfo* legs, int count, std::string_view wanted,
                         const LegInfo*& chosen) {
    chosen = nullptr;
    cpu::Leg leg = forced_leg().load(std::memory_order_relaxed);
    if (!wanted.empty()) {
        bool known = false;
        leg = cpu::leg_named(wanted, known);
        if (!known) return unknown_leg(std::string(kernel) + ": ", wanted);
    }
    for (int i = 0; i < count; i++) {
        if (leg != cpu::Leg::best && legs[i].leg != leg) continue;
        if (cpu::can_run(legs[i].leg, legs[i].needs_sse4a)) {
            chosen = &legs[i];
            return {};
        }
        if (leg == cpu::Leg::best) continue;
        return Status(StatusCode::leg, std::string(kernel) + ": this processor cannot run the leg " + to_string(leg) +
                                           "\n  fix  leave the choice to the library (leg best)");
    }
    std::string has;
    for (int i = count; i-- > 0;) has += std::string(has.empty() ? "" : ", ") + to_string(legs[i].leg);
    if (leg == cpu::Leg::best) {
        return Status(StatusCode::leg, std::string(kernel) + ": this processor can run none of the library's legs: " +
                                           has + "\n  fix  compile the kernel for sse41 too");
    }
    return Status(StatusCode::leg, std::string(kernel) + ": the library has no leg " + to_string(leg) + ", only " +
                                       has + "\n  fix  compile the kernel with --target " + to_string(leg));
}

}  // namespace detail

/// Makes every call of this process that does not name a leg itself run that one: "sse41", "avx2", "avx512", "zen4"; "best"
/// ends it. For tests. Errors: an unknown name, a processor without the leg; nothing changes then.
inline Status force_leg(std::string_view name) {
    bool known = false;
    const cpu::Leg leg = cpu::leg_named(name, known);
    if (!known) return detail::unknown_leg("force_leg: ", name);
    if (leg != cpu::Leg::best && !cpu::can_run(leg)) {
        return Status(StatusCode::leg, "force_leg: this processor cannot run the leg " + std::string(name));
    }
    detail::forced_leg().store(leg, std::memory_order_relaxed);
    return {};
}

}  // namespace halogen
