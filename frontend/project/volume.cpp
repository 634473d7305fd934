#include "frontend/project/volume.h"

#include "frontend/notation/operations.h"
#include "frontend/project/runs.h"

#include <algorithm>
#include <optional>

namespace halogen {

namespace {

bool mentions(const Hull& h, const std::string& symbol) {
    return h.low.symbols().contains(symbol) || h.high.symbols().contains(symbol);
}

/// The cut that moves a dim of a window over any shares; null for one that all shards have alike.
const Cut* cut_of_dim(const ShardStep& step, const Hull& any) {
    for (const Cut& cut : step.cuts)
        if (mentions(any, cut.split.index + ".first")) return &cut;
    return nullptr;
}

class Measure {
public:
    Measure(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int number,
            std::optional<std::int64_t> rank, std::int64_t ranks)
        : kernel_(kernel),
          solution_(s),
          steps_(steps),
          number_(number),
          rank_(rank),
          ranks_(ranks),
          step_(steps[number]),
          shares_(shares_in(number)),
          bounds_(lower_bounds(kernel, s)),
          needs_(needs_of(kernel, s, step_, shares_)) {}

    Volume volume() const {
        Volume v;
        for (int e = step_.section.first; e < step_.section.end; ++e) v.operations = v.operations + operations(e);
        const auto operands = operands_of(kernel_, step_.section);
        for (const auto& [tensor, window] : needs_.windows) {
            const Formula bytes = Formula(bytes_of(kernel_.tensor(tensor).type)) * elements_of(window, bounds_);
            const bool operand = is_any(tensor, operands), result = is_any(tensor, step_.results);
            v.memory = v.memory + bytes;
            v.moved = v.moved + bytes * Formula(operand && result ? 2 : operand || result ? 1 : 2);
            if (!operand) continue;
            const Formula from_others = received(tensor, window);
            v.received = v.received + from_others;
            const auto before = holder_of(tensor);
            if (before && is_combined(*before, tensor)) v.gathered = v.gathered + from_others;
            v.sources += sources(tensor);
        }
        if (step_.is_partial()) v.received = v.received + combined();
        return v;
    }

private:
    static bool is_any(const std::string& name, const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    Formula operations(int e) const {
        if (!needs_.blocks[e]) return 0;
        Formula total = operations_per_point(kernel_.equations[e]);
        for (const auto& [index, values] : *needs_.blocks[e])
            total = total * larger(values.extent(), Formula(0), bounds_);
        return total;
    }

    /// The shares of what the rank runs in a step. Over symbols: what this step's cuts say of it, and of other cuts any part.
    Shares shares_in(int number) const {
        const ShardStep& step = steps_[number];
        if (rank_) return shares_of(step, shard_of(steps_, number, *rank_));
        Shares shares;
        for (const Cut& cut : step.cuts) {
            const std::string& index = cut.split.index;
            const bool same = number == number_ || is_cut_alike(cut, step_);
            shares[index] = same ? Share{first_of(index), count_of(index)}
                                 : Share{Formula(0), floor_div(cut.extent, Formula(cut.split.shards))};
        }
        return shares;
    }

    static bool is_cut_alike(const Cut& cut, const ShardStep& step) {
        return std::any_of(step.cuts.begin(), step.cuts.end(), [&](const Cut& c) { return c.split == cut.split; });
    }

    /// Elements that lie on both windows; over symbols as many as can.
    Formula on_both(const Window& wanted, const Window& held) const {
        Formula both = 1;
        for (std::size_t d = 0; d < wanted.size(); ++d) {
            if (is_number(wanted[d]) && is_number(held[d])) {
                const Formula low = larger(wanted[d].low, held[d].low), high = smaller(wanted[d].high, held[d].high);
                both = both * larger(high - low + Formula(1), Formula(0));
            } else {
                both = both * smaller(held[d].extent(), wanted[d].extent(), bounds_);
            }
        }
        return both;
    }

    Formula beyond(const Window& wanted, const Window& held) const {
        return elements_of(wanted, bounds_) - on_both(wanted, held);
    }

    /// In formulas the halo counts in full; in numbers only what lies in the tensor.
    Window wanted(const std::string& tensor, const Window& window) const {
        if (std::all_of(window.begin(), window.end(), [](const Hull& h) { return is_number(h); })) return window;
        const auto reached = needs_.reached.find(tensor);
        if (reached == needs_.reached.end()) return window;
        Window all = window;
        for (std::size_t d = 0; d < all.size(); ++d)
            if (cut_of_dim(step_, reached->second[d])) all[d] = reached->second[d];
        return all;
    }

    Formula received(const std::string& tensor, const Window& window) const {
        const Formula bytes = bytes_of(kernel_.tensor(tensor).type);
        const Window needed = wanted(tensor, window);
        const auto before = holder_of(tensor);
        if (!before) return bytes * beyond_home(tensor, needed);
        const Window held = held_by(*before, tensor);
        if (!is_combined(*before, tensor)) return bytes * beyond(needed, held);
        const Formula own = floor_div(elements_of(held, bounds_), Formula(parts_of(steps_[*before])));
        return bytes * (elements_of(needed, bounds_) - smaller(on_both(needed, held), own, bounds_));
    }

    /// The step leaves the tensor as partial results.
    bool is_combined(int step, const std::string& tensor) const {
        return steps_[step].is_partial() && steps_[step].results.front() == tensor;
    }

    static std::int64_t parts_of(const ShardStep& step) {
        std::int64_t parts = 1;
        for (const Cut& cut : step.cuts) parts *= cut.partial ? cut.split.shards : 1;
        return parts;
    }

    /// The last earlier step that made or read the tensor.
    std::optional<int> holder_of(const std::string& tensor) const {
        for (int before = number_; before-- > 0;)
            if (is_any(tensor, steps_[before].results) || is_any(tensor, operands_of(kernel_, steps_[before].section)))
                return before;
        return std::nullopt;
    }

    /// What the rank has of the tensor from an earlier step.
    Window held_by(int before, const std::string& tensor) const {
        const ShardStep& step = steps_[before];
        const Shares shares = shares_in(before);
        if (is_any(tensor, step.results)) return own_windows(kernel_, solution_, step, shares).at(tensor);
        return needs_of(kernel_, solution_, step, shares).windows.at(tensor);
    }

    /// The other shards that made pieces of it, where a step cut otherwise made it.
    std::int64_t sources(const std::string& tensor) const {
        for (int before = number_; before-- > 0;) {
            const ShardStep& step = steps_[before];
            if (!is_any(tensor, step.results)) continue;
            std::int64_t pieces = 1;
            for (const Cut& cut : step.cuts)
                if (!cut.partial && !is_cut_alike(cut, step_)) pieces *= cut.split.shards;
            return pieces - 1;
        }
        return 0;
    }

    Formula beyond_home(const std::string& tensor, const Window& needed) const {
        const Window any = needs_of(kernel_, solution_, step_, any_shares(step_)).windows.at(tensor);
        Window home = whole_window(solution_, tensor);
        std::vector<const Cut*> others;
        for (const Cut& cut : step_.cuts) others.push_back(&cut);
        for (std::size_t d = 0; d < home.size(); ++d) {
            const Cut* cut = cut_of_dim(step_, any[d]);
            if (!cut || std::find(others.begin(), others.end(), cut) == others.end()) continue;
            std::erase(others, cut);
            const Share& share = shares_.at(cut->split.index);
            const Formula extent = home[d].extent();
            home[d] = {floor_div(extent * share.first, cut->extent),
                       floor_div(extent * (share.first + share.count), cut->extent) - Formula(1)};
        }
        std::int64_t alike = std::max<std::int64_t>(1, ranks_ / step_.shards());
        for (const Cut* cut : others) alike *= cut->split.shards;
        const Formula all = elements_of(needed, bounds_);
        return all - floor_div(all - beyond(needed, home), Formula(alike));
    }

    /// Combining n parts of a window: n - 1 of n of it are received, and 1 of n is whole then.
    Formula combined() const {
        const std::string& tensor = step_.results.front();
        const Formula window = elements_of(needs_.windows.at(tensor), bounds_);
        return Formula(bytes_of(kernel_.tensor(tensor).type)) * (window - floor_div(window, Formula(parts_of(step_))));
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const std::vector<ShardStep>& steps_;
    const int number_;
    const std::optional<std::int64_t> rank_;  // none: over symbols
    const std::int64_t ranks_;
    const ShardStep& step_;
    const Shares shares_;
    const LowerBounds bounds_;
    const Needs needs_;
};

}  // namespace

Formula elements_of(const Window& window, const LowerBounds& bounds) {
    Formula elements = 1;
    for (const Hull& h : window) elements = elements * larger(h.extent(), Formula(0), bounds);
    return elements;
}

Volume volume_of(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int number) {
    return Measure(kernel, s, steps, number, {}, ranks_of(steps)).volume();
}

Volume volume_of(const Kernel& kernel, const Solution& numbers, const std::vector<ShardStep>& steps, int number,
                 std::int64_t rank, std::int64_t ranks) {
    return Measure(kernel, numbers, steps, number, rank, std::max(ranks, ranks_of(steps))).volume();
}

std::vector<Halo> halos_of(const Kernel& kernel, const Solution& s, const ShardStep& step) {
    std::vector<Halo> halos;
    const Needs needs = needs_of(kernel, s, step, any_shares(step));
    for (const std::string& tensor : operands_of(kernel, step.section)) {
        const auto reached = needs.reached.find(tensor);
        if (reached == needs.reached.end()) continue;
        for (int d = 0; d < static_cast<int>(reached->second.size()); ++d) {
            const Hull& here = reached->second[d];
            const Cut* cut = cut_of_dim(step, here);
            if (!cut) continue;
            const std::string& index = cut->split.index;
            const auto next = [&](const Formula& f) {
                return f.substitute({{index + ".first", first_of(index) + count_of(index)}});
            };
            const Formula above = here.high - next(here.low), below = next(here.high) - here.low;
            const bool falls = is_nonnegative(here.low - next(here.low), lower_bounds(kernel, s));
            halos.push_back({tensor, index, d, (falls ? below : above) + Formula(1)});
        }
    }
    return halos;
}

}  // namespace halogen
