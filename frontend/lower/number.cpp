#include "frontend/lower/number.h"

#include "frontend/lower/functions.h"

#include <cmath>
#include <limits>

namespace halogen {

namespace {

using Halide::cast;
using Halide::Internal::make_const;

Halide::Expr atom_expr(const Formula::Atom& atom, const std::map<std::string, Halide::Expr>& symbols) {
    if (atom.kind == Formula::Atom::Kind::symbol) return symbols.at(atom.name);
    const Halide::Expr a = halide_expr(atom.a, symbols), b = halide_expr(atom.b, symbols);
    switch (atom.kind) {
    case Formula::Atom::Kind::floor_div: return a / b;
    case Formula::Atom::Kind::remainder: return a % b;
    case Formula::Atom::Kind::min: return Halide::min(a, b);
    default: return Halide::max(a, b);
    }
}

Halide::Expr libm(const char* name, const Halide::Expr& x) {
    return Halide::Internal::Call::make(x.type(), name, {x}, Halide::Internal::Call::PureExtern);
}

using IrCall = Halide::Internal::Call;

/// The operation of a comparison that is strict.
std::optional<Op> strict_extreme(const Halide::Expr& x) {
    const auto* call = x.as<IrCall>();
    if (call && call->is_intrinsic(IrCall::strict_max)) return Op::max;
    return call && call->is_intrinsic(IrCall::strict_min) ? std::optional(Op::min) : std::nullopt;
}

/// What `with_nan` chose: a number, unless `unsure`.
struct Chosen {
    Halide::Expr number, unsure;
};
std::optional<Chosen> chosen_in(const Halide::Expr& x) {
    const auto* real = x.as<Halide::Internal::Reinterpret>();
    const auto* select = real ? real->value.as<Halide::Internal::Select>() : nullptr;
    const auto* number = select ? select->false_value.as<Halide::Internal::Reinterpret>() : nullptr;
    if (!number || !Halide::Internal::is_const(select->true_value)) return std::nullopt;
    if (!strict_extreme(number->value)) return std::nullopt;
    return Chosen{number->value, select->condition};
}

/// An element of memory or a constant, as it stands there: read from a buffer, or of a Func that does no more than read that, also around
/// the edges of a padding, or has the greatest and least of such.
bool is_load(const Halide::Expr& x) {
    if (const auto* chosen = x.as<Halide::Internal::Select>()) {
        const auto stands = [](const Halide::Expr& e) { return Halide::Internal::is_const(e) || is_load(e); };
        return stands(chosen->true_value) && stands(chosen->false_value);
    }
    const auto* call = x.as<IrCall>();
    if (!call || call->call_type == IrCall::Image) return call;
    if (call->is_intrinsic(IrCall::likely)) return is_load(call->args[0]);
    if (call->call_type != IrCall::Halide) return false;
    const Halide::Internal::Function f(call->func);
    if (!f.has_pure_definition() || f.has_update_definition()) return false;
    Halide::Expr value = f.values()[0];
    while (const auto* let = value.as<Halide::Internal::Let>()) value = let->body;
    return is_load(value) || chosen_in(value);
}

/// A sum, a difference or a product whose last operation is strict, as fast arithmetic has no NaN for LLVM; other numbers as they are. (That
/// it is not fused costs one operation, to look for NaN by bits two or three.)
Halide::Expr with_exact_root(const Halide::Expr& x) {
    const auto strict = [&](IrCall::IntrinsicOp op, const Halide::Expr& a, const Halide::Expr& b) {
        return IrCall::make(x.type(), op, {a, b}, IrCall::PureIntrinsic);
    };
    if (const auto* sum = x.as<Halide::Internal::Add>()) return strict(IrCall::strict_add, sum->a, sum->b);
    if (const auto* rest = x.as<Halide::Internal::Sub>()) return strict(IrCall::strict_sub, rest->a, rest->b);
    if (const auto* product = x.as<Halide::Internal::Mul>()) return strict(IrCall::strict_mul, product->a, product->b);
    return x;
}

bool is_strict(const Halide::Expr& x) {
    const auto* call = x.as<IrCall>();
    return call && call->is_strict_float_intrinsic();
}

/// What no fast arithmetic made: its NaNs are kept by a comparison that is strict.
bool is_exact(const Halide::Expr& x) {
    return Halide::Internal::is_const(x) || x.as<Halide::Internal::Reinterpret>() || is_strict(x) || is_load(x);
}

/// f32 as the nearest f16 has it. Of fast arithmetic LLVM takes both casts away where there are instructions for them; no number above 2^16,
/// which is infinite as an f16, is one operation that it leaves.
Halide::Expr rounded_to_half(const Halide::Expr& x) {
    const Halide::Expr kept =
        IrCall::make(x.type(), IrCall::strict_min, {make_const(x.type(), 65536), x}, IrCall::PureIntrinsic);
    return cast(x.type(), cast(Halide::Float(16), is_exact(x) ? x : kept));
}

/// The pattern of infinity; those of NaN lie above it.
std::int64_t infinity_of(const Halide::Type& t) { return t.bits() == 64 ? 0x7ff0000000000000 : 0x7f800000; }

/// True where `x` is NaN. Of a load one instruction; what was computed is looked at as an integer, because LLVM takes
/// it for granted that results of its fast arithmetic are no NaN. (`Halide::is_nan` computes what it asks about without fused
/// arithmetic, and LLVM then does so for all uses of it. tanh of f32 to u8 on Zen 4: 0.97 ns an element, and 0.6 so.)
Halide::Expr is_not_a_number(const Halide::Expr& x) {
    if (is_load(x)) return Halide::is_nan(x);
    const Halide::Type bits = Halide::Int(x.type().bits());
    return (Halide::reinterpret(bits, x) & bits.max()) > make_const(bits, infinity_of(x.type()));
}

/// True where `x` is positive, false where it is NaN, by its bits.
Halide::Expr is_above_0(const Halide::Expr& x) {
    const Halide::Type bits = Halide::UInt(x.type().bits());
    return Halide::reinterpret(bits, x) - make_const(bits, 1) < make_const(bits, infinity_of(x.type()));
}

/// The NaN that a greatest or least value is, as bits: among keys (see `sort_key`) the last of all, or the first.
std::int64_t nan_of(bool greatest, const Halide::Type& t) {
    if (t.bits() == 64) return greatest ? 0x7ff8000000000000 : static_cast<std::int64_t>(0xfff8000000000000);
    return greatest ? 0x7fc00000 : static_cast<std::int32_t>(0xffc00000);
}

/// `op` is strict_max or strict_min, which give `b` where an operand is NaN, if `b` is exact. Of several in a row NaN is looked for
/// once: `b` passes on what it was unsure of.
Halide::Expr with_nan(IrCall::IntrinsicOp op, const Halide::Expr& a, const Halide::Expr& b, bool exact) {
    const auto before = chosen_in(b);
    Halide::Expr value = IrCall::make(a.type(), op, {a, before ? before->number : b}, IrCall::PureIntrinsic);
    Halide::Expr unsure = before ? before->unsure : Halide::Expr();
    const auto add = [&](const Halide::Expr& x) {
        unsure = unsure.defined() ? unsure || is_not_a_number(x) : is_not_a_number(x);
    };
    if (!Halide::Internal::is_const(a)) add(a);
    if (!exact) add(b);
    if (!unsure.defined()) return value;
    const Halide::Type bits = Halide::Int(a.type().bits());
    const Halide::Expr nan = make_const(bits, nan_of(op == IrCall::strict_max, a.type()));
    return Halide::reinterpret(a.type(), Halide::select(unsure, nan, Halide::reinterpret(bits, value)));
}

/// min and max of the notation; a constant stands first.
Halide::Expr extreme_of(bool greatest, const Halide::Expr& first, const Halide::Expr& second) {
    if (!first.type().is_float()) return greatest ? Halide::max(first, second) : Halide::min(first, second);
    const Halide::Expr a = with_exact_root(first), b = with_exact_root(second);
    const IrCall::IntrinsicOp op = greatest ? IrCall::strict_max : IrCall::strict_min;
    const auto is_const = [](const Halide::Expr& x) { return Halide::Internal::is_const(x); };
    const bool later = chosen_in(a) && !chosen_in(b), surer = is_exact(a) && !is_exact(b);
    const bool swap = is_const(b) || (!is_const(a) && (later || surer));
    return swap ? with_nan(op, second, a, is_exact(a)) : with_nan(op, first, b, is_exact(b));
}

/// Bits of a number as an integer that sorts as it does, and back.
Halide::Expr turned_where_negative(const Halide::Expr& pattern) {
    return pattern ^ ((pattern >> (pattern.type().bits() - 1)) & pattern.type().max());
}

constexpr const char *greatest_key = "halogen_greatest_key", *least_key = "halogen_least_key";

}  // namespace

Halide::Expr extreme(Op op, const Halide::Expr& held, const Halide::Expr& value) {
    const bool greatest = op == Op::max;
    // `I[] min= X[0] + s`: Halide asks which s change nothing, and takes what was held before the loop for what is held in it.
    const Halide::Type t = held.type();
    const bool wide = t.is_int_or_uint() && t.bits() >= 32;
    const Halide::Expr half = wide ? value >> 1 : value,
                       hidden = wide ? (value ^ half) ^ half : value;  // LLVM sees through
    if (!t.is_float()) return greatest ? Halide::max(held, hidden) : Halide::min(held, hidden);
    return with_nan(greatest ? IrCall::strict_max : IrCall::strict_min, value, held, true);
}

std::optional<Op> extreme_in(const Halide::Expr& x, Halide::Expr* chosen) {
    const auto held = chosen_in(x);
    const Halide::Expr& number = held ? held->number : x;
    if (chosen) *chosen = number;
    return strict_extreme(number);
}

Halide::Expr sort_key(const Halide::Expr& x) {
    return turned_where_negative(Halide::reinterpret(Halide::Int(x.type().bits(), x.type().lanes()), x));
}

Halide::Expr of_sort_key(const Halide::Expr& key) {
    return Halide::reinterpret(Halide::Float(key.type().bits(), key.type().lanes()), turned_where_negative(key));
}

Halide::Expr join_keys(Op op, const std::vector<Halide::Expr>& held) {
    const char* name = op == Op::max ? greatest_key : least_key;
    return IrCall::make(Halide::Int(held.front().type().bits()), name, held, IrCall::PureExtern);
}

std::optional<Op> joins_keys(const IrCall* call) {
    if (call->name == greatest_key) return Op::max;
    return call->name == least_key ? std::optional(Op::min) : std::nullopt;
}

Halide::Expr tree_of_keys(Op op, const std::vector<Halide::Expr>& held) {
    std::vector<Halide::Expr> keys;
    for (const Halide::Expr& lane : held) keys.push_back(sort_key(lane));
    while (keys.size() > 1) {
        std::vector<Halide::Expr> joined;
        for (std::size_t i = 0; i + 1 < keys.size(); i += 2)
            joined.push_back(op == Op::max ? Halide::max(keys[i], keys[i + 1]) : Halide::min(keys[i], keys[i + 1]));
        if (keys.size() % 2) joined.push_back(keys.back());
        keys = std::move(joined);
    }
    return keys.front();
}

Halide::Type halide_type(Type t) {
    switch (t) {
    case Type::f64: return Halide::Float(64);
    case Type::f32: return Halide::Float(32);
    case Type::f16: return Halide::Float(16);
    case Type::bf16: return Halide::BFloat(16);
    case Type::i8: return Halide::Int(8);
    case Type::i16: return Halide::Int(16);
    case Type::i32: return Halide::Int(32);
    case Type::i64: return Halide::Int(64);
    case Type::u8: return Halide::UInt(8);
    case Type::u16: return Halide::UInt(16);
    case Type::u32: return Halide::UInt(32);
    default: return Halide::Bool();
    }
}

Halide::Expr halide_expr(const Formula& formula, const std::map<std::string, Halide::Expr>& symbols) {
    Halide::Expr sum;
    for (const auto& [monomial, coefficient] : formula.terms()) {
        Halide::Expr product;
        for (const auto& atom : monomial) {
            const Halide::Expr factor = atom_expr(*atom, symbols);
            product = product.defined() ? product * factor : factor;
        }
        const int c = static_cast<int>(coefficient);
        if (!product.defined())
            product = c;
        else if (c != 1)
            product = product * c;
        sum = sum.defined() ? sum + product : product;
    }
    return Halide::Internal::simplify(sum.defined() ? sum : Halide::Expr(0));
}

Halide::Expr opaque(const Halide::Expr& value) {
    return IrCall::make(value.type(), IrCall::return_second, {0, value}, IrCall::PureIntrinsic);
}

Halide::Expr convert(const Halide::Expr& value, Type from, Type to) {
    const Halide::Type target = halide_type(compute_type(to));
    if (is_float(from) && is_integer(to)) {
        // The bounds as floats: `high` is the first value above the range, exactly representable.
        const double high = std::ldexp(1.0, target.bits() - (target.is_int() ? 1 : 0));
        const double low = target.is_int() ? -high : 0.0;
        const Halide::Type f = value.type();
        const Halide::Expr kept = target.is_uint() ? is_above_0(value) : !is_not_a_number(value);
        if (target.bits() <= 16) {  // in the lanes of the float: no mask changes its width
            const Halide::Expr near = Halide::clamp(value, make_const(f, low), make_const(f, high - 1));
            return cast(target, Halide::select(kept, cast(Halide::Int(32), near), 0));
        }
        const Halide::Expr result = Halide::select(value >= make_const(f, high), target.max(),
                                                   value <= make_const(f, low), target.min(), cast(target, value));
        return Halide::select(kept, result, make_const(target, 0));
    }
    if (to == Type::boolean) {
        const Halide::Expr zero = make_const(value.type(), 0);
        if (!value.type().is_float()) return value != zero;
        return !IrCall::make(Halide::Bool(), IrCall::strict_eq, {value, zero}, IrCall::PureIntrinsic);  // NaN is true
    }
    Halide::Expr converted = value.type() == target ? value : cast(target, value);
    // Halves are storage: a cast to one rounds, and the value goes on in f32.
    if (to == Type::f16) converted = rounded_to_half(converted);
    if (to == Type::bf16) converted = cast(target, cast(halide_type(to), converted));
    return converted;
}

Halide::Expr call_function(Function function, Type type, const std::vector<Halide::Expr>& a) {
    const bool real = is_float(type);
    const bool wide = type == Type::f64;
    switch (function) {
    case Function::select: return Halide::select(a[0], a[1], a[2]);
    case Function::min: return extreme_of(false, a[0], a[1]);
    case Function::max: return extreme_of(true, a[0], a[1]);
    case Function::abs: return is_signed(type) ? cast(a[0].type(), Halide::abs(a[0])) : a[0];
    case Function::floor: return real ? Halide::floor(a[0]) : a[0];
    case Function::ceil: return real ? Halide::ceil(a[0]) : a[0];
    case Function::round: return real ? Halide::round(a[0]) : a[0];
    case Function::sqrt: return Halide::sqrt(a[0]);
    case Function::rsqrt: return make_const(a[0].type(), 1.0) / Halide::sqrt(a[0]);
    case Function::exp: return exp_of(a[0]);
    case Function::log: return log_of(a[0]);
    case Function::sin: return wide ? Halide::sin(a[0]) : sin_f32(a[0]);
    case Function::cos: return wide ? Halide::cos(a[0]) : cos_f32(a[0]);
    case Function::tanh: return tanh_of(a[0]);
    case Function::erf: return wide ? libm("erf", a[0]) : erf_f32(a[0]);
    case Function::sigmoid: {
        const Halide::Expr one = make_const(a[0].type(), 1.0);
        return one / (one + exp_of(-a[0]));
    }
    case Function::pow: return pow_of(a[0], a[1]);
    }
    return {};
}

Halide::Expr not_folded(const Halide::Expr& constant) {
    const Halide::Type t = constant.type();
    return t.is_int() && t.bits() >= 32 ? opaque(constant) : constant;
}

Halide::Expr identity(Op op, Type type) { return identity(op, halide_type(compute_type(type))); }

Halide::Expr identity(Op op, const Halide::Type& t) {
    switch (op) {
    case Op::mul: return make_const(t, 1);
    case Op::max: return t.is_float() ? cast(t, -std::numeric_limits<float>::infinity()) : t.min();
    case Op::min: return t.is_float() ? cast(t, std::numeric_limits<float>::infinity()) : t.max();
    case Op::logical_and: return make_const(t, 1);
    default: return make_const(t, 0);
    }
}

}  // namespace halogen
