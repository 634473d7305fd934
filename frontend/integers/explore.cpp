#include "frontend/integers/explore.h"

#include "frontend/integers/least.h"

#include <algorithm>
#include <numeric>

namespace halogen {

namespace {

constexpr long most_values = 100'000;  // of one unknown in products
constexpr int sample_width = 6;        // values tried of an unknown without upper end
constexpr Wide far = Wide{1} << 62;    // what has solutions out there counts as unbounded

bool is_nonlinear(const Rows::Row& row) { return row.alive && !row.p.is_linear(); }

/// Unknowns that rows tie together, with their rows.
struct Component {
    std::vector<int> unknowns;
    std::vector<const Rows::Row*> rows;
};

std::vector<Component> components_of(const Rows& rows) {
    std::vector<int> parent(rows.unknowns());
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](int x) {
        while (parent[x] != x) x = parent[x] = parent[parent[x]];
        return x;
    };
    for (const auto& row : rows.rows()) {
        if (!row.alive || !row.p.is_linear()) continue;
        for (const auto& [m, c] : row.p.terms) parent[find(m[0])] = find(row.p.terms[0].first[0]);
    }
    std::vector<Component> all(rows.unknowns());
    for (int x = 0; x < rows.unknowns(); ++x) {
        if (!rows.is_eliminated(x)) all[find(x)].unknowns.push_back(x);
    }
    for (const auto& row : rows.rows()) {
        if (row.alive && row.p.is_linear()) all[find(row.p.terms[0].first[0])].rows.push_back(&row);
    }
    std::erase_if(all, [](const Component& c) { return c.rows.empty(); });
    return all;
}

/// True when every value within the bounds of every unknown has values of the others that satisfy the row: the largest
/// gap between sums of the other terms is no wider than the row's range.
bool leaves_no_gaps(const Rows& rows, const Rows::Row& row) {
    if (!row.range.lo || !row.range.hi) return true;
    const Rational width = *row.range.hi - *row.range.lo + Rational(1);
    for (std::size_t skip = 0; skip < row.p.terms.size(); ++skip) {
        std::vector<std::pair<Wide, std::optional<Rational>>> steps;  // |coefficient|, extent - 1
        for (std::size_t i = 0; i < row.p.terms.size(); ++i) {
            if (i == skip) continue;
            const Range& b = rows.bounds(row.p.terms[i].first[0]);
            const Wide c = row.p.terms[i].second;
            steps.emplace_back(c < 0 ? -c : c, b.lo && b.hi ? std::optional(*b.hi - *b.lo) : std::nullopt);
        }
        std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        Rational span(0), gap(1);
        bool bounded = true;
        for (const auto& [c, last] : steps) {
            if (bounded && gap < Rational(c) - span) gap = Rational(c) - span;
            bounded = bounded && last.has_value();
            if (bounded) span = span + Rational(c) * *last;
        }
        if (width < gap) return false;
    }
    return true;
}

/// A tree of rows and unknowns without gaps: stable bounds are exact.
bool is_exact_by_bounds(const Rows& rows, const Component& c) {
    if (!rows.is_stable()) return false;
    std::size_t ties = 0;
    for (const auto* row : c.rows) {
        ties += row->p.terms.size();
        if (!leaves_no_gaps(rows, *row)) return false;
    }
    return ties + 1 == c.unknowns.size() + c.rows.size();
}

/// The component alone, as rows of its own.
struct Part {
    Rows rows;
    std::vector<int> unknowns;  // in the order of their numbers in `rows`

    Part(const Rows& all, const Component& c)
        : rows(static_cast<int>(c.unknowns.size()), all.over_integers()), unknowns(c.unknowns) {
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            rows.add(Poly::unknown(static_cast<int>(i)), all.bounds(unknowns[i]));
        for (const auto* row : c.rows) rows.add(renumbered(row->p), row->range);
    }

