#include "schedules/bind/opaque_infinities.h"

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

/// The bits of a literal, as an integer of its width.
Expr bits_of(const FloatImm* literal) {
    const Halide::Type type = literal->type;
    const auto as = [&](std::uint64_t bits) { return UIntImm::make(type.with_code(halide_type_uint), bits); };
    if (type.is_bfloat()) return as(Halide::bfloat16_t(literal->value).to_bits());
    if (type.bits() == 16) return as(Halide::float16_t(literal->value).to_bits());
    if (type.bits() == 32) return as(std::bit_cast<std::uint32_t>(static_cast<float>(literal->value)));
    return as(std::bit_cast<std::uint64_t>(literal->value));
}

class OpaqueInfinities : public IRMutator {
public:
    explicit OpaqueInfinities(std::string buffer) : buffer_(std::move(buffer)) {}

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
        const Expr value = mutate(store->value), mask = mutate(store->predicate);
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

void hide_infinities(Halide::Pipeline& pipeline, const std::vector<Halide::Func>& outputs) {
    pipeline.add_custom_lowering_pass(new OpaqueInfinities(outputs.front().name() + ".buffer"));
}

}  // namespace halogen
