#include "schedules/bind/strided_vectors.h"

#include "schedules/bind/constant_difference.h"
#include "schedules/bind/lanes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

constexpr const char* of_places = "halogen_mask_of_places";

/// What is said of lanes some elements apart, of so many side by side from `shift` elements behind the first on.
class SideBySide : public IRMutator {
public:
    explicit SideBySide(int shift) : shift_(shift) {}

private:
    using IRMutator::visit;
    Expr visit(const Ramp* ramp) override { return Ramp::make(simplify(ramp->base + shift_), 1, ramp->lanes); }
    Expr visit(const Broadcast* all) override { return all; }

    const int shift_;
};

/// The elements that lanes of a mask read, where those are the first ones, the last ones, or what lies between: of a vector side by side,
/// `from` elements behind the first lane's, of lanes `step` elements apart. So are elements between two such lanes, and `spread` ones behind
/// each lane. Undefined for other masks.
Expr elements_of(const Expr& mask, int step, int from, int spread, const Scope<Expr>& names) {
    const auto lanes = [](const Expr& e) {
        const Ramp* ramp = ramp_of(e);
        return ramp && is_const_one(ramp->stride) ? ramp : nullptr;
    };
    const auto at_most = [&](const Expr& a, const Expr& b, int apart) {
        if (const Ramp* low = lanes(a); low && same_in_all(b).defined())
            return Ramp::make(simplify(low->base * step + from), 1, low->lanes) <=
                   Broadcast::make(simplify((same_in_all(b) - apart) * step + spread), low->lanes);
        if (const Ramp* high = lanes(b); high && same_in_all(a).defined())
            return Broadcast::make(simplify((same_in_all(a) + apart) * step), high->lanes) <=
                   Ramp::make(simplify(high->base * step + from), 1, high->lanes);
        return Expr();
    };
    if (same_in_all(mask).defined()) return mask;
    if (const auto* le = mask.as<LE>()) return at_most(le->a, le->b, 0);
    if (const auto* lt = mask.as<LT>()) return at_most(lt->a, lt->b, 1);
    if (const auto* both = mask.as<And>()) {
        const Expr a = elements_of(both->a, step, from, spread, names),
                   b = elements_of(both->b, step, from, spread, names);
        return a.defined() && b.defined() ? a && b : Expr();
    }
    if (const auto* name = mask.as<Variable>())
        if (const Expr* value = names.find(name->name)) return elements_of(*value, step, from, spread, names);
    return {};
}

/// A load of every second, third or fourth element of a tensor.
struct Strided {
    const Load* load = nullptr;  // null: it is none
    Expr base;
    int step = 0, lanes = 0;
    Expr places = {}, beyond = {};  // a mask of places, and the elements that it leaves out; undefined: none
    Expr mask = {};                 // of lanes; undefined: all
};

Strided strided(const Load* load, const Scope<Expr>& names) {
    const auto* ramp = load->index.as<Ramp>();
    if (!ramp || !ramp->base.type().is_scalar()) return {};
    const auto step = as_const_int(ramp->stride);
    if (!step || !reads_every_nth(*step, ramp->lanes)) return {};
    Strided s{load, ramp->base, static_cast<int>(*step), ramp->lanes};
    if (is_const_one(load->predicate)) return s;
    if (const auto* mask = load->predicate.as<Call>(); mask && mask->name == of_places) {
        s.places = mask->args[0], s.beyond = mask->args[1];
        return s;
    }
    s.mask = load->predicate;  // of smaller elements no leg but AVX-512 has masked vectors
    return load->type.bits() >= 32 && elements_of(s.mask, s.step, 0, 0, names).defined() ? s : Strided();
}

/// Loads of which all are made or none, and which lie so close that the same vectors serve them: of `X[2*x]` and `X[2*x + 1]`, and of
/// `X[2*x + 2]`, one lane further, where no mask is asked and vectors are so long that each lies in two lines of the cache. (Rows of 56
/// largest of three by two on Zen 4, f32: 44.7 ns and 27.6 so; by 8 lanes 34.5 and 39.3.)
struct Group {
    Strided first;
    std::int64_t low = 0, high = 0;  // where the others begin, counted from the first

    /// How far behind the first a load begins, if it may be one of them.
    std::optional<std::int64_t> place_of(const Strided& s) const {
        if (s.load->name != first.load->name || s.step != first.step || s.lanes != first.lanes ||
            s.load->type != first.load->type || s.mask.defined() != first.mask.defined() ||
            (s.mask.defined() && !equal(s.mask, first.mask)))
            return std::nullopt;
        const auto place = constant_difference(s.base, first.base);
        const bool long_ones = s.lanes * s.load->type.bytes() >= 64;
        const bool further = long_ones && !s.places.defined() && !s.mask.defined();
        const bool near = place && std::max(high, *place) - std::min(low, *place) < first.step + further;
        return near ? place : std::nullopt;
    }
};

