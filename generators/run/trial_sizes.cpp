#include "generators/run/trial_sizes.h"

#include "frontend/notation/symbol.h"
#include "generators/run/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

namespace halogen {

namespace {

constexpr int small_trials = 16, attempts = 300;
constexpr double small_work = 2e5, large_work = 3e6;  // operations: a fraction of a second of the interpreter

using Sizes = std::map<std::string, std::int64_t>;

/// 0, 1, primes, and what lies beside the factors of splits.
std::vector<std::int64_t> edges(const History& history) {
    std::set<std::int64_t> values = {0, 1, 2, 3, 5, 7, 11, 13, 17, 31, 37, 64};
    const auto add = [&](const Formula& f) {
        if (const auto factor = f.constant(); factor && *factor > 1 && *factor <= 300)
            values.insert({*factor - 1, *factor, *factor + 1});
    };
    each_step(history.steps, [&](const Step& step) {
        add(step.factor);
        add(step.second);
        std::ranges::for_each(step.extents, add);
    });
    return {values.begin(), values.end()};
}

enum class Layout { dense, column_major, gaps, reversed };

std::vector<std::int64_t> strides_of(Layout layout, const std::vector<std::int64_t>& extents) {
    const int rank = static_cast<int>(extents.size());
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t step = layout == Layout::gaps ? 2 : 1;
    for (int i = 0; i < rank; i++) {
        const int d = layout == Layout::column_major ? i : rank - 1 - i;
        strides[d] = layout == Layout::reversed ? -step : step;
        step *= std::max<std::int64_t>(extents[d], 1) + (layout == Layout::gaps ? 1 : 0);
    }
    return strides;
}

/// The call with these sizes; nothing where the equations or the limit of work do not admit them.
std::optional<Trial> trial(const Kernel& kernel, Options options, const Sizes& sizes, Layout layout, double most_work) {
    static const char* const names[] = {"dense", "column-major", "with gaps", "reversed"};
    std::vector<std::string> set, about;
    for (const auto& [name, value] : parse_settings(options.set))
        if (value && !sizes.count(name)) set.push_back(fmt::format("{}={}", name, *value));
    for (const auto& [name, value] : sizes) set.push_back(fmt::format("{}={}", name, value));
    options.set = set;
    options.in.clear();
    options.random = options.random.value_or(1);
    try {
        Trial made{prepare_call(kernel, options, false),
                   fmt::format("{}, {}", fmt::join(set, ", "), names[int(layout)])};
        if (count_work(kernel, made.data.numbers).operations > most_work) return std::nullopt;
        for (auto& [name, tensor] : made.data.inputs) tensor = laid_out(tensor, strides_of(layout, tensor.extents()));
        return made;
    } catch (const Failure&) {
        return std::nullopt;
    }
}

/// The tuned sizes, the largest halved until the interpreter is quick enough; odd, so that no tile fits.
std::optional<Trial> large_trial(const Kernel& kernel, const Options& options, Sizes sizes) {
    for (int halving = 0; halving < 200; halving++) {
        if (auto made = trial(kernel, options, sizes, Layout::dense, large_work)) return made;
        const auto largest = std::max_element(sizes.begin(), sizes.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
        if (largest == sizes.end() || largest->second <= 1) return std::nullopt;
        largest->second = (largest->second / 2) | 1;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Trial> trials(const Kernel& kernel, const Options& options, const std::vector<std::string>& free,
                          const History& history) {
    const CallData own = prepare_call(kernel, options, false);
    const std::vector<std::int64_t> values = edges(history);
    std::mt19937_64 random(20);
    std::vector<Trial> found;
    for (int i = 0; i < attempts && !free.empty() && static_cast<int>(found.size()) < small_trials; i++) {
        Sizes sizes;
        for (const std::string& name : free) sizes[name] = values[random() % values.size()];
        if (const std::size_t of = i / 2; of < free.size()) sizes[free[of]] = i % 2;  // each is empty once, and single
        if (auto made = trial(kernel, options, sizes, static_cast<Layout>(found.size() % 4), small_work))
            found.push_back(std::move(*made));
    }
    Sizes tuned;
    const Settings settings = parse_settings(options.set);
    for (const std::string& name : free) {
        const auto set = settings.find(name);
        const Symbol dim = Symbol::of(name);
        if (set != settings.end() && set->second)
            tuned[name] = *set->second;
        else if (dim.is_dim() && own.inputs.count(dim.name))
            tuned[name] = own.inputs.at(dim.name).extents()[dim.number];
    }
    if (auto made = large_trial(kernel, options, tuned)) found.push_back(std::move(*made));
    if (found.empty()) found.push_back({own, "the sizes given"});
    return found;
}

}  // namespace halogen
