// What defines a size that rule 1 leaves open: a declared formula, the last position written, or the largest extent that
// keeps every access inside (rule 2).

#include "frontend/solve/solver.h"

#include "frontend/formula/bound.h"
#include "frontend/solve/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

void KernelSolver::open(const std::string& name, SymbolSource source, bool has_source) {
    const std::string symbol = sizes_.root(name);
    sizes_.set_value(symbol, Formula::symbol(symbol));
    symbols_.push_back(symbol);
    if (has_source) sources_.emplace(symbol, std::move(source));
}

/// Bare dims of inputs and then parameters that have no number become symbols.
void KernelSolver::open_inputs() {
    for (const Tensor* t : kernel_.inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            const auto& name = model_.dims.at(t->name)[d].name;
            if (!name || sizes_.value(*name)) continue;
            const auto members = sizes_.members(*name);
            const auto parameter = std::find_if(members.begin(), members.end(),
                                                [&](const auto& m) { return kernel_.find_size(m) != nullptr; });
            open(*name, parameter == members.end() ? SymbolSource{t->name, d} : SymbolSource{}, true);
        }
    }
    for (const SizeParam& p : kernel_.sizes) {
        if (!sizes_.value(p.name)) open(p.name, {}, true);
    }
}

/// Solves factor * unknown + rest == 0 where that gives an exact quotient or a guard.
static std::optional<std::pair<Formula, Formula>> linear_in(const Formula& f, const std::string& unknown) {
    Formula factor, rest;
    for (const auto& [m, c] : f.terms()) {
        Formula others = c;
        int count = 0;
        for (const auto& atom : m) {
            if (atom->kind == Formula::Atom::Kind::symbol && atom->name == unknown)
                ++count;
            else
                others = others * Formula(atom);
        }
        if (count > 1 || (count == 0 ? false : mentions(others, unknown))) return std::nullopt;
        (count == 1 ? factor : rest) = (count == 1 ? factor : rest) + others;
    }
    if (factor == Formula(0) || mentions(rest, unknown)) return std::nullopt;
    return std::pair(factor, rest);
}

/// An input dim declared as a formula with one size that no buffer gives: `X: f32[2*N]` makes N = X.0/2.
void KernelSolver::solve_input_formulas() {
    for (const Tensor* t : kernel_.inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            const DimModel& dim = model_.dims.at(t->name)[d];
            if (dim.name || dim.extent.is_constant()) continue;
            if (sizes_.unknowns(sizes_.resolve(dim.extent)).size() != 1) continue;
            const std::string own = KernelModel::dim_name(t->name, d);
            const Reason why{-1, t->name, d, "",
                             fmt::format("dim {} of `{}` is declared as {}", d, t->name, print(dim.extent))};
            const bool is_given = std::any_of(equalities_.begin(), equalities_.end(),
                                              [&](const Equality& e) { return e.left == dim.extent; });
            if (is_given) continue;
            sizes_.add(own, 1);
            equalities_.push_back({dim.extent, Formula::symbol(own), why});
            open(own, {t->name, d}, true);
        }
    }
}

/// Undeclared dims that no index alone fixes: the last positions their equations write.
void KernelSolver::find_definitions() {
    std::set<std::string> pinned;
    for (const Use& use : model_.uses) {
        if (!use.is_left) continue;
        std::optional<Box> box;
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            const DimModel& dim = model_.dim(use, d);
            if (dim.declared) continue;
            const Place& p = use.places[d];
            if (p.bare && !indices_[use.equation].at(*p.bare).fixed) {
                pinned.insert(*dim.name);
            } else if (p.formula) {
                if (!box) box = box_of(use.equation);
                definitions_[*dim.name].emplace_back(hull_of(*p.formula, *box, bounds_).high, use.equation);
            }
        }
    }
    for (const auto& name : pinned) definitions_.erase(name);
}

