#include "generators/run/bisect.h"

#include "generators/run/tune_bench.h"
#include "schedules/history/replay.h"

#include <fmt/format.h>

namespace halogen {

Turn find_turn(int count, const std::function<std::string(int)>& why_bad) {
    std::string why = why_bad(count);
    if (why.empty()) return {-1, ""};
    if (std::string at_once = why_bad(0); !at_once.empty()) return {0, at_once};
    int right = 0, wrong = count;
    while (wrong - right > 1) {
        const int middle = right + (wrong - right) / 2;
        if (const std::string here = why_bad(middle); here.empty()) {
            right = middle;
        } else {
            wrong = middle;
            why = here;
        }
    }
    return {wrong, why};
}

Turn bisect(const Kernel& kernel, const Leg& leg, const Options& options, const History& history) {
    TuneBench bench(kernel, leg, options);
    return find_turn(count_steps(history), [&](int count) -> std::string {
        const History first = prefix(history, count);
        if (options.slower_than == 0) return bench.verify(first);
        const TrialOutcome outcome = bench.measure(first, 0);
        if (!outcome.refused.empty()) return outcome.refused;
        return outcome.ns > options.slower_than ? fmt::format("a call takes {:.4g} ns", outcome.ns) : "";
    });
}

}  // namespace halogen
