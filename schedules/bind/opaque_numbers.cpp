#include "schedules/bind/opaque_numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

constexpr double least_beyond_halves = 65520;

/// Finds casts that make halves of other numbers.
class HalvesCast : public IRVisitor {
public:
    bool found = false;

private:
    using IRVisitor::visit;
    void visit(const Cast* cast) override {
        found = found || cast->type.element_of() == Halide::Float(16);
        IRVisitor::visit(cast);
    }
};

Expr without_lanes(const Expr& e) {
    const auto* broadcast = e.as<Broadcast>();
    return broadcast ? broadcast->value : e;
}

/// A number made of conditions and of constants: `f32(m)`, `select(m, 2, 0) - 1`.
bool is_of_conditions(const Expr& e) {
    const Expr x = without_lanes(e);
    const auto either = [](const Expr& a, const Expr& b) {
        const bool first = is_of_conditions(a), second = is_of_conditions(b);
        return (first || second) && (first || is_const(a)) && (second || is_const(b));
    };
    if (const auto* cast = x.as<Cast>()) return cast->value.type().is_bool() || is_of_conditions(cast->value);
    if (const auto* choice = x.as<Select>()) {
        const auto is_known = [](const Expr& a) { return is_const(a) || is_of_conditions(a); };
        return is_known(choice->true_value) && is_known(choice->false_value);
    }
    if (const auto* sum = x.as<Add>()) return either(sum->a, sum->b);
    if (const auto* rest = x.as<Sub>()) return either(rest->a, rest->b);
    const auto* product = x.as<Mul>();
    return product && either(product->a, product->b);
}

/// The bits of a literal, as an integer of its width.
Expr bits_of(const FloatImm* literal) {
    const Halide::Type type = literal->type;
    const auto as = [&](std::uint64_t bits) { return UIntImm::make(type.with_code(halide_type_uint), bits); };
    if (type.is_bfloat()) return as(Halide::bfloat16_t(literal->value).to_bits());
    if (type.bits() == 16) return as(Halide::float16_t(literal->value).to_bits());
    if (type.bits() == 32) return as(std::bit_cast<std::uint32_t>(static_cast<float>(literal->value)));
    return as(std::bit_cast<std::uint64_t>(literal->value));
}

class OpaqueNumbers : public IRMutator {
public:
    explicit OpaqueNumbers(std::string buffer) : buffer_(std::move(buffer)) {}

    using IRMutator::mutate;
    Stmt mutate(const Stmt& s) override {
        if (is_inside_) return IRMutator::mutate(s);
        is_inside_ = true;
        HalvesCast cast;
        s.accept(&cast);
        has_halves_ = cast.found;
        const Stmt body = IRMutator::mutate(s);
        is_inside_ = false;
        if (body.same_as(s)) return s;
        // No buffer has less than no dims; LLVM does not know.
        const Expr buffer = Variable::make(Halide::type_of<halide_buffer_t*>(), buffer_);
        const Expr dims = Call::make(Halide::Int(32), Call::buffer_get_dimensions, {buffer}, Call::Extern);
        return LetStmt::make(zero_name, Halide::min(dims, 0), body);
    }

private:
    using IRMutator::visit;

    static constexpr const char* zero_name = "halogen.zero";

    static Expr zero(Halide::Type type) { return Halide::cast(type, Variable::make(Halide::Int(32), zero_name)); }

    Expr visit(const FloatImm* literal) override {
        if (!std::isinf(literal->value) && !is_beyond_halves(literal->value)) return literal;
        const Expr bits = bits_of(literal);
        return Halide::reinterpret(literal->type, bits + zero(bits.type()));
    }
    static Expr hidden(const Expr& value) {
        const Halide::Type bits = value.type().with_code(halide_type_int);
        return Halide::reinterpret(value.type(), Halide::reinterpret(bits, value) + zero(bits));
    }

