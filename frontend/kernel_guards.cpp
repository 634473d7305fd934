// Conditions that numbers decide are checked here; the rest become guards, each needed, none twice.

#include "frontend/kernel_solver.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

Error KernelSolver::error_at(ErrorKind kind, std::string what, int equation, std::string fix) const {
    Error error{kind, std::move(what), {}, "", std::move(fix)};
    if (equation >= 0) {
        error.at = kernel_.equations[equation].at;
        error.equation = kernel_.equations[equation].text;
    }
    return error;
}

void KernelSolver::fail_constraint(const Constraint& c) const {
    const auto slack = *sizes_.resolve(c.slack).constant();
    const std::string reach = print(sizes_.resolve(c.reach));
    const auto dim_text = [&] { return fmt::format("dim {} of `{}`", c.why.dim, c.why.tensor); };
    switch (c.kind) {
    case Constraint::Kind::above:
    case Constraint::Kind::given: {
        const Formula extent = sizes_.resolve(model_.dims.at(c.why.tensor)[c.why.dim].extent);
        const auto kind = c.kind == Constraint::Kind::given ? ErrorKind::negative : ErrorKind::contradictory;
        throw Failure(error_at(kind, fmt::format("{} reaches position {} in {}, which has extent {}", c.access, reach, dim_text(), print(extent)),
                               c.why.equation, fmt::format("make {} larger by {}, or the ranges of its indices smaller", dim_text(), -slack)));
    }
    case Constraint::Kind::below: {
        const bool constant = c.reach.is_constant() && sizes_.unknowns(c.reach).empty() && c.slack.is_constant();
        throw Failure(error_at(constant ? ErrorKind::negative : ErrorKind::contradictory,
                               fmt::format("{} reaches position {} in {}", c.access, reach, dim_text()), c.why.equation,
                               fmt::format("pad {} by {} at the low end, or start the index later", dim_text(), -slack)));
    }
    case Constraint::Kind::range:
        throw Failure(error_at(ErrorKind::negative, fmt::format("the range `{}` has extent {}", c.access, slack), c.why.equation,
                               "let it end at or after its begin"));
    case Constraint::Kind::positive:
        throw Failure(error_at(ErrorKind::contradictory, fmt::format("the divisor `{}` is {}", c.access, reach), c.why.equation, "divide by at least 1"));
    case Constraint::Kind::extent: break;
    }
    throw Failure(error_at(ErrorKind::negative, fmt::format("it does not hold that {}: {} is short of that by {}", c.why.text, reach, -slack),
                           c.why.equation, "give larger sizes, or a smaller window, stride or dilation"));
}

void KernelSolver::fail_equality(const Equality& e) const {
    throw Failure(error_at(ErrorKind::contradictory,
                           fmt::format("{} is not {}: {}", print(sizes_.resolve(e.left)), print(sizes_.resolve(e.right)), e.why.text),
                           e.why.equation, "make both sides equal"));
}

void KernelSolver::add_guard(Guard g) {
    const bool known = std::any_of(guards_.begin(), guards_.end(), [&](const Guard& other) {
        return other.relation == g.relation && other.left == g.left && other.right == g.right;
    });
    if (!known) guards_.push_back(std::move(g));
}

namespace {

/// floor(a/b) + k >= 0 says the same as a + k*b >= 0; factors common to all terms do not matter.
Formula simplified_slack(Formula slack) {
    for (;;) {
        Formula::AtomRef quotient;
        Formula rest;
        int count = 0;
        for (const auto& [m, c] : slack.terms()) {
            if (m.size() == 1 && c == 1 && m[0]->kind == Formula::Atom::Kind::floor_div) {
                quotient = m[0];
                ++count;
            }
        }
        if (count != 1) return slack;
        slack = quotient->a + quotient->b * (slack - Formula(quotient));
    }
}

}  // namespace

/// As `left <= right`, both without minus signs.
void KernelSolver::guard_nonnegative(const Formula& slack, const Reason& why) {
    const Formula s = simplified_slack(slack);
    if (is_nonnegative(s, bounds_)) return;
    Formula left, right;
    for (const auto& [m, c] : s.terms()) {
        Formula term = c < 0 ? -Formula(c) : Formula(c);
        for (const auto& atom : m) term = term * Formula(atom);
        (c < 0 ? left : right) = (c < 0 ? left : right) + term;
    }
    add_guard({left, Guard::Relation::less_equal, right, why.equation, why.tensor, why.dim, why.index, why.text});
}