/// Adds the strided loads of statements that run one after the other, without those of loops and branches among them, nor those at places
/// that take a name given on the way: the same name may stand for another place in the next statement.
class Collect : public IRVisitor {
public:
    Collect(const Scope<Expr>& masks, std::vector<Group>& groups) : masks_(masks), groups_(groups) {}

private:
    using IRVisitor::visit;
    void visit(const For*) override {}
    void visit(const IfThenElse*) override {}
    template<class Code>
    void named(const Code* let) {
        let->value.accept(this);
        const ScopedBinding<> given(given_, let->name);
        let->body.accept(this);
    }
    void visit(const LetStmt* let) override { named(let); }
    void visit(const Let* let) override { named(let); }
    void visit(const Call* call) override {
        if (!call->is_intrinsic(Call::if_then_else)) IRVisitor::visit(call);
    }
    void visit(const Load* load) override {
        IRVisitor::visit(load);
        if (expr_uses_vars(load->index, given_) || expr_uses_vars(load->predicate, given_)) return;
        const Strided s = strided(load, masks_);
        if (!s.load) return;
        for (Group& group : groups_) {
            const auto place = group.place_of(s);
            if (!place) continue;
            group.low = std::min(group.low, *place), group.high = std::max(group.high, *place);
            return;
        }
        groups_.push_back({s});
    }

    const Scope<Expr>& masks_;
    std::vector<Group>& groups_;
    Scope<> given_;
};

class StridedVectors : public IRMutator {
public:
    using IRMutator::mutate;

    /// Code of which all runs or nothing does, beside loops, branches and names in it; `before` are loads that are made where it runs.
    template<class Code>
    Code whole(const Code& body, std::vector<Group> before = {}) {
        Collect collect(masks_, before);
        body.accept(&collect);
        groups_.swap(before);
        const Code result = mutate(body);
        groups_.swap(before);
        return result;
    }

private:
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        return For::make(loop->name, mutate(loop->min), mutate(loop->extent), loop->for_type, loop->partition_policy,
                         loop->device_api, whole(loop->body));
    }
    Stmt visit(const IfThenElse* branch) override {
        return IfThenElse::make(mutate(branch->condition), whole(branch->then_case),
                                branch->else_case.defined() ? whole(branch->else_case) : Stmt());
    }

    /// Masks have names, too.
    template<class Code>
    auto named(const Code* let) {
        const ScopedBinding<Expr> known(let->value.type().is_bool() && let->value.type().is_vector(), masks_, let->name,
                                        let->value);
        std::vector<Group> before = groups_;
        std::erase_if(before, [&](const Group& group) {
            const Load* load = group.first.load;
            return expr_uses_var(load->index, let->name) || expr_uses_var(load->predicate, let->name);
        });
        return Code::make(let->name, mutate(let->value), whole(let->body, std::move(before)));
    }
    Stmt visit(const LetStmt* let) override { return named(let); }
    Expr visit(const Let* let) override { return named(let); }

    Expr visit(const Load* load) override {
        const Strided s = strided(load, masks_);
        if (!s.load) return IRMutator::visit(load);
        for (const Group& group : groups_) {
            const auto place = group.place_of(s);
            if (!place) continue;
            const int behind = static_cast<int>(*place - group.low);
            const int spread = std::min(static_cast<int>(group.high - group.low), s.step - 1);
            return behind == s.step ? one_further(s, spread) : chosen(s, behind, behind, spread);
        }
        return chosen(s, 0, 0, 0);
    }

    /// The lanes of the load that begins `step` elements before but the first, and the element behind them.
    Expr one_further(const Strided& s, int spread) const {
        const Expr index = simplify(s.base + s.step * (s.lanes - 1));
        const Expr last = Load::make(s.load->type.element_of(), s.load->name, index, s.load->image, s.load->param,
                                     const_true(), ModulusRemainder());
        std::vector<int> lanes(static_cast<std::size_t>(s.lanes));
        std::iota(lanes.begin(), lanes.end(), 1);
        return Shuffle::make({chosen(s, s.step, 0, spread), last}, lanes);
    }

    /// Every `step`-th, from element `from` on, of `step` vectors side by side, which begin `behind` elements before the load. The last of
    /// them is moved back so that it ends with the last element that loads of the group read, up to `spread` elements after the first of
    /// them.
    Expr chosen(const Strided& s, int behind, int from, int spread) const {
        std::vector<Expr> vectors;
        std::vector<int> starts, indices;
        const int last = (s.step - 1) * (s.lanes - 1) + spread;
        for (int v = 0; v < s.step; v++) {
            starts.push_back(std::min(v * s.lanes, last));
            const int shift = starts.back() - behind;
            const Expr mask = s.places.defined() ? SideBySide(shift).mutate(s.places)
                              : s.mask.defined() ? elements_of(s.mask, s.step, starts.back(), spread, masks_)
                                                 : const_true(s.lanes);
            const Expr vector = Load::make(s.load->type, s.load->name, Ramp::make(simplify(s.base + shift), 1, s.lanes),
                                           s.load->image, s.load->param, mask, ModulusRemainder());
            vectors.push_back(s.places.defined() ? Select::make(mask, vector, s.beyond) : vector);
        }
        for (int lane = 0; lane < s.lanes; lane++) {
            const int place = from + lane * s.step, v = std::min(place / s.lanes, s.step - 1);
            indices.push_back(v * s.lanes + place - starts[static_cast<std::size_t>(v)]);
        }
        return Shuffle::make(vectors, indices);
    }

    std::vector<Group> groups_;
    Scope<Expr> masks_;
};

}  // namespace

bool reads_every_nth(std::int64_t step, int lanes) { return step >= 2 && step <= 4 && lanes >= 4; }

Expr mask_of_places(const Expr& mask, const Expr& beyond) {
    return Call::make(mask.type(), of_places, {mask, beyond}, Call::PureExtern);
}

Stmt with_strided_vectors(const Stmt& s) { return StridedVectors().whole(s); }

void read_strided_vectors(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new StridedVectors); }

}  // namespace halogen
