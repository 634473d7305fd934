// Conditions that numbers decide are checked here; the rest become guards, each needed, none twice.

#include "frontend/solve/solver.h"

#include "frontend/base/checked.h"

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

/// The clause is written only for what becomes a guard or an error: most constraints hold.
Reason KernelSolver::reason_of(const Constraint& c) {
    Reason why = c.why;
    if (c.kind == Constraint::Kind::largest) why.text = fmt::format("{} is at least 1{}", c.access, c.why.text);
    if (c.kind < Constraint::Kind::range)
        why.text = fmt::format("{} stays inside dim {} of `{}`", c.access, why.dim, why.tensor);
    return why;
}

namespace {

/// A declaration says what `T` is: its dims may be padded and made larger there.
bool is_declared(const Tensor& t) { return t.dims.has_value(); }

}  // namespace

std::string KernelSolver::fix_below(const Constraint& c, const std::string& dim, std::int64_t missing) const {
    std::string later = c.kind == Constraint::Kind::fixed ? "name a later position" : "start the index later";
    if (c.is_left || !is_declared(kernel_.tensor(c.why.tensor))) return later;
    return fmt::format("pad {} by {} at the low end, or {}", dim, missing, later);
}

std::string KernelSolver::fix_above(const Constraint& c, const std::string& dim, std::int64_t missing) const {
    const Tensor& t = kernel_.tensor(c.why.tensor);
    const std::string earlier =
        c.kind == Constraint::Kind::fixed ? "name an earlier position" : "make the ranges of the indices smaller";
    if (is_declared(t) || t.role == Role::input)
        return fmt::format("make {} larger by {}, or {}", dim, missing, earlier);
    return fmt::format("{}, or make the ranges of the indices that write `{}` larger by {}", earlier, t.name, missing);
}

void KernelSolver::fail_constraint(const Constraint& c, std::int64_t slack) const {
    if (c.kind == Constraint::Kind::largest && !c.root.empty())
        failing_ = {Formula::symbol(c.root)};
    else
        fail_about({c.slack}, c.why.equation, c.kind < Constraint::Kind::range ? c.access : "");
    const std::string reach = print(sizes_.resolve(c.reach));
    const std::string dim = fmt::format("dim {} of `{}`", c.why.dim, c.why.tensor);
    ErrorKind kind = ErrorKind::negative;
    std::string what, fix;
    switch (c.kind) {
    case Constraint::Kind::above:
    case Constraint::Kind::below:
    case Constraint::Kind::fixed:
        if (c.kind != Constraint::Kind::fixed) kind = ErrorKind::contradictory;
        if (reach[0] == '-') {
            what = fmt::format("{} reaches position {} in {}", c.access, reach, dim);
            fix = fix_below(c, dim, -slack);
        } else {
            const Formula extent = sizes_.resolve(model_.dims.at(c.why.tensor)[c.why.dim].extent);
            what =
                fmt::format("{} reaches position {} in {}, which has extent {}", c.access, reach, dim, print(extent));
            fix = fix_above(c, dim, -slack);
        }
        break;
    case Constraint::Kind::range:
        what = fmt::format("the range `{}` has extent {}", c.access, slack);
        fix = "let it end at or after its begin";
        break;
    case Constraint::Kind::positive:
        kind = ErrorKind::contradictory;
        what = fmt::format("the divisor `{}` is {}", c.access, reach);
        fix = "divide by at least 1";
        break;
    case Constraint::Kind::fits:
        kind = ErrorKind::overflow;
        what = fmt::format("`{}` does not keep its value: it is past the ends of its type by {}", c.access, -slack);
        fix = "cast to i64, or leave the cast out: positions are computed without loss";
        break;
    case Constraint::Kind::largest:
        what = fmt::format("{} would be {}, but {}", c.access, reach, reason_of(c).text);
        fix = "give larger sizes, or a smaller window, stride, dilation or pad";
        break;
    case Constraint::Kind::boundary:
        what = fmt::format("{}: it is short by {}", c.why.text, -slack);
        fix = "give a larger extent or a smaller pad";
        break;
    }
    throw Failure(error_at(kind, std::move(what), c.why.equation, std::move(fix)));
}

namespace {

template<typename Map>
bool mentions_any(const Formula& f, const Map& names) {
    bool found = false;
    f.for_each_symbol([&](const std::string& name) { found = found || names.contains(name); });
    return found;
}

}  // namespace