void KernelSolver::guard_equal(const Formula& a, const Formula& b, const Reason& why) {
    add_guard({a, Guard::Relation::equal, b, why.equation, why.tensor, why.dim, why.index, why.text});
}

/// Classes with several names that buffers or callers give: each must equal the first.
static std::vector<std::pair<std::string, Join>> other_names(const SizeClasses& sizes, const std::string& root,
                                                             const std::set<std::string>& inputs, const Kernel& kernel) {
    std::vector<std::pair<std::string, Join>> names;
    for (const auto& name : sizes.members(root)) {
        if (name == root || (!inputs.contains(name) && !kernel.find_size(name))) continue;
        names.emplace_back(name, sizes.joined_by(name).value_or(Join{}));
    }
    return names;
}

void KernelSolver::check_or_guard() {
    for (const auto& f : positive_) {
        const Formula r = sizes_.resolve(f);
        if (const auto name = r.as_symbol()) bounds_[*name] = std::max<std::int64_t>(bounds_[*name], 1);
    }
    for (const auto& root : sizes_.roots()) {
        const auto value = sizes_.value(root);
        if (!value || value->is_constant()) continue;
        for (const auto& [name, why] : other_names(sizes_, root, input_names_, kernel_)) {
            guard_equal(*value, Formula::symbol(name),
                        {why.equation, "", -1, why.index, fmt::format("index `{}` has one extent in {} and {}", why.index, why.first, why.second)});
        }
    }
    for (const Equality& e : equalities_) {
        if (e.done) continue;
        const Formula left = sizes_.resolve(e.left), right = sizes_.resolve(e.right);
        if (left == right) continue;
        if ((left - right).is_constant()) fail_equality(e);
        guard_equal(left, right, e.why);
    }
    for (Constraint& c : constraints_) {
        if (c.satisfied) continue;
        const Formula slack = sizes_.resolve(c.slack);
        if (const auto value = slack.constant()) {
            // A constant place in a dim given as 0 is an empty equation, not a mistake (rule 5).
            const bool empty_dim = c.kind == Constraint::Kind::given && sizes_.resolve(model_.dims.at(c.why.tensor)[c.why.dim].extent) == Formula(0);
            if (*value < 0 && !empty_dim) fail_constraint(c);
            continue;
        }
        const bool first_place = c.kind == Constraint::Kind::given && sizes_.resolve(c.reach) == Formula(0);
        if (first_place && sizes_.resolve(model_.dims.at(c.why.tensor)[c.why.dim].extent).as_symbol()) continue;
        if (c.kind != Constraint::Kind::positive || !sizes_.resolve(c.reach).as_symbol()) guard_nonnegative(slack, c.why);
    }
    std::set<Formula> seen;
    for (const Formula& f : positive_) {
        const Formula r = sizes_.resolve(f);
        if (!seen.insert(r).second) continue;
        if (const auto value = r.constant(); value && *value < 1)
            throw Failure(Error{ErrorKind::contradictory, fmt::format("the stride or divisor `{}` is {}", print(f), *value), {}, "", "make it at least 1"});
        const auto name = r.as_symbol();
        if (name) bounds_.erase(*name);
        guard_nonnegative(r - Formula(1), {-1, "", -1, "", fmt::format("the stride or divisor `{}` is at least 1", print(f))});
    }
}

std::string print(const Guard& g) {
    const char* relation = g.relation == Guard::Relation::equal ? "==" : g.relation == Guard::Relation::less_equal ? "<=" : "divides";
    return fmt::format("{} {} {}", print(g.left), relation, print(g.right));
}

bool holds(const Guard& g, const Bindings& values) {
    const std::int64_t left = evaluate(g.left, values), right = evaluate(g.right, values);
    switch (g.relation) {
    case Guard::Relation::equal: return left == right;
    case Guard::Relation::less_equal: return left <= right;
    default: return left != 0 && right % left == 0;
    }
}

}  // namespace halogen
