#include "frontend/solve/place.h"

#include "frontend/solve/solution.h"

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

MaybeFormula binary(const Expr& whole, const Binary& b, std::vector<Formula>& divisors, Symbols& symbols) {
    const auto left = place_formula(*b.left, divisors, symbols), right = place_formula(*b.right, divisors, symbols);
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

const Formula& Symbols::operator()(const std::string& name) {
    const auto at = made_.find(name);
    return at != made_.end() ? at->second : made_.emplace(name, Formula::symbol(name)).first->second;
}

std::optional<Formula> place_formula(const Expr& e, std::vector<Formula>& divisors, Symbols& symbols) {
    if (!e.defined()) return std::nullopt;
    if (auto* i = e.as<IntegerLiteral>()) return Formula(i->value);
    if (auto* s = e.as<SizeRef>()) return symbols(s->name);
    if (auto* i = e.as<IndexRef>()) return symbols(i->name);
    if (auto* u = e.as<Unary>()) {
        const auto value = place_formula(*u->value, divisors, symbols);
        return value && u->op == UnaryOp::negate ? MaybeFormula(-*value) : std::nullopt;
    }
    if (auto* b = e.as<Binary>()) return binary(e, *b, divisors, symbols);
    if (auto* c = e.as<Call>()) {
        if (c->function != Function::min && c->function != Function::max) return std::nullopt;
        const auto left = place_formula(c->arguments[0], divisors, symbols),
                   right = place_formula(c->arguments[1], divisors, symbols);
        if (!left || !right) return std::nullopt;
        return c->function == Function::min ? min(*left, *right) : max(*left, *right);
    }
    return std::nullopt;
}

std::optional<Formula> place_formula(const Expr& e, SymbolLookup value) {
    std::vector<Formula> divisors;
    Symbols symbols;
    const auto f = place_formula(e, divisors, symbols);
    return f ? std::optional(f->substitute(value)) : std::nullopt;
}

std::optional<Formula> solved_formula(const Expr& e, const Solution& solution) {
    return place_formula(e, [&](const std::string& name) -> const Formula* {
        const auto size = solution.sizes.find(name);
        return size == solution.sizes.end() ? nullptr : &size->second;
    });
}

std::optional<std::string> bare_index(const Expr& e) {
    const auto* i = e.as<IndexRef>();
    return i ? std::optional(i->name) : std::nullopt;
}

}  // namespace halogen
