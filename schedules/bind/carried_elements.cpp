#include "schedules/bind/carried_elements.h"

#include "schedules/bind/constant_difference.h"
#include "schedules/bind/let_names.h"

#include <algorithm>
#include <string>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// The single elements that a loop's body reads and writes, their places as of the loop and of what stands before it. `is_plain` if the
/// body is no more than stores and names, one after the other.
class Elements : public IRVisitor {
public:
    struct Place {
        const IRNode* node;  // a Load or a Store
        std::string tensor;
        Expr at;
    };
    std::vector<Place> reads, writes;
    bool is_plain = true;

private:
    using IRVisitor::visit;
    void visit(const For*) override { is_plain = false; }
    void visit(const IfThenElse*) override { is_plain = false; }
    void visit(const Allocate*) override { is_plain = false; }
    void visit(const Atomic*) override { is_plain = false; }
    void visit(const Fork*) override { is_plain = false; }
    void visit(const Acquire*) override { is_plain = false; }
    void visit(const Evaluate*) override { is_plain = false; }
    void visit(const Call* call) override {  // what is read under a condition may not be there before the loop
        is_plain = is_plain && !call->is_intrinsic(Call::if_then_else);
        IRVisitor::visit(call);
    }
    void visit(const Let* let) override { named(let); }
    void visit(const LetStmt* let) override { named(let); }
    void visit(const Load* load) override {
        IRVisitor::visit(load);
        if (load->type.is_scalar() && is_const_one(load->predicate))
            reads.push_back({load, load->name, names_.resolved(load->index)});
    }
    void visit(const Store* store) override {
        IRVisitor::visit(store);
        is_plain = is_plain && store->value.type().is_scalar() && is_const_one(store->predicate);
        writes.push_back({store, store->name, names_.resolved(store->index)});
    }

    template<class LetNode>
    void named(const LetNode* let) {
        let->value.accept(this);
        names_.within(let, [&] { let->body.accept(this); });
    }
    LetNames names_;
};

/// What a store writes is what these loads read in the next iteration.
struct Carried {
    const Store* store;
    std::vector<const Load*> loads;
    Expr before;  // the place that the first iteration reads
    std::string kept, held;
};

/// How far the place moves from one iteration to the next, if that is a number.
std::optional<std::int64_t> step_of(const Expr& place, const std::string& loop) {
    const Expr variable = Variable::make(Halide::Int(32), loop);
    return constant_difference(simplify(substitute(loop, variable + 1, place)), place);
}

/// No two stores to the tensor ever write the same element.
bool are_apart(const std::vector<const Elements::Place*>& stores, std::int64_t step) {
    for (const auto* a : stores)
        for (const auto* b : stores) {
            if (a == b) continue;
            const auto apart = constant_difference(a->at, b->at);
            if (!apart || *apart % step == 0) return false;
        }
    return true;
}

/// The same node may stand for two places, under names that mean two things.
bool has_one_place(const Elements::Place& place, const std::vector<Elements::Place>& all) {
    return std::ranges::all_of(
        all, [&](const Elements::Place& other) { return other.node != place.node || equal(other.at, place.at); });
}

std::vector<Carried> carried_by(const For* loop, const Elements& elements) {
    std::vector<Carried> all;
    for (const Elements::Place& write : elements.writes) {
        std::vector<const Elements::Place*> stores;
        for (const Elements::Place& other : elements.writes)
            if (other.tensor == write.tensor) stores.push_back(&other);
        const auto step = step_of(write.at, loop->name);
        const auto steps_so = [&](const auto* store) { return step_of(store->at, loop->name) == step; };
        if (!step || *step == 0 || !std::ranges::all_of(stores, steps_so) || !are_apart(stores, *step)) continue;
        Carried carried{static_cast<const Store*>(write.node), {}, {}, unique_name('k'), unique_name('h')};
        for (const Elements::Place& read : elements.reads) {
            if (read.tensor != write.tensor || constant_difference(write.at, read.at) != step) continue;
            if (!has_one_place(read, elements.reads)) continue;
            carried.loads.push_back(static_cast<const Load*>(read.node));
            carried.before = simplify(substitute(loop->name, loop->min, read.at));
        }
        if (!carried.loads.empty()) all.push_back(carried);
    }
    return all;
}

/// A body whose loads take what the iteration before it kept.
class TakeCarried : public IRMutator {
public:
    explicit TakeCarried(const std::vector<Carried>& all) : all_(all) {}

private:
    using IRMutator::visit;
    Expr visit(const Load* load) override {
        for (const Carried& carried : all_)
            if (std::ranges::count(carried.loads, load)) return Variable::make(load->type, carried.held);
        return IRMutator::visit(load);
    }
    Stmt visit(const Store* store) override {
        const auto carried = std::ranges::find(all_, store, &Carried::store);
        if (carried == all_.end()) return IRMutator::visit(store);
        const std::string name = unique_name('v');
        const Expr value = Variable::make(store->value.type(), name);
        const Stmt both =
            Block::make(Store::make(store->name, value, store->index, store->param, store->predicate, store->alignment),
                        Store::make(carried->kept, value, 0, {}, const_true(), {}));
        return LetStmt::make(name, mutate(store->value), both);
    }

    const std::vector<Carried>& all_;
};

class CarryElements : public IRMutator {
public:
    using IRMutator::mutate;

private:
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        Elements elements;
        if (loop->for_type == ForType::Serial) loop->body.accept(&elements);
        if (loop->for_type != ForType::Serial || !elements.is_plain) return IRMutator::visit(loop);
        const std::vector<Carried> all = carried_by(loop, elements);
        if (all.empty()) return loop;
        Stmt body = TakeCarried(all).mutate(loop->body);
        for (const Carried& carried : all) {
            const Halide::Type type = carried.loads.front()->type;
            body = LetStmt::make(carried.held, Load::make(type, carried.kept, 0, {}, {}, const_true(), {}), body);
        }
        Stmt result = For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy,
                                loop->device_api, body);
        for (const Carried& carried : all) {
            const Load* load = carried.loads.front();
            const Expr first =
                Load::make(load->type, load->name, carried.before, load->image, load->param, const_true(), {});
            const Stmt keep = Store::make(carried.kept, first, 0, {}, const_true(), {});
            result = Allocate::make(carried.kept, load->type, Halide::MemoryType::Stack, {1}, const_true(),
                                    Block::make(keep, result));
        }
        return IfThenElse::make(loop->extent > 0, result);  // without iterations there may be no such element
    }
};

}  // namespace

Stmt with_carried_elements(const Stmt& s) { return CarryElements().mutate(s); }

void carry_elements(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new CarryElements); }

}  // namespace halogen
