#include "frontend/project/steps.h"

#include "frontend/base/checked.h"
#include "frontend/notation/parse_expr.h"
#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool writes(const Kernel& kernel, Section section, const std::string& tensor) {
    for (int e = section.first; e < section.end; ++e)
        if (kernel.equations[e].left.tensor == tensor) return true;
    return false;
}

/// What the section writes and others read or go on writing behind it.
std::vector<std::string> results_of(const Kernel& kernel, Section section) {
    std::set<std::string> later;
    for (int e = section.end; e < static_cast<int>(kernel.equations.size()); ++e) {
        later.insert(kernel.equations[e].left.tensor);
        each_read(kernel.equations[e], [&](const Access& read) { later.insert(read.tensor); });
    }
    std::vector<std::string> results;
    for (const Tensor& t : kernel.tensors)
        if (writes(kernel, section, t.name) && (t.role == Role::output || later.contains(t.name)))
            results.push_back(t.name);
    return results;
}

/// The last equation of the section that writes the tensor.
int writer_of(const Kernel& kernel, Section section, const std::string& tensor) {
    for (int e = section.end; e-- > section.first;)
        if (kernel.equations[e].left.tensor == tensor) return e;
    return -1;
}

std::vector<std::string> indices_in(const Kernel& kernel, Section section) {
    std::vector<std::string> names;
    for (int e = section.first; e < section.end; ++e)
        for (const std::string& index : indices_of(kernel.equations[e]))
            if (!is_listed(names, index)) names.push_back(index);
    return names;
}

Section all_of(const Kernel& kernel) { return {0, static_cast<int>(kernel.equations.size())}; }

/// The steps of one phase.
class Stepper {
public:
    Stepper(const Kernel& kernel, const Solution& s, Section phase, const std::vector<Split>& splits)
        : kernel_(kernel), solution_(s), phase_(phase), splits_(splits), names_(indices_in(kernel, phase)) {}

    void add_to(std::vector<ShardStep>& steps) const {
        for (const Split& split : splits_) {
            check_name(split.index);
            for (int e = phase_.first; e < phase_.end; ++e) check_role(e, split.index);
        }
        for (int at = phase_.first; at < phase_.end; at = steps.back().section.end) steps.push_back(longest_from(at));
    }

private:
    void check_name(const std::string& index) const {
        if (is_listed(names_, index)) return;
        const auto all = indices_in(kernel_, all_of(kernel_));
        const bool elsewhere = is_listed(all, index);
        const std::string close = elsewhere ? "" : nearest(index, all);
        throw Failure(Error{
            ErrorKind::name,
            elsewhere ? fmt::format("index `{}` stands in none of the equations {} to {}, which this split is for",
                                    index, phase_.first + 1, phase_.end)
                      : fmt::format("the kernel has no index `{}`", index),
            {},
            "",
            (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) +
                fmt::format("{} indices are `{}`", elsewhere ? "their" : "its",
                            fmt::join(elsewhere ? names_ : all, "`, `"))});
    }

    bool has_index(int e, const std::string& index) const { return solution_.indices[e].contains(index); }

    void check_role(int e, const std::string& index) const {
        if (!has_index(e, index)) return;
        const SplitRole role = role_of(kernel_, solution_, e, index);
        if (role.kind != SplitRole::Kind::ordered) return;
        std::vector<std::string> others;
        for (const std::string& other : names_)
            if (can_be_split(other)) others.push_back(other);
        throw Failure(Error{ErrorKind::schedule,
                            fmt::format("index `{}` cannot be split: {}", index, role.reason),
                            {},
                            kernel_.equations[e].text,
                            others.empty() ? no_other() : fmt::format("split one of `{}`", fmt::join(others, "`, `"))});
    }

    /// What to do where no index is free in all equations of the phase: some may be in parts of it.
    std::string no_other() const {
        std::string parts;
        for (int at = phase_.first; at < phase_.end;) {
            std::string index;
            int end = at + 1;
            for (const std::string& name : names_) {
                int reach = at;
                while (reach < phase_.end && is_free(reach, name)) ++reach;
                if (reach > at && (index.empty() || reach > end)) {
                    index = name;
                    end = reach;
                }
            }
            if (!index.empty())
                parts += fmt::format("{}{}{}=2", parts.empty() ? "" : " ",
                                     at > 0 ? fmt::format("from {} ", at + 1) : "", index);
            at = end;
        }
        return parts.empty() ? "no index of this kernel can be split"
                             : fmt::format("split parts of the kernel apart, as in --split '{}'", parts);
    }

    bool is_free(int e, const std::string& index) const {
        return !has_index(e, index) || role_of(kernel_, solution_, e, index).kind != SplitRole::Kind::ordered;
    }

    bool can_be_split(const std::string& index) const {
        for (int e = phase_.first; e < phase_.end; ++e)
            if (!is_free(e, index)) return false;
        return true;
    }