/// Extents of which one that is 0 means that the access is not made: those of the equation's indices; and where the left
/// has a fixed position, those of all dims with fixed positions (rule 5: then the equation is empty).
std::vector<Formula> KernelSolver::extents_over(const Constraint& c) const {
    std::vector<Formula> over;
    if (c.kind > Constraint::Kind::fixed || c.why.equation < 0) return over;
    const auto add = [&](const Formula& extent) {
        const Formula f = sizes_.resolve(extent);
        if (!is_nonnegative(f - Formula(1), bounds_) && std::find(over.begin(), over.end(), f) == over.end())
            over.push_back(f);
    };
    for (const auto& [index, model] : indices_[c.why.equation]) add(model.extent);
    const auto uses = model_.uses_of(c.why.equation);
    const auto is_fixed = [&](const Place& p) {
        return p.formula && !mentions_any(*p.formula, indices_[c.why.equation]);
    };
    if (std::none_of(uses[0].places.begin(), uses[0].places.end(), is_fixed)) return over;
    const Expr& right = kernel_.equations[c.why.equation].right;
    for (const Use& use : uses) {
        bool counts = use.is_left;
        walk(right, [&](const Expr& part) { counts = counts || part.as<Access>() == use.access; });
        for (std::size_t d = 0; d < use.places.size() && counts; ++d) {
            if (is_fixed(use.places[d])) add((*use.dims)[d].extent);
        }
    }
    return over;
}

void KernelSolver::fail_equality(const Equality& e) const {
    if (e.from.empty())
        failing_ = {e.left, e.right};
    else
        fail_about(e.from, e.why.equation, e.about);
    failing_.push_back(e.right);
    throw Failure(error_at(
        ErrorKind::contradictory,
        fmt::format("{} is not {}: {}", print(sizes_.resolve(e.left)), print(sizes_.resolve(e.right)), e.why.text),
        e.why.equation, "make both sides equal"));
}

namespace {

/// Wherever `a` holds because nothing is accessed, so does `b`.
bool is_over_fewer(const Guard& a, const Guard& b) {
    return std::all_of(a.over.begin(), a.over.end(), [&](const Formula& extent) {
        return std::find(b.over.begin(), b.over.end(), extent) != b.over.end();
    });
}

}  // namespace

void KernelSolver::add_guard(Guard g) {
    auto& same_sides = guards_with_[{g.left, g.right}];
    for (const std::size_t at : same_sides) {
        Guard& other = guards_[at];
        if (other.relation != g.relation) continue;
        if (is_over_fewer(other, g)) return;
        if (is_over_fewer(g, other)) {
            other.over = std::move(g.over);
            return;
        }
    }
    same_sides.push_back(guards_.size());
    guards_.push_back(std::move(g));
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
        if (count != 1) break;
        slack = quotient->a + quotient->b * (slack - Formula(quotient));
    }
    Wide g = 0;
    for (const auto& [m, c] : slack.terms()) {
        if (!m.empty()) g = gcd(g, c);
    }
    return g > 1 ? floor_div(slack, Formula(static_cast<std::int64_t>(g))) : slack;
}

}  // namespace

/// As `left <= right`, both without minus signs where that reads well.
void KernelSolver::guard_nonnegative(const Formula& slack, const Reason& why, const std::vector<Formula>& over) {
    const Formula s = simplified_slack(slack);
    if (is_nonnegative(s, bounds_)) return;
    if (std::find(over.begin(), over.end(), Formula(0)) != over.end()) return;
    if (std::find(over.begin(), over.end(), s + Formula(1)) != over.end()) return;  // 1 <= N, or N is 0
    Formula left, right;
    for (const auto& [m, c] : s.terms()) {
        Formula term = c < 0 ? -Formula(c) : Formula(c);
        for (const auto& atom : m) term = term * Formula(atom);
        // D of D*R - D stays beside its product: D*(R - 1) reads as the reach of a window.
        const bool beside =
            c > 0 && !m.empty() && std::any_of(s.terms().begin(), s.terms().end(), [&m = m](const auto& t) {
                return t.second < 0 && t.first.size() > m.size() &&
                       std::includes(t.first.begin(), t.first.end(), m.begin(), m.end(), Formula::AtomLess{});
            });
        if (beside)
            left = left - term;
        else
            (c < 0 ? left : right) = (c < 0 ? left : right) + term;
    }
    add_guard({left, Guard::Relation::less_equal, right, why.equation, why.tensor, why.dim, why.index, why.text, over});
}

void KernelSolver::guard_equal(const Formula& a, const Formula& b, const Reason& why) {
    add_guard({a, Guard::Relation::equal, b, why.equation, why.tensor, why.dim, why.index, why.text});
}

