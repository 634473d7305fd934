// Hulls of places. An operator at a time while no index stands in two places; else index by index: where a formula is
// monotone in an index, its ends are at the index's ends; where it is so in pieces, they are at the ends of the pieces.

#include "frontend/formula/hull.h"

#include "frontend/base/checked.h"
#include "frontend/formula/bound.h"
#include "frontend/formula/weight.h"

#include <algorithm>
#include <cstdlib>

namespace halogen {

namespace {

using Atom = Formula::Atom;

constexpr int most_depth = 8;        // of pieces within pieces
constexpr int most_atoms = 60;       // of a formula that is still looked at
constexpr int most_looks = 200;      // at formulas, for one hull
constexpr int heaviest_ends = 1000;  // atoms of both, while they are put together: least and largest of as many cases

bool varies(const Formula& f, const Box& box) {
    bool found = false;
    f.for_each_symbol([&](const std::string& name) { found = found || box.contains(name); });
    return found;
}

bool varies(const Atom& atom, const Box& box) {
    return atom.kind == Atom::Kind::symbol
               ? box.contains(atom.name)
               : std::any_of(atom.symbols.begin(), atom.symbols.end(),
                             [&](const auto& symbol) { return box.contains(symbol->name); });
}

/// f as a sum of products of what varies, each with the sum of what multiplies it; and the rest.
struct Parts {
    std::vector<std::pair<Formula::Monomial, Formula>> varying;
    Formula fixed;

    Parts(const Formula& f, const Box& box) {
        for (const auto& [m, c] : f.terms()) {
            Formula::Monomial::Atoms still, moving;
            for (const auto& atom : m) (varies(*atom, box) ? moving : still).push_back(atom);
            if (moving.empty()) {
                fixed = fixed + Formula::term(m, c);
            } else if (still.empty()) {
                add(m, c);
            } else {
                const Formula::Monomial product(std::move(moving));
                add(product, Formula::term(std::move(still), c));
            }
        }
    }

private:
    void add(const Formula::Monomial& what, const Formula& factor) {
        const Formula::MonomialLess less;
        const auto same = std::find_if(varying.begin(), varying.end(), [&](const auto& other) {
            return !less(other.first, what) && !less(what, other.first);
        });
        if (same == varying.end())
            varying.emplace_back(what, factor);
        else
            same->second = same->second + factor;
    }
};

Hull scaled(const Formula& factor, const Hull& h, const LowerBounds& bounds) {
    if (is_nonnegative(factor, bounds)) return {factor * h.low, factor * h.high, h.exact};
    if (is_nonnegative(-factor, bounds)) return {factor * h.high, factor * h.low, h.exact};
    return {smaller(factor * h.low, factor * h.high, bounds), larger(factor * h.low, factor * h.high, bounds), h.exact};
}

Hull product(const Hull& a, const Hull& b, const LowerBounds& bounds) {
    const bool exact = a.exact && b.exact;
    if (is_nonnegative(a.low, bounds) && is_nonnegative(b.low, bounds)) return {a.low * b.low, a.high * b.high, exact};
    const Hull low = scaled(a.low, b, bounds), high = scaled(a.high, b, bounds);
    return {smaller(low.low, high.low, bounds), larger(low.high, high.high, bounds), exact};
}

/// f with every atom equal to `old` replaced, at any depth.
Formula replaced(const Formula& f, const Formula::AtomRef& old, const Formula& by) {
    const Formula::AtomLess less;
    Formula sum;
    for (const auto& [m, c] : f.terms()) {
        Formula term = c;
        for (const auto& atom : m) {
            if (!less(atom, old) && !less(old, atom))
                term = term * by;
            else if (atom->kind == Atom::Kind::symbol)
                term = term * Formula(atom);
            else
                term = term * operation(atom->kind, replaced(atom->a, old, by), replaced(atom->b, old, by));
        }
        sum = sum + term;
    }
    return sum;
}

/// Every operation that varies, those within others first.
void collect(const Formula& f, const Box& box, std::vector<Formula::AtomRef>& atoms) {
    for (const auto& [m, c] : f.terms()) {
        for (const auto& atom : m) {
            if (atom->kind == Atom::Kind::symbol || !varies(*atom, box)) continue;
            collect(atom->a, box, atoms);
            collect(atom->b, box, atoms);
            atoms.push_back(atom);
        }
    }
}

Formula with(const Formula& f, const std::string& index, const Formula& value) {
    return f.substitute(std::map<std::string, Formula>{{index, value}});
}

/// Where a period of `a % b` begins and ends, as an index runs from `first` to `last` and `a` with it, a step at a time.
struct Period {
    Formula first_begin, last_begin, first_end, last_end;
};

Period period_of(const Formula& a, const Formula& b, const std::string& index, const Formula& first,
                 const Formula& last) {
    const Formula from = with(a, index, first), to = with(a, index, last), one(1);
    if (with(a, index, one) - with(a, index, 0) == one)
        return {first + remainder(-from, b), last - remainder(to, b), first + remainder(-from - one, b),
                last - remainder(to + one, b)};
    return {first + remainder(from + one, b), last - remainder(-to - one, b), first + remainder(from, b),
            last - remainder(-to, b)};
}

/// Values of an index among which are those where a formula is least, and those where it is largest.
struct Ends {
    std::vector<Formula> least, largest;
};

class HullFinder {
public:
    HullFinder(const Box& box, const LowerBounds& bounds) : box_(box), bounds_(bounds) {}