    /// A linear form over the component's unknowns.
    Poly renumbered(Poly p) const {
        for (auto& [m, c] : p.terms)
            m[0] = static_cast<int>(std::lower_bound(unknowns.begin(), unknowns.end(), m[0]) - unknowns.begin());
        return p;
    }
};

/// Divisors of n > 0 in ascending order, or nothing when they are hard to find.
std::optional<std::vector<Wide>> divisors_of(Wide n, Budget& budget) {
    std::vector<Wide> primes, divisors{1};
    for (Wide p = 2; p * p <= n && p <= 2'000'000; p += p == 2 ? 1 : 2) {
        if ((p & 4095) == 1) budget.spend();
        while (n % p == 0) primes.push_back(p), n /= p;
    }
    if (n > Wide(2'000'000) * 2'000'000) return std::nullopt;
    if (n > 1) primes.push_back(n);
    for (std::size_t i = 0; i < primes.size();) {
        std::size_t j = i;
        while (j < primes.size() && primes[j] == primes[i]) ++j;
        const std::size_t count = divisors.size();
        Wide power = 1;
        for (; i < j; ++i) {
            power *= primes[i];
            for (std::size_t k = 0; k < count; ++k) divisors.push_back(divisors[k] * power);
        }
    }
    std::sort(divisors.begin(), divisors.end());
    return divisors;
}

/// What an unknown in products may be: the one with the fewest values comes first.
struct Choice {
    int unknown = -1;
    std::vector<Wide> values;
    bool complete = true;
};

Choice choice_from_range(int x, const Range& b) {
    Choice choice{x, {}, true};
    const Wide low = b.lo ? b.lo->ceil() : b.hi ? b.hi->floor() - sample_width : -sample_width;
    Wide high = b.hi ? b.hi->floor() : low + (b.lo ? sample_width : 2 * sample_width);
    choice.complete = b.lo && b.hi && high - low < most_values;
    if (!choice.complete) high = std::min(high, low + 2 * sample_width);
    for (Wide v = low; v <= high; ++v) choice.values.push_back(v);
    return choice;
}

void try_divisors(const Rows& rows, const Rows::Row& row, Choice& best, Budget& budget) {
    if (!row.range.is_point() || *row.range.lo == Rational(0)) return;
    const auto& first = row.p.terms[0].first;
    for (int x : first) {
        const bool common = std::all_of(row.p.terms.begin(), row.p.terms.end(), [&](const auto& t) {
            return std::find(t.first.begin(), t.first.end(), x) != t.first.end();
        });
        if (!common) continue;
        const Wide n = row.range.lo->num < 0 ? -row.range.lo->num : row.range.lo->num;
        const auto divisors = divisors_of(n, budget);
        if (!divisors) continue;
        Choice choice{x, {}, true};
        const Range& b = rows.bounds(x);
        const auto fits = [&](Wide v) { return (!b.lo || *b.lo <= Rational(v)) && (!b.hi || Rational(v) <= *b.hi); };
        for (Wide d : *divisors) {
            if (fits(d)) choice.values.push_back(d);
            if (fits(-d)) choice.values.push_back(-d);
        }
        if (best.unknown < 0 || !best.complete || choice.values.size() < best.values.size()) best = std::move(choice);
        return;
    }
}

Choice choose_unknown(const Rows& rows, Budget& budget) {
    Choice best;
    for (const auto& row : rows.rows()) {
        if (!is_nonlinear(row)) continue;
        try_divisors(rows, row, best, budget);
        for (const auto& [m, c] : row.p.terms) {
            if (m.size() < 2) continue;
            for (int x : m) {
                if (best.unknown >= 0 && best.complete) {
                    const Range& b = rows.bounds(x);
                    const bool smaller =
                        b.lo && b.hi && *b.hi - *b.lo + Rational(1) < Rational(static_cast<Wide>(best.values.size()));
                    if (!smaller) continue;
                }
                Choice choice = choice_from_range(x, rows.bounds(x));
                if (best.unknown < 0 || (choice.complete && !best.complete) ||
                    (choice.complete == best.complete && choice.values.size() < best.values.size()))
                    best = std::move(choice);
            }
        }
    }
    return best;
}

class Explorer {
public:
    Explorer(int asked, Budget& budget) : asked_(asked), budget_(budget) {}

