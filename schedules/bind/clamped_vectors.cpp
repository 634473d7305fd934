#include "schedules/bind/clamped_vectors.h"

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// The value of all lanes; undefined where they differ.
Expr same_in_all(const Expr& e) {
    const auto* all = e.as<Broadcast>();
    return all && all->value.type().is_scalar() ? all->value : Expr();
}

/// Places side by side that are held back from ends, and shifted: what they are without that, and in the first and the last lane.
struct Clamped {
    Expr free, first, last;
    bool held = false;  ///< whether something holds them back
};

/// Of any other vector of places, an undefined `free`.
Clamped clamped(const Expr& place) {
    const auto each = [](const Expr& inner, const Expr& value, auto combine, bool holds) {
        Clamped of = clamped(inner);
        if (!of.free.defined()) return of;
        of.first = combine(of.first, value), of.last = combine(of.last, value);
        if (!holds) of.free = combine(of.free, Broadcast::make(value, of.free.type().lanes()));
        of.held = of.held || holds;
        return of;
    };
    const auto either = [&](const Expr& a, const Expr& b, auto combine, bool holds) {
        if (const Expr value = same_in_all(b); value.defined()) return each(a, value, combine, holds);
        if (const Expr value = same_in_all(a); value.defined()) return each(b, value, combine, holds);
        return Clamped();
    };
    if (const auto* ramp = place.as<Ramp>())
        return ramp->base.type().is_scalar() && is_const_one(ramp->stride)
                   ? Clamped{place, ramp->base, ramp->base + (ramp->lanes - 1)}
                   : Clamped();
    if (const Add* add = place.as<Add>())
        return either(add->a, add->b, [](const Expr& a, const Expr& b) { return a + b; }, false);
    if (const Min* min = place.as<Min>())
        return either(min->a, min->b, [](const Expr& a, const Expr& b) { return Min::make(a, b); }, true);
    if (const Max* max = place.as<Max>())
        return either(max->a, max->b, [](const Expr& a, const Expr& b) { return Max::make(a, b); }, true);
    if (const Sub* sub = place.as<Sub>())
        if (const Expr value = same_in_all(sub->b); value.defined())
            return each(sub->a, value, [](const Expr& a, const Expr& b) { return a - b; }, false);
    return {};
}

class ClampedVectors : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Load* load) override {
        const bool plain = load->type.is_vector() && is_const_one(load->predicate) && load->type.bits() >= 32;
        const Expr read = plain ? masked(load) : Expr();
        return read.defined() ? read : IRMutator::visit(load);
    }

    /// Lanes that are not held back lie side by side; those before them are as the first one is, those behind as the last.
    Expr masked(const Load* load) const {
        const Expr place = simplify(Resolve(places_).mutate(load->index));
        const Clamped lanes = clamped(place);
        if (!lanes.free.defined() || !lanes.held) return Expr();
        const Expr free = simplify(lanes.free);
        if (const auto* ramp = free.as<Ramp>(); !ramp || is_const(ramp->base))
            return Expr();  // Halide aborts at a literal place before the first element, masked or not
        const auto at = [&](const Expr& index) {
            const Expr one = Load::make(load->type.element_of(), load->name, index, load->image, load->param,
                                        const_true(), ModulusRemainder());
            return Broadcast::make(one, load->type.lanes());
        };
        const Expr inside =
            Load::make(load->type, load->name, free, load->image, load->param, place == free, ModulusRemainder());
        return Halide::select(place == free, inside, Halide::select(free < place, at(lanes.first), at(lanes.last)));
    }

    /// Names of places, written out.
    class Resolve : public IRMutator {
    public:
        explicit Resolve(const Scope<Expr>& places) : places_(places) {}

    private:
        using IRMutator::visit;
        Expr visit(const Variable* variable) override {
            const Expr* value = variable->type.is_vector() ? places_.find(variable->name) : nullptr;
            return value ? mutate(*value) : Expr(variable);
        }
        Expr visit(const Call* call) override {
            const bool sum = call->is_intrinsic(Call::widen_right_add) && call->type.element_of() == Halide::Int(32);
            return sum ? mutate(call->args[0] + cast(call->type, call->args[1])) : IRMutator::visit(call);
        }

        const Scope<Expr>& places_;
    };

    template<class LetNode, class Body>
    Body with_place(const LetNode* let) {
        const Halide::Type type = let->value.type();
        ScopedBinding<Expr> bind(type.is_vector() && type.element_of() == Halide::Int(32), places_, let->name,
                                 let->value);
        return IRMutator::visit(let);
    }
    Expr visit(const Let* let) override { return with_place<Let, Expr>(let); }
    Stmt visit(const LetStmt* let) override { return with_place<LetStmt, Stmt>(let); }

    Scope<Expr> places_;
};

}  // namespace

void read_clamped_vectors(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new ClampedVectors); }

}  // namespace halogen
