#include "schedules/bind/clamped_vectors.h"

#include "schedules/bind/constant_difference.h"
#include "schedules/bind/lanes.h"
#include "schedules/bind/strided_vectors.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// Where places `step` apart are held back: none of those from `first` on, which they would be, passes `end`.
struct End {
    Expr first, end;
    int step;
    bool from_below;  // they are at least `end`; else at most
};

/// Places `step` apart that are held back from ends, and shifted: what they are without that, and in the first and the last lane.
struct Clamped {
    Expr free, first, last;
    int step = 1;
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
        const Expr places = simplify(of.free);
        of.ends.push_back({ramp_of(places)->base, value, of.step, from_below});
        return of;
    };
    const auto either = [&](const Expr& a, const Expr& b, auto&& way) {
        if (const Expr value = same_in_all(b); value.defined()) return way(a, value);
        if (const Expr value = same_in_all(a); value.defined()) return way(b, value);
        return Clamped();
    };
    if (const auto* ramp = place.as<Ramp>()) {
        const auto step = as_const_int(ramp->stride);
        if (!ramp->base.type().is_scalar() || !step || (*step != 1 && !reads_every_nth(*step, ramp->lanes))) return {};
        return {place, ramp->base, ramp->base + ramp->stride * (ramp->lanes - 1), static_cast<int>(*step)};
    }
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

/// One of the things that a condition asks, all of which hold where it does: of all lanes the same, or in each that `low` is at most
/// `high`, or with `apart` less.
struct Asked {
    Expr same, low, high;
    int apart = 0;
};

void add_asked(const Expr& where, std::vector<Asked>& all) {
    const auto both = [&](const Expr& a, const Expr& b) { add_asked(a, all), add_asked(b, all); };
    const Not* none = where.as<Not>();
    if (same_in_all(where).defined()) return all.push_back({same_in_all(where)});
    if (none && same_in_all(none->a).defined()) return all.push_back({!same_in_all(none->a)});
    if (const And* and_ = where.as<And>()) return both(and_->a, and_->b);
    if (const LE* le = where.as<LE>()) return all.push_back({{}, le->a, le->b, 0});
    if (const LT* lt = where.as<LT>()) return all.push_back({{}, lt->a, lt->b, 1});
    if (const Or* or_ = none ? none->a.as<Or>() : nullptr) return both(!or_->a, !or_->b);
    if (const LT* lt = none ? none->a.as<LT>() : nullptr) return all.push_back({{}, lt->b, lt->a, 0});
    if (const LE* le = none ? none->a.as<LE>() : nullptr) return all.push_back({{}, le->b, le->a, 1});
    all.push_back({});
}

/// Some part of it is about places side by side, or so many apart.
bool tells_of_places(const Expr& condition) {
    std::vector<Asked> all;
    add_asked(condition, all);
    return std::ranges::any_of(all, [](const Asked& asked) {
        return asked.low.defined() && (ramp_of(simplify(asked.low)) || ramp_of(simplify(asked.high)));
    });
}

enum class Lets { more, as_many, fewer };  // lanes than the end

/// Lanes that are fewer places apart (of x >= 0, where 2*x is held back) say the same of as many.
std::optional<Lets> lets(const Asked& asked, const End& e, const Scope<Expr>& names) {
    if (!asked.low.defined()) return std::nullopt;
    const Expr all = same_in_all(e.from_below ? asked.low : asked.high),
               lanes = simplify(e.from_below ? asked.high : asked.low);
    const Ramp* ramp = ramp_of(lanes);
    const auto step = ramp ? *as_const_int(ramp->stride) : 0;
    if (!all.defined() || step < 1 || e.step % step) return std::nullopt;
    const auto times = static_cast<int>(e.step / step);
    const Expr room = e.from_below ? e.first - e.end : e.end - e.first,
               wanted = e.from_below ? ramp->base - all : all - ramp->base;
    const auto least = constant_difference(room + asked.apart * times, wanted * times, names);
    if (!least) return std::nullopt;
    return *least < 0 ? Lets::more : *least < times ? Lets::as_many : Lets::fewer;
}

/// A choice that takes no lane that is held back.
struct Choice {
    Expr mask;      // undefined: it takes others too
    bool is_exact;  // it takes all lanes of the mask
};

/// The mask says of elements between the lanes, too, whether they may be read.
Choice choice_of(const Expr& condition, const Clamped& lanes, const Scope<Expr>& names) {
    std::vector<Asked> all;
    add_asked(condition, all);
    Expr same = const_true(), low, high;  // the ends, counted from the first lane
    for (const Asked& asked : all)
        if (asked.same.defined()) same = same && asked.same;
    for (const End& end : lanes.ends) {
        const bool is_left_out = std::ranges::any_of(all, [&](const Asked& asked) {
            const auto kept = lets(asked, end, names);
            return kept && *kept != Lets::more;
        });
        if (!is_left_out) return {};
        const Expr from_first = end.end - end.first;
        if (end.from_below)
            low = low.defined() ? max(low, from_first) : from_first;
        else
            high = high.defined() ? min(high, from_first) : from_first;
    }
    const bool is_exact = std::ranges::all_of(all, [&](const Asked& asked) {
        return asked.same.defined() || std::ranges::any_of(lanes.ends, [&](const End& end) {
                   return lets(asked, end, names) == Lets::as_many;
               });
    });
    const int count = condition.type().lanes();
    const auto in_all = [&](const Expr& e) { return Broadcast::make(simplify(e), count); };
    const auto lanes_from = [&](const Expr& first) { return Ramp::make(simplify(first), lanes.step, count); };
    if (!low.defined()) return {in_all(same) && lanes_from(0) <= in_all(high), is_exact};
    if (!high.defined()) return {in_all(same) && in_all(low) <= lanes_from(0), is_exact};
    const Halide::Type numbers = Halide::UInt(32, count);  // what lies before the lowest is a large one
    const Expr room = select(same, max(high - low + 1, 0), 0);
    return {cast(numbers, lanes_from(-low)) < cast(numbers, in_all(room)), is_exact};
}