    /// The same number, of which LLVM cannot tell that it is one of two, or more or less by 1 than another.
    Expr opaque(const Expr& e) {
        Expr value = mutate(e);
        if (!e.type().is_float()) return value;
        if (is_of_conditions(value)) return hidden(value);
        const auto* sum = value.as<Add>();
        const auto* rest = value.as<Sub>();
        if (sum && is_one(sum->b)) return Add::make(sum->a, hidden(sum->b));
        if (rest && is_one(rest->b)) return Sub::make(rest->a, hidden(rest->b));
        return rest && is_one(rest->a) ? Sub::make(hidden(rest->a), rest->b) : value;
    }
    static bool is_one(const Expr& e) {
        const Expr x = without_lanes(e);
        const auto* literal = x.as<FloatImm>();
        return literal && std::abs(literal->value) == 1;
    }

    /// Of floats Halide knows sums and products of what is made wider by then.
    Expr visit(const Call* call) override {
        const bool adds = call->is_intrinsic(Call::widening_add), takes = call->is_intrinsic(Call::widening_sub);
        if (!call->type.is_float() || !(adds || takes || call->is_intrinsic(Call::widening_mul)))
            return IRMutator::visit(call);
        const Expr a = Halide::cast(call->type, call->args[0]), b = Halide::cast(call->type, call->args[1]);
        return mutate(adds ? Add::make(a, b) : takes ? Sub::make(a, b) : Mul::make(a, b));
    }
    Expr visit(const Mul* product) override {
        const Expr a = opaque(product->a), b = opaque(product->b);
        return a.same_as(product->a) && b.same_as(product->b) ? product : Mul::make(a, b);
    }
    Expr visit(const Div* quotient) override {
        const Expr a = opaque(quotient->a), b = mutate(quotient->b);
        return a.same_as(quotient->a) && b.same_as(quotient->b) ? quotient : Div::make(a, b);
    }
    Expr visit(const Let* let) override {
        const Expr value = opaque(let->value), body = mutate(let->body);
        return value.same_as(let->value) && body.same_as(let->body) ? let : Let::make(let->name, value, body);
    }
    Stmt visit(const LetStmt* let) override {
        const Expr value = opaque(let->value);
        const Stmt body = mutate(let->body);
        return value.same_as(let->value) && body.same_as(let->body) ? let : LetStmt::make(let->name, value, body);
    }
    Expr visit(const IntImm* literal) override {
        return is_beyond_halves(static_cast<double>(literal->value)) ? literal + zero(literal->type) : literal;
    }
    Expr visit(const UIntImm* literal) override {
        return is_beyond_halves(static_cast<double>(literal->value)) ? literal + zero(literal->type) : literal;
    }
    bool is_beyond_halves(double value) const { return has_halves_ && std::abs(value) >= least_beyond_halves; }

    // Values and masks alone: places and extents are whole numbers that nothing casts to halves.
    Expr visit(const Load* load) override {
        const Expr mask = mutate(load->predicate);
        if (mask.same_as(load->predicate)) return load;
        return Load::make(load->type, load->name, load->index, load->image, load->param, mask, load->alignment);
    }
    Stmt visit(const Store* store) override {
        const Expr value = opaque(store->value), mask = mutate(store->predicate);
        if (value.same_as(store->value) && mask.same_as(store->predicate)) return store;
        return Store::make(store->name, value, store->index, store->param, mask, store->alignment);
    }
    Stmt visit(const For* loop) override {
        const Stmt body = mutate(loop->body);
        if (body.same_as(loop->body)) return loop;
        return For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy, loop->device_api,
                         body);
    }
    Stmt visit(const Allocate* made) override {
        const Stmt body = mutate(made->body);
        if (body.same_as(made->body)) return made;
        return Allocate::make(made->name, made->type, made->memory_type, made->extents, made->condition, body,
                              made->new_expr, made->free_function, made->padding);
    }

    std::string buffer_;
    bool is_inside_ = false, has_halves_ = false;
};

}  // namespace

void hide_numbers(Halide::Pipeline& pipeline, const std::vector<Halide::Func>& outputs) {
    pipeline.add_custom_lowering_pass(new OpaqueNumbers(outputs.front().name() + ".buffer"));
}

}  // namespace halogen
