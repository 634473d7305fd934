#include "schedules/bind/constant_difference.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// A sum taken apart, in which what is added and taken away again cancels.
class Sum {
public:
    explicit Sum(const Scope<Expr>& names) : names_(names) {}

    void add(const Expr& e, std::int64_t times) {
        const auto value = as_const_int(e);
        const auto* product = e.as<Mul>();
        const auto factor = product ? as_const_int(product->b) : std::nullopt;
        const auto* name = e.as<Variable>();
        const Expr* named = name ? names_.find(name->name) : nullptr;
        if (value) {
            constant_ += times * *value;
        } else if (const auto* sum = e.as<Add>()) {
            add(sum->a, times), add(sum->b, times);
        } else if (const auto* difference = e.as<Sub>()) {
            add(difference->a, times), add(difference->b, -times);
        } else if (factor) {
            add(product->a, times * *factor);
        } else if (named) {
            add(*named, times);
        } else if (product && is_sum(product->a)) {  // (y + 1)*stride
            add_parts(product->a, times, [&](const Expr& part) { return simplify(part * product->b); });
        } else if (product && is_sum(product->b)) {
            add_parts(product->b, times, [&](const Expr& part) { return simplify(part * product->a); });
        } else {
            const Expr turned = product ? product->b * product->a : e;
            const auto known = std::ranges::find_if(
                terms_, [&](const auto& term) { return equal(term.first, e) || equal(term.first, turned); });
            if (known == terms_.end())
                terms_.emplace_back(e, times);
            else
                known->second += times;
        }
    }

    /// Its value, if it is a number.
    std::optional<std::int64_t> constant() const {
        const bool cancels = std::ranges::all_of(terms_, [](const auto& term) { return term.second == 0; });
        return cancels ? std::optional(constant_) : std::nullopt;
    }

private:
    static bool is_sum(const Expr& e) { return e.as<Add>() || e.as<Sub>(); }

    template<class Times>
    void add_parts(const Expr& e, std::int64_t times, Times by) {
        const auto* sum = e.as<Add>();
        const auto* difference = e.as<Sub>();
        add(by(sum ? sum->a : difference->a), times);
        add(by(sum ? sum->b : difference->b), sum ? times : -times);
    }

    const Scope<Expr>& names_;
    std::vector<std::pair<Expr, std::int64_t>> terms_;
    std::int64_t constant_ = 0;
};

}  // namespace

std::optional<std::int64_t> constant_difference(const Expr& a, const Expr& b, const Scope<Expr>& names) {
    Sum sum(names);
    sum.add(a, 1);
    sum.add(b, -1);
    return sum.constant();
}

}  // namespace halogen