/// Something that `value` reads is such a load.
template<class Is>
bool any_load(const Expr& value, Is is) {
    class Look : public IRVisitor {
    public:
        explicit Look(Is is) : is_(std::move(is)) {}
        bool found = false;

    private:
        using IRVisitor::visit;
        void visit(const Load* load) override {
            found = found || is_(load);
            IRVisitor::visit(load);
        }
        Is is_;
    } look(std::move(is));
    value.accept(&look);
    return look.found;
}

/// Something in `value` is read at places that the name tells, which are asked for in all lanes.
bool tells_places(const std::string& name, const Expr& value) {
    return any_load(value, [&](const Load* load) { return expr_uses_var(load->index, name); });
}

class ClampedVectors : public IRMutator {
public:
    explicit ClampedVectors(int least_bits) : least_bits_(least_bits) {}

private:
    using IRMutator::visit;

    Expr visit(const Load* load) override {
        if (const Expr read = taken_alone(load); read.defined()) return read;
        const Expr read = masked(load);
        ScopedValue<Expr> other(taken_, Expr());  // places are asked for in all lanes
        return read.defined() ? read : IRMutator::visit(load);
    }

    /// In a value that is chosen where no lane is held back, those lanes alone.
    Expr taken_alone(const Load* load) const {
        const Clamped lanes = taken_.defined() ? held_back(load) : Clamped();
        if (!lanes.free.defined() || lanes.step != 1 || lanes.free.type().lanes() != taken_.type().lanes()) return {};
        const Choice choice = choice_of(taken_, lanes, numbers_);
        return choice.mask.defined() ? under_mask(load, lanes.free, choice.mask) : Expr();
    }

    /// Names that stand for what is read at places that are held back are given anew inside, where it is known in which lanes.
    Expr with_chosen(const Select* select) {
        if (!select->condition.type().is_vector() || !tells_of_places(select->condition))
            return IRMutator::visit(select);
        const Expr condition = mutate(select->condition), other = mutate(select->false_value);
        Expr value = select->true_value;
        for (auto let = held_lets_.rbegin(); let != held_lets_.rend(); ++let)
            if (expr_uses_var(value, let->first) && !tells_places(let->first, value))
                value = Let::make(let->first, let->second, value);
        const bool both = taken_.defined() && taken_.type() == select->condition.type();
        ScopedValue<Expr> taken(taken_, both ? taken_ && select->condition : select->condition);
        return Select::make(condition, mutate(value), other);
    }

    /// The places of a vector that can be read under a mask, `free` simplified; undefined where nothing holds them back. (Halide aborts at
    /// a literal place before the first element, masked or not.)
    Clamped held_back(const Load* load) const {
        if (!load->type.is_vector() || !is_const_one(load->predicate) || load->type.bits() < least_bits_) return {};
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
        const Choice choice = lanes.free.defined() ? choice_of(select->condition, lanes, numbers_) : Choice();
        if (!choice.mask.defined() || !choice.is_exact) return with_chosen(select);
        if (lanes.step == 1)
            return Select::make(choice.mask, under_mask(load, lanes.free, choice.mask), mutate(select->false_value));
        if (!same_in_all(select->false_value).defined()) return with_chosen(select);
        return under_mask(load, lanes.free, mask_of_places(choice.mask, mutate(select->false_value)));
    }

    /// Lanes that are not held back lie side by side; those before them are as the first one is, those behind as the last.
    Expr masked(const Load* load) const {
        const Clamped lanes = held_back(load);
        if (!lanes.free.defined() || lanes.step != 1) return Expr();
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
        const bool whole = type.element_of() == Halide::Int(32), held = type.is_vector() && is_of_held_back(let->value);
        ScopedBinding<Expr> place(whole && type.is_vector(), places_, let->name, let->value);
        ScopedBinding<Expr> number(whole && type.is_scalar(), numbers_, let->name, let->value);
        if (held) held_lets_.emplace_back(let->name, let->value);
        const Body result = IRMutator::visit(let);
        if (held) held_lets_.pop_back();
        return result;
    }
    /// Something in it is read at places that are held back, or a name stands for such.
    bool is_of_held_back(const Expr& value) const {
        return any_load(value, [&](const Load* load) { return !held_back(load).ends.empty(); }) ||
               std::ranges::any_of(held_lets_, [&](const auto& let) { return expr_uses_var(value, let.first); });
    }
    Expr visit(const Let* let) override { return with_place<Let, Expr>(let); }
    Stmt visit(const LetStmt* let) override { return with_place<LetStmt, Stmt>(let); }

    int least_bits_;  // of elements that masks are for
    Scope<Expr> places_, numbers_;
    std::vector<std::pair<std::string, Expr>>
        held_lets_;  // of vectors of what is read at places that are held back, outermost first
    Expr taken_;     // what holds in all lanes that are looked at of the value at hand; undefined: nothing
};

}  // namespace

void read_clamped_vectors(Halide::Pipeline& pipeline, const Halide::Target& target) {
    pipeline.add_custom_lowering_pass(new ClampedVectors(target.has_feature(Halide::Target::AVX512_Skylake) ? 8 : 32));
}

}  // namespace halogen
