// Formulas as a person would write them: common factors gathered, positive terms first, the constant last.

#include "frontend/base/checked.h"
#include "frontend/formula/formula.h"

#include <algorithm>

namespace halogen {

namespace {

using Atom = Formula::Atom;
using AtomRef = Formula::AtomRef;
using Monomial = Formula::Monomial;

std::string print_sum(const Formula&);

/// True for (sum)*(sum): it multiplies on without brackets of its own.
bool is_product_of_sums(const std::string& text) {
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0 && (c == ' ' || c == '/' || c == '-')) return false;
    }
    return text.find('*') != std::string::npos;
}

bool is_name_or_number(const std::string& text) { return text.find_first_of(" +-*/%(,") == std::string::npos; }

std::string in_brackets(const std::string& text) { return is_name_or_number(text) ? text : "(" + text + ")"; }

std::string factor_text(const Formula& f) {
    const std::string text = print_sum(f);
    return is_product_of_sums(text) ? text : in_brackets(text);
}

/// A numerator: products of plain factors need no brackets, since `*` and `/` bind alike, from the left.
std::string numerator(const Formula& f) {
    const std::string text = print_sum(f);
    return text.find_first_of(" -/%(") == std::string::npos ? text : "(" + text + ")";
}

constexpr int most_printed = 4000;  // atoms of one operation

std::string print_atom(const Atom& atom) {
    if (atom.weight > most_printed) return "(…)";
    switch (atom.kind) {
    case Atom::Kind::symbol: return atom.name;
    case Atom::Kind::floor_div: return numerator(atom.a) + "/" + in_brackets(print_sum(atom.b));
    case Atom::Kind::remainder: return numerator(atom.a) + " % " + in_brackets(print_sum(atom.b));
    case Atom::Kind::min: return "min(" + print_sum(atom.a) + ", " + print_sum(atom.b) + ")";
    default: return "max(" + print_sum(atom.a) + ", " + print_sum(atom.b) + ")";
    }
}

bool is_quotient(const Atom& atom) { return atom.kind == Atom::Kind::floor_div || atom.kind == Atom::Kind::remainder; }

/// |coefficient| * atoms; quotients in brackets unless alone.
std::string print_product(const Monomial& m, Wide magnitude) {
    std::string text;
    if (magnitude != 1 || m.empty()) text = to_string(magnitude);
    for (const auto& atom : m) {
        if (!text.empty()) text += "*";
        const std::string factor = print_atom(*atom);
        text += is_quotient(*atom) && (m.size() > 1 || magnitude != 1) ? "(" + factor + ")" : factor;
    }
    return text;
}

struct Piece {
    bool negative;
    std::string text;
    bool quotient = false;  // a bare a/b or a % b: a sign before it would bind to a
};

bool is_same(const AtomRef& a, const AtomRef& b) { return a == b || Formula(a) == Formula(b); }

/// The atom that stands in most terms, where one of them is a product: D in D*R - D. Symbols come first.
AtomRef common_atom(const Formula& f) {
    AtomRef best;
    int best_count = 1;
    for (const bool symbols : {true, false}) {
        for (const auto& [m, c] : f.terms()) {
            if (m.size() < 2) continue;
            for (const auto& atom : m) {
                if ((atom->kind == Atom::Kind::symbol) != symbols) continue;
                int count = 0;
                for (const auto& [n, d] : f.terms())
                    count += std::any_of(n.begin(), n.end(), [&](const AtomRef& a) { return is_same(a, atom); });
                if (count > best_count) {
                    best = atom;
                    best_count = count;
                }
            }
        }
        if (best) break;
    }
    return best;
}

/// Those terms of `f` that hold `atom`, divided by it.
Formula cofactor(const Formula& f, const AtomRef& atom) {
    Formula quotient;
    for (const auto& [m, c] : f.terms()) {
        const auto at = std::find_if(m.begin(), m.end(), [&](const AtomRef& a) { return is_same(a, atom); });
        if (at == m.end()) continue;
        Formula term = c;
        for (auto i = m.begin(); i != m.end(); ++i) {
            if (i != at) term = term * Formula(*i);
        }
        quotient = quotient + term;
    }
    return quotient;
}