    std::optional<std::vector<Range>> ranges(Rows rows) {
        budget_.spend();
        if (!rows.settle()) return std::nullopt;
        const bool nonlinear = std::any_of(rows.rows().begin(), rows.rows().end(), is_nonlinear);
        if (nonlinear && rows.over_integers()) return ranges_by_cases(rows, choose_unknown(rows, budget_));
        if (rows.over_integers()) {
            // What was eliminated may be a product of others though no row is left that holds one.
            const Choice choice = choose_factor(rows);
            if (choice.unknown >= 0) return ranges_by_cases(rows, choice);
        }
        return linear_ranges(rows);
    }

    bool feasible(Rows rows) {
        budget_.spend();
        if (!rows.settle()) return false;
        if (std::any_of(rows.rows().begin(), rows.rows().end(), is_nonlinear)) {
            const Choice choice = choose_unknown(rows, budget_);
            for (Wide v : choice.values) {
                if (feasible(with_value(rows, choice.unknown, v))) return true;
            }
            if (!choice.complete) undecided();
            return false;
        }
        for (const Component& c : components_of(rows)) {
            if (!is_exact_by_bounds(rows, c) && !component_feasible(rows, c)) return false;
        }
        return true;
    }

private:
    [[noreturn]] static void undecided() {
        throw Failure(Error{ErrorKind::too_complex,
                            "the sizes depend on each other in ways that leave too many cases",
                            {},
                            "",
                            "give more of them as numbers"});
    }

    static Rows with_value(const Rows& rows, int x, Wide v) {
        if (v > far || v < -far) undecided();  // bounds that crept away
        Rows r = rows;
        r.add(Poly::unknown(x), {Rational(v), Rational(v)});
        return r;
    }

    /// A factor of a product that an asked unknown stands for, with fewest values; none where all are linear.
    Choice choose_factor(const Rows& rows) const {
        Choice best;
        for (int x = 0; x < asked_; ++x) {
            if (!rows.is_eliminated(x)) continue;
            Wide denominator = 1;
            for (const auto& [m, c] : rows.reduced(Poly::unknown(x), denominator).terms) {
                for (int y : m) {
                    if (m.size() < 2) continue;
                    Choice choice = choice_from_range(y, rows.bounds(y));
                    if (best.unknown < 0 || (choice.complete && !best.complete) ||
                        (choice.complete == best.complete && choice.values.size() < best.values.size()))
                        best = std::move(choice);
                }
            }
        }
        return best;
    }

    std::optional<std::vector<Range>> ranges_by_cases(const Rows& rows, const Choice& choice) {
        std::optional<std::vector<Range>> all;
        for (Wide v : choice.values) {
            const auto some = ranges(with_value(rows, choice.unknown, v));
            if (!some) continue;
            if (!all) all = some;
            for (int x = 0; x < asked_; ++x) (*all)[x].unite((*some)[x]);
        }
        if (choice.complete) return all;
        // Samples alone: that there are solutions is certain. Each end of a range has to be found on its own.
        if (!all) undecided();
        for (int x = 0; x < asked_; ++x) (*all)[x] = ends_beyond((*all)[x], rows, x);
        return all;
    }

    /// The range of x, of which `seen` is a part: whether there is a solution at or beyond a value only changes once, so
    /// each end is found by halving.
    Range ends_beyond(const Range& seen, const Rows& rows, int x) {
        Wide denominator = 1;
        const Poly p = rows.reduced(Poly::unknown(x), denominator);
        if (denominator != 1) undecided();
        const Range outer = rows.values(p);
        Range r;
        if (seen.lo) r.lo = least_of(rows, p, *seen.lo, outer.lo);
        const auto negated = [](const std::optional<Rational>& v) { return v ? std::optional(-*v) : std::nullopt; };
        if (seen.hi) r.hi = negated(least_of(rows, Wide(-1) * p, -*seen.hi, negated(outer.hi)));
        return r;
    }

