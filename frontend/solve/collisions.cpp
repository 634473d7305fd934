// Points that meet in one element: an error under `=` (docs/notation.md, "Equations"). Places by data are checked at run time.

#include "frontend/solve/collisions.h"

#include "frontend/formula/bound.h"
#include "frontend/formula/hull.h"
#include "frontend/formula/linear_part.h"
#include "frontend/integers/system.h"
#include "frontend/notation/parts.h"
#include "frontend/solve/failure.h"
#include "frontend/solve/guard_list.h"

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
        const auto part = linear_part(place, index);
        if (!part) return std::nullopt;
        const Formula& factor = part->factor;
        if (std::any_of(open.begin(), open.end(), [&](const auto& i) { return mentions(factor, i); }))
            return std::nullopt;
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

/// The only one of `open` in a place; nothing where there are several or none.
std::optional<std::string> only_index(const Formula& place, const std::vector<std::string>& open) {
    std::optional<std::string> only;
    for (const auto& index : open) {
        if (!mentions(place, index)) continue;
        if (only) return std::nullopt;
        only = index;
    }
    return only;
}

/// No two values of the index have one place: each step goes on, or each goes back. Of m*m with m >= 0 it is 2*m + 1.
bool is_strictly_monotone(const Sizes& s, int equation, const Formula& place, const std::string& index) {
    if (!is_nonnegative(s.resolve(s.indices[equation].at(index).min), s.bounds)) return false;
    const Formula next = place.substitute(std::map<std::string, Formula>{{index, Formula::symbol(index) + Formula(1)}});
    const Formula step = next - place;
    return is_nonnegative(step - Formula(1), s.bounds) || is_nonnegative(-step - Formula(1), s.bounds);
}

/// The largest extent of the index from its first value on for which no two values have the same places, of places of numbers alone:
/// 4 of `i%4`, 65536 of `i16(i)`, 15 of `max(r, 1), abs(r - 3)` where r has so many. Nothing where none is found.
std::optional<std::int64_t> tells_apart(const Sizes& s, int equation, const std::vector<Formula>& places,
                                        const std::string& index) {
    constexpr std::int64_t most = 65537;
    const IndexModel& range = s.indices[equation].at(index);
    const auto first = s.resolve(range.min).constant(), count = s.resolve(range.extent).constant();
    if (!first) return {};
    std::set<std::vector<std::int64_t>> met;
    for (std::int64_t n = 0; n < std::min(most, count.value_or(most)); n++) {
        std::vector<std::int64_t> at;
        for (const Formula& place : places) at.push_back(evaluate(place, Bindings{{index, *first + n}}));
        if (!met.insert(std::move(at)).second) return n;
    }
    return count && *count <= most ? count : std::nullopt;
}

/// A step of the left side is as wide as the smaller ones reach where `slack` is not negative; of one point there is none.
struct WideStep {
    Formula slack, extent;
};

/// Whether the left places tell the indices apart, given the facts added to `needed` where there is such a list.
class Injectivity {
public:
    Injectivity(const Sizes& s, int equation, std::vector<WideStep>* needed)
        : s_(s), equation_(equation), places_(s.model->uses_of(equation).front().places), needed_(needed) {
        for (const auto& [index, range] : s.indices[equation]) {
            const Formula first = s.resolve(range.min);
            box_.emplace(index, Hull{first, first + s.resolve(range.extent) - Formula(1)});
        }
        for (const auto& index : s.model->indices[equation]) {
            const auto alone = [&](const Place& p) { return p.bare == index; };
            if (std::none_of(places_.begin(), places_.end(), alone) && extent(index).constant().value_or(2) > 1)
                open_.push_back(index);
        }
    }

    /// Facts are asked for where nothing else tells an index; what that told may tell others.
    bool holds() {
        std::vector<WideStep>* const needed = needed_;
        do {
            needed_ = nullptr;
            while (tells_an_index()) {
            }
            needed_ = needed;
        } while (needed && tells_an_index());
        return open_.empty();
    }

private:
    bool tells_an_index() {
        return !open_.empty() &&
               (by_growth() || by_digits() || by_steps() || by_folds() || by_numbers() || by_one_point());
    }

    Formula extent(const std::string& index) const { return s_.resolve(s_.indices[equation_].at(index).extent); }

    /// Some place takes `index`, the only open one in it, to values of its own.
    template<typename Tells>
    bool by_one_index(Tells&& tells) {
        return std::any_of(places_.begin(), places_.end(), [&](const Place& p) {
            if (!p.formula) return false;
            const Formula place = s_.resolve(*p.formula);
            const auto index = only_index(place, open_);
            return index && tells(place, *index) && std::erase(open_, *index) > 0;
        });
    }

    bool by_growth() {
        return by_one_index([&](const Formula& place, const std::string& index) {
            return is_strictly_monotone(s_, equation_, place, index);
        });
    }

    /// Quotient and remainder.
    bool by_digits() {
        const std::size_t before = open_.size();
        for (const Place& a : places_)
            for (const Place& b : places_)
                std::erase_if(open_, [&](const auto& index) {
                    return a.formula && b.formula && are_digits(*a.formula, *b.formula, index);
                });
        return open_.size() < before;
    }

