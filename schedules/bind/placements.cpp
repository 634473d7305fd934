#include "schedules/bind/placements.h"

#include "schedules/bind/slices.h"
#include "schedules/history/composite.h"
#include "schedules/history/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

bool is_pasted(const FuncState& f) { return !f.output && f.compute.func.empty() && f.compute.loop == "inline"; }

/// The Funcs called in `called`, themselves or through what is pasted into them.
std::set<std::string> reached(const std::map<std::string, Halide::Internal::Function>& called, Lowered& lowered,
                              const ScheduleState& state) {
    std::set<std::string> names;
    for (const LoweredFunc& f : lowered.funcs) {
        if (!called.count(f.func.name()) || !names.insert(f.name).second) continue;
        if (!is_pasted(state.at(f.name)) || f.stages.size() != 1) continue;
        auto inner = Halide::Internal::find_direct_calls(f.func.function());
        inner.erase(f.func.name());
        names.merge(reached(inner, lowered, state));
    }
    return names;
}

std::set<std::string> read_by(const LoweredFunc& reader, Lowered& lowered, const ScheduleState& state) {
    return reached(Halide::Internal::find_direct_calls(reader.func.function()), lowered, state);
}

/// What one stage of a Func reads.
std::set<std::string> read_by_stage(const LoweredFunc& reader, std::size_t stage, Lowered& lowered,
                                    const ScheduleState& state) {
    struct Calls : Halide::Internal::IRGraphVisitor {
        using IRGraphVisitor::visit;
        std::map<std::string, Halide::Internal::Function> found;
        void visit(const Halide::Internal::Call* call) override {
            IRGraphVisitor::visit(call);
            if (call->func.defined()) found.emplace(call->name, Halide::Internal::Function(call->func));
        }
    } calls;
    const Halide::Internal::Function function = reader.func.function();
    if (stage)
        function.update(static_cast<int>(stage) - 1).accept(&calls);
    else
        function.definition().accept(&calls);
    calls.found.erase(reader.func.name());
    return reached(calls.found, lowered, state);
}

/// The stage that a step's loop stands in.
const StageState& stage_with(const FuncState& f, const Step& step, const std::string& loop) {
    const StageState* stage = nullptr;
    for (const StageState& s : f.stages)
        if (s.step_stage == step.stage && (!stage || (stage->find(loop) < 0 && s.find(loop) >= 0))) stage = &s;
    return *stage;
}

/// Calls `visit(step, loop)` on every loop that a step vectorizes.
template<typename Visit>
void each_vector(const History& history, Visit&& visit) {
    each_step(history.steps, [&](const Step& step) {
        if (step.kind != StepKind::vectorize) return;
        for (const std::string& loop : marked_loops(step)) visit(step, loop);
    });
}

/// Halide cannot compute a Func of several stages inside a vector whose tail is a predicate: it ends the process.
std::optional<Impossible> stages_in_predicated_vector(const History& history, Lowered& lowered,
                                                      const ScheduleState& state) {
    std::optional<Impossible> found;
    each_vector(history, [&](const Step& step, const std::string& loop) {
        if (found) return;
        bool predicated = false;
        each_step(history.steps, [&](const Step& s) {
            predicated = predicated || (s.func == step.func && s.stage == step.stage && s.tail == Tail::predicate &&
                                        std::count(s.made.begin(), s.made.end(), loop));
        });
        const LoweredFunc* const reader = lowered.find(step.func);
        if (!predicated || !reader) return;  // a Func that a step made (rfactor) is a sum over what is placed elsewhere
        const StageState& stage = stage_with(state.at(step.func), step, loop);
        for (const std::string& name : read_by(*reader, lowered, state)) {
            const FuncState& f = state.at(name);
            const int place = f.compute.func == step.func ? stage.find(f.compute.loop) : -1;
            if (f.stages.size() < 2 || (!is_pasted(f) && (place < 0 || place > stage.find(loop)))) continue;
            found = {&step, fmt::format("`{}` would be computed inside it, and its tail is a predicate", name),
                     fmt::format("place `{}` with compute_root or at a loop further out, or use tail guard", name)};
        }
    });
    return found;
}

/// The lanes of a vectorized loop that a split with a guarded tail made; 0 of another.
std::int64_t guarded_lanes(const History& history, const Step& vectorize, const std::string& loop) {
    std::int64_t lanes = 0;
    each_step(history.steps, [&](const Step& s) {
        const bool guarded = s.tail == Tail::guard || s.tail == Tail::predicate;
        if (s.func != vectorize.func || s.stage != vectorize.stage || !guarded) return;
        const auto made = [&](std::size_t i) { return s.made.size() > i && s.made[i] == loop; };
        if ((cuts(s) && made(1)) || (s.kind == StepKind::tile && made(2))) lanes = s.factor.constant().value_or(0);
        if (s.kind == StepKind::tile && made(3)) lanes = s.second.constant().value_or(0);
    });
    return lanes;
}

