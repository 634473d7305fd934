#include "schedules/state/kind_directives.h"

#include "schedules/history/composite.h"
#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"

#include <fmt/format.h>

namespace halogen {

namespace {

using To = Directives&;
using At = const StateModel&;  // what the steps before left

void split_by(To to, const Step& step, At at, std::size_t loop, const std::string& outer, const std::string& inner,
              const Formula& factor) {
    if (factor.constant().value_or(1) < 1)
        refuse_step(step, fmt::format("the factor is {}, and must be at least 1", print(factor)),
                    "give a positive factor");
    // What a separate tail leaves are whole blocks.
    const Tail tail = step.tail == Tail::separate ? Tail::exact : step.tail;
    to.split(step.loops.at(loop), outer, inner, factor, at.resolved(step.loops[loop], tail));
}

const std::string& first(const Step& step) { return step.loops.at(0); }

void check_outermost(const Step& step, const StageState& stage, const std::string& loop, const std::string& where) {
    if (stage.loops.empty() || stage.find(loop) < 0)
        refuse_step(step, fmt::format("there is no loop `{}` in `{}`", loop, where));
    if (stage.loops.back().name != loop)
        refuse_step(step, fmt::format("loop `{}` of `{}` lies inside loop `{}`", loop, where, stage.loops.back().name),
                    "Halide fuses neighbours from the outermost loop inwards: reorder, or fuse the outermost loops");
}

std::vector<StageLoops> stages_of(const FuncState& f) {
    std::vector<StageLoops> stages;
    for (std::size_t s = 0; s < f.stages.size(); s++) {
        if (f.stages[s].step_stage < 0) continue;
        stages.push_back({static_cast<int>(s)});
        for (const LoopState& loop : f.stages[s].loops)
            if (loop.reduced) stages.back().reduced.push_back(loop.name);
    }
    return stages;
}

/// What a step that stands for several comes to, on the Funcs that it lays out.
void composite(To to, const Step& step, At at) {
    if (!is_composite(step)) return;
    const ScheduleState& state = at.state();
    const auto stages = [&](const std::string& func) { return stages_of(state.at(func)); };
    for (const Step& part : expanded(step, stages, static_cast<int>(state.at(laid_out(step)).dims.size()))) {
        to.begin(part, part.func, part.stage);
        directive_of(part.kind)(to, part, at);
    }
}

/// It is in the equations already when directives are given: see `Emission`.
void in_equations(To to, const Step& step, At at) { composite(to, step, at); }

void compute_root(To to, const Step&, At) { to.place(Level::compute, "", ""); }
void compute_at(To to, const Step& step, At) { to.place(Level::compute, step.at_func, step.at_loop); }
void compute_inline(To to, const Step&, At) { to.compute_inline(); }
void store_root(To to, const Step&, At) { to.place(Level::store, "", ""); }
void store_at(To to, const Step& step, At) { to.place(Level::store, step.at_func, step.at_loop); }
void hoist_storage(To to, const Step& step, At) { to.place(Level::hoist, step.at_func, step.at_loop); }
void hoist_storage_root(To to, const Step&, At) { to.place(Level::hoist, "", ""); }
void store_in_stack(To to, const Step&, At) { to.store_in_stack(); }
void bound_extent(To to, const Step& step, At) {
    for (const std::string& loop : step.loops) to.bound(loop, false, step.factor);
}
void bound(To to, const Step& step, At) { to.bound(first(step), true, step.factor); }
void reorder_storage(To to, const Step& step, At) { to.reorder_storage(step.loops); }
void align_storage(To to, const Step& step, At) { to.align_storage(first(step), step.factor); }
void fold_storage(To to, const Step& step, At) { to.fold_storage(first(step), step.factor); }
void async(To to, const Step&, At) { to.async(); }

void split(To to, const Step& step, At at) { split_by(to, step, at, 0, step.made.at(0), step.made.at(1), step.factor); }

void tile(To to, const Step& step, At at) {
    if (step.tail == Tail::separate)
        refuse_step(step, "a tile has no names for separate tails",
                    "write two splits with tail separate, and a reorder");
    const std::vector<std::string>& made = step.made;
    split_by(to, step, at, 0, made.at(0), made.at(2), step.factor);
    split_by(to, step, at, 1, made.at(1), made.at(3), step.second);
    to.reorder({made[3], made[2], made[1], made[0]});
}

void fuse_all(To to, const std::vector<std::string>& loops, const std::string& name) {
    std::string inner = loops.at(0);
    for (std::size_t i = 1; i < loops.size(); i++) {
        const std::string fused = name + (i + 1 < loops.size() ? "_" + std::to_string(i) : "");
        to.fuse(inner, loops[i], fused);
        inner = fused;
    }
}
void flatten(To to, const Step& step, At) { fuse_all(to, step.loops, step.made.at(0)); }

void reorder(To to, const Step& step, At) { to.reorder(step.loops); }
void rename(To to, const Step& step, At) { to.rename(first(step), step.made.at(0)); }
void mark(To to, const Step& step, At at, LoopKind kind) {
    if (fuses_first(step)) fuse_all(to, step.loops, step.made.at(1));
    if (cuts(step))
        for (const Step& cut : cuts_of(step)) split(to, cut, at);
    for (const std::string& loop : marked_loops(step)) to.mark(loop, kind, at.loop(loop).unordered);
    if (cuts(step) && step.second != Formula(0)) to.mark(step.made.at(1), LoopKind::unrolled, false);
    if (cuts(step) && kind == LoopKind::parallel) to.partition(step.made.at(0), PartitionKind::never);
}
void vectorize(To to, const Step& step, At at) { mark(to, step, at, LoopKind::vectorized); }
void unroll(To to, const Step& step, At at) { mark(to, step, at, LoopKind::unrolled); }
void parallel(To to, const Step& step, At at) { mark(to, step, at, LoopKind::parallel); }
void serial(To to, const Step& step, At at) { mark(to, step, at, LoopKind::serial); }
void never_partition(To to, const Step& step, At) {
    for (const std::string& loop : step.loops) to.partition(loop, PartitionKind::never);
}
void always_partition(To to, const Step& step, At) {
    for (const std::string& loop : step.loops) to.partition(loop, PartitionKind::always);
}

void rfactor(To to, const Step& step, At at) {
    if (!at.stage().branches.empty())
        refuse_step(step, "the stage has branches, which the partial results would lose",
                    "take this step before the specialize");
    for (const std::string& loop : step.loops)
        if (!at.loop(loop).reduced) refuse_step(step, fmt::format("`{}` is no reduced loop", loop));
    if (step.made.size() != step.loops.size() + 1)
        refuse_step(step, fmt::format("it makes {} names of {} loops", step.made.size(), step.loops.size()),
                    "name the Func of partial results, then a loop for each that is kept");
    to.rfactor(step.loops, step.made[0], {step.made.begin() + 1, step.made.end()});
}

void atomic(To to, const Step&, At) { to.atomic(); }
void prefetch(To to, const Step& step, At) { to.prefetch(step.tensor, first(step), step.factor); }
void compute_with(To to, const Step& step, At at) {
    to.compute_with(step.at_func, at.other_stage(step.at_func, step.at_stage, step.at_loop), step.at_loop);
}

void specialize(To to, const Step& step, At at) {
    to.specialize(step.when, [&] {
        const int number = at.number();
        for (const Step& nested : step.nested) {
            if (nested.func == step.func && nested.stage == step.stage && at.in_parts() && !at.takes(nested)) continue;
            to.begin(nested, nested.func, nested.func == step.func ? number : nested.stage);
            directive_of(nested.kind)(to, nested, at);
        }
    });
}

/// Both loops take one name, and one stage runs in the other's.
void fuse_siblings(To to, const Step& step, At at) {
    if (step.func == step.at_func)
        refuse_step(step, fmt::format("the stages of `{}` keep nests of their own", step.func),
                    "join the equations, or leave the loops apart");
    const int number = at.number(), other_number = at.other_stage(step.at_func, step.at_stage, step.at_loop);
    const StageState& other = at.stage_of(step.at_func, other_number);
    const std::string& made = step.made.at(0);
    check_outermost(step, at.stage(), first(step), fmt::format("{}.{}", step.func, step.stage));
    check_outermost(step, other, step.at_loop, fmt::format("{}.{}", step.at_func, step.at_stage));
    if (first(step) != made) to.rename(first(step), made);
    if (step.at_loop != made) {
        to.begin(step, step.at_func, other_number);
        to.rename(step.at_loop, made);
        to.begin(step, step.func, number);
    }
    to.compute_with(step.at_func, other_number, made);
}

// Claims: true of what Halide has already, or refused.

void normalize(To, const Step& step, At at) {
    if (at.loop(first(step)).from_zero) return;
    refuse_step(
        step,
        fmt::format("loop `{}` does not count from zero in Halide: it runs where its equation or its readers say",
                    first(step)),
        "split it (the loops of a split count from zero), or write the equation's range from 0");
}

void distribute(To, const Step& step, At at) {
    const LoopState& around = at.loop(first(step));
    const int outermost = at.stage().find(around.name);
    const auto shares = [&](const LevelState& level) {
        const int place = level.func == step.func ? at.stage().find(level.loop) : -1;
        return place >= 0 && place <= outermost;
    };
    std::string inside;
    for (const auto& [name, f] : at.state()) {
        if (shares(f.compute)) inside = name;
        for (const StageState& stage : f.stages)
            if (shares(stage.with) && stage.with_stage == at.number()) inside = name;
    }
    if (!at.stage().with.func.empty()) inside = at.stage().with.func;
    if (inside.empty()) return;
    refuse_step(step, fmt::format("loop `{}` also holds the loops of `{}`", around.name, inside),
                fmt::format("place `{}` with compute_root or at a loop further out", inside));
}

void compress(To, const Step& step, At at) {
    const FuncState& f = at.func();
    if (f.compute.func.empty() && f.compute.loop == "inline")
        refuse_step(
            step,
            fmt::format("`{}` has no storage of its own: it is pasted into its readers, or is the caller's", step.func),
            "compute it inside a loop of its reader first");
    const bool stored_apart = !f.store.func.empty() || f.store.loop != "inline";
    if ((stored_apart ? f.store : f.compute).func.empty())
        refuse_step(step, fmt::format("`{}` is stored whole, for all its readers", step.func),
                    "compute it and store it inside a loop of its reader: Halide then keeps what one iteration needs");
}

/// The equations have the copy already; it is placed where the step says.
void place_copy(To to, const Step& step, At) {
    to.begin(step, step.made.at(0), 0);
    to.place(Level::compute, step.at_func, step.at_loop);
}

}  // namespace

Direct directive_of(StepKind kind) {
    using K = StepKind;
    switch (kind) {
    case K::copy_in:
    case K::twin:
    case K::in_place:
    case K::skip_outside:
    case K::partial:
    case K::group:
    case K::overcompute:
    case K::slice_head:
    case K::slice_tail: return in_equations;
    case K::compute_root: return compute_root;
    case K::compute_at: return compute_at;
    case K::compute_inline: return compute_inline;
    case K::store_root: return store_root;
    case K::store_at: return store_at;
    case K::hoist_storage: return hoist_storage;
    case K::hoist_storage_root: return hoist_storage_root;
    case K::store_in_stack: return store_in_stack;
    case K::registers: return composite;
    case K::bound_extent: return bound_extent;
    case K::bound: return bound;
    case K::reorder_storage: return reorder_storage;
    case K::align_storage: return align_storage;
    case K::fold_storage: return fold_storage;
    case K::compress: return compress;
    case K::async: return async;
    case K::split: return split;
    case K::tile: return tile;
    case K::fuse:
    case K::flatten: return flatten;
    case K::reorder: return reorder;
    case K::rename: return rename;
    case K::vectorize: return vectorize;
    case K::unroll: return unroll;
    case K::parallel: return parallel;
    case K::serial: return serial;
    case K::never_partition: return never_partition;
    case K::always_partition: return always_partition;
    case K::rfactor: return rfactor;
    case K::atomic: return atomic;
    case K::prefetch: return prefetch;
    case K::compute_with: return compute_with;
    case K::specialize: return specialize;
    case K::normalize: return normalize;
    case K::distribute: return distribute;
    case K::fuse_siblings: return fuse_siblings;
    case K::cache_reads:
    case K::cache_writes: return place_copy;
    }
    return in_equations;  // every kind has its case: the compiler warns
}

namespace {

/// Every directive to the model first: what it refuses never reaches the other.
class Both : public Directives {
public:
    Both(StateModel& model, Directives& target) : model_(model), target_(target) {}

