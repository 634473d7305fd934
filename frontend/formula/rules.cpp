// The rows, and the operations of formulas, which apply them. Each function stands for the law of its row. Invariants of
// what they leave: a quotient has a divisor that is no constant <= 1 and no numerator part that the divisor divides; min and
// max are sorted and flat.

#include "frontend/formula/rules.h"

#include "frontend/base/checked.h"
#include "frontend/formula/division.h"

#include <algorithm>

namespace halogen {

namespace {

using Atom = Formula::Atom;
using Kind = Formula::Atom::Kind;
using Simpler = std::optional<Formula>;

Formula of_atom(Kind kind, const Formula& a, const Formula& b) { return Formula(Atom::operation(kind, a, b)); }

/// The number, where it divides: at least 1.
std::optional<std::int64_t> as_divisor(const Formula& f) {
    const auto c = f.constant();
    return c && *c > 0 ? c : std::nullopt;
}

bool is_below(const Formula& f, std::int64_t c) {
    const auto k = f.constant();
    return k && 0 <= *k && *k < c;
}

/// The greatest number that divides `c` and all terms but the constant.
std::int64_t common_number(const Formula& f, std::int64_t c) {
    Wide g = c;
    for (const auto& [m, coefficient] : f.terms()) {
        if (!m.empty()) g = gcd(g, coefficient);
    }
    return static_cast<std::int64_t>(g);
}

/// f = g*x + k with 0 <= k < g, where `g` divides all terms but the constant: x.
Formula over(const Formula& f, std::int64_t g) {
    Formula x;
    for (const auto& [m, coefficient] : f.terms())
        x = x + Formula::term(m, static_cast<std::int64_t>(floor_div(Wide{coefficient}, Wide{g})));
    return x;
}

Simpler divide_by_one(const Formula& a, const Formula& b) { return b.constant() == 1 ? Simpler(a) : std::nullopt; }

Simpler divide_by_negative(const Formula& a, const Formula& b) {
    const auto c = b.constant();
    return c && *c < 0 ? Simpler(floor_div(-a, -b)) : std::nullopt;
}

Simpler divide_small_number(const Formula& a, const Formula& b) {
    const auto c = as_divisor(b);
    return c && is_below(a, *c) ? Simpler(0) : std::nullopt;
}

Simpler divide_by_number(const Formula& a, const Formula& b) {
    const auto c = as_divisor(b);
    const auto is_large = [&](const auto& term) {
        return term.second >= *c || (term.first.empty() ? term.second < 0 : term.second <= -*c);
    };
    if (!c || std::none_of(a.terms().begin(), a.terms().end(), is_large)) return std::nullopt;
    const auto [quotient, rest] = split_by_term(a, {}, *c);
    return quotient + floor_div(rest, b);
}

/// Quotients by numbers above this are left as they are: products of two such numbers may have no place in 64 bits.
constexpr std::int64_t largest_divisor = std::int64_t{1} << 31;

/// x/c + w, of a number c, as one quotient of x + c*w.
struct Quotient {
    Formula dividend;
    std::int64_t divisor;
};
std::optional<Quotient> as_quotient(const Formula& f) {
    for (const auto& [m, coefficient] : f.terms()) {
        if (m.size() != 1 || coefficient != 1 || m[0]->kind != Kind::floor_div) continue;
        const auto c = as_divisor(m[0]->b);
        if (c && *c <= largest_divisor) return Quotient{m[0]->a + (f - Formula(m[0])) * *c, *c};
    }
    return std::nullopt;
}

Simpler divide_quotient(const Formula& a, const Formula& b) {
    const auto d = as_divisor(b);
    const auto quotient = d && *d <= largest_divisor ? as_quotient(a) : std::nullopt;
    if (!quotient) return std::nullopt;
    return floor_div(quotient->dividend, Formula(narrow(multiply(quotient->divisor, *d))));
}

Simpler divide_common_number(const Formula& a, const Formula& b) {
    const auto c = as_divisor(b);
    const std::int64_t g = c ? common_number(a, *c) : 1;
    return g > 1 ? Simpler(floor_div(over(a, g), Formula(*c / g))) : std::nullopt;
}

Simpler divide_product(const Formula& a, const Formula& b) {
    return b.is_constant() ? std::nullopt : divide_exactly(a, b);
}

Simpler divide_common_term(const Formula& a, const Formula& b) {
    if (b.is_constant()) return std::nullopt;
    const auto [m, g] = common_term(a, b);
    if (m.empty() && g <= 1) return std::nullopt;
    const Formula common = Formula::term(m, g);
    return floor_div(*divide_exactly(a, common), *divide_exactly(b, common));
}

/// True where the single term `b`, no constant, goes into a term of `a`.
bool goes_into(const Formula& a, const Formula& b) {
    if (b.terms().size() != 1 || b.is_constant()) return false;
    const auto& [atoms, factor] = b.terms().front();
    return std::any_of(a.terms().begin(), a.terms().end(), [&, n = &atoms, c = factor](const auto& term) {
        return term.second / c != 0 && holds(term.first, *n);
    });
}

Simpler divide_by_term(const Formula& a, const Formula& b) {
    if (!goes_into(a, b)) return std::nullopt;
    const auto [quotient, rest] = split_by_term(a, b.terms().front().first, b.terms().front().second);
    return quotient + floor_div(rest, b);
}

Simpler divide_minus_one(const Formula& a, const Formula& b) {
    const bool fires = a.constant() == -1 && b.terms().size() == 1 && b.terms().front().second > 0;
    return fires ? Simpler(-1) : std::nullopt;
}

Simpler rest_by_negative(const Formula& a, const Formula& b) {
    const auto c = b.constant();
    return c && *c < 0 ? Simpler(remainder(a, -b)) : std::nullopt;
}

Simpler rest_of_small_number(const Formula& a, const Formula& b) {
    const auto c = as_divisor(b);
    return c && is_below(a, *c) ? Simpler(a) : std::nullopt;
}

Simpler rest_by_number(const Formula& a, const Formula& b) {
    const auto c = as_divisor(b);
    const auto is_outside = [&](const auto& term) { return term.second < 0 || term.second >= *c; };
    if (!c || std::none_of(a.terms().begin(), a.terms().end(), is_outside)) return std::nullopt;
    Formula rest;
    for (const auto& [m, coefficient] : a.terms()) {
        const Wide r = subtract(coefficient, multiply(floor_div(Wide{coefficient}, Wide{*c}), *c));
        if (r != 0) rest = rest + Formula::term(m, static_cast<std::int64_t>(r));
    }
    return remainder(rest, b);
}

Simpler rest_of_common_number(const Formula& a, const Formula& b) {
    const auto c = as_divisor(b);
    const std::int64_t g = c ? common_number(a, *c) : 1;
    if (g <= 1) return std::nullopt;
    const Formula x = over(a, g);
    return Formula(g) * remainder(x, Formula(*c / g)) + (a - Formula(g) * x);
}

Simpler rest_of_product(const Formula& a, const Formula& b) {
    return !b.is_constant() && divide_exactly(a, b) ? Simpler(0) : std::nullopt;
}

Simpler rest_by_term(const Formula& a, const Formula& b) {
    if (!goes_into(a, b)) return std::nullopt;
    return remainder(split_by_term(a, b.terms().front().first, b.terms().front().second).second, b);
}

Simpler lesser_of_apart(const Formula& a, const Formula& b) {
    const auto k = (b - a).constant();
    return !k ? std::nullopt : Simpler(*k > 0 ? a : b);
}

Simpler larger_of_apart(const Formula& a, const Formula& b) {
    const auto k = (b - a).constant();
    return !k ? std::nullopt : Simpler(*k > 0 ? b : a);
}

/// How much larger the dividend of b is than that of a, both as quotients by one number.
std::optional<std::int64_t> dividends_apart(const Formula& a, const Formula& b) {
    const auto x = as_quotient(a), y = as_quotient(b);
    return x && y && x->divisor == y->divisor ? (y->dividend - x->dividend).constant() : std::nullopt;
}

Simpler lesser_of_quotients(const Formula& a, const Formula& b) {
    const auto k = dividends_apart(a, b);
    return !k ? std::nullopt : Simpler(*k > 0 ? a : b);
}

Simpler larger_of_quotients(const Formula& a, const Formula& b) {
    const auto k = dividends_apart(a, b);
    return !k ? std::nullopt : Simpler(*k > 0 ? b : a);
}

// clang-format off: a row a line.
constexpr Simplification simplifications[] = {
    {Kind::floor_div, {"x/1", "x"}, divide_by_one},
    {Kind::floor_div, {"x/(-c)", "(-x)/c", "c >= 1"}, divide_by_negative},
    {Kind::floor_div, {"k/c", "0", "0 <= k and k < c"}, divide_small_number},
    {Kind::floor_div, {"(c*x + w)/c", "x + w/c", "c >= 2"}, divide_by_number},
    {Kind::floor_div, {"(x/c + w)/d", "(x + c*w)/(c*d)", "c >= 2 and d >= 1"}, divide_quotient},
    {Kind::floor_div, {"(g*x + k)/(g*c)", "x/c", "0 <= k and k < g and c >= 1"}, divide_common_number},
    {Kind::floor_div, {"(x*y)/y", "x"}, divide_product},
    {Kind::floor_div, {"(x*z)/(y*z)", "x/y"}, divide_common_term},
    {Kind::floor_div, {"(x*y + w)/y", "x + w/y"}, divide_by_term},
    {Kind::floor_div, {"(-1)/y", "-1"}, divide_minus_one},

    {Kind::remainder, {"x % (-c)", "x % c", "c >= 1"}, rest_by_negative},
    {Kind::remainder, {"k % c", "k", "0 <= k and k < c"}, rest_of_small_number},
    {Kind::remainder, {"(c*x + w) % c", "w % c", "c >= 1"}, rest_by_number},
    {Kind::remainder, {"(g*x + k) % (g*c)", "g*(x % c) + k", "0 <= k and k < g and c >= 1"}, rest_of_common_number},
    {Kind::remainder, {"(x*y) % y", "0"}, rest_of_product},
    {Kind::remainder, {"(x*y + w) % y", "w % y"}, rest_by_term},

    {Kind::min, {"min(x, x + k)", "x + min(k, 0)"}, lesser_of_apart},
    {Kind::min, {"min(x/c, (x + k)/c)", "(x + min(k, 0))/c", "c >= 1"}, lesser_of_quotients},
    {Kind::max, {"max(x, x + k)", "x + max(k, 0)"}, larger_of_apart},
    {Kind::max, {"max(x/c, (x + k)/c)", "(x + max(k, 0))/c", "c >= 1"}, larger_of_quotients},
};
// clang-format on

Simpler simplified(Kind kind, const Formula& a, const Formula& b) {
    for (const Simplification& rule : simplifications) {
        if (rule.operation != kind) continue;
        if (auto simpler = rule.apply(a, b)) return simpler;
    }
    return std::nullopt;
}

Formula simplified_or_atom(Kind kind, const Formula& a, const Formula& b) {
    auto simpler = simplified(kind, a, b);
    return simpler ? *std::move(simpler) : of_atom(kind, a, b);
}

/// All operands of nested min (or max) atoms.
void flatten(Kind kind, const Formula& f, std::vector<Formula>& into) {
    if (f.terms().size() == 1 && f.terms().begin()->second == 1) {
        const auto& m = f.terms().begin()->first;
        if (m.size() == 1 && m[0]->kind == kind) {
            flatten(kind, m[0]->a, into);
            flatten(kind, m[0]->b, into);
            return;
        }
    }
    into.push_back(f);
}

/// min or max: pairs of operands with a simpler form are that; the rest are sorted and nested to the left.
Formula extreme(Kind kind, const Formula& a, const Formula& b) {
    std::vector<Formula> operands, kept;
    flatten(kind, a, operands);
    flatten(kind, b, operands);
    for (const auto& f : operands) {
        const bool merged = std::any_of(kept.begin(), kept.end(), [&](Formula& k) {
            const auto one = simplified(kind, k, f);
            if (one) k = *one;
            return one.has_value();
        });
        if (!merged) kept.push_back(f);
    }
    std::sort(kept.begin(), kept.end());
    Formula r = kept[0];
    for (std::size_t i = 1; i < kept.size(); ++i) r = of_atom(kind, r, kept[i]);
    return r;
}

using IsNonnegative = bool (*)(const Formula&);
using IsNonnegativeAtom = bool (*)(const Atom&);
using Forms = std::vector<Formula>;

bool is_always(const Atom&, IsNonnegative) { return true; }
bool of_first(const Atom& o, IsNonnegative known) { return known(o.a); }
bool of_second(const Atom& o, IsNonnegative known) { return known(o.b); }
bool of_both(const Atom& o, IsNonnegative known) { return known(o.a) && known(o.b); }
bool of_sum(const Atom& o, IsNonnegative known) { return known(o.a + o.b); }

/// The factor divided by the divisor, where that leaves no rest.
bool multiple_of_quotient(const Formula& factor, const Atom& o, IsNonnegativeAtom, Forms& forms) {
    const Formula whole = floor_div(factor, o.b);
    if (whole * o.b != factor) return false;
    forms.push_back(whole * o.a);
    return true;
}

bool quotient_of_nonnegative(const Formula& factor, const Atom& o, IsNonnegativeAtom known, Forms& forms) {
    if (!known(o)) return false;  // its dividend is not negative
    forms.push_back(factor * o.a);
    return true;
}

bool rest_below_divisor(const Formula& factor, const Atom& o, IsNonnegativeAtom, Forms& forms) {
    forms.push_back(factor * (o.b - Formula(1)));
    return true;
}

bool each_operand(const Formula& factor, const Atom& o, IsNonnegativeAtom, Forms& forms) {
    forms.push_back(factor * o.a);
    forms.push_back(factor * o.b);
    return true;
}

// clang-format off: a row a line.
constexpr SignRule signs[] = {
    {Kind::remainder, {"x % y", "0"}, is_always},
    {Kind::floor_div, {"x/y", "0", "x >= 0"}, of_first},
    {Kind::min, {"min(x, w)", "0", "x >= 0 and w >= 0"}, of_both},
    {Kind::max, {"max(x, w)", "0", "x >= 0"}, of_first},
    {Kind::max, {"max(x, w)", "0", "w >= 0"}, of_second},
    {Kind::max, {"max(x, w)", "0", "x + w >= 0"}, of_sum},  // of two whose sum is not negative one is not negative either
};

constexpr LowerForm forms[] = {
    {Kind::floor_div, true, {"(-(z*y))*(x/y)", "-(z*x)"}, multiple_of_quotient},
    {Kind::floor_div, true, {"(-z)*(x/y)", "-(z*x)", "x >= 0"}, quotient_of_nonnegative},
    {Kind::remainder, true, {"(-z)*(x % y)", "-(z*(y - 1))"}, rest_below_divisor},
    {Kind::min, true, {"(-z)*min(x, w)", "-(z*x), -(z*w)"}, each_operand},
    {Kind::max, false, {"z*max(x, w)", "z*x, z*w"}, each_operand},
};
// clang-format on

}  // namespace

std::span<const Simplification> simplification_rules() { return simplifications; }
std::span<const SignRule> sign_rules() { return signs; }
std::span<const LowerForm> lower_forms() { return forms; }

Formula floor_div(const Formula& a, const Formula& b) { return simplified_or_atom(Kind::floor_div, a, b); }

Formula remainder(const Formula& a, const Formula& b) { return simplified_or_atom(Kind::remainder, a, b); }

Formula ceil_div(const Formula& a, const Formula& b) { return floor_div(a + b - Formula(1), b); }

Formula min(const Formula& a, const Formula& b) { return extreme(Kind::min, a, b); }

Formula max(const Formula& a, const Formula& b) { return extreme(Kind::max, a, b); }

Formula operation(Kind kind, const Formula& a, const Formula& b) {
    switch (kind) {
    case Kind::floor_div: return floor_div(a, b);
    case Kind::remainder: return remainder(a, b);
    case Kind::min: return min(a, b);
    default: return max(a, b);
    }
}

}  // namespace halogen