/// True when the term of highest degree is negative.
bool leads_negative(const Formula& f) {
    std::size_t degree = 0;
    bool negative = false;
    for (const auto& [m, c] : f.terms()) {
        if (m.size() >= degree && (m.size() > degree || c > 0 || degree == 0)) {
            degree = m.size();
            negative = c < 0;
        }
    }
    return negative;
}

/// All of `f` as a product of two sums, where what stands beside a common atom divides it: (H - R + 1)*(W - S + 1).
std::string as_product(const Formula& f) {
    const AtomRef atom = common_atom(f);
    if (!atom) return "";
    Formula divisor = cofactor(f, atom);
    if (leads_negative(divisor)) divisor = -divisor;
    if (divisor.terms().size() < 2) return "";
    const Formula other = floor_div(f, divisor);
    if (other.terms().size() < 2 || !(other * divisor == f)) return "";
    return in_brackets(print_sum(other)) + "*" + in_brackets(print_sum(divisor));
}

std::vector<Piece> pieces_of(Formula f) {
    std::vector<Piece> pieces;
    while (const AtomRef atom = common_atom(f)) {
        Formula quotient = cofactor(f, atom);
        f = f - quotient * Formula(atom);
        const bool negative = leads_negative(quotient);
        if (negative) quotient = -quotient;
        const std::string factor = print_atom(*atom);
        pieces.push_back(
            {negative, (is_quotient(*atom) ? "(" + factor + ")" : factor) + "*" + factor_text(quotient), false});
    }
    for (const auto& [m, c] : f.terms()) {
        const bool quotient = m.size() == 1 && (c == 1 || c == -1) && is_quotient(*m[0]);
        if (!m.empty()) pieces.push_back({c < 0, print_product(m, c < 0 ? -Wide{c} : Wide{c}), quotient});
    }
    return pieces;
}

/// Where a piece stands among its like: by its first letter, so that 2*P sorts as P.
std::string sort_key(const Piece& p) {
    const auto at = p.text.find_first_not_of("0123456789*(");
    return at == std::string::npos ? p.text : p.text.substr(at);
}

/// floor(a/c) + k is written (a + c*k)/c, as one quotient.
std::optional<Formula> folded_numerator(const Formula& f, std::int64_t& divisor) {
    if (f.terms().size() != 2) return std::nullopt;
    const auto& [m, c] = *f.terms().rbegin();
    const auto& [one, k] = *f.terms().begin();
    if (!one.empty() || m.size() != 1 || c != 1 || m[0]->kind != Atom::Kind::floor_div) return std::nullopt;
    const auto d = m[0]->b.constant();
    if (!d || *d > 4096 || k > 4096 || k < -4096) return std::nullopt;
    divisor = *d;
    return m[0]->a + Formula(*d * k);
}

std::string print_sum(const Formula& f) {
    std::int64_t divisor = 0;
    if (const auto folded = folded_numerator(f, divisor)) return numerator(*folded) + "/" + std::to_string(divisor);
    if (auto product = as_product(f); !product.empty()) return product;
    std::int64_t constant = 0;
    if (!f.terms().empty() && f.terms().begin()->first.empty()) constant = f.terms().begin()->second;
    auto pieces = pieces_of(f - Formula(constant));
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
        return a.negative != b.negative ? b.negative : sort_key(a) < sort_key(b);
    });
    const bool constant_leads = constant > 0 && (pieces.empty() || pieces.front().negative);
    const Piece number{constant < 0, to_string(constant < 0 ? -Wide{constant} : Wide{constant}), false};
    if (constant_leads) pieces.insert(pieces.begin(), number);
    if ((constant != 0 && !constant_leads) || pieces.empty()) pieces.push_back(number);
    std::string text;
    for (const auto& p : pieces) {
        if (text.empty())
            text = !p.negative ? p.text : p.quotient ? "-(" + p.text + ")" : "-" + p.text;
        else
            text += (p.negative ? " - " : " + ") + p.text;
    }
    return text;
}

}  // namespace

std::string print(const Formula& f) { return print_sum(f); }

}  // namespace halogen
