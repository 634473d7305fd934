#include "frontend/project/volume.h"

#include "frontend/notation/operations.h"

#include <algorithm>

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
            const Shares& shares)
        : kernel_(kernel),
          solution_(s),
          steps_(steps),
          number_(number),
          step_(steps[number]),
          shares_(shares),
          bounds_(lower_bounds(kernel, s)),
          needs_(needs_of(kernel, s, step_, shares)) {}

    Volume volume() const {
        Volume v;
        for (int e = step_.section.first; e < step_.section.end; ++e) v.operations = v.operations + operations(e);
        const auto operands = operands_of(kernel_, step_.section);
        for (const auto& [tensor, window] : needs_.windows) {
            const Formula bytes = Formula(bytes_of(kernel_.tensor(tensor).type)) * elements_of(window, bounds_);
            const bool operand = is_any(tensor, operands), result = is_any(tensor, step_.results);
            v.memory = v.memory + bytes;
            v.moved = v.moved + bytes * Formula(operand && result ? 2 : operand || result ? 1 : 2);
            if (operand) v.received = v.received + received(tensor, window);
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

    /// Where all is numbers, what lies on both windows; else what the first has less than the second, both with neighbours.
    Formula beyond(const Window& wanted, const Window& held) const {
        Formula all = 1, both = 1;
        for (std::size_t d = 0; d < wanted.size(); ++d) {
            all = all * larger(wanted[d].extent(), Formula(0), bounds_);
            if (is_number(wanted[d]) && is_number(held[d])) {
                const Formula low = larger(wanted[d].low, held[d].low), high = smaller(wanted[d].high, held[d].high);
                both = both * larger(high - low + Formula(1), Formula(0));
            } else {
                both = both * smaller(held[d].extent(), wanted[d].extent(), bounds_);
            }
        }
        return all - both;
    }

    static bool is_number(const Hull& h) { return h.low.is_constant() && h.high.is_constant(); }

    /// In formulas the halo counts in full; in numbers only what lies in the tensor.
    Window wanted(const std::string& tensor, const Window& window) const {
        if (std::all_of(window.begin(), window.end(), is_number)) return window;
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
        for (int before = number_; before-- > 0;)
            if (const auto held = held_by(before, tensor)) return bytes * beyond(needed, *held);
        return bytes * beyond_home(tensor, needed);
    }

    /// What a shard of an earlier step has of the tensor, where that is cut by the same indices; it is empty-handed else.
    std::optional<Window> held_by(int before, const std::string& tensor) const {
        const ShardStep& step = steps_[before];
        const bool made = is_any(tensor, step.results);
        if (!made && !is_any(tensor, operands_of(kernel_, step.section))) return std::nullopt;
        Shares shares;
        for (const Cut& cut : step.cuts) {
            const auto known = shares_.find(cut.split.index);
            shares[cut.split.index] = known == shares_.end() ? Share{Formula(0), Formula(0)} : known->second;
        }
        if (made) return own_windows(kernel_, solution_, step, shares).at(tensor);
        const Needs needs = needs_of(kernel_, solution_, step, shares);
        return needs.windows.at(tensor);
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
        std::int64_t alike = 1;
        for (const Cut* cut : others) alike *= cut->split.shards;
        const Formula all = elements_of(needed, bounds_);
        return all - floor_div(all - beyond(needed, home), Formula(alike));
    }

    /// Combining n parts of a window: n - 1 of n of it are received; as much again where later steps read it.
    Formula combined() const {
        const std::string& tensor = step_.results.front();
        std::int64_t parts = 1;
        for (const Cut& cut : step_.cuts)
            if (cut.partial) parts *= cut.split.shards;
        bool later = false;
        for (std::size_t n = number_ + 1; n < steps_.size(); ++n)
            later = later || is_any(tensor, operands_of(kernel_, steps_[n].section));
        const Formula window = elements_of(needs_.windows.at(tensor), bounds_);
        const Formula once = window - floor_div(window, Formula(parts));
        return Formula(bytes_of(kernel_.tensor(tensor).type) * (later ? 2 : 1)) * once;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const std::vector<ShardStep>& steps_;
    const int number_;
    const ShardStep& step_;
    const Shares& shares_;
    const LowerBounds bounds_;
    const Needs needs_;
};

}  // namespace

Formula elements_of(const Window& window, const LowerBounds& bounds) {
    Formula elements = 1;
    for (const Hull& h : window) elements = elements * larger(h.extent(), Formula(0), bounds);
    return elements;
}

Volume volume_of(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int number,
                 const Shares& shares) {
    return Measure(kernel, s, steps, number, shares).volume();
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