/// Equalities with one open size, in which it is linear, define it.
bool KernelSolver::use_equalities() {
    bool progress = false;
    for (Equality& e : equalities_) {
        if (e.done) continue;
        const Formula difference = sizes_.resolve(e.left) - sizes_.resolve(e.right);
        const auto open = sizes_.unknowns(difference);
        if (open.size() != 1) continue;
        const auto parts = linear_in(difference, open[0]);
        if (!parts) continue;
        const bool negative = parts->first.constant() ? *parts->first.constant() < 0 : is_nonnegative(-parts->first);
        const Formula factor = negative ? -parts->first : parts->first,
                      rest = negative ? parts->second : -parts->second;
        const Formula value = floor_div(rest, factor);
        failing_ = {e.left, e.right};  // should one of the next lines throw
        if (!(value * factor == rest)) {
            if (const auto r = rest.constant(); r && factor.constant())
                throw Failure(
                    error_at(ErrorKind::non_integer,
                             fmt::format("`{}` would be {}/{}: {}", open[0], *r, *factor.constant(), e.why.text),
                             e.why.equation, fmt::format("make {} a multiple of {}", *r, *factor.constant())));
            Guard g{factor,    Guard::Relation::divides, rest, e.why.equation, e.why.tensor, e.why.dim, e.why.index,
                    e.why.text};
            guards_.push_back(std::move(g));
            if (!factor.constant()) positive_.push_back(factor);
        }
        if (const auto c = value.constant(); c && *c < 0)
            throw Failure(error_at(ErrorKind::negative, fmt::format("`{}` would be {}: {}", open[0], *c, e.why.text),
                                   e.why.equation, "give larger sizes"));
        sizes_.set_value(open[0], value);
        derive(open[0], Derivation::How::equality, e.why.equation, {e.left, e.right}, e.why.text);
        e.done = progress = true;
    }
    return progress;
}

/// The larger of two formulas, given that no range ends before it begins.
Formula KernelSolver::at_least_both(const Formula& a, const Formula& b) const {
    for (const Constraint& c : constraints_) {
        if (c.kind != Constraint::Kind::range) continue;
        const Formula slack = sizes_.resolve(c.slack);
        if (is_nonnegative(a - b - slack, bounds_)) return a;
        if (is_nonnegative(b - a - slack, bounds_)) return b;
    }
    return larger(a, b, bounds_);
}

bool KernelSolver::use_definitions() {
    bool progress = false;
    for (auto at = definitions_.begin(); at != definitions_.end();) {
        Formula last;
        bool ready = true, first = true;
        for (const auto& [high, equation] : at->second) {
            const Formula h = sizes_.resolve(high);
            ready = ready && sizes_.unknowns(h).empty();
            last = first ? h : at_least_both(last, h);
            first = false;
        }
        if (!ready) {
            ++at;
            continue;
        }
        const Formula extent = last + Formula(1);
        const auto dot = at->first.find('.');
        const int equation = at->second.front().second;
        const Reason why{equation, at->first.substr(0, dot), std::stoi(at->first.substr(dot + 1)), "",
                         fmt::format("dim {} of `{}` ends at the last position written", at->first.substr(dot + 1),
                                     at->first.substr(0, dot))};
        const bool given = given_.contains(sizes_.root(at->first));
        std::vector<Formula> from;
        for (const auto& [high, e] : at->second) from.push_back(high);
        if (sizes_.value(at->first)) {
            equalities_.push_back({Formula::symbol(at->first), extent, why, false, given, std::move(from), ""});
        } else {
            sizes_.set_value(at->first, extent);
            derive(at->first, Derivation::How::written, equation, std::move(from), "");
        }
        for (int id : constraints_of_[*sizes_.class_of(at->first)]) {
            Constraint& c = constraints_[id];
            if (c.is_left && c.why.tensor == why.tensor && c.why.dim == why.dim && c.kind != Constraint::Kind::below)
                c.satisfied = true;
        }
        at = definitions_.erase(at);
        progress = true;
    }
    return progress;
}

/// Open: neither an input's bare dim nor a parameter; the largest extent may be asked for.
bool KernelSolver::is_eligible(const std::string& root) const {
    return !sizes_.any_member(
        root, [&](const std::string& name) { return input_names_.contains(name) || kernel_.find_size(name); });
}

/// True when the class stands in `slack` by itself alone, and never with a minus sign: then it is not bounded by it.
bool KernelSolver::only_grows_with(const Formula& slack, const std::string& root) const {
    return std::all_of(slack.terms().begin(), slack.terms().end(), [&](const auto& term) {
        const auto& [atoms, factor] = term;
        if (atoms.empty()) return true;
        if (atoms.size() > 1 || atoms[0]->kind != Formula::Atom::Kind::symbol) return false;
        return factor > 0 || !sizes_.is_in(atoms[0]->name, root);
    });
}

