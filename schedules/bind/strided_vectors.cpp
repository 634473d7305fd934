#include "schedules/bind/strided_vectors.h"

#include "schedules/bind/constant_difference.h"

#include <algorithm>
#include <cstdint>
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

/// A load of every second, third or fourth element of a tensor.
struct Strided {
    const Load* load = nullptr;  // null: it is none
    Expr base;
    int step = 0, lanes = 0;
    Expr mask = {}, beyond = {};  // of places, and the elements that it leaves out; undefined: none
};

Strided strided(const Load* load) {
    const auto* ramp = load->index.as<Ramp>();
    const auto* mask = load->predicate.as<Call>();
    if (mask && mask->name != of_places) mask = nullptr;
    if (!ramp || !ramp->base.type().is_scalar() || (!is_const_one(load->predicate) && !mask)) return {};
    const auto step = as_const_int(ramp->stride);
    if (!step || !reads_every_nth(*step, ramp->lanes)) return {};
    return {load,
            ramp->base,
            static_cast<int>(*step),
            ramp->lanes,
            mask ? mask->args[0] : Expr(),
            mask ? mask->args[1] : Expr()};
}

/// Loads of which all are made or none, and which lie so close that the same vectors serve them: of `X[2*x]` and `X[2*x + 1]`.
struct Group {
    Strided first;
    std::int64_t low = 0, high = 0;  // where the others begin, counted from the first

    /// How far behind the first a load begins, if it may be one of them.
    std::optional<std::int64_t> place_of(const Strided& s) const {
        if (s.load->name != first.load->name || s.step != first.step || s.lanes != first.lanes ||
            s.load->type != first.load->type)
            return std::nullopt;
        const auto place = constant_difference(s.base, first.base);
        const bool near = place && std::max(high, *place) - std::min(low, *place) < first.step;
        return near ? place : std::nullopt;
    }
};

/// The strided loads of statements that run one after the other, without those of loops and branches among them, nor those under names
/// given on the way: the same name may stand for another place in the next statement.
class Collect : public IRVisitor {
public:
    std::vector<Group> groups;

private:
    using IRVisitor::visit;
    void visit(const For*) override {}
    void visit(const IfThenElse*) override {}
    void visit(const LetStmt* let) override { let->value.accept(this); }
    void visit(const Let* let) override { let->value.accept(this); }
    void visit(const Call* call) override {
        if (!call->is_intrinsic(Call::if_then_else)) IRVisitor::visit(call);
    }
    void visit(const Load* load) override {
        IRVisitor::visit(load);
        const Strided s = strided(load);
        if (!s.load) return;
        for (Group& group : groups) {
            const auto place = group.place_of(s);
            if (!place) continue;
            group.low = std::min(group.low, *place), group.high = std::max(group.high, *place);
            return;
        }
        groups.push_back({s});
    }
};

class StridedVectors : public IRMutator {
public:
    using IRMutator::mutate;

    /// Code of which all runs or nothing does, beside loops, branches and names in it.
    template<class Code>
    Code whole(const Code& body) {
        Collect collect;
        body.accept(&collect);
        groups_.swap(collect.groups);
        const Code result = mutate(body);
        groups_.swap(collect.groups);
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

    Stmt visit(const LetStmt* let) override { return LetStmt::make(let->name, mutate(let->value), whole(let->body)); }
    Expr visit(const Let* let) override { return Let::make(let->name, mutate(let->value), whole(let->body)); }

    Expr visit(const Load* load) override {
        const Strided s = strided(load);
        if (!s.load) return IRMutator::visit(load);
        for (const Group& group : groups_)
            if (const auto place = group.place_of(s)) return chosen(s, *place - group.low, group.high - group.low);
        return chosen(s, 0, 0);
    }

    /// Every `step`-th of `step` vectors side by side, which begin `behind` elements before the load. The last of them is moved back
    /// so that it ends with the last element that loads of the group read, up to `spread` elements after the first of them.
    static Expr chosen(const Strided& s, std::int64_t behind, std::int64_t spread) {
        std::vector<Expr> vectors;
        std::vector<int> starts, indices;
        const int first = static_cast<int>(behind), last = (s.step - 1) * (s.lanes - 1) + static_cast<int>(spread);
        for (int v = 0; v < s.step; v++) {
            starts.push_back(std::min(v * s.lanes, last));
            const Expr index = Ramp::make(simplify(s.base + (starts.back() - first)), 1, s.lanes);
            const Expr mask = s.mask.defined() ? SideBySide(starts.back() - first).mutate(s.mask) : const_true(s.lanes);
            const Expr vector =
                Load::make(s.load->type, s.load->name, index, s.load->image, s.load->param, mask, ModulusRemainder());
            vectors.push_back(s.mask.defined() ? Select::make(mask, vector, s.beyond) : vector);
        }
        for (int lane = 0; lane < s.lanes; lane++) {
            const int place = first + lane * s.step, v = std::min(place / s.lanes, s.step - 1);
            indices.push_back(v * s.lanes + place - starts[static_cast<std::size_t>(v)]);
        }
        return Shuffle::make(vectors, indices);
    }

    std::vector<Group> groups_;
};

}  // namespace

bool reads_every_nth(std::int64_t step, int lanes) { return step >= 2 && step <= 4 && lanes >= 4; }

Expr mask_of_places(const Expr& mask, const Expr& beyond) {
    return Call::make(mask.type(), of_places, {mask, beyond}, Call::PureExtern);
}

Stmt with_strided_vectors(const Stmt& s) { return StridedVectors().whole(s); }

void read_strided_vectors(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new StridedVectors); }

}  // namespace halogen
