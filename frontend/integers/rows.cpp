#include "frontend/integers/rows.h"

#include <algorithm>

namespace halogen {

namespace {

constexpr std::size_t most_terms = 64;
constexpr Wide far_away = Wide{1} << 80;

Range divided(const Range& r, Wide c) { return Rational(1, c) * r; }

/// Round to nearest, so that |a - c*result| <= |c|/2.
Wide nearest_quotient(Wide a, Wide c) { return floor_div(2 * a + (c < 0 ? -c : c) * (c < 0 ? -1 : 1), 2 * c); }

/// The largest r >= 0 with r^k <= n.
Wide root(Wide n, std::size_t k) {
    Wide low = 0, high = 1;
    const auto at_most = [&](Wide r) {
        Wide p = 1;
        for (std::size_t i = 0; i < k; ++i) {
            if (__builtin_mul_overflow(p, r, &p) || p > n) return false;
        }
        return true;
    };
    while (at_most(high)) high *= 2;
    while (high - low > 1) {
        const Wide middle = low + (high - low) / 2;
        (at_most(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace

void Rows::add(const Poly& given, Range range) {
    if (impossible_) return;
    Poly p = given;
    if (p.constant != 0) {
        const Rational c(p.constant);
        if (range.lo) range.lo = *range.lo - c;
        if (range.hi) range.hi = *range.hi - c;
        p.constant = 0;
    }
    if (p.terms.empty()) {
        impossible_ = (range.lo && Rational(0) < *range.lo) || (range.hi && *range.hi < Rational(0));
        return;
    }
    Wide g = 0;
    for (const auto& [m, c] : p.terms) g = gcd(g, c);
    if (p.terms.front().second < 0) g = -g;
    if (g != 1) {
        for (auto& [m, c] : p.terms) c /= g;
        range = divided(range, g);
    }
    if (over_integers_) range = range.shrunk_to_integers();
    if (range.is_empty()) {
        impossible_ = true;
        return;
    }
    if (p.terms.size() == 1 && p.terms[0].first.size() == 1) {
        tighten(p.terms[0].first[0], range);
        return;
    }
    const auto [at, is_new] = row_of_.try_emplace(p.terms, static_cast<int>(rows_.size()));
    const int id = at->second;
    if (is_new) {
        for (const auto& [m, c] : p.terms) {
            for (int x : m) {
                if (occurs_[x].empty() || occurs_[x].back() != id) occurs_[x].push_back(id);
            }
        }
        rows_.push_back({std::move(p), {}, true});
    }
    Row& row = rows_[id];
    if (!row.range.intersect(range) && !is_new) return;
    if (row.range.is_empty())
        impossible_ = true;
    else if (row.range.is_point())
        equalities_.push_back(id);
    touched_.insert(id);
}

void Rows::tighten(int x, Range range) {
    if (over_integers_) range = range.shrunk_to_integers();
    // Bounds that creep towards infinity say nothing that elimination would not find.
    const auto is_far = [](const Rational& v) { return v.num > far_away || v.num < -far_away; };
    if ((range.lo && is_far(*range.lo)) || (range.hi && is_far(*range.hi))) {
        stable_ = false;
        if (range.lo && is_far(*range.lo)) range.lo.reset();
        if (range.hi && is_far(*range.hi)) range.hi.reset();
    }
    Range& b = bounds_[x];
    if (!b.intersect(range)) return;
    if (b.is_empty())
        impossible_ = true;
    else if (b.is_point())
        fixed_.push_back(x);
    for (int id : occurs_[x]) {
        if (rows_[id].alive) touched_.insert(id);
    }
}

/// x := value/denominator in all rows; its bounds become a row.
void Rows::eliminate(int x, const Poly& value, Wide denominator) {
    eliminated_[x] = true;
    substituted_[x] = static_cast<int>(substitutions_.size());
    substitutions_.push_back({x, value, denominator});
    const Range b = bounds_[x];
    bounds_[x] = {};
    if (b.lo || b.hi) add(value, Rational(denominator) * b);
    const std::vector<int> ids = occurs_[x];
    for (int id : ids) {
        if (!rows_[id].alive) continue;
        rows_[id].alive = false;
        touched_.erase(id);
        row_of_.erase(rows_[id].p.terms);
        int power = 0;
        const Poly p = substitute(rows_[id].p, x, value, denominator, power);
        Rational scale(1);
        for (int k = 0; k < power; ++k) scale = scale * Rational(denominator);
        add(p, scale * rows_[id].range);
    }
    occurs_[x].clear();
}

void Rows::solve_equality(int id) {
    const Poly p = rows_[id].p;
    const Rational target = *rows_[id].range.lo;
    // One unknown that stands in this row alone in a term, by preference with coefficient 1 and in few rows.
    int best = -1, smallest = -1;
    for (const auto& [m, c] : p.terms) {
        if (m.size() != 1) continue;
        const int x = m[0];
        const auto holders = std::count_if(p.terms.begin(), p.terms.end(), [&](const auto& t) {
            return std::find(t.first.begin(), t.first.end(), x) != t.first.end();
        });
        if (holders > 1) continue;
        const Wide size = c < 0 ? -c : c;
        if (smallest < 0 || size < (p.linear_coefficient(smallest) < 0 ? -p.linear_coefficient(smallest)
                                                                       : p.linear_coefficient(smallest)))
            smallest = x;
        if (size == 1 && (best < 0 || occurs_[x].size() < occurs_[best].size())) best = x;
    }
    const int x = best >= 0 ? best : smallest;
    if (x < 0 || p.terms.size() > most_terms) return;
    const Wide c = p.linear_coefficient(x);
    Poly others = p;
    std::erase_if(others.terms, [&](const auto& t) { return t.first.size() == 1 && t.first[0] == x; });
    if (best >= 0 || !over_integers_) {
        // c*x = target - others
        const Wide sign = c < 0 ? -1 : 1;
        Poly value = (-sign * target.den) * others;
        value.constant = multiply(sign, target.num);
        eliminate(x, value, multiply(sign * c, target.den));
        return;
    }
    if (!p.is_linear()) return;
    // x = t - sum of round(c_j/c)*x_j leaves remainders below |c|/2: Euclid's algorithm on the row.
    const int t = unknowns();
    bounds_.emplace_back();
    occurs_.emplace_back();
    eliminated_.push_back(false);
    substituted_.push_back(-1);
    Poly value = Poly::unknown(t);
    for (const auto& [m, k] : others.terms) value = value + (-nearest_quotient(k, c)) * Poly{{{m, 1}}, 0};
    eliminate(x, value, 1);
}

void Rows::fix_points() {
    while (!fixed_.empty() && !impossible_) {
        const int x = fixed_.back();
        fixed_.pop_back();
        if (eliminated_[x] || !bounds_[x].is_point()) continue;
        const Rational v = *bounds_[x].lo;
        bounds_[x] = {};
        eliminate(x, Poly::number(v.num), v.den);
    }
}

Range Rows::product_values(const Product& m) const {
    if (m.size() == 1) return bounds_[m[0]];
    // Factors that may be negative make no bound, except a square.
    Range r{Rational(1), Rational(1)};
    for (int x : m) {
        const Range& b = bounds_[x];
        if (!b.lo || *b.lo < Rational(0)) {
            const bool is_power = std::all_of(m.begin(), m.end(), [&](int y) { return y == x; });
            return is_power && m.size() % 2 == 0 ? Range{Rational(0), std::nullopt} : Range{};
        }
        r.lo = *r.lo * *b.lo;
        if (!b.hi)
            r.hi.reset();
        else if (r.hi)
            r.hi = *r.hi * *b.hi;
    }
    return r;
}

Range Rows::values(const Poly& p) const {
    Range sum{Rational(p.constant), Rational(p.constant)};
    for (const auto& [m, c] : p.terms) sum = sum + Rational(c) * product_values(m);
    return sum;
}

/// What is known of a product, for each of its factors.
void Rows::tighten_product(const Product& m, const Range& r) {
    if (m.size() == 1) {
        tighten(m[0], r);
        return;
    }
    if (!over_integers_) return;
    if (std::all_of(m.begin(), m.end(), [&](int y) { return y == m[0]; })) {
        if (r.hi && *r.hi < Rational(0) && m.size() % 2 == 0) {
            impossible_ = true;
        } else if (r.hi && Rational(0) <= *r.hi) {
            const Wide most = root(r.hi->floor(), m.size());
            tighten(m[0], {m.size() % 2 == 0 ? std::optional(Rational(-most)) : std::nullopt, Rational(most)});
        }
        if (r.lo && Rational(0) < *r.lo && bounds_[m[0]].lo && Rational(0) <= *bounds_[m[0]].lo) {
            const Wide least = r.lo->ceil(), low = root(least - 1, m.size()) + 1;
            tighten(m[0], {Rational(low), std::nullopt});
        }
        return;
    }
    for (std::size_t i = 0; i < m.size(); ++i) {
        Product rest = m;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        const Range others = product_values(rest);
        if (!others.lo || *others.lo < Rational(0)) continue;
        Range b;
        if (r.hi && Rational(0) <= *r.hi && Rational(0) < *others.lo) b.hi = *r.hi / *others.lo;
        if (r.hi && *r.hi < Rational(0)) {
            if (others.hi && Rational(0) < *others.hi)
                b.hi = *r.hi / *others.hi;
            else
                b.hi = Rational(0);
        }
        if (r.lo && Rational(0) < *r.lo) {
            if (others.hi && *others.hi == Rational(0))
                impossible_ = true;
            else
                b.lo = others.hi ? *r.lo / *others.hi : Rational(0);
        }
        if (r.lo && *r.lo == Rational(0) && Rational(0) < *others.lo) b.lo = Rational(0);
        if (b.lo || b.hi) tighten(m[i], b);
        if (impossible_) return;
    }
}

bool Rows::is_implied(const Row& row) const {
    const Range v = values(row.p);
    return (!row.range.lo || (v.lo && *row.range.lo <= *v.lo)) && (!row.range.hi || (v.hi && *v.hi <= *row.range.hi));
}

int Rows::common_factor(const Poly& p) const {
    const auto holds = [](const Product& m, int x) { return std::find(m.begin(), m.end(), x) != m.end(); };
    for (int x : p.terms[0].first) {
        const Range& b = bounds_[x];
        const bool is_not_zero = (b.lo && Rational(0) < *b.lo) || (b.hi && *b.hi < Rational(0));
        if (is_not_zero &&
            std::all_of(p.terms.begin(), p.terms.end(), [&](const auto& term) { return holds(term.first, x); }))
            return x;
    }
    return -1;
}

void Rows::propagate_row(int id) {
    Row& row = rows_[id];
    if (row.range.is_point() && *row.range.lo == Rational(0)) {
        if (const int x = common_factor(row.p); x >= 0) {
            Poly divided;
            for (auto [m, c] : row.p.terms) {
                m.erase(std::find(m.begin(), m.end(), x));
                divided = divided + (m.empty() ? Poly::number(c) : Poly{{{m, c}}, 0});
            }
            row.alive = false;
            row_of_.erase(row.p.terms);
            add_equal(divided);
            return;
        }
    }
    // The sum of all terms, with the number of unbounded ones, gives the sum of all others in one step.
    Rational low, high;
    int no_low = 0, no_high = 0;
    std::vector<Range> parts;
    for (const auto& [m, c] : row.p.terms) {
        const Range part = Rational(c) * product_values(m);
        part.lo ? void(low = low + *part.lo) : void(++no_low);
        part.hi ? void(high = high + *part.hi) : void(++no_high);
        parts.push_back(part);
    }
    for (std::size_t i = 0; i < parts.size() && !impossible_; ++i) {
        Range r;
        if (row.range.hi && (no_low == 0 || (no_low == 1 && !parts[i].lo)))
            r.hi = *row.range.hi - (parts[i].lo ? low - *parts[i].lo : low);
        if (row.range.lo && (no_high == 0 || (no_high == 1 && !parts[i].hi)))
            r.lo = *row.range.lo - (parts[i].hi ? high - *parts[i].hi : high);
        if (r.lo || r.hi) tighten_product(row.p.terms[i].first, divided(r, row.p.terms[i].second));
    }
    if (!impossible_ && is_implied(row)) {
        row.alive = false;
        row_of_.erase(row.p.terms);
    }
}

void Rows::propagate() {
    // Bounds may creep without end (x <= y - 1, y <= x - 1): elimination decides what this leaves.
    std::size_t budget = 200 + 40 * rows_.size();
    while (!touched_.empty() && !impossible_ && fixed_.empty() && equalities_.empty()) {
        if (budget-- == 0) {
            stable_ = false;
            touched_.clear();
            return;
        }
        const int id = *touched_.begin();
        touched_.erase(touched_.begin());
        if (rows_[id].alive) propagate_row(id);
    }
}

bool Rows::settle() {
    while (!impossible_) {
        fix_points();
        if (impossible_) break;
        if (!equalities_.empty()) {
            const int id = equalities_.back();
            equalities_.pop_back();
            if (rows_[id].alive) solve_equality(id);
            continue;
        }
        if (!fixed_.empty()) continue;
        if (touched_.empty()) break;
        if (over_integers_)
            propagate();
        else
            touched_.clear();
    }
    return !impossible_;
}

Poly Rows::reduced(Poly p, Wide& denominator) const {
    // A value holds no unknown that was eliminated before it, so the earliest goes first.
    for (;;) {
        int first = -1;
        for (const auto& [m, c] : p.terms) {
            for (int x : m) {
                if (substituted_[x] >= 0 && (first < 0 || substituted_[x] < first)) first = substituted_[x];
            }
        }
        if (first < 0) return p;
        const Substitution& s = substitutions_[first];
        int power = 0;
        p = substitute(p, s.unknown, s.value, s.denominator, power);
        for (int k = 0; k < power; ++k) denominator = multiply(denominator, s.denominator);
    }
}

}  // namespace halogen
