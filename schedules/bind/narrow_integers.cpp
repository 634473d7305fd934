#include "schedules/bind/narrow_integers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Type;

/// Whole numbers from `low` to `high`.
struct Ends {
    std::int64_t low = 0, high = 0;

    bool fit(const Type& type) const { return type.can_represent(low) && type.can_represent(high); }
};

Ends all_of(const Type& type) {
    const std::int64_t values = std::int64_t{1} << type.bits();
    return type.is_int() ? Ends{-values / 2, values / 2 - 1} : Ends{0, values - 1};
}

bool is_integer(const Type& type, int bits) { return type.is_int_or_uint() && !type.is_bool() && type.bits() <= bits; }

/// The parts of an operation on whole numbers, whatever width it has and gives.
struct Operation {
    enum class Kind { add, sub, mul, min, max, div, abs, choose, same };
    Kind kind = Kind::same;
    Expr a = {}, b = {};
};

std::optional<Operation> operation(const Expr& e) {
    using Kind = Operation::Kind;
    if (const auto* op = e.as<Add>()) return Operation{Kind::add, op->a, op->b};
    if (const auto* op = e.as<Sub>()) return Operation{Kind::sub, op->a, op->b};
    if (const auto* op = e.as<Mul>()) return Operation{Kind::mul, op->a, op->b};
    if (const auto* op = e.as<Min>()) return Operation{Kind::min, op->a, op->b};
    if (const auto* op = e.as<Max>()) return Operation{Kind::max, op->a, op->b};
    if (const auto* op = e.as<Div>()) return Operation{Kind::div, op->a, op->b};
    if (const auto* op = e.as<Select>()) return Operation{Kind::choose, op->true_value, op->false_value};
    if (const auto* op = e.as<Cast>()) return Operation{Kind::same, op->value, {}};
    const auto* call = e.as<Call>();
    if (!call) return std::nullopt;
    if (call->is_intrinsic(Call::abs)) return Operation{Kind::abs, call->args[0], {}};
    if (call->is_intrinsic({Call::widening_add, Call::widen_right_add}))
        return Operation{Kind::add, call->args[0], call->args[1]};
    if (call->is_intrinsic({Call::widening_sub, Call::widen_right_sub}))
        return Operation{Kind::sub, call->args[0], call->args[1]};
    if (call->is_intrinsic({Call::widening_mul, Call::widen_right_mul}))
        return Operation{Kind::mul, call->args[0], call->args[1]};
    const bool left = call->is_intrinsic(Call::shift_left);
    if (!left && !call->is_intrinsic(Call::shift_right)) return std::nullopt;
    const auto by = as_const_int(call->args[1]);
    const auto unsigned_by = as_const_uint(call->args[1]);
    const std::int64_t bits = by ? *by : unsigned_by ? static_cast<std::int64_t>(*unsigned_by) : -1;
    if (bits < 0 || bits > 14) return std::nullopt;
    return Operation{left ? Kind::mul : Kind::div, call->args[0],
                     make_const(Halide::Int(32, e.type().lanes()), std::int64_t{1} << bits)};
}

class NarrowIntegers : public IRMutator {
public:
    using IRMutator::mutate;

private:
    using IRMutator::visit;

    static bool is_wide_vector(const Expr& e) {
        return e.type().is_vector() && is_integer(e.type(), 32) && e.type().bits() == 32;
    }

    Expr visit(const Cast* cast) override {
        if (is_integer(cast->type, 16) && is_wide_vector(cast->value))
            for (const Type& narrow : {Halide::Int(16), Halide::UInt(16)})
                if (const Expr value = in(narrow, cast->value); value.defined()) return Cast::make(cast->type, value);
        return IRMutator::visit(cast);
    }

    /// Numbers are compared in the type that both of them fit.
    template<class Comparison>
    Expr compared(const Comparison* both) {
        if (is_wide_vector(both->a))
            for (const Type& narrow : {Halide::Int(16), Halide::UInt(16)}) {
                const Expr a = in(narrow, both->a), b = in(narrow, both->b);
                if (a.defined() && b.defined()) return Comparison::make(a, b);
            }
        return IRMutator::visit(both);
    }
    Expr visit(const LT* less) override { return compared(less); }
    Expr visit(const LE* at_most) override { return compared(at_most); }
    Expr visit(const EQ* same) override { return compared(same); }
    Expr visit(const NE* other) override { return compared(other); }

    template<class Code>
    auto named(const Code* let) {
        const Expr value = mutate(let->value);
        const auto ends = is_integer(value.type(), 32) ? ends_of(let->value) : std::nullopt;
        const ScopedBinding<std::optional<Ends>> known(names_, let->name,
                                                       ends);  // also of a name that stood for another
        ends_.clear();
        auto code = Code::make(let->name, value, mutate(let->body));
        ends_.clear();
        return code;
    }
    Stmt visit(const LetStmt* let) override { return named(let); }
    Expr visit(const Let* let) override { return named(let); }

    /// Between which numbers the value lies: what its operands make it; where that may leave its type, the ends of the type, if it has at most
    /// 16 bits.
    std::optional<Ends> ends_of(const Expr& e) {
        const auto ends = whole_of(e);
        if (ends && ends->fit(e.type().element_of())) return ends;
        return is_integer(e.type(), 16) ? std::optional(all_of(e.type())) : std::nullopt;
    }