    bool is_partial(int e) const {
        return std::any_of(splits_.begin(), splits_.end(), [&](const Split& split) {
            return has_index(e, split.index) &&
                   role_of(kernel_, solution_, e, split.index).kind == SplitRole::Kind::partial;
        });
    }

    ShardStep longest_from(int first) const {
        if (is_partial(first)) return partial_step(first);
        int end = first + 1;
        while (end < phase_.end && !is_partial(end)) ++end;
        for (; end > first + 1; --end)
            if (const auto step = step_of({first, end})) return *step;
        if (const auto step = step_of({first, first + 1})) return *step;
        return {{first, first + 1}, {}, results_of(kernel_, {first, first + 1}), Op::assign};
    }

    ShardStep partial_step(int e) const {
        ShardStep step{{e, e + 1}, {}, {kernel_.equations[e].left.tensor}, kernel_.equations[e].op};
        for (const Split& split : splits_) {
            if (!has_index(e, split.index)) continue;
            const SplitRole role = role_of(kernel_, solution_, e, split.index);
            if (role.kind == SplitRole::Kind::partial)
                step.cuts.push_back({split, solution_.indices[e].at(split.index).extent, true});
            else if (const auto cut = cut_of(e, split))
                step.cuts.push_back(*cut);
        }
        return step;
    }

    /// How an independent index cuts what the equation writes.
    std::optional<Cut> cut_of(int e, const Split& split) const {
        if (!has_index(e, split.index)) return std::nullopt;
        const SplitRole role = role_of(kernel_, solution_, e, split.index);
        if (role.kind != SplitRole::Kind::independent) return std::nullopt;
        const Access& left = kernel_.equations[e].left;
        const bool bare = bare_index(left.at[role.dim]).has_value();
        return Cut{split,
                   bare ? solution_.extents.at(left.tensor)[role.dim] : solution_.indices[e].at(split.index).extent,
                   false};
    }

    /// The section as one step, where that is one: all results are cut alike, every shard makes just its own part of them, and
    /// every split that an equation knows cuts it.
    std::optional<ShardStep> step_of(Section section) const {
        ShardStep step{section, {}, results_of(kernel_, section), Op::assign};
        if (step.results.empty()) return std::nullopt;
        for (std::size_t i = 0; i < step.results.size(); ++i) {
            std::vector<Cut> cuts;
            const int writer = writer_of(kernel_, section, step.results[i]);
            for (const Split& split : splits_)
                if (const auto cut = cut_of(writer, split)) cuts.push_back(*cut);
            if (i == 0) step.cuts = cuts;
            if (!(cuts == step.cuts)) return std::nullopt;
        }
        const Shares shares = any_shares(step);
        const auto own = own_windows(kernel_, solution_, step, shares);
        const Needs needs = needs_of(kernel_, solution_, step, shares);
        for (const auto& [tensor, window] : own) {
            const Window& needed = needs.windows.at(tensor);
            for (std::size_t d = 0; d < window.size(); ++d)
                if (!(window[d].low == needed[d].low && window[d].high == needed[d].high)) return std::nullopt;
        }
        for (int e = section.first; e < section.end; ++e)
            if (!is_cut_as_named(e, needs)) return std::nullopt;
        return step;
    }

    bool is_cut_as_named(int e, const Needs& needs) const {
        for (const Split& split : splits_) {
            if (!has_index(e, split.index) || !needs.blocks[e]) continue;
            if (!needs.blocks[e]->at(split.index).low.symbols().contains(split.index + ".first")) return false;
        }
        return true;
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Section phase_;
    const std::vector<Split>& splits_;
    const std::vector<std::string> names_;
};

void check_phases(const Kernel& kernel, const Phases& phases) {
    const int count = static_cast<int>(kernel.equations.size());
    for (const Phase& phase : phases) {
        if (phase.first < std::max(count, 1)) continue;
        throw Failure(Error{ErrorKind::name,
                            fmt::format("the kernel has no equation {}, from which splits are given", phase.first + 1),
                            {},
                            "",
                            count == 1 ? "it has one equation: leave out `from`"
                                       : fmt::format("begin at one of its {} equations", count)});
    }
}

/// The dim of the tensor that the equation writes which the cut's index cuts.
int dim_of(const Kernel& kernel, const Solution& s, int e, const Cut& cut) {
    if (!s.indices[e].contains(cut.split.index)) return -1;
    const SplitRole role = role_of(kernel, s, e, cut.split.index);
    return role.kind == SplitRole::Kind::independent ? role.dim : -1;
}

/// The blocks of indices that the windows of results do not tell: of partial results, and of places such as 2*x + k.
std::map<int, Box> fixed_blocks(const Kernel& kernel, const Solution& s, const ShardStep& step, const Shares& shares) {
    std::map<int, Box> fixed;
    for (int e = step.section.first; e < step.section.end; ++e) {
        const Access& left = kernel.equations[e].left;
        if (!is_listed(step.results, left.tensor)) continue;
        for (const Cut& cut : step.cuts) {
            const int d = dim_of(kernel, s, e, cut);
            const bool told = d >= 0 && bare_index(left.at[d]);
            if (told || !s.indices[e].contains(cut.split.index)) continue;
            const Share& share = shares.at(cut.split.index);
            const Formula low = s.indices[e].at(cut.split.index).min + share.first;
            fixed[e][cut.split.index] = {low, low + share.count - Formula(1)};
        }
    }
    return fixed;
}

}  // namespace