    /// Mixed radix in one place: each step is wider than the smaller ones reach.
    bool by_steps() {
        return std::any_of(places_.begin(), places_.end(), [&](const Place& p) {
            auto steps = p.formula ? steps_of(s_.resolve(*p.formula), open_) : std::nullopt;
            if (!steps || steps->empty()) return false;
            // Numbers by size; symbolic steps by the number of their factors: 1, C, B*C.
            std::stable_sort(steps->begin(), steps->end(), [](const Step& a, const Step& b) {
                const auto weight = [](const Formula& f) {
                    return std::pair(f.terms().rbegin()->first.size(), f.terms().rbegin()->second);
                };
                return weight(a.coefficient) < weight(b.coefficient);
            });
            Formula reached = 1;
            std::vector<WideStep> facts;
            for (const Step& step : *steps) {
                if (!is_nonnegative(step.coefficient - reached, s_.bounds))
                    facts.push_back({step.coefficient - reached, extent(step.index)});
                reached = reached + step.coefficient * (extent(step.index) - Formula(1));
            }
            if (!facts.empty() && !needed_) return false;
            if (needed_) needed_->insert(needed_->end(), facts.begin(), facts.end());
            for (const Step& step : *steps) std::erase(open_, step.index);
            return true;
        });
    }

    /// A place that is folded, and straight where it is not: `(i + P)%m` as long as it goes round once at most, `abs(i - 2)` on
    /// one side of its corner, `max(i, s)` beyond it, `i/T` where T is 1.
    bool by_folds() {
        return by_one_index([&](const Formula& place, const std::string& index) {
            for (const Formula& slack : slack_of_folds(place, index)) {
                const bool fits = is_nonnegative(slack, s_.bounds);
                if (!fits && !needed_) continue;
                if (!fits) needed_->push_back({slack, extent(index)});
                return true;
            }
            return false;
        });
    }

    /// What must not be negative for the place to tell the index apart, one formula for each way.
    std::vector<Formula> slack_of_folds(const Formula& place, const std::string& index) const {
        using Kind = Formula::Atom::Kind;
        const auto is_straight = [&](const Formula& f) {
            const auto part = linear_part(f, index);
            return part && (part->factor == Formula(1) || part->factor == Formula(-1));
        };
        std::vector<Formula> ways;
        for (const auto& [atoms, factor] : place.terms()) {
            if (atoms.size() != 1 || mentions(place - Formula::term(atoms, factor), index)) continue;
            const auto& atom = *atoms[0];
            if (atom.kind == Kind::remainder && is_straight(atom.a) && !mentions(atom.b, index))
                ways.push_back(hull_of(atom.b, box_, s_.bounds).low - extent(index));
            if (atom.kind == Kind::floor_div && is_straight(atom.a) && !mentions(atom.b, index) &&
                !is_nonnegative(atom.b - Formula(2), s_.bounds) && steps_fall_together(atom.a, index))
                ways.push_back(Formula(1) - atom.b);
            if (atom.kind != Kind::max && atom.kind != Kind::min) continue;
            const Formula sign = atom.kind == Kind::max ? 1 : -1;
            for (const auto& [inner, other] : {std::pair(atom.a, atom.b), std::pair(atom.b, atom.a)}) {
                if (!is_straight(inner)) continue;
                if (inner + other == Formula(0)) {
                    const Hull signed_values = hull_of(inner, box_, s_.bounds);
                    const auto never = [&](const Formula& f) { return is_nonnegative(-f - Formula(1), s_.bounds); };
                    const Formula &above = signed_values.low, below = -signed_values.high;
                    ways.push_back(never(above) ? below : never(below) ? above : max(above, below));
                    break;
                }
                if (!mentions(other, index)) ways.push_back(hull_of(sign * (inner - other), box_, s_.bounds).low);
            }
        }
        return ways;
    }

    /// Of the steps that a number above 1 divides, two have one quotient, and no other place tells them apart: of three steps, or of two from 0.
    bool steps_fall_together(const Formula& steps, const std::string& index) const {
        const auto tells = [&](const Place& p) { return !p.formula || mentions(s_.resolve(*p.formula), index); };
        return std::ranges::count_if(places_, tells) == 1 &&
               (extent(index).constant().value_or(0) >= 3 || hull_of(steps, box_, s_.bounds).low == Formula(0));
    }

    bool by_numbers() {
        return std::any_of(open_.begin(), open_.end(), [&](const std::string& index) {
            const Formula values = extent(index);
            if (!needed_ && !values.is_constant()) return false;  // the walk is long
            std::vector<Formula> of_it;
            for (const Place& p : places_)
                if (p.formula && s_.resolve(*p.formula).symbols() == std::set{index})
                    of_it.push_back(s_.resolve(*p.formula));
            const auto count = tells_apart(s_, equation_, of_it, index);
            if (of_it.empty() || !count || *count == 1) return false;
            const bool fits = is_nonnegative(Formula(*count) - values, s_.bounds);
            if (!fits && needed_) needed_->push_back({Formula(*count) - values, values});
            return (fits || needed_) && std::erase(open_, std::string(index)) > 0;
        });
    }