/// Classes with several names that buffers or callers give: each must equal the first.
static std::vector<std::pair<std::string, Join>> other_names(const SizeClasses& sizes, const std::string& root,
                                                             const std::set<std::string>& inputs,
                                                             const Kernel& kernel) {
    std::vector<std::pair<std::string, Join>> names;
    if (!sizes.any_member(root, [&](const auto& n) { return n != root; })) return names;
    for (const auto& name : sizes.members(root)) {
        if (name == root || (!inputs.contains(name) && !kernel.find_size(name))) continue;
        names.emplace_back(name, sizes.joined_by(name).value_or(Join{}));
    }
    return names;
}

/// No size and no dim is negative: 2*N == Z.0 - 3 needs 3 <= Z.0.
void KernelSolver::require_nonnegative() {
    const auto require = [&](const Formula& f, const std::string& tensor, int d, const std::string& name) {
        if (is_nonnegative(sizes_.resolve(f), bounds_)) return;
        const Reason why{-1, tensor, d, "", name + " is not negative"};
        add_constraint({Constraint::Kind::boundary, f, why, "", f, false});
    };
    for (const std::string& root : sizes_.roots()) {
        const auto& value = sizes_.value(root);
        if (!value || value->is_symbol(root) || maximized_.contains(root) || root.find('@') != std::string::npos)
            continue;
        require(*value, "", -1, fmt::format("`{}`", root));
    }
    for (const Tensor& t : kernel_.tensors) {
        for (int d = 0; d < t.rank; ++d) {
            const DimModel& dim = model_.dims.at(t.name)[d];
            if (!dim.name) require(dim.extent, t.name, d, fmt::format("dim {} of `{}`", d, t.name));
        }
    }
}

/// Of several strides and divisors, one of which is to be at least 1.
static bool is_greatest(const Formula& f) {
    const auto& terms = f.terms();
    return terms.size() == 1 && terms[0].first.size() == 1 && terms[0].first[0]->kind == Formula::Atom::Kind::max;
}

