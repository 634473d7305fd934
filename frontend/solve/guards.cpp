#include "frontend/solve/guards.h"

#include "frontend/notation/symbol.h"
#include "frontend/solve/failure.h"
#include "frontend/solve/guard_list.h"
#include "frontend/solve/refusals.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// Extents of which one that is 0 means that the access is not made: those of the equation's indices; and where the left
/// has a fixed position, those of all dims with fixed positions (rule 5: then the equation is empty).
std::vector<Formula> extents_over(const Sizes& s, const Constraint& c) {
    std::vector<Formula> over;
    if (!c.is_access() || c.is_strict || c.why.equation < 0) return over;
    const auto add = [&](const Formula& extent) {
        const Formula f = s.resolve(extent);
        if (!is_nonnegative(f - Formula(1), s.bounds) && std::find(over.begin(), over.end(), f) == over.end())
            over.push_back(f);
    };
    for (const auto& [index, model] : s.indices[c.why.equation]) add(model.extent);
    const auto uses = s.model->uses_of(c.why.equation);
    const auto has_fixed = [](const Use& use, std::size_t d) {
        return use.places[d].formula && is_fixed(use.access->at[d]);
    };
    bool is_left_fixed = false;
    for (std::size_t d = 0; d < uses[0].places.size(); ++d) is_left_fixed = is_left_fixed || has_fixed(uses[0], d);
    if (!is_left_fixed) return over;
    const Expr& right = s.kernel().equations[c.why.equation].right;
    for (const Use& use : uses) {
        bool counts = use.is_left;
        walk(right, [&](const Expr& part) { counts = counts || part.as<Access>() == use.access; });
        for (std::size_t d = 0; d < use.places.size() && counts; ++d) {
            if (has_fixed(use, d)) add((*use.dims)[d].extent);
        }
    }
    return over;
}

/// Classes with several names that buffers or callers give: each must equal the first.
std::vector<std::pair<std::string, Join>> other_names(const SizeClasses& sizes, const std::string& root,
                                                      const std::set<std::string>& inputs, const Kernel& kernel) {
    std::vector<std::pair<std::string, Join>> names;
    if (!sizes.any_member(root, [&](const auto& n) { return n != root; })) return names;
    for (const auto& name : sizes.members(root)) {
        if (name == root || (!inputs.contains(name) && !kernel.find_size(name))) continue;
        names.emplace_back(name, sizes.joined_by(name).value_or(Join{}));
    }
    return names;
}

/// No size and no dim is negative: 2*N == Z.0 - 3 needs 3 <= Z.0.
void require_nonnegative(Sizes& s) {
    const auto require = [&](const Formula& f, const std::string& tensor, int d, const std::string& name) {
        if (is_nonnegative(s.resolve(f), s.bounds)) return;
        const Reason why{-1, tensor, d, "", name + " is not negative"};
        add_constraint(s, {Constraint::Kind::boundary, f, why, "", f, false});
    };
    for (const std::string& root : s.classes.roots()) {
        const auto& value = s.classes.value(root);
        if (!value || value->is_symbol(root) || s.maximized.contains(root) || Symbol::of(root).is_extent()) continue;
        require(*value, "", -1, fmt::format("`{}`", root));
    }
    for (const Tensor& t : s.kernel().tensors) {
        for (int d = 0; d < t.rank; ++d) {
            const DimModel& dim = s.model->dims.at(t.name)[d];
            if (!dim.name) require(dim.extent, t.name, d, fmt::format("dim {} of `{}`", d, t.name));
        }
    }
}

/// Of several strides and divisors, one of which is to be at least 1.
bool is_greatest(const Formula& f) {
    const auto& terms = f.terms();
    return terms.size() == 1 && terms[0].first.size() == 1 && terms[0].first[0]->kind == Formula::Atom::Kind::max;
}

/// Each further name of a class that a buffer or a caller gives must equal the first.
void guard_names(const Sizes& s, GuardList& guards) {
    for (const std::string& root : s.classes.roots()) {
        const auto value = s.classes.value(root);
        if (!value || value->is_constant()) continue;
        for (const auto& [name, why] : other_names(s.classes, root, s.input_names, s.kernel())) {
            const std::string text = !why.condition.empty() ? why.condition
                                     : why.index.empty() ? fmt::format("`{}` is to equal `{}`", why.first, why.second)
                                                         : fmt::format("index `{}` has one extent in {} and {}",
                                                                       why.index, why.first, why.second);
            guards.add_equal(*value, Formula::symbol(name),
                             {why.equation, "", -1, why.index, text, !why.condition.empty()});
        }
    }
}

void guard_equalities(const Sizes& s, GuardList& guards) {
    for (const Equality& e : s.equalities) {
        if (e.done) continue;
        const Formula left = s.resolve(e.left), right = s.resolve(e.right);
        if (left == right) continue;
        if ((left - right).is_constant()) fail_equality(s, e);
        guards.add_equal(left, right, e.why);
    }
}

void guard_constraints(const Sizes& s, GuardList& guards) {
    for (const Constraint& c : s.constraints) {
        if (c.satisfied) continue;
        const Formula slack = s.resolve(c.slack);
        const auto value = slack.constant();
        if (value && *value >= 0) continue;
        const auto over = extents_over(s, c);
        const bool is_condition = c.kind == Constraint::Kind::condition;  // what follows from it does not prove it
        if (!value)
            guards.add_nonnegative(slack, reason_of(c), over, is_condition ? LowerBounds{} : s.bounds);
        else if (std::find(over.begin(), over.end(), Formula(0)) == over.end())
            fail_constraint(s, c, *value);
    }
}

/// Places without exact bounds that may lie outside.
void check_when_run(Sizes& s) {
    for (const LoosePlace& l : s.loose) {
        if (is_nonnegative(s.resolve(l.slack), s.bounds)) continue;
        if (std::find(s.checked.begin(), s.checked.end(), l.place) == s.checked.end()) s.checked.push_back(l.place);
    }
}

/// Strides and divisors are at least 1.
void guard_positive(Sizes& s, GuardList& guards) {
    std::set<Formula> seen;
    for (const Formula& f : s.positive) {
        const Formula r = s.resolve(f);
        if (!seen.insert(r).second) continue;
        if (const auto value = r.constant(); value && *value < 1)
            fail(s,
                 error_of(ErrorKind::contradictory, fmt::format("the stride or divisor `{}` is {}", print(f), *value),
                          "make it at least 1"),
                 {{f}});
        if (const auto name = r.as_symbol()) s.bounds.erase(*name);  // the bound is this very guard
        const std::string text =
            fmt::format(fmt::runtime(is_greatest(f) ? "nothing bounds an extent unless `{}` is at least 1"
                                                    : "the stride or divisor `{}` is at least 1"),
                        print(f));
        guards.add_nonnegative(r - Formula(1), {-1, "", -1, "", text}, {}, s.bounds);
    }
}

}  // namespace

Sizes&& check_or_guard(Sizes&& s) {
    require_nonnegative(s);
    for (const auto& f : s.positive) {
        const Formula r = s.resolve(f);
        if (const auto name = r.as_symbol()) s.bounds[*name] = std::max<std::int64_t>(s.bounds[*name], 1);
    }
    GuardList guards(std::move(s.guards));
    guard_names(s, guards);
    guard_equalities(s, guards);
    guard_constraints(s, guards);
    check_when_run(s);
    guard_positive(s, guards);
    s.guards = guards.take();
    return std::move(s);
}

}  // namespace halogen
