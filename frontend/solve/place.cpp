#include "frontend/solve/place.h"

#include "frontend/formula/division.h"
#include "frontend/solve/solution.h"

namespace halogen {

namespace {

using MaybeFormula = std::optional<Formula>;

/// The conditions met on the way, and the names.
struct Reading {
    std::vector<PlaceCondition>& conditions;
    Symbols& symbols;

    void need_positive(PlaceCondition::Kind kind, const Formula& f, const Expr& e) {
        if (const auto c = f.constant(); !c || *c < 1) conditions.push_back({kind, f, print(e)});
    }
    MaybeFormula read(const Expr&);
    MaybeFormula binary(const Expr& whole, const Binary&);
    MaybeFormula call(const Call&);
    MaybeFormula cast(const Expr& whole, const Cast&);
};

MaybeFormula Reading::binary(const Expr& whole, const Binary& b) {
    const auto left = read(*b.left), right = read(*b.right);
    if (!left || !right) return std::nullopt;
    switch (b.op) {
    case BinaryOp::add: return rejoined(*left + *right);
    case BinaryOp::sub: return rejoined(*left - *right);
    case BinaryOp::mul: return *left * *right;
    case BinaryOp::div:
    case BinaryOp::mod: break;
    default: return std::nullopt;
    }
    if (const auto c = right->constant(); c && *c < 1)
        throw Failure(Error{ErrorKind::contradictory, "the divisor in `" + print(whole) + "` is " + std::to_string(*c),
                            whole.position(), "", "divide by at least 1"});
    need_positive(PlaceCondition::Kind::divisor, *right, *b.right);
    return b.op == BinaryOp::div ? floor_div(*left, *right) : remainder(*left, *right);
}

MaybeFormula Reading::call(const Call& c) {
    if (c.function != Function::min && c.function != Function::max && c.function != Function::abs) return std::nullopt;
    const auto left = read(c.arguments[0]);
    const auto right = !left ? std::nullopt : c.function == Function::abs ? MaybeFormula(-*left) : read(c.arguments[1]);
    if (!left || !right) return std::nullopt;
    return c.function == Function::min ? min(*left, *right) : max(*left, *right);
}

/// A type of at most 16 bits keeps the last bits; a wider one must hold the value.
MaybeFormula Reading::cast(const Expr& whole, const Cast& c) {
    bool holds_cast = false;
    walk(*c.value, [&](const Expr& part) { holds_cast = holds_cast || part.as<Cast>(); });
    // Operations on what was cast are done in its type; a cast of a cast is none.
    if (!is_integer(c.to) || (holds_cast && !c.value->as<Cast>())) return std::nullopt;
    auto value = read(*c.value);
    if (!value || c.to == Type::i64) return value;
    const bool wide = c.to == Type::i32 || c.to == Type::u32;
    const std::int64_t count = std::int64_t{1} << (wide ? 32 : c.to == Type::i8 || c.to == Type::u8 ? 8 : 16);
    const Formula least = is_signed(c.to) ? -count / 2 : 0;
    if (!wide || value->is_constant()) return remainder(*value - least, Formula(count)) + least;
    need_positive(PlaceCondition::Kind::cast, *value - least + Formula(1), whole);
    need_positive(PlaceCondition::Kind::cast, least + Formula(count) - *value, whole);
    return value;
}

MaybeFormula Reading::read(const Expr& e) {
    if (!e.defined()) return std::nullopt;
    if (auto* i = e.as<IntegerLiteral>()) return Formula(i->value);
    if (auto* s = e.as<SizeRef>()) return symbols(s->name);
    if (auto* i = e.as<IndexRef>()) return symbols(i->name);
    if (auto* u = e.as<Unary>()) {
        auto value = read(*u->value);
        return value && u->op == UnaryOp::negate ? MaybeFormula(-*value) : std::nullopt;
    }
    if (auto* b = e.as<Binary>()) return binary(e, *b);
    if (auto* c = e.as<Call>()) return call(*c);
    if (auto* c = e.as<Cast>()) return cast(e, *c);
    return std::nullopt;
}

}  // namespace

const Formula& Symbols::operator()(const std::string& name) {
    const auto at = made_.find(name);
    return at != made_.end() ? at->second : made_.emplace(name, Formula::symbol(name)).first->second;
}

std::optional<Formula> place_formula(const Expr& e, std::vector<PlaceCondition>& conditions, Symbols& symbols) {
    return Reading{conditions, symbols}.read(e);
}

std::optional<Formula> place_formula(const Expr& e, SymbolLookup value) {
    std::vector<PlaceCondition> conditions;
    Symbols symbols;
    const auto f = place_formula(e, conditions, symbols);
    return f ? std::optional(f->substitute(value)) : std::nullopt;
}

bool has_formula(const Expr& e) {
    std::vector<PlaceCondition> conditions;
    Symbols symbols;
    return place_formula(e, conditions, symbols).has_value();
}

std::optional<Formula> solved_formula(const Expr& e, const Solution& solution) {
    return place_formula(e, [&](const std::string& name) -> const Formula* {
        const auto size = solution.sizes.find(name);
        return size == solution.sizes.end() ? nullptr : &size->second;
    });
}

Box box_of(const Solution& solution, int equation) {
    Box box;
    for (const auto& [index, range] : solution.indices[static_cast<std::size_t>(equation)])
        box[index] = {range.min, range.min + range.extent - Formula(1)};
    return box;
}

std::optional<std::string> bare_index(const Expr& e) {
    const auto* i = e.as<IndexRef>();
    return i ? std::optional(i->name) : std::nullopt;
}

}  // namespace halogen