    /// Likewise of 16 bits, which may differ from the value by a multiple of 2^16. (Halide writes `i16(u16(a) - u16(b))` for `i16(a) - i16(b)`.)
    std::optional<Ends> whole_of(const Expr& e) {
        if (const auto value = constant(e)) return Ends{*value, *value};
        if (e.type().is_bool()) return Ends{0, 1};
        if (const auto seen = ends_.find(e.get()); seen != ends_.end()) return seen->second;
        auto ends = computed(e);
        const bool far = ends && !ends->fit(Halide::Int(32));  // products of such still fit 64 bits
        if (ends && !ends->fit(e.type().element_of()) && (far || !wraps(e))) ends.reset();
        if (!ends && is_integer(e.type(), 16)) ends = all_of(e.type());
        ends_[e.get()] = ends;
        return ends;
    }

    static std::optional<std::int64_t> constant(const Expr& e) {
        if (const auto value = as_const_int(e)) return value;
        const auto value = as_const_uint(e);
        return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
    }

    /// What is known of its operands modulo 2^16 is known of the result.
    static bool wraps(const Expr& e) {
        using Kind = Operation::Kind;
        const auto op = operation(e);
        return op && e.type().bits() == 16 &&
               (op->kind == Kind::add || op->kind == Kind::sub || op->kind == Kind::mul || op->kind == Kind::same);
    }
    static bool wraps(const Expr& e, const Expr& operand) {
        return wraps(e) && is_integer(operand.type(), 16) && operand.type().bits() == 16;
    }

    std::optional<Ends> computed(const Expr& e) {
        using Kind = Operation::Kind;
        if (!is_integer(e.type(), 32)) return std::nullopt;
        if (const auto* all = e.as<Broadcast>()) return ends_of(all->value);
        if (const auto* name = e.as<Variable>())
            return names_.contains(name->name) ? names_.get(name->name) : std::nullopt;
        const auto op = operation(e);
        if (!op) return std::nullopt;
        const auto ends = [&](const Expr& operand) { return wraps(e, operand) ? whole_of(operand) : ends_of(operand); };
        const auto a = ends(op->a), b = op->b.defined() ? ends(op->b) : std::optional(Ends{});
        if (!a || !b) return std::nullopt;
        switch (op->kind) {
        case Kind::add: return Ends{a->low + b->low, a->high + b->high};
        case Kind::sub: return Ends{a->low - b->high, a->high - b->low};
        case Kind::mul: {
            const std::array<std::int64_t, 4> all{a->low * b->low, a->low * b->high, a->high * b->low,
                                                  a->high * b->high};
            return Ends{*std::ranges::min_element(all), *std::ranges::max_element(all)};
        }
        case Kind::min: return Ends{std::min(a->low, b->low), std::min(a->high, b->high)};
        case Kind::max: return Ends{std::max(a->low, b->low), std::max(a->high, b->high)};
        case Kind::div: {
            if (b->low != b->high || b->low < 1) return std::nullopt;
            const auto floor = [&](std::int64_t x) { return (x >= 0 ? x : x - b->low + 1) / b->low; };
            return Ends{floor(a->low), floor(a->high)};
        }
        case Kind::abs: {
            const std::int64_t far = std::max(-a->low, a->high);
            return Ends{std::max({std::int64_t{0}, a->low, -a->high}), far};
        }
        case Kind::choose: return Ends{std::min(a->low, b->low), std::max(a->high, b->high)};
        default: return a;
        }
    }

    /// The value in another type that has as many lanes, or what it is modulo 2^16; undefined where some step of it does not fit.
    Expr in(const Type& narrow, const Expr& e, bool modulo = false) {
        using Kind = Operation::Kind;
        const auto ends = modulo ? whole_of(e) : ends_of(e);
        if (!ends || !ends->fit(narrow)) return {};
        const Type type = narrow.with_lanes(e.type().lanes());
        if (const auto value = constant(e)) return make_const(type, *value);
        const auto op = is_integer(e.type(), 32) ? operation(e) : std::nullopt;
        const auto made = op ? computed(e) : std::nullopt;
        if (!made || !(made->fit(e.type().element_of()) || (modulo && wraps(e))))
            return Cast::make(type, mutate(e));  // as it stands: a load, what wraps, a name
        const auto operand = [&](const Expr& of) { return in(narrow, of, wraps(e, of)); };
        Expr a = operand(op->a);
        const Expr b = op->b.defined() ? operand(op->b) : Expr();
        if (!a.defined() || (op->b.defined() && !b.defined())) return {};
        switch (op->kind) {
        case Kind::add: return Add::make(a, b);
        case Kind::sub: return Sub::make(a, b);
        case Kind::mul: return Mul::make(a, b);
        case Kind::min: return Min::make(a, b);
        case Kind::max: return Max::make(a, b);
        case Kind::div: return Div::make(a, b);
        case Kind::abs: return narrow.is_uint() ? a : Cast::make(type, Halide::abs(a));
        case Kind::choose: return Select::make(mutate(e.as<Select>()->condition), a, b);
        default: return a;
        }
    }

    Scope<std::optional<Ends>> names_;
    std::map<const IRNode*, std::optional<Ends>> ends_;  // of the code under the names as they are
};

}  // namespace

Stmt with_narrow_integers(const Stmt& s) { return NarrowIntegers().mutate(s); }

void narrow_integers(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new NarrowIntegers); }

}  // namespace halogen