    void begin(const Step& step, const std::string& func, int stage) override {
        model_.begin(step, func, stage);
        target_.begin(step, func, stage);
    }
    void place(Level level, const std::string& at, const std::string& loop) override {
        give(&Directives::place, level, at, loop);
    }
    void compute_inline() override { give(&Directives::compute_inline); }
    void store_in_stack() override { give(&Directives::store_in_stack); }
    void async() override { give(&Directives::async); }
    void bound(const std::string& dim, bool from_zero, const Formula& extent) override {
        give(&Directives::bound, dim, from_zero, extent);
    }
    void reorder_storage(const std::vector<std::string>& dims) override { give(&Directives::reorder_storage, dims); }
    void align_storage(const std::string& dim, const Formula& factor) override {
        give(&Directives::align_storage, dim, factor);
    }
    void fold_storage(const std::string& dim, const Formula& factor) override {
        give(&Directives::fold_storage, dim, factor);
    }
    void split(const std::string& old, const std::string& outer, const std::string& inner, const Formula& factor,
               Tail tail) override {
        give(&Directives::split, old, outer, inner, factor, tail);
    }
    void fuse(const std::string& inner, const std::string& outer, const std::string& fused) override {
        give(&Directives::fuse, inner, outer, fused);
    }
    void rename(const std::string& old, const std::string& made) override { give(&Directives::rename, old, made); }
    void reorder(const std::vector<std::string>& loops) override { give(&Directives::reorder, loops); }
    void mark(const std::string& loop, LoopKind kind, bool unordered) override {
        give(&Directives::mark, loop, kind, unordered);
    }
    void partition(const std::string& loop, PartitionKind kind) override { give(&Directives::partition, loop, kind); }
    void atomic() override { give(&Directives::atomic); }
    void prefetch(const std::string& tensor, const std::string& loop, const Formula& offset) override {
        give(&Directives::prefetch, tensor, loop, offset);
    }
    void compute_with(const std::string& func, int stage, const std::string& loop) override {
        give(&Directives::compute_with, func, stage, loop);
    }
    void rfactor(const std::vector<std::string>& loops, const std::string& func,
                 const std::vector<std::string>& kept) override {
        give(&Directives::rfactor, loops, func, kept);
    }
    void specialize(const Condition& when, const std::function<void()>& body) override {
        model_.specialize(when, [&] { target_.specialize(when, body); });
    }

private:
    template<typename Call, typename... Arguments>
    void give(Call call, const Arguments&... arguments) {
        (model_.*call)(arguments...);
        (target_.*call)(arguments...);
    }