    /// An index that no place depends on, as `t` of `t%1`, may have one point.
    bool by_one_point() {
        if (!needed_) return false;
        return std::erase_if(open_, [&](const std::string& index) {
                   const bool is_named = std::any_of(places_.begin(), places_.end(), [&](const Place& p) {
                       return p.formula && mentions(s_.resolve(*p.formula), index);
                   });
                   if (!is_named) needed_->push_back({-1, extent(index)});
                   return !is_named;
               }) > 0;
    }

    const Sizes& s_;
    int equation_;
    const std::vector<Place>& places_;
    std::vector<WideStep>* needed_;
    std::vector<std::string> open_;
    Box box_;
};

/// With numbers alone: are there two points with equal places? Exact, by differences of indices.
bool points_meet(const Sizes& s, int equation) {
    System system;
    std::vector<std::string> names;
    std::map<std::string, Formula> moved;
    for (const auto& [index, model] : s.indices[equation]) {
        const Formula last = s.resolve(model.min + model.extent) - Formula(1), first = s.resolve(model.min);
        const std::string other = index + "'";
        for (const auto& n : {index, other}) {
            system.add_unknown(n, *first.constant());
            system.add_at_most(Formula::symbol(n), last, -1);
        }
        names.push_back(index);
        moved.emplace(index, Formula::symbol(other));
    }
    for (const Place& p : s.model->uses_of(equation).front().places) {
        const Formula place = s.resolve(*p.formula);
        system.add_equal(place, place.substitute(moved), -1);
    }
    std::vector<std::vector<Fact>> different;
    for (const auto& n : names)
        different.push_back({{Formula::symbol(n) + Formula(1), Relation::at_most, moved.at(n), -1}});
    system.add_either(std::move(different));
    return system.has_solution();
}

/// With numbers alone it can be asked whether two points meet.
bool has_numbers(const Sizes& s, int equation) {
    const auto& indices = s.indices[equation];
    const auto& places = s.model->uses_of(equation).front().places;
    return std::all_of(indices.begin(), indices.end(),
                       [&](const auto& i) {
                           return s.resolve(i.second.extent).is_constant() && s.resolve(i.second.min).is_constant();
                       }) &&
           std::all_of(places.begin(), places.end(), [&](const Place& p) {
               const auto names = s.resolve(*p.formula).symbols();
               return std::all_of(names.begin(), names.end(), [&](const auto& n) { return indices.contains(n); });
           });
}

void guard_steps(const Sizes& s, int equation, const std::vector<WideStep>& needed, GuardList& guards) {
    std::vector<Formula> over;  // where there is no point, none meet
    for (const auto& [index, range] : s.indices[equation]) {
        const Formula extent = s.resolve(range.extent);
        if (!is_nonnegative(extent - Formula(1), s.bounds)) over.push_back(extent);
    }
    const Access& left = s.kernel().equations[equation].left;
    const Reason why{equation, left.tensor, -1, "",
                     fmt::format("no two points of {} meet in one element", print(Expr(ExprNode{left})))};
    for (const WideStep& step : needed) {
        const Formula one_point = step.extent - Formula(1);
        if (is_nonnegative(-step.slack - Formula(1),
                           s.bounds)) {  // never wide enough: but a single point takes no step
            guards.add_nonnegative(-one_point, why, over, s.bounds);
        } else {
            auto or_one_point = over;
            if (!is_nonnegative(one_point - Formula(1), s.bounds)) or_one_point.push_back(one_point);
            guards.add_nonnegative(step.slack, why, or_one_point, s.bounds);
        }
    }
}

void check(Sizes& s, int equation, GuardList& guards) {
    const Equation& eq = s.kernel().equations[equation];
    const auto& places = s.model->uses_of(equation).front().places;
    const bool by_data = std::any_of(places.begin(), places.end(), [](const Place& p) { return !p.formula; });
    if (eq.op != Op::assign || by_data || Injectivity(s, equation, nullptr).holds()) return;
    std::vector<WideStep> needed;
    const bool numbers = has_numbers(s, equation);
    if (!predicates_of(eq).empty()) {  // which points are left is known at run time alone
        if (!numbers || points_meet(s, equation)) s.may_meet.insert(equation);
        return;
    }
    if (numbers ? points_meet(s, equation) : !Injectivity(s, equation, &needed).holds())
        throw Failure(error_at(s.kernel(), ErrorKind::index,
                               fmt::format("points of {} meet in one element, and `=` keeps only one value",
                                           print(Expr(ExprNode{eq.left}))),
                               equation, "reduce with += or another operator, or let every point have its own place"));
    if (!numbers) guard_steps(s, equation, needed, guards);
}

}  // namespace

Sizes&& check_collisions(Sizes&& s) {
    GuardList guards(std::move(s.guards));
    for (int e = 0; e < static_cast<int>(s.kernel().equations.size()); ++e) check(s, e, guards);
    s.guards = guards.take();
    return std::move(s);
}

}  // namespace halogen
