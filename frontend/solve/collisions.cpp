// Points that meet in one element: an error under `=` (docs/notation.md, "Equations"). Places by data are checked at run time.

#include "frontend/solve/solver.h"

#include "frontend/formula/bound.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

struct Step {
    Formula coefficient;
    std::string index;
};

/// The coefficients of the indices `open` in an affine place; nothing when it is not affine in them.
std::optional<std::vector<Step>> steps_of(const Formula& place, const std::vector<std::string>& open) {
    std::vector<Step> steps;
    for (const auto& index : open) {
        Formula factor;
        for (const auto& [m, c] : place.terms()) {
            Formula others = c;
            int count = 0;
            for (const auto& atom : m) {
                if (atom->kind == Formula::Atom::Kind::symbol && atom->name == index)
                    ++count;
                else
                    others = others * Formula(atom);
            }
            const bool mixed =
                std::any_of(open.begin(), open.end(), [&](const auto& i) { return mentions(others, i); });
            if (count > 1 || (count == 1 && mixed) || (count == 0 && mentions(others, index))) return std::nullopt;
            if (count == 1) factor = factor + others;
        }
        if (!(factor == Formula(0))) steps.push_back({is_nonnegative(-factor) ? -factor : factor, index});
    }
    return steps;
}

/// Two places k/B and k % B fix k.
bool are_digits(const Formula& a, const Formula& b, const std::string& index) {
    using Kind = Formula::Atom::Kind;
    if (a.terms().size() != 1 || b.terms().size() != 1) return false;
    const auto &x = a.terms().begin()->first, &y = b.terms().begin()->first;
    return x.size() == 1 && y.size() == 1 && x[0]->kind == Kind::floor_div && y[0]->kind == Kind::remainder &&
           x[0]->a == y[0]->a && x[0]->b == y[0]->b && x[0]->a.as_symbol() == index;
}

}  // namespace

/// True when the left places tell the indices apart, given the facts added to `needed`: indices that stand alone, then
/// mixed radix place by place (each step wider than the smaller ones reach), then quotient and remainder.
bool KernelSolver::is_injective(int equation, std::vector<WideStep>* needed) const {
    const Use& left = model_.uses_of(equation).front();
    std::vector<std::string> open;
    for (const auto& index : model_.indices[equation]) {
        const auto extent = sizes_.resolve(indices_[equation].at(index).extent).constant();
        const bool alone =
            std::any_of(left.places.begin(), left.places.end(), [&](const Place& p) { return p.bare == index; });
        if (!alone && !(extent && *extent <= 1)) open.push_back(index);
    }
    for (bool progress = true; progress && !open.empty();) {
        progress = false;
        for (const Place& p : left.places) {
            if (!p.formula) continue;
            auto steps = steps_of(sizes_.resolve(*p.formula), open);
            if (!steps || steps->empty()) continue;
            // Numbers by size; symbolic steps by the number of their factors: 1, C, B*C.
            std::stable_sort(steps->begin(), steps->end(), [](const Step& a, const Step& b) {
                const auto weight = [](const Formula& f) {
                    return std::pair(f.terms().rbegin()->first.size(), f.terms().rbegin()->second);
                };
                return weight(a.coefficient) < weight(b.coefficient);
            });
            Formula reached = 1;
            std::vector<WideStep> facts;
            for (const Step& s : *steps) {
                const Formula extent = sizes_.resolve(indices_[equation].at(s.index).extent);
                if (!is_nonnegative(s.coefficient - reached, bounds_))
                    facts.push_back({s.coefficient - reached, extent});
                reached = reached + s.coefficient * (extent - Formula(1));
            }
            if (!facts.empty() && !needed) continue;
            if (needed) needed->insert(needed->end(), facts.begin(), facts.end());
            for (const Step& s : *steps) std::erase(open, s.index);
            progress = true;
        }
        for (const Place& a : left.places) {
            for (const Place& b : left.places) {
                std::erase_if(open, [&](const auto& index) {
                    return a.formula && b.formula && are_digits(*a.formula, *b.formula, index);
                });
            }
        }
    }
    return open.empty();
}