/// The widths in bits of what a Func computes and may read.
std::set<int> element_widths(const LoweredFunc& func, Lowered& lowered) {
    std::set<int> widths;
    const auto add = [&](const Halide::Type& type) { widths.insert(std::max(type.bits(), 8)); };
    for (const Halide::Type& type : func.func.types()) add(type);
    const auto called = Halide::Internal::find_direct_calls(func.func.function());
    for (const LoweredFunc& f : lowered.funcs)
        if (called.count(f.func.name()))
            for (const Halide::Type& type : f.func.types()) add(type);
    for (const auto& [name, image] : lowered.images) add(image.type());
    return widths;
}

/// A guarded vector that fills whole registers but for one lane: Halide 21 takes that lane for a scalar, and LLVM's assertion
/// ends the process. The registers are those of 128 bits: the others hold multiples of them.
std::optional<Impossible> lane_left_alone(const History& history, Lowered& lowered) {
    std::optional<Impossible> found;
    each_vector(history, [&](const Step& step, const std::string& loop) {
        const LoweredFunc* const func = lowered.find(step.func);
        if (found || !func) return;
        const std::int64_t lanes = guarded_lanes(history, step, loop);
        for (const int bits : element_widths(*func, lowered)) {
            const int whole = 128 / bits;
            if (lanes <= whole || lanes % whole != 1) continue;
            found = {&step,
                     fmt::format("its {} lanes are one more than registers hold, and its tail is guarded", lanes),
                     fmt::format("split by {}", lanes - 1)};
        }
    });
    return found;
}

/// Parts are stages, and stages are no expression to paste.
std::optional<Impossible> pasted_parts(const History& history, const ScheduleState& state) {
    std::optional<Impossible> found;
    each_step(history.steps, [&](const Step& step) {
        if (found || !slices(step) || !is_pasted(state.at(step.func))) return;
        found = {&step, fmt::format("`{}` is pasted into its readers: it has no loops of its own", step.func),
                 fmt::format("compute `{}` somewhere first", step.func)};
    });
    return found;
}

bool has_loop(const StageState& stage, const std::string& loop) {
    return stage.find(loop) >= 0 || std::any_of(stage.branches.begin(), stage.branches.end(),
                                                [&](const BranchState& b) { return has_loop(b.stage, loop); });
}

bool is_sliced(const FuncState& f) {
    for (std::size_t s = 0; s < f.stages.size(); s++)
        if (f.stages[s].step_stage != static_cast<int>(s)) return true;
    return false;
}

std::string outermost(const StageState& stage) { return stage.loops.empty() ? "" : stage.loops.back().name; }

/// A loop of one part holds what that part alone reads.
std::optional<Impossible> placed_in_one_of_several_parts(const History& history, Lowered& lowered,
                                                         const ScheduleState& state) {
    std::optional<Impossible> found;
    each_step(history.steps, [&](const Step& step) {
        const std::string* const func = placed(step);
        if (found || !func || !state.count(step.at_func) || !is_sliced(state.at(step.at_func))) return;
        const LevelState& level = state.at(*func).compute;
        const LoweredFunc* const reader = lowered.find(step.at_func);
        if (!reader || level.func != step.at_func || level.loop != step.at_loop) return;  // placed again since
        const FuncState& at = state.at(step.at_func);
        int holding = 0;
        const StageState* outside = nullptr;
        for (std::size_t s = 0; s < reader->stages.size(); s++) {
            if (!read_by_stage(*reader, s, lowered, state).count(*func)) continue;
            if (has_loop(at.stages[s], level.loop)) holding++;
            if (!has_loop(at.stages[s], level.loop) || holding > 1) outside = &at.stages[s];
        }
        if (!outside) return;
        found = {
            &step,
            fmt::format("another part of `{}`, in loop `{}`, reads `{}` too", step.at_func, outermost(*outside), *func),
            fmt::format("place `{}` with compute_root, or give the reader in this part a copy of its own: `… "
                        "cache_reads` or `… copy_in`",
                        *func)};
    });
    return found;
}

}  // namespace

std::optional<Impossible> impossible_step(const History& history, Lowered& lowered, const ScheduleState& state) {
    if (auto found = stages_in_predicated_vector(history, lowered, state)) return found;
    if (auto found = lane_left_alone(history, lowered)) return found;
    if (auto found = pasted_parts(history, state)) return found;
    return placed_in_one_of_several_parts(history, lowered, state);
}

}  // namespace halogen
