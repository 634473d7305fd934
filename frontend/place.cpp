#include "frontend/place.h"

namespace halogen {

namespace {

using MaybeFormula = std::optional<Formula>;

void need_positive(const Formula& divisor, const Expr& e, std::vector<Formula>& divisors) {
    const auto c = divisor.constant();
    if (!c) divisors.push_back(divisor);
    if (c && *c < 1)
        throw Failure(Error{ErrorKind::contradictory, "the divisor in `" + print(e) + "` is " + std::to_string(*c),
                            e.position(), "", "divide by at least 1"});
}

MaybeFormula binary(const Expr& whole, const Binary& b, std::vector<Formula>& divisors) {
    const auto left = place_formula(*b.left, divisors), right = place_formula(*b.right, divisors);
    if (!left || !right) return std::nullopt;
    switch (b.op) {
    case BinaryOp::add: return *left + *right;
    case BinaryOp::sub: return *left - *right;
    case BinaryOp::mul: return *left * *right;
    case BinaryOp::div: need_positive(*right, whole, divisors); return floor_div(*left, *right);
    case BinaryOp::mod: need_positive(*right, whole, divisors); return remainder(*left, *right);
    default: return std::nullopt;
    }
}

}  // namespace

std::optional<Formula> place_formula(const Expr& e, std::vector<Formula>& divisors) {
    if (!e.defined()) return std::nullopt;
    if (auto* i = e.as<IntegerLiteral>()) return Formula(i->value);
    if (auto* s = e.as<SizeRef>()) return Formula::symbol(s->name);
    if (auto* i = e.as<IndexRef>()) return Formula::symbol(i->name);
    if (auto* u = e.as<Unary>()) {
        const auto value = place_formula(*u->value, divisors);
        return value && u->op == UnaryOp::negate ? MaybeFormula(-*value) : std::nullopt;
    }
    if (auto* b = e.as<Binary>()) return binary(e, *b, divisors);
    if (auto* c = e.as<Call>()) {
        if (c->function != Function::min && c->function != Function::max) return std::nullopt;
        const auto left = place_formula(c->arguments[0], divisors), right = place_formula(c->arguments[1], divisors);
        if (!left || !right) return std::nullopt;
        return c->function == Function::min ? min(*left, *right) : max(*left, *right);
    }
    return std::nullopt;
}

std::optional<std::string> bare_index(const Expr& e) {
    const auto* i = e.as<IndexRef>();
    return i ? std::optional(i->name) : std::nullopt;
}

bool depends_on_data(const Expr& e) {
    bool found = false;
    walk(e, [&](const Expr& part) { found = found || part.as<Access>() || part.as<ScalarRef>(); });
    return found;
}

}  // namespace halogen