    StateModel& model_;
    Directives& target_;
};

}  // namespace

namespace {

/// What acts on one stage alone cannot mean several parts of it.
void check_one_part(const Step& step, const std::vector<int>& stages) {
    const bool of_one =
        step.kind == StepKind::rfactor || step.kind == StepKind::compute_with || step.kind == StepKind::fuse_siblings;
    if (!of_one || stages.size() == 1) return;
    refuse_step(step, fmt::format("several parts of `{}.{}` have these loops", step.func, step.stage),
                "slice one of them too: its parts have names of their own");
}

void direct_step(const Step& step, StateModel& model, Directives& to) {
    const std::vector<int> stages = model.stages_for(step);
    check_one_part(step, stages);
    for (const int stage : stages) {
        to.begin(step, step.func, stage);
        directive_of(step.kind)(to, step, model);
    }
    if (stages.size() < 2) return;
    if (const Step* nested = model.untaken(step))
        refuse_step(*nested, fmt::format("no part of `{}.{}` has its loops", step.func, step.stage));
}

}  // namespace

void direct_steps(const std::vector<Step>& steps, StateModel& model, Directives& target,
                  const std::function<void(const Step&)>& after) {
    Both both(model, target);
    for (const Step& step : steps) {
        direct_step(step, model, both);
        if (after) after(step);
    }
}

void direct_steps(const std::vector<Step>& steps, StateModel& model) {
    for (const Step& step : steps) direct_step(step, model, model);
}

}  // namespace halogen