/// True when one of the constraints bounds another open size too.
bool KernelSolver::shares_bound(const std::string& root, const std::vector<int>& constraints) const {
    return std::any_of(constraints.begin(), constraints.end(), [&](int id) {
        bool shares = false;
        const Formula& slack = constraints_[id].slack;
        slack.for_each_symbol([&](const std::string& name) {
            if (shares || !sizes_.has(name)) return;
            const auto& other = sizes_.root(name);
            if (other == root || !is_eligible(other) ||
                (sizes_.value(other) && !given_.contains(other) && !maximized_.contains(other)))
                return;
            std::vector<Formula> ignored;
            shares = largest_with_nonpositive(-sizes_.resolve(slack, other), other, ignored).has_value();
        });
        return shares;
    });
}

/// The lesser of two bounds, each of which there is only where its `no_…` is negative; anything where there is neither.
static Formula lesser_of(const Formula& a, const Formula& no_a, const Formula& b, const Formula& no_b,
                         const LowerBounds& least) {
    const auto unless = [&](const Formula& bound, const Formula& missing, const Formula& other) {
        if (is_nonnegative(-missing - Formula(1), least)) return bound;
        const Formula is_missing = smaller(1, larger(0, missing + Formula(1), least), least);  // 1 or 0
        return larger(bound, is_missing * other, least);
    };
    return smaller(unless(a, no_a, b), unless(b, no_b, a), least);
}

/// -f, with -min(a, b) as max(-a, -b).
static Formula turned(const Formula& f) {
    using Kind = Formula::Atom::Kind;
    const auto& terms = f.terms();
    if (terms.size() != 1 || terms[0].second != 1 || terms[0].first.size() != 1) return -f;
    const auto& atom = *terms[0].first[0];
    return atom.kind == Kind::min ? max(turned(atom.a), turned(atom.b)) : -f;
}

KernelSolver::Upper KernelSolver::upper_bound(const std::string& root) const {
    Upper upper;
    const auto list = constraints_of_.find(*sizes_.class_of(root));
    if (list == constraints_of_.end()) return upper;
    Formula least_named;  // over the names of extents that rule 2 found: those are at least 1, and so short
    const auto waits_for = [&](const Formula& f) { return !f.is_constant() && !sizes_.unknowns(f).empty(); };
    const auto add = [&](int id, const Formula& named) {
        const Formula bound = sizes_.resolve(named);
        upper.constraints.push_back(id);
        upper.satisfied.push_back(id);
        upper.waits = upper.waits || waits_for(bound);
        if (!upper.value || is_nonnegative(least_named - named, maximized_)) {
            upper.value = bound;
            least_named = named;
        } else if (!is_nonnegative(named - least_named, maximized_)) {
            upper.value = smaller(*upper.value, bound, bounds_);
            least_named = min(least_named, named);
        }
    };
    struct Uncertain {
        int id;
        Formula slack;
        std::optional<Formula> bound;  // where these are positive
        std::vector<Formula> positive;
    };
    std::vector<Uncertain> uncertain;
    for (int id : list->second) {
        const Constraint& c = constraints_[id];
        if (c.kind > Constraint::Kind::below || only_grows_with(c.slack, root)) continue;
        const Formula slack = sizes_.resolve(c.slack, root, maximized_);
        if (!mentions(slack, root)) continue;
        if (c.is_left && definitions_.contains(KernelModel::dim_name(c.why.tensor, c.why.dim))) continue;  // it follows
        std::vector<Formula> positive;
        const auto bound = largest_with_nonpositive(-slack, root, positive);
        const bool always = bound && std::all_of(positive.begin(), positive.end(), [&](const Formula& f) {
                                return is_nonnegative(f - Formula(1), maximized_);
                            });
        if (always)
            add(id, *bound);
        else
            uncertain.push_back({id, slack, bound, std::move(positive)});
    }
    const auto first = std::find_if(uncertain.begin(), uncertain.end(), [](const Uncertain& u) { return u.bound; });
    if (!upper.value && first == uncertain.end()) return upper;
    const bool one_case = !upper.value && std::all_of(uncertain.begin(), uncertain.end(), [&](const Uncertain& u) {
        return u.bound ? u.positive == first->positive : !largest_where_bounded(-u.slack, root);
    });
    if (one_case) {  // all rest on the same factors, which have to be positive
        for (const Uncertain& u : uncertain)
            if (u.bound) add(u.id, *u.bound);
        upper.positive = first->positive;
        return upper;
    }
    Formula without = -1;  // not negative where nothing bounds it
    for (const Uncertain& u : uncertain) {
        const auto bound = largest_where_bounded(-u.slack, root);
        if (!bound) continue;
        upper.constraints.push_back(u.id);
        if (bound->decides) upper.satisfied.push_back(u.id);
        Formula missing = sizes_.resolve(bound->unless.front());
        for (const Formula& f : bound->unless) missing = larger(missing, sizes_.resolve(f), bounds_);
        const Formula value = sizes_.resolve(bound->value);
        if (is_nonnegative(missing, bounds_)) continue;
        upper.waits = upper.waits || waits_for(value) || waits_for(missing);
        const auto before = upper.value;
        upper.value = before ? lesser_of(*before, without, value, missing, bounds_) : value;
        without = before ? smaller(without, missing, bounds_) : missing;
    }
    const Formula present = turned(without);
    if (!is_nonnegative(present - Formula(1), bounds_)) upper.positive.push_back(present);
    return upper;
}

