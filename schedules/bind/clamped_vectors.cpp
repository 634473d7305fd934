#include "schedules/bind/clamped_vectors.h"

#include "schedules/bind/constant_difference.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// The value of all lanes; undefined where they differ.
Expr same_in_all(const Expr& e) {
    const auto* all = e.as<Broadcast>();
    return all && all->value.type().is_scalar() ? all->value : Expr();
}

/// The first of lanes side by side, made of a ramp and of what is added to it; undefined for any other vector.
Expr first_lane(const Expr& e) {
    const Expr simple = simplify(e);
    const auto* ramp = simple.as<Ramp>();
    return ramp && is_const_one(ramp->stride) ? ramp->base : Expr();
}

/// Where places are held back: none of those beside `first`, which they would be, passes `end`.
struct End {
    Expr first, end;
    bool from_below;  // they are at least `end`; else at most
};

/// Places side by side that are held back from ends, and shifted: what they are without that, and in the first and the last lane.
struct Clamped {
    Expr free, first, last;
    std::vector<End> ends = {};
    Expr place = {};  // as it stands
};

/// Of any other vector of places, an undefined `free`.
Clamped clamped(const Expr& place) {
    const auto moved = [](const Expr& inner, const Expr& value, auto combine) {
        Clamped of = clamped(inner);
        if (!of.free.defined()) return of;
        of.first = combine(of.first, value), of.last = combine(of.last, value);
        of.free = combine(of.free, Broadcast::make(value, of.free.type().lanes()));
        return of;
    };
    const auto held = [](const Expr& inner, const Expr& value, auto combine, bool from_below) {
        Clamped of = clamped(inner);
        if (!of.free.defined()) return of;
        of.first = combine(of.first, value), of.last = combine(of.last, value);
        of.ends.push_back({first_lane(of.free), value, from_below});
        return of;
    };
    const auto either = [&](const Expr& a, const Expr& b, auto&& way) {
        if (const Expr value = same_in_all(b); value.defined()) return way(a, value);
        if (const Expr value = same_in_all(a); value.defined()) return way(b, value);
        return Clamped();
    };
    if (const auto* ramp = place.as<Ramp>())
        return ramp->base.type().is_scalar() && is_const_one(ramp->stride)
                   ? Clamped{place, ramp->base, ramp->base + (ramp->lanes - 1)}
                   : Clamped();
    if (const Add* add = place.as<Add>())
        return either(add->a, add->b, [&](const Expr& a, const Expr& b) { return moved(a, b, std::plus<Expr>()); });
    if (const Min* min = place.as<Min>())
        return either(min->a, min->b, [&](const Expr& a, const Expr& b) { return held(a, b, Min::make, false); });
    if (const Max* max = place.as<Max>())
        return either(max->a, max->b, [&](const Expr& a, const Expr& b) { return held(a, b, Max::make, true); });
    if (const Sub* sub = place.as<Sub>())
        if (const Expr value = same_in_all(sub->b); value.defined()) return moved(sub->a, value, std::minus<Expr>());
    return {};
}

/// `where` holds in no lane whose place passes the end.
bool keeps_from(const Expr& where, const End& e) {
    if (const And* both = where.as<And>()) return keeps_from(both->a, e) || keeps_from(both->b, e);
    // a <= b, or with `apart` a < b, has no more lanes than the end lets through.
    const auto ordered = [&](const Expr& a, const Expr& b, int apart) {
        const Expr low = e.from_below ? same_in_all(a) : first_lane(a),
                   high = e.from_below ? first_lane(b) : same_in_all(b);
        if (!low.defined() || !high.defined()) return false;
        const Expr room = e.from_below ? e.first - e.end : e.end - e.first;
        const auto least = constant_difference(room + apart, high - low);
        return least && *least >= 0;
    };
    if (const LE* le = where.as<LE>()) return ordered(le->a, le->b, 0);
    if (const LT* lt = where.as<LT>()) return ordered(lt->a, lt->b, 1);
    const Not* is_not = where.as<Not>();
    if (!is_not) return false;
    if (const Or* either = is_not->a.as<Or>()) return keeps_from(!either->a, e) || keeps_from(!either->b, e);
    if (const LT* lt = is_not->a.as<LT>()) return ordered(lt->b, lt->a, 0);
    if (const LE* le = is_not->a.as<LE>()) return ordered(le->b, le->a, 1);
    return false;
}

class ClampedVectors : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Load* load) override {
        const Expr read = masked(load);
        return read.defined() ? read : IRMutator::visit(load);
    }

    /// The places of a vector that can be read under a mask, `free` simplified; undefined where nothing holds them back. (Halide aborts at
    /// a literal place before the first element, masked or not.)
    Clamped held_back(const Load* load) const {
        if (!load->type.is_vector() || !is_const_one(load->predicate) || load->type.bits() < 32) return {};
        const Expr place = simplify(Resolve(places_).mutate(load->index));
        Clamped lanes = clamped(place);
        if (!lanes.free.defined() || lanes.ends.empty()) return {};
        lanes.place = place;
        lanes.free = simplify(lanes.free);
        const auto* ramp = lanes.free.as<Ramp>();
        return ramp && !is_const(ramp->base) ? lanes : Clamped();
    }

    static Expr under_mask(const Load* load, const Expr& place, const Expr& mask) {
        return Load::make(load->type, load->name, place, load->image, load->param, mask, ModulusRemainder());
    }

    /// Of a choice that takes no lane that is held back, the load needs those lanes alone that are taken.
    Expr visit(const Select* select) override {
        const Load* load = select->condition.type().is_vector() ? select->true_value.as<Load>() : nullptr;
        const Clamped lanes = load ? held_back(load) : Clamped();
        const auto is_left_out = [&](const End& end) { return keeps_from(select->condition, end); };
        if (!lanes.free.defined() || !std::ranges::all_of(lanes.ends, is_left_out)) return IRMutator::visit(select);
        const Expr condition = mutate(select->condition);
        return Select::make(condition, under_mask(load, lanes.free, condition), mutate(select->false_value));
    }

    /// Lanes that are not held back lie side by side; those before them are as the first one is, those behind as the last.
    Expr masked(const Load* load) const {
        const Clamped lanes = held_back(load);
        if (!lanes.free.defined()) return Expr();
        const Expr &place = lanes.place, &free = lanes.free;
        const auto at = [&](const Expr& index) {
            const Expr one = Load::make(load->type.element_of(), load->name, index, load->image, load->param,
                                        const_true(), ModulusRemainder());
            return Broadcast::make(one, load->type.lanes());
        };
        const Expr inside = under_mask(load, free, place == free);
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
