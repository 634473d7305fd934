#include "timing.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace halogen::demo {
namespace {

constexpr double warm_up_ns = 30e6, batch_ns = 5e6, whole_ns = 200e6;

double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double time_batch(const std::function<void()>& call, long repeats) {
    const double begin = now_ns();
    for (long i = 0; i < repeats; i++) call();
    return now_ns() - begin;
}

/// Warms up; the number of calls that fill a batch.
long calls_per_batch(const std::function<void()>& call) {
    const double begin = now_ns();
    double least = std::numeric_limits<double>::infinity();
    do {
        least = std::min(least, time_batch(call, 1));
    } while (now_ns() - begin < warm_up_ns);
    return std::max(1L, static_cast<long>(batch_ns / std::max(least, 1.0)));
}

}  // namespace

std::vector<double> time_in_turns(const std::vector<std::function<void()>>& calls) {
    std::vector<long> repeats;
    for (const auto& call : calls) repeats.push_back(calls_per_batch(call));
    std::vector<double> least(calls.size(), std::numeric_limits<double>::infinity()), spent(calls.size(), 0.0);
    while (*std::min_element(spent.begin(), spent.end()) < whole_ns) {
        for (std::size_t i = 0; i < calls.size(); i++) {
            const double ns = time_batch(calls[i], repeats[i]);
            spent[i] += ns;
            least[i] = std::min(least[i], ns / static_cast<double>(repeats[i]));
        }
    }
    return least;
}

}  // namespace halogen::demo