void KernelSolver::check_or_guard() {
    require_nonnegative();
    for (const auto& f : positive_) {
        const Formula r = sizes_.resolve(f);
        if (const auto name = r.as_symbol()) bounds_[*name] = 1;
    }
    for (const std::string& root : sizes_.roots()) {
        const auto value = sizes_.value(root);
        if (!value || value->is_constant()) continue;
        for (const auto& [name, why] : other_names(sizes_, root, input_names_, kernel_)) {
            guard_equal(*value, Formula::symbol(name),
                        {why.equation, "", -1, why.index,
                         why.index.empty() ? fmt::format("`{}` is to equal `{}`", why.first, why.second)
                                           : fmt::format("index `{}` has one extent in {} and {}", why.index, why.first,
                                                         why.second)});
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
        const auto value = slack.constant();
        if (value && *value >= 0) continue;
        const auto over = extents_over(c);
        if (!value)
            guard_nonnegative(slack, reason_of(c), over);
        else if (std::find(over.begin(), over.end(), Formula(0)) == over.end())
            fail_constraint(c, *value);
    }
    for (const Loose& l : loose_) {
        if (!is_nonnegative(sizes_.resolve(l.slack), bounds_)) check_when_run(l.place);
    }
    std::set<Formula> seen;
    for (const Formula& f : positive_) {
        const Formula r = sizes_.resolve(f);
        if (!seen.insert(r).second) continue;
        if (const auto value = r.constant(); value && *value < 1)
            throw Failure(Error{ErrorKind::contradictory,
                                fmt::format("the stride or divisor `{}` is {}", print(f), *value),
                                {},
                                "",
                                "make it at least 1"});
        if (const auto name = r.as_symbol()) bounds_.erase(*name);  // the bound is this very guard
        guard_nonnegative(r - Formula(1),
                          {-1, "", -1, "",
                           is_greatest(f) ? fmt::format("nothing bounds an extent unless `{}` is at least 1", print(f))
                                          : fmt::format("the stride or divisor `{}` is at least 1", print(f))});
    }
}

namespace {

bool is_linear(const Formula& f) {
    return std::all_of(f.terms().begin(), f.terms().end(), [](const auto& t) {
        return t.first.empty() || (t.first.size() == 1 && t.first[0]->kind == Formula::Atom::Kind::symbol);
    });
}

/// A guard that the exact engine takes.
bool is_usable(const Guard& g) {
    return g.relation != Guard::Relation::divides && is_linear(g.left) && is_linear(g.right);
}

void add_to(System& system, const Guard& g) {
    for (const auto& n : (g.left - g.right).symbols()) system.add_unknown(n, 0);
    if (g.relation == Guard::Relation::equal)
        system.add_equal(g.left, g.right, -1);
    else
        system.add_at_most(g.left, g.right, -1);
}

constexpr std::size_t most_guards = 24;  // that are looked at together

}  // namespace

/// A guard need not say "or where the extent is 0" of an extent that the unconditional guards keep above 0.
void KernelSolver::drop_extents_never_0() {
    System always;
    std::set<std::string> bounded;
    for (const Guard& g : guards_) {
        if (!g.over.empty() || !is_usable(g)) continue;
        add_to(always, g);
        bounded.merge((g.left - g.right).symbols());
    }
    for (Guard& g : guards_) {
        std::erase_if(g.over, [&](const Formula& extent) {
            const auto names = extent.symbols();
            if (!is_linear(extent) ||
                std::none_of(names.begin(), names.end(), [&](const auto& n) { return bounded.contains(n); }))
                return false;
            System zero = always;
            add_to(zero, {extent, Guard::Relation::equal, 0});
            return !zero.has_solution();
        });
    }
}

/// Of guards that differ by a constant the strongest stays, of equal ones the last: 3 <= N and 5 <= N.
void KernelSolver::drop_weaker_guards() {
    struct Kept {
        std::size_t at;
        std::int64_t constant;
    };
    std::map<Formula, std::vector<Kept>> kept;  // by what they have in common
    std::vector<bool> dropped(guards_.size());
    for (std::size_t i = guards_.size(); i-- > 0;) {
        const Guard& g = guards_[i];
        if (g.relation != Guard::Relation::less_equal) continue;
        const Formula slack = g.right - g.left;
        const auto& terms = slack.terms();
        const std::int64_t constant = !terms.empty() && terms.front().first.empty() ? terms.front().second : 0;
        auto& alike = kept[slack - Formula(constant)];
        const auto implies = [&](std::size_t a, std::int64_t of_a, std::size_t b, std::int64_t of_b) {
            return of_a <= of_b && is_over_fewer(guards_[a], guards_[b]);
        };
        dropped[i] = std::any_of(alike.begin(), alike.end(),
                                 [&](const Kept& k) { return implies(k.at, k.constant, i, constant); });
        if (dropped[i]) continue;
        std::erase_if(alike, [&](const Kept& k) {
            const bool weaker = implies(i, constant, k.at, k.constant);
            dropped[k.at] = dropped[k.at] || weaker;
            return weaker;
        });
        alike.push_back({i, constant});
    }
    std::size_t next = 0;
    std::erase_if(guards_, [&](const Guard&) { return dropped[next++]; });
}

/// Drops guards that the others imply: linear ones by the exact engine, a least set.
void KernelSolver::minimize_guards() {
    drop_weaker_guards();
    if (guards_.size() > most_guards) return;
    drop_extents_never_0();
    const auto shares = [](const Guard& a, const Guard& b) {
        const auto x = (a.left - a.right).symbols(), y = (b.left - b.right).symbols();
        return std::any_of(x.begin(), x.end(), [&](const auto& n) { return y.contains(n); });
    };
    for (std::size_t i = guards_.size(); i-- > 0;) {
        const Guard g = guards_[i];
        if (g.relation != Guard::Relation::less_equal || !is_usable(g)) continue;
        System system;
        bool alone = true;
        for (std::size_t j = 0; j < guards_.size(); ++j) {
            const Guard& other = guards_[j];
            if (j == i || !is_usable(other) || !is_over_fewer(other, g)) continue;
            alone = alone && !shares(g, other);
            add_to(system, other);
        }
        if (alone) continue;
        add_to(system, {g.right + Formula(1), Guard::Relation::less_equal, g.left});
        if (!system.has_solution()) guards_.erase(guards_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

std::string print(const Guard& g) {
    const char* relation = g.relation == Guard::Relation::equal        ? "=="
                           : g.relation == Guard::Relation::less_equal ? "<="
                                                                       : "divides";
    return fmt::format("{} {} {}", print(g.left), relation, print(g.right));
}

bool holds(const Guard& g, const Bindings& values) {
    for (const Formula& extent : g.over) {
        if (evaluate(extent, values) == 0) return true;
    }
    const std::int64_t left = evaluate(g.left, values), right = evaluate(g.right, values);
    switch (g.relation) {
    case Guard::Relation::equal: return left == right;
    case Guard::Relation::less_equal: return left <= right;
    default: return left != 0 && right % left == 0;
    }
}

}  // namespace halogen
