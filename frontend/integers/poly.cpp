#include "frontend/integers/poly.h"

#include <algorithm>
#include <map>

namespace halogen {

bool Poly::is_linear() const {
    return std::all_of(terms.begin(), terms.end(), [](const auto& t) { return t.first.size() == 1; });
}

Wide Poly::linear_coefficient(int x) const {
    for (const auto& [m, c] : terms) {
        if (m.size() == 1 && m[0] == x) return c;
    }
    return 0;
}

bool Poly::holds(int x) const {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const auto& t) { return std::find(t.first.begin(), t.first.end(), x) != t.first.end(); });
}

Poly operator+(const Poly& a, const Poly& b) {
    Poly r;
    r.constant = add(a.constant, b.constant);
    r.terms.reserve(a.terms.size() + b.terms.size());
    auto i = a.terms.begin(), j = b.terms.begin();
    while (i != a.terms.end() || j != b.terms.end()) {
        if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
            r.terms.push_back(*i++);
        } else if (i == a.terms.end() || j->first < i->first) {
            r.terms.push_back(*j++);
        } else {
            const Wide c = add(i->second, j->second);
            if (c != 0) r.terms.emplace_back(i->first, c);
            ++i, ++j;
        }
    }
    return r;
}

Poly operator*(Wide c, const Poly& p) {
    if (c == 0) return {};
    Poly r = p;
    r.constant = multiply(c, r.constant);
    for (auto& [m, k] : r.terms) k = multiply(c, k);
    return r;
}

Poly operator*(const Poly& a, const Poly& b) {
    std::map<Product, Wide> sum;
    const auto add_term = [&](const Product& m, Wide c) {
        Wide& at = sum[m];
        at = add(at, c);
    };
    for (const auto& [m, c] : a.terms) {
        for (const auto& [n, d] : b.terms) {
            Product mn;
            std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(mn));
            add_term(mn, multiply(c, d));
        }
        if (b.constant != 0) add_term(m, multiply(c, b.constant));
    }
    if (a.constant != 0) {
        for (const auto& [n, d] : b.terms) add_term(n, multiply(a.constant, d));
    }
    Poly r;
    r.constant = multiply(a.constant, b.constant);
    for (auto& [m, c] : sum) {
        if (c != 0) r.terms.emplace_back(m, c);
    }
    return r;
}

Poly substitute(const Poly& p, int x, const Poly& value, Wide denominator, int& power) {
    power = 0;
    for (const auto& [m, c] : p.terms) power = std::max(power, static_cast<int>(std::count(m.begin(), m.end(), x)));
    Poly r;
    Wide whole = 1;
    for (int k = 0; k < power; ++k) whole = multiply(whole, denominator);
    r.constant = multiply(p.constant, whole);
    for (const auto& [m, c] : p.terms) {
        const int count = static_cast<int>(std::count(m.begin(), m.end(), x));
        Product others;
        std::copy_if(m.begin(), m.end(), std::back_inserter(others), [&](int y) { return y != x; });
        Poly term = others.empty() ? Poly::number(c) : Poly{{{others, c}}, 0};
        for (int k = 0; k < power; ++k) term = k < count ? term * value : denominator * term;
        r = r + term;
    }
    return r;
}

}  // namespace halogen