    Hull of(const Formula& f) {
        if (occurrences(f).second <= 1) return by_parts(f);
        for (const auto& [index, range] : box_) {  // where one has no value, nothing is accessed
            const auto name = range.extent().as_symbol();
            if (name && !box_.contains(*name)) bounds_.try_emplace(*name, 1).first->second = 1;
        }
        return by_indices(f, most_depth);
    }

private:
    /// How often indices stand in `f`, all together and the one that does most; N*i + 2*i counts once.
    std::pair<int, int> occurrences(const Formula& f) {
        std::map<std::string, int> counts;
        count(f, counts);
        int all = 0, most = 0;
        for (const auto& [name, n] : counts) all += n, most = std::max(most, n);
        return {all, most};
    }

    void count(const Formula& f, std::map<std::string, int>& counts) {
        for (const auto& [m, factor] : Parts(f, box_).varying) {
            for (const auto& atom : m) {
                if (atom->kind == Atom::Kind::symbol) {
                    ++counts[atom->name];
                } else {
                    count(atom->a, counts);
                    count(atom->b, counts);
                }
            }
        }
    }

    /// An operator at a time: exact while no index stands in two places.
    Hull by_parts(const Formula& f) {
        const Parts parts(f, box_);
        Hull sum{parts.fixed, parts.fixed};
        for (const auto& [varying, factor] : parts.varying) {
            Hull h = of_atom(varying.front());
            for (std::size_t i = 1; i < varying.size(); ++i) h = product(h, of_atom(varying[i]), bounds_);
            const Hull part = scaled(factor, h, bounds_);
            sum = {sum.low + part.low, sum.high + part.high, sum.exact && part.exact};
        }
        return sum;
    }

    Hull of_atom(const Formula::AtomRef& atom) {
        if (atom->kind == Atom::Kind::symbol) {
            const auto at = box_.find(atom->name);
            return at == box_.end() ? Hull{Formula(atom), Formula(atom)} : at->second;
        }
        const Hull a = by_parts(atom->a), b = by_parts(atom->b);
        const bool exact = a.exact && b.exact;
        switch (atom->kind) {
        case Atom::Kind::floor_div:
            // The divisor is positive: a larger one takes the quotient nearer to zero.
            if (b.low == b.high) return {floor_div(a.low, b.low), floor_div(a.high, b.high), exact};
            return {smaller(floor_div(a.low, b.low), floor_div(a.low, b.high), bounds_),
                    larger(floor_div(a.high, b.low), floor_div(a.high, b.high), bounds_), exact};
        case Atom::Kind::remainder:
            if (b.low == b.high) return of_remainder(centered(atom->a, b.low), b.low);
            return {0, b.high - Formula(1), false};
        case Atom::Kind::min: return {smaller(a.low, b.low, bounds_), smaller(a.high, b.high, bounds_), exact};
        default: return {larger(a.low, b.low, bounds_), larger(a.high, b.high, bounds_), exact};
        }
    }