std::int64_t ShardStep::shards() const {
    std::int64_t all = 1;
    for (const Cut& cut : cuts) all *= cut.split.shards;
    return all;
}

Result<std::vector<ShardStep>> steps_of(const Kernel& kernel, const Solution& s, const Phases& phases) {
    return guarded([&] {
        check_phases(kernel, phases);
        std::vector<ShardStep> steps;
        for (std::size_t p = 0; p < phases.size(); ++p) {
            const int end = p + 1 < phases.size() ? phases[p + 1].first : all_of(kernel).end;
            Stepper(kernel, s, {phases[p].first, end}, phases[p].splits).add_to(steps);
        }
        return steps;
    });
}

Result<std::vector<ShardStep>> steps_of(const Kernel& kernel, const Solution& s, Section section,
                                        const std::vector<Split>& splits) {
    return guarded([&] {
        std::vector<ShardStep> steps;
        Stepper(kernel, s, section, splits).add_to(steps);
        return steps;
    });
}

Result<std::vector<ShardStep>> steps_of(const Kernel& kernel, const Solution& s, const std::vector<Split>& splits) {
    return steps_of(kernel, s, Phases{{0, splits}});
}

Shares any_shares(const ShardStep& step) {
    Shares shares;
    for (const Cut& cut : step.cuts) shares[cut.split.index] = {first_of(cut.split.index), count_of(cut.split.index)};
    return shares;
}

Share share_of(std::int64_t extent, std::int64_t shards, std::int64_t number) {
    const auto begin = [&](std::int64_t n) {
        return static_cast<std::int64_t>(static_cast<Wide>(extent) * n / shards);
    };
    return {Formula(begin(number)), Formula(begin(number + 1) - begin(number))};
}

Shares shares_of(const ShardStep& step, std::int64_t number) {
    Shares shares;
    for (auto cut = step.cuts.rbegin(); cut != step.cuts.rend(); ++cut) {
        const std::int64_t n = cut->split.shards;
        shares[cut->split.index] = share_of(cut->extent.constant().value(), n, number % n);
        number /= n;
    }
    return shares;
}

std::map<std::string, Window> own_windows(const Kernel& kernel, const Solution& s, const ShardStep& step,
                                          const Shares& shares) {
    std::map<std::string, Window> windows;
    const auto fixed = fixed_blocks(kernel, s, step, shares);
    for (const std::string& tensor : step.results) {
        Window window = whole_window(s, tensor);
        const int writer = writer_of(kernel, step.section, tensor);
        for (const Cut& cut : step.cuts) {
            const int d = dim_of(kernel, s, writer, cut);
            if (d < 0) continue;
            if (bare_index(kernel.equations[writer].left.at[d])) {
                const Share& share = shares.at(cut.split.index);
                window[d] = {share.first, share.first + share.count - Formula(1)};
            } else {
                window[d] = project(kernel, s, writer, fixed.at(writer)).front().dims[d].places;
            }
        }
        windows.emplace(tensor, std::move(window));
    }
    return windows;
}

Needs needs_of(const Kernel& kernel, const Solution& s, const ShardStep& step, const Shares& shares) {
    return needs_of(kernel, s, step.section, own_windows(kernel, s, step, shares),
                    fixed_blocks(kernel, s, step, shares));
}

std::vector<std::string> operands_of(const Kernel& kernel, Section section) {
    std::set<std::string> written, operands;
    for (int e = section.first; e < section.end; ++e) {
        const std::string& tensor = kernel.equations[e].left.tensor;
        each_read(kernel.equations[e], [&](const Access& read) {
            if (!written.contains(read.tensor) && read.tensor != tensor) operands.insert(read.tensor);
        });
        if (is_begun_before(kernel, section, tensor)) operands.insert(tensor);
        written.insert(tensor);
    }
    std::vector<std::string> ordered;
    for (const Tensor& t : kernel.tensors)
        if (operands.contains(t.name)) ordered.push_back(t.name);
    return ordered;
}

bool is_begun_before(const Kernel& kernel, Section section, const std::string& tensor) {
    return writes(kernel, {0, section.first}, tensor);
}

}  // namespace halogen