    /// The least value of p, known to be at most `seen` and at least `bound`; nothing where there is no least.
    std::optional<Rational> least_of(const Rows& rows, const Poly& p, const Rational& seen,
                                     const std::optional<Rational>& bound) {
        if (!bound && reaches(rows, p, Rational(-far))) return std::nullopt;
        Wide good = seen.ceil(), bad = bound ? bound->ceil() - 1 : -far;
        while (good - bad > 1) {
            const Wide middle = bad + (good - bad) / 2;
            (reaches(rows, p, Rational(middle)) ? good : bad) = middle;
        }
        return Rational(good);
    }

    /// Whether there is a solution with p <= value.
    bool reaches(const Rows& rows, const Poly& p, const Rational& value) {
        Rows r = rows;
        r.add(p, {std::nullopt, value});
        return feasible(std::move(r));
    }

    bool component_feasible(const Rows& rows, const Component& c) {
        return halogen::least_of(Part(rows, c).rows, {}, budget_).kind != Least::Kind::no_solution;
    }

    std::optional<std::vector<Range>> linear_ranges(const Rows& rows) {
        const auto components = components_of(rows);
        std::vector<int> coupled(rows.unknowns(), -1);  // the component whose bounds are not exact
        for (std::size_t i = 0; i < components.size(); ++i) {
            const Component& c = components[i];
            if (rows.over_integers() && is_exact_by_bounds(rows, c)) {
                for (int x : c.unknowns) coupled[x] = -2 - static_cast<int>(i);
                continue;
            }
            if (!component_feasible(rows, c)) return std::nullopt;
            for (int x : c.unknowns) coupled[x] = static_cast<int>(i);
        }
        std::vector<Range> result(asked_);
        for (int x = 0; x < asked_; ++x) {
            Wide denominator = 1;
            const Poly p = rows.reduced(Poly::unknown(x), denominator);
            result[x] = Rational(1, denominator) * range_of(rows, components, coupled, p);
        }
        return result;
    }

    /// The values of a linear form: part by part, each within one component.
    Range range_of(const Rows& rows, const std::vector<Component>& components, const std::vector<int>& coupled,
                   const Poly& p) {
        if (!p.is_linear()) return rows.values(p);
        Range sum{Rational(p.constant), Rational(p.constant)};
        std::vector<bool> done(p.terms.size());
        for (std::size_t i = 0; i < p.terms.size(); ++i) {
            if (done[i]) continue;
            const int id = coupled[p.terms[i].first[0]];
            Poly part;
            for (std::size_t j = i; j < p.terms.size(); ++j) {
                if (j != i && (id == -1 || coupled[p.terms[j].first[0]] != id)) continue;
                part.terms.push_back(p.terms[j]);
                done[j] = true;
            }
            const bool by_bounds = id == -1 || (id < -1 && part.terms.size() == 1);
            sum =
                sum + (by_bounds ? rows.values(part) : component_range(rows, components[id < -1 ? -2 - id : id], part));
        }
        return sum;
    }

    Range component_range(const Rows& rows, const Component& c, const Poly& part) {
        const Part alone(rows, c);
        const Poly form = alone.renumbered(part);
        Range r;
        const Least low = halogen::least_of(alone.rows, form, budget_);
        if (low.kind == Least::Kind::attained) r.lo = low.value;
        const Least high = halogen::least_of(alone.rows, Wide(-1) * form, budget_);
        if (high.kind == Least::Kind::attained) r.hi = -high.value;
        return r;
    }

    int asked_;
    Budget& budget_;
};

}  // namespace

std::optional<std::vector<Range>> ranges_of_solutions(Rows rows, int asked, Budget& budget) {
    return Explorer(asked, budget).ranges(std::move(rows));
}

bool has_solution(Rows rows, Budget& budget) {
    const int asked = rows.unknowns();
    return Explorer(asked, budget).feasible(std::move(rows));
}

}  // namespace halogen