    /// `a` with the coefficients nearest to 0 that leave `a % b` as it is: 2*i for b = 3 goes back a step at a time.
    static Formula centered(const Formula& a, const Formula& b) {
        const auto divisor = b.constant();
        if (!divisor) return a;
        Formula sum;
        for (const auto& [m, c] : a.terms())
            sum = sum + Formula::term(m, !m.empty() && 2 * Wide{c} > *divisor ? c - *divisor : c);
        return sum;
    }

    /// Within one period the remainder is a shift of the operand; across a period's end it takes all values that the
    /// operand's steps let it take.
    Hull of_remainder(const Formula& a, const Formula& b) {
        const Hull h = by_parts(a);
        if (floor_div(h.low, b) == floor_div(h.high, b)) return {remainder(h.low, b), remainder(h.high, b), h.exact};
        const Formula last = b - Formula(1);
        const bool all = h.exact && takes_all_values(a);
        if (h.low == Formula(0)) return {0, smaller(h.high, last, bounds_), all};
        if (!all || is_nonnegative(h.high - h.low - last, bounds_)) return {0, last, all};
        // The end of the last period that has one, and the begin of the first.
        const Formula top = larger(h.low, h.high - remainder(h.high + Formula(1), b), bounds_);
        const Formula bottom = smaller(h.high, h.low + remainder(-h.low, b), bounds_);
        return {smaller(remainder(h.low, b), remainder(bottom, b), bounds_),
                larger(remainder(h.high, b), remainder(top, b), bounds_)};
    }

    /// True when no value between the ends of `a` is left out: steps of 1, and wider ones that the smaller ones fill.
    bool takes_all_values(const Formula& a) {
        Parts parts(a, box_);
        std::stable_sort(parts.varying.begin(), parts.varying.end(), [](const auto& x, const auto& y) {
            const auto weight = [](const Formula& f) {
                return std::pair(f.terms().rbegin()->first.size(), std::abs(f.terms().rbegin()->second));
            };
            return weight(x.second) < weight(y.second);
        });
        Formula reached = 1;
        for (const auto& [varying, factor] : parts.varying) {
            if (varying.size() != 1 || varying[0]->kind != Atom::Kind::symbol) return false;
            const Hull& range = box_.at(varying[0]->name);
            const Formula step = is_nonnegative(factor, bounds_) ? factor : -factor;
            const bool next = step == Formula(1) || is_nonnegative(reached - step, bounds_);
            if (!next || !is_nonnegative(step, bounds_)) return false;
            reached = reached + step * (range.high - range.low);
        }
        return true;
    }

