#include "frontend/integers/fourier.h"

#include "frontend/base/budget.h"

#include <algorithm>
#include <map>

namespace halogen {

namespace {

constexpr std::size_t most_rows = 3000;

/// Keeps the strongest of rows with the same factors; false when a row without unknowns fails.
class RowSet {
public:
    explicit RowSet(bool over_integers) : over_integers_(over_integers) {}

    bool add(Inequality row) {
        Wide g = 0;
        for (Wide f : row.factors) g = gcd(g, f);
        if (g == 0) return row.constant >= 0;
        if (!over_integers_) g = gcd(g, row.constant);
        if (g > 1) {
            for (Wide& f : row.factors) f /= g;
            row.constant = floor_div(row.constant, g);
        }
        const auto [at, is_new] = rows_.try_emplace(std::move(row.factors), row.constant);
        at->second = std::min(at->second, row.constant);
        if (rows_.size() > most_rows) fail_coupled();
        return true;
    }
    std::map<std::vector<Wide>, Wide>& rows() { return rows_; }

private:
    bool over_integers_;
    std::map<std::vector<Wide>, Wide> rows_;
};

struct Cost {
    std::size_t pairs = 0;
    bool exact = true;
};

Cost cost_of(const std::map<std::vector<Wide>, Wide>& rows, int x) {
    std::size_t lower = 0, upper = 0;
    bool unit_lower = true, unit_upper = true;
    for (const auto& [factors, constant] : rows) {
        if (factors[x] > 0) ++lower, unit_lower = unit_lower && factors[x] == 1;
        if (factors[x] < 0) ++upper, unit_upper = unit_upper && factors[x] == -1;
    }
    return {lower * upper, unit_lower || unit_upper || lower == 0 || upper == 0};
}

/// Replaces all rows that hold x by what they imply without it.
bool eliminate(RowSet& set, int x) {
    std::vector<Inequality> lower, upper;
    for (auto at = set.rows().begin(); at != set.rows().end();) {
        if (at->first[x] == 0) {
            ++at;
            continue;
        }
        (at->first[x] > 0 ? lower : upper).push_back({at->first, at->second});
        at = set.rows().erase(at);
    }
    for (const Inequality& l : lower) {
        for (const Inequality& u : upper) {
            const Wide a = -u.factors[x], b = l.factors[x];
            Inequality sum;
            for (std::size_t i = 0; i < l.factors.size(); ++i)
                sum.factors.push_back(add(multiply(a, l.factors[i]), multiply(b, u.factors[i])));
            sum.constant = add(multiply(a, l.constant), multiply(b, u.constant));
            if (!set.add(std::move(sum))) return false;
        }
    }
    return true;
}

}  // namespace

Projection project(std::vector<Inequality> given, int unknowns, int keep, bool over_integers) try {
    Projection result;
    RowSet set(over_integers);
    for (auto& row : given) {
        if (!set.add(std::move(row))) return {true, true, {}};
    }
    std::vector<bool> left(unknowns, true);
    if (keep >= 0) left[keep] = false;
    for (;;) {
        int best = -1;
        Cost best_cost;
        for (int x = 0; x < unknowns; ++x) {
            if (!left[x]) continue;
            const Cost c = cost_of(set.rows(), x);
            const bool better =
                best < 0 || (over_integers && c.exact != best_cost.exact ? c.exact : c.pairs < best_cost.pairs);
            if (better) best = x, best_cost = c;
        }
        if (best < 0) break;
        left[best] = false;
        result.exact = result.exact && best_cost.exact;
        if (!eliminate(set, best)) return {true, true, {}};
    }
    for (const auto& [factors, constant] : set.rows()) {
        const Wide f = factors[keep];
        Range bound;
        if (f > 0)
            bound.lo = Rational(-constant, f);
        else
            bound.hi = Rational(constant, -f);
        result.range.intersect(over_integers ? bound.shrunk_to_integers() : bound);
    }
    if (result.range.is_empty()) return {true, true, {}};
    return result;
} catch (const Failure& failure) {
    if (failure.error().kind == ErrorKind::overflow) fail_coupled();
    throw;
}

}  // namespace halogen
