#include "tests/kernels/harness.h"

#include <cstdlib>

namespace halogen::testing {

std::vector<Leg> legs_here() {
    std::vector<Leg> legs;
    const char* only = std::getenv("HALOGEN_LEG");
    for (int i = 0; i < cpu::leg_count; i++) {
        const auto leg = static_cast<Leg>(i);
        if (cpu::can_run(leg) && (!only || only == std::string(cpu::to_string(leg)))) legs.push_back(leg);
    }
    return legs;
}

std::string to_string(const Setup& setup) {
    return std::string("leg ") + cpu::to_string(setup.leg) + ", " + to_string(setup.layout) + ", " +
           to_string(setup.placement);
}

std::vector<Setup> setups(int turn, bool few) {
    std::vector<Setup> all;
    for (const Leg leg : legs_here()) {
        for (int l = 0; l < layouts; l++) {
            if (few && (l + turn) % 3 != 0 && l != 0) continue;
            all.push_back({leg, static_cast<Layout>(l), static_cast<Placement>((turn + l) % placements)});
        }
    }
    return all;
}

}  // namespace halogen::testing