    std::vector<std::string> indices_in(const Formula& f) {
        std::vector<std::string> names;
        f.for_each_symbol([&](const std::string& n) {
            if (box_.contains(n) && std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
        });
        return names;
    }

    /// a % b as a - b*(a/b).
    Formula without_remainders(Formula f) {
        std::vector<Formula::AtomRef> atoms;
        collect(f, box_, atoms);
        for (const auto& atom : atoms) {
            if (atom->kind == Atom::Kind::remainder)
                f = replaced(f, atom, atom->a - atom->b * floor_div(atom->a, atom->b));
        }
        return f;
    }

    /// Counts a look at `f`.
    bool is_too_much(const Formula& f) { return ++looks_ > most_looks || weight_of(f) > most_atoms; }

    Hull by_indices(const Formula& f, int depth) {
        const auto [all, most] = occurrences(f);
        if (most <= 1) return by_parts(f);
        const auto give_up = [&] {
            Hull h = by_parts(f);
            h.exact = false;
            return h;
        };
        if (depth == 0 || is_too_much(f)) return give_up();
        const Formula quotients = without_remainders(f);
        if (occurrences(quotients).first < all) return by_indices(quotients, depth - 1);
        for (const auto& index : indices_in(f)) {
            if (looks_ > most_looks) break;
            const Hull& range = box_.at(index);
            Ends ends;
            if (!find_ends(f, index, range.low, range.high, depth, ends)) continue;
            const Hull low = at_ends(f, index, ends.least, depth);
            if (!low.exact) continue;
            const Hull high = at_ends(f, index, ends.largest, depth);
            if (high.exact) return {low.low, high.high};
        }
        return give_up();
    }

    Hull at_ends(const Formula& f, const std::string& index, const std::vector<Formula>& ends, int depth) {
        Hull all = by_indices(with(f, index, ends.front()), depth - 1);
        for (std::size_t i = 1; i < ends.size() && all.exact; ++i) {
            const Hull h = by_indices(with(f, index, ends[i]), depth - 1);
            all = {smaller(all.low, h.low, bounds_), larger(all.high, h.high, bounds_), all.exact && h.exact};
            all.exact = all.exact && weight_of(all.low) + weight_of(all.high) <= heaviest_ends;
        }
        return all;
    }

    /// `at`, no less than `first` and no more than `last`. Signs are known of what is at least 0, which an index need not be.
    Formula clamped(const Formula& at, const Formula& first, const Formula& last) {
        const auto names = indices_in(at);
        const bool is_known = std::all_of(names.begin(), names.end(), [&](const std::string& index) {
            return is_nonnegative(box_.at(index).low, bounds_);
        });
        return is_known ? larger(first, smaller(at, last, bounds_), bounds_) : max(first, min(at, last));
    }

    /// Over [first, last]; false when `f` is not seen to be monotone in pieces.
    bool find_ends(const Formula& f, const std::string& index, const Formula& first, const Formula& last, int depth,
                   Ends& ends) {
        int direction = direction_of(f, index);
        if (direction == 0) direction = direction_of(without_remainders(f), index);
        if (direction != 0) {
            ends.least.push_back(direction > 0 ? first : last);
            ends.largest.push_back(direction > 0 ? last : first);
            return true;
        }
        if (!mentions(with(f, index, Formula::symbol(index) + Formula(1)) - f, index)) {  // a line, up or down
            for (auto* list : {&ends.least, &ends.largest}) list->insert(list->end(), {first, last});
            return true;
        }
        if (depth == 0 || is_too_much(f)) return false;
        std::vector<Formula::AtomRef> atoms;
        collect(f, box_, atoms);
        return std::any_of(atoms.begin(), atoms.end(), [&](const Formula::AtomRef& atom) {
            Ends found;
            const bool done = atom->kind == Atom::Kind::remainder
                                  ? split_at_periods(f, atom, index, first, last, found)
                                  : split_at_crossing(f, atom, index, first, last, depth, found);
            if (!done) return false;
            ends.least.insert(ends.least.end(), found.least.begin(), found.least.end());
            ends.largest.insert(ends.largest.end(), found.largest.begin(), found.largest.end());
            return true;
        });
    }

    /// min and max of two that cross once: each piece has one of them.
    bool split_at_crossing(const Formula& f, const Formula::AtomRef& atom, const std::string& index,
                           const Formula& first, const Formula& last, int depth, Ends& ends) {
        if (atom->kind != Atom::Kind::min && atom->kind != Atom::Kind::max) return false;
        const Formula difference = atom->a - atom->b;
        const int direction = mentions(difference, index) ? direction_of(difference, index) : 0;
        if (direction == 0) return false;
        std::vector<Formula> positive;
        const auto at = largest_with_nonpositive(direction > 0 ? difference : -difference, index, positive);
        if (!at || !positive.empty() || mentions(*at, index)) return false;
        const bool b_first = (atom->kind == Atom::Kind::max) == (direction > 0);
        const Formula low = replaced(f, atom, b_first ? atom->b : atom->a),
                      high = replaced(f, atom, b_first ? atom->a : atom->b);
        return find_ends(low, index, first, clamped(*at, first, last), depth - 1, ends) &&
               find_ends(high, index, clamped(*at + Formula(1), first, last), last, depth - 1, ends);
    }

    /// A remainder of what goes a step at a time: monotone within each period, and from each period to the next.
    bool split_at_periods(const Formula& f, const Formula::AtomRef& atom, const std::string& index,
                          const Formula& first, const Formula& last, Ends& ends) {
        const Formula &b = atom->b, a = centered(atom->a, b);
        const Formula step = with(a, index, Formula::symbol(index) + Formula(1)) - a;
        if (varies(b, box_) || !step.constant() || std::abs(*step.constant()) != 1) return false;
        // "@" stands for what does not change: the period's number within it, the place in it across periods.
        const Formula still = Formula::symbol("@");
        const int within = direction_of(replaced(f, atom, a + still), index),
                  across = direction_of(replaced(f, atom, still), index);
        if (within == 0 || across == 0) return false;
        const Period p = period_of(a, b, index, first, last);
        const auto at = [&](const Formula& place) { return clamped(place, first, last); };
        auto &peaks = within > 0 ? ends.largest : ends.least, &valleys = within > 0 ? ends.least : ends.largest;
        if (within == across) {
            peaks = {last, at(p.last_end)};
            valleys = {first, at(p.first_begin)};
        } else {
            peaks = {at(p.first_end)};
            valleys = {at(p.last_begin)};
        }
        return true;
    }

    /// +1 where `f` does not fall as the index grows by 1, -1 where it does not rise, else 0.
    int direction_of(const Formula& f, const std::string& index) {
        const auto step = step_of(f, index);
        if (!step) return 0;
        return is_nonnegative(step->low, bounds_) ? 1 : is_nonnegative(-step->high, bounds_) ? -1 : 0;
    }

    /// By how much `f` changes at least and at most as the index grows by 1.
    std::optional<Hull> step_of(const Formula& f, const std::string& index) {
        Hull sum;
        for (const auto& [m, c] : f.terms()) {
            Formula::Monomial::Atoms others, moving;
            for (const auto& atom : m) (mentions(Formula(atom), index) ? moving : others).push_back(atom);
            if (moving.empty()) continue;
            if (moving.size() > 2) return std::nullopt;
            auto change = step_of(*moving[0], index);
            if (moving.size() == 2) {  // (p + dp)*(q + dq) - p*q = dp*(q + dq) + p*dq
                const auto other = step_of(*moving[1], index);
                if (!change || !other) return std::nullopt;
                const Hull left = product(*change, of_atom(moving[1]), bounds_),
                           right = product(of_atom(moving[0]), *other, bounds_);
                change = Hull{left.low + right.low, left.high + right.high};
            }
            if (!change) return std::nullopt;
            const Hull part = product(by_parts(Formula::term(std::move(others), c)), *change, bounds_);
            sum = {sum.low + part.low, sum.high + part.high};
        }
        return sum;
    }

    std::optional<Hull> step_of(const Atom& atom, const std::string& index) {
        if (atom.kind == Atom::Kind::symbol) return Hull{1, 1};
        const auto a = step_of(atom.a, index), b = step_of(atom.b, index);
        if (!a || !b) return std::nullopt;
        switch (atom.kind) {
        case Atom::Kind::min:
        case Atom::Kind::max: return Hull{smaller(a->low, b->low, bounds_), larger(a->high, b->high, bounds_)};
        case Atom::Kind::floor_div:
            if (varies(atom.b, box_)) return std::nullopt;
            return Hull{floor_div(a->low, atom.b), ceil_div(a->high, atom.b)};
        default: return std::nullopt;
        }
    }

    const Box& box_;
    LowerBounds bounds_;
    int looks_ = 0;
};

}  // namespace

Hull hull_of(const Formula& f, const Box& box, const LowerBounds& bounds) { return HullFinder(box, bounds).of(f); }

Hull reach_of(const Formula& place, const Box& box, const LowerBounds& bounds) {
    Hull hull = hull_of(place, box, bounds);
    const Atom* atom = place.as_atom();
    if (hull.exact || !atom || atom->kind != Atom::Kind::max) return hull;
    if (atom->a == -atom->b) {
        const Hull inner = hull_of(atom->a, box, bounds);
        return inner.exact ? Hull{0, larger(inner.high, -inner.low, bounds)} : hull;
    }
    const Hull a = reach_of(atom->a, box, bounds), b = reach_of(atom->b, box, bounds);
    const Formula low = larger(a.low, b.low, bounds);
    return a.exact && b.exact && is_nonnegative(low, bounds) ? Hull{low, larger(a.high, b.high, bounds)} : hull;
}

}  // namespace halogen