bool KernelSolver::is_equated(const std::string& root) const {
    const auto holds_root = [&](const Formula& f) {
        const auto names = sizes_.unknowns(f);
        return std::find(names.begin(), names.end(), root) != names.end();
    };
    for (const Equality& e : equalities_) {
        if (!e.done && (holds_root(e.left) || holds_root(e.right))) return true;
    }
    for (const auto& [name, list] : definitions_) {
        if (sizes_.root(name) == root) return true;
    }
    return false;
}

/// True when a left index of the equation of one of the constraints has this extent: then rule 2 is about it.
bool KernelSolver::is_left_extent(const std::string& root, const std::vector<int>& constraints) const {
    return std::any_of(constraints.begin(), constraints.end(), [&](int id) {
        const auto& indices = indices_[constraints_[id].why.equation];
        return std::any_of(indices.begin(), indices.end(), [&](const auto& entry) {
            const auto name = entry.second.extent.as_symbol();
            return name && !entry.second.reduced && sizes_.is_in(*name, root);
        });
    });
}

/// Rule 2 for one class. `even_if_equated` is for classes that an equality could still have fixed, but nothing did.
bool KernelSolver::maximize(const std::string& root, bool even_if_equated) {
    if (!is_eligible(root) || (!even_if_equated && is_equated(root))) return false;
    const Upper upper = upper_bound(root);
    if (upper.waits) return false;
    if (!upper.value) return search_largest(root) || (even_if_equated && take_from_output(root));
    if (!is_left_extent(root, upper.constraints)) return false;
    positive_.insert(positive_.end(), upper.positive.begin(), upper.positive.end());
    take_largest(root, *upper.value, upper.constraints, upper.satisfied);
    return true;
}

/// A number given for a size that rule 2 would find must be the largest.
void KernelSolver::check_given() {
    for (const auto& [root, setting] : std::map(given_)) {
        if (sizes_.root(root) != root || !is_eligible(root)) continue;
        Upper upper = upper_bound(root);
        if (!upper.value) {
            const auto falling = falling_constraints(root);
            if (const auto largest = is_left_extent(root, falling) ? largest_that_fits(root, falling) : std::nullopt) {
                upper.value = Formula(*largest);
                upper.constraints = upper.satisfied = falling;
                upper.positive.clear();
            }
        }
        if (!is_left_extent(root, upper.constraints)) continue;
        failing_ = {Formula::symbol(root)};
        if (upper.value && sizes_.value(root) == std::optional(Formula(0)))
            throw Failure(error_at(ErrorKind::negative,
                                   fmt::format("`{}` is 0, but the largest extent that keeps {} inside is at least 1",
                                               setting, constraints_[upper.constraints.front()].access),
                                   constraints_[upper.constraints.front()].why.equation, "give a size of at least 1"));
        if (!upper.value || upper.waits || shares_bound(root, upper.constraints)) continue;
        const Constraint& first = constraints_[upper.constraints.front()];
        std::vector<Formula> slacks;
        for (int id : upper.constraints) slacks.push_back(constraints_[id].slack);
        for (int id : upper.satisfied) constraints_[id].satisfied = true;
        positive_.insert(positive_.end(), upper.positive.begin(), upper.positive.end());
        equalities_.push_back({*upper.value,
                               *sizes_.value(root),
                               {first.why.equation, first.why.tensor, first.why.dim, "",
                                fmt::format("`{}` is the largest extent that keeps {} inside", setting, first.access)},
                               false,
                               true,
                               std::move(slacks),
                               first.access});
    }
}