/// With numbers alone: are there two points with equal places? Exact, by differences of indices.
bool KernelSolver::points_meet(int equation) const {
    System system;
    std::vector<std::string> names;
    std::map<std::string, Formula> moved;
    for (const auto& [index, model] : indices_[equation]) {
        const Formula last = sizes_.resolve(model.min + model.extent) - Formula(1), first = sizes_.resolve(model.min);
        const std::string other = index + "'";
        for (const auto& n : {index, other}) {
            system.add_unknown(n, *first.constant());
            system.add_at_most(Formula::symbol(n), last, -1);
        }
        names.push_back(index);
        moved.emplace(index, Formula::symbol(other));
    }
    for (const Place& p : model_.uses_of(equation).front().places) {
        const Formula place = sizes_.resolve(*p.formula);
        system.add_equal(place, place.substitute(moved), -1);
    }
    std::vector<std::vector<Fact>> different;
    for (const auto& n : names)
        different.push_back({{Formula::symbol(n) + Formula(1), Fact::Relation::at_most, moved.at(n), -1}});
    system.add_either(std::move(different));
    return system.has_solution();
}

void KernelSolver::check_collisions() {
    for (int e = 0; e < static_cast<int>(kernel_.equations.size()); ++e) {
        const Equation& eq = kernel_.equations[e];
        const auto& places = model_.uses_of(e).front().places;
        const bool by_data = std::any_of(places.begin(), places.end(), [](const Place& p) { return !p.formula; });
        const bool predicates = std::any_of(eq.where.begin(), eq.where.end(),
                                            [](const Where& w) { return std::holds_alternative<Expr>(w); });
        if (eq.op != Op::assign || by_data || is_injective(e, nullptr)) continue;
        const auto fail = [&] {
            throw Failure(error_at(ErrorKind::index,
                                   fmt::format("points of {} meet in one element, and `=` keeps only one value",
                                               print(Expr(ExprNode{eq.left}))),
                                   e, "reduce with += or another operator, or let every point have its own place"));
        };
        const bool numbers =
            std::all_of(indices_[e].begin(), indices_[e].end(),
                        [&](const auto& i) {
                            return sizes_.resolve(i.second.extent).is_constant() &&
                                   sizes_.resolve(i.second.min).is_constant();
                        }) &&
            std::all_of(places.begin(), places.end(), [&](const Place& p) {
                const auto names = sizes_.resolve(*p.formula).symbols();
                return std::all_of(names.begin(), names.end(), [&](const auto& n) { return indices_[e].contains(n); });
            });
        if (predicates) continue;  // which points are left is known at run time alone
        if (numbers) {
            if (points_meet(e)) fail();
            continue;
        }
        std::vector<WideStep> needed;
        if (!is_injective(e, &needed)) fail();
        std::vector<Formula> over;  // where there is no point, none meet
        for (const auto& [index, model] : indices_[e]) {
            const Formula extent = sizes_.resolve(model.extent);
            if (!is_nonnegative(extent - Formula(1), bounds_)) over.push_back(extent);
        }
        const Reason why{e, eq.left.tensor, -1, "",
                         fmt::format("no two points of {} meet in one element", print(Expr(ExprNode{eq.left})))};
        for (const WideStep& f : needed) {
            const Formula one_point = f.extent - Formula(1);
            if (is_nonnegative(-f.slack - Formula(1),
                               bounds_)) {  // never wide enough: but a single point takes no step
                guard_nonnegative(-one_point, why, over);
            } else {
                auto or_one_point = over;
                if (!is_nonnegative(one_point - Formula(1), bounds_)) or_one_point.push_back(one_point);
                guard_nonnegative(f.slack, why, or_one_point);
            }
        }
    }
}

}  // namespace halogen
