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

class Stepper {
public:
    Stepper(const Kernel& kernel, const Solution& s, const std::vector<Split>& splits)
        : kernel_(kernel), solution_(s), splits_(splits) {}

    std::vector<ShardStep> steps() const {
        check_names();
        std::vector<ShardStep> steps;
        const int count = static_cast<int>(kernel_.equations.size());
        for (int at = 0; at < count; at = steps.back().section.end) steps.push_back(longest_from(at));
        return steps;
    }

private:
    void check_names() const {
        std::vector<std::string> names;
        for (const Equation& e : kernel_.equations)
            for (const std::string& index : indices_of(e))
                if (!is_listed(names, index)) names.push_back(index);
        for (const Split& split : splits_) {
            if (!is_listed(names, split.index)) {
                const std::string close = nearest(split.index, names);
                throw Failure(Error{ErrorKind::name,
                                    fmt::format("the kernel has no index `{}`", split.index),
                                    {},
                                    "",
                                    (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) +
                                        fmt::format("its indices are `{}`", fmt::join(names, "`, `"))});
            }
            for (int e = 0; e < static_cast<int>(kernel_.equations.size()); ++e) check_role(e, split.index, names);
        }
    }

    bool has_index(int e, const std::string& index) const { return solution_.indices[e].contains(index); }

    void check_role(int e, const std::string& index, const std::vector<std::string>& names) const {
        if (!has_index(e, index)) return;
        const SplitRole role = role_of(kernel_, solution_, e, index);
        if (role.kind != SplitRole::Kind::ordered) return;
        std::vector<std::string> others;
        for (const std::string& other : names)
            if (can_be_split(other)) others.push_back(other);
        throw Failure(Error{ErrorKind::schedule,
                            fmt::format("index `{}` cannot be split: {}", index, role.reason),
                            {},
                            kernel_.equations[e].text,
                            others.empty() ? "no index of this kernel can be split"
                                           : fmt::format("split one of `{}`", fmt::join(others, "`, `"))});
    }

    bool can_be_split(const std::string& index) const {
        for (int e = 0; e < static_cast<int>(kernel_.equations.size()); ++e)
            if (has_index(e, index) && role_of(kernel_, solution_, e, index).kind == SplitRole::Kind::ordered)
                return false;
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
        while (end < static_cast<int>(kernel_.equations.size()) && !is_partial(end)) ++end;
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
    const std::vector<Split>& splits_;
};

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

Result<std::vector<ShardStep>> steps_of(const Kernel& kernel, const Solution& s, const std::vector<Split>& splits) {
    return guarded([&] { return Stepper(kernel, s, splits).steps(); });
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