/// True when a left index with this extent stands in a compound read: then rule 2, and nothing else, finds it.
bool KernelSolver::is_held_by_reads(const std::string& root) const {
    return std::any_of(model_.uses.begin(), model_.uses.end(), [&](const Use& use) {
        if (use.is_left) return false;
        return std::any_of(use.access->at.begin(), use.access->at.end(), [&](const Expr& place) {
            bool held = false;
            walk(place, [&](const Expr& part) {
                const auto index = bare_index(part);
                const auto at = index ? indices_[use.equation].find(*index) : indices_[use.equation].end();
                if (at == indices_[use.equation].end() || bare_index(place)) return;
                const auto name = at->second.extent.as_symbol();
                held = held || (name && sizes_.is_in(*name, root));
            });
            return held;
        });
    });
}

void KernelSolver::determine() {
    for (;;) {
        while (use_equalities() || use_definitions()) {
        }
        bool progress = false;
        for (const bool even_if_equated : {false, true}) {
            for (const std::string& root : sizes_.unsolved()) {
                if (maximize(root, even_if_equated)) progress = true;
            }
            if (progress) break;
        }
        if (progress) continue;
        // A size that only an output's dim or an expression names: the output's buffer gives it.
        for (const std::string& root : sizes_.unsolved()) {
            if (root.find_first_of(".@") != std::string::npos || is_held_by_reads(root)) continue;
            SymbolSource source;
            for (const Tensor* t : kernel_.outputs()) {
                for (int d = 0; d < t->rank && source.tensor.empty(); ++d) {
                    const auto& name = model_.dims.at(t->name)[d].name;
                    if (name && sizes_.root(*name) == root) source = {t->name, d};
                }
            }
            open(root, source, !source.tensor.empty());
            progress = true;
            break;
        }
        if (!progress) return;
    }
}

void KernelSolver::fail_undetermined() {
    for (const std::string& root : sizes_.unsolved()) {
        const std::string shown = root.substr(0, root.find('@'));
        const bool is_index = shown != root;
        int equation = is_index ? std::stoi(root.substr(root.find('@') + 1)) : -1;
        for (const Use& use : model_.uses) {  // else the first equation that writes along it
            for (int d = 0; d < static_cast<int>(use.places.size()) && equation < 0 && use.is_left; ++d) {
                const auto& name = model_.dim(use, d).name;
                if (name && sizes_.root(*name) == root) equation = use.equation;
            }
        }
        const Upper upper = upper_bound(root);
        std::string what = fmt::format("nothing fixes the {} `{}`", is_index ? "extent of index" : "size", shown);
        if (!upper.constraints.empty()) {
            const Constraint& c = constraints_[upper.constraints.front()];
            equation = c.why.equation;
            std::string names;
            for (const auto& other : sizes_.unknowns(sizes_.resolve(c.slack)))
                names += (names.empty() ? "`" : ", `") + other.substr(0, other.find('@')) + "`";
            const Formula slack = sizes_.resolve(c.slack);
            std::map<std::string, Formula> plain;
            for (const auto& n : slack.symbols()) plain.emplace(n, Formula::symbol(n.substr(0, n.find('@'))));
            what = fmt::format("{} leaves {} open: only {} >= 0 is known", c.access, names,
                               print(slack.substitute(plain)));
        }
        const Tensor* owner = kernel_.find_tensor(shown.substr(0, shown.find('.')));
        const bool is_intermediate = owner && owner->role == Role::intermediate && !owner->dims;
        throw Failure(error_at(
            ErrorKind::underdetermined, what, equation,
            is_index ? fmt::format("give it a range: where {} in 0:N, or set it: --set {}=INT", shown, shown)
                     : fmt::format("{}, or set it: --set {}=INT",
                                   is_intermediate ? "give the index that writes it a range" : "declare it", shown)));
    }
}

}  // namespace halogen
