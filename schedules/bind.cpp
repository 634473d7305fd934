#include "schedules/bind.h"

#include "frontend/lower/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace halogen {

namespace {

[[noreturn]] void refuse(const Step& step, const std::string& why) {
    throw Failure({ErrorKind::schedule,
                   fmt::format("step `{}`: {}", print(step), why),
                   {},
                   {},
                   "remove the step or name an existing loop"});
}

Halide::TailStrategy strategy(Tail tail) {
    switch (tail) {
    case Tail::guard: return Halide::TailStrategy::GuardWithIf;
    case Tail::predicate: return Halide::TailStrategy::Predicate;
    case Tail::round_up: return Halide::TailStrategy::RoundUp;
    case Tail::shift_inwards: return Halide::TailStrategy::ShiftInwards;
    default: return Halide::TailStrategy::Auto;
    }
}

Emission emission_of(const History& history) {
    Emission emission;
    const std::function<void(const std::vector<Step>&)> collect = [&](const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            if (step.kind == StepKind::copy_in)
                emission.copies.push_back({step.tensor, step.func, step.made.at(0), step.dim,
                                           static_cast<int>(step.factor.constant().value_or(0))});
            if (step.kind == StepKind::twin) emission.twins.push_back({step.func, step.made.at(0), step.when});
            if (step.kind == StepKind::overcompute) emission.overcomputes.push_back({step.func, step.loops.at(0)});
            collect(step.nested);
        }
    };
    collect(history.steps);
    return emission;
}

/// Applies steps to the Funcs of one lowered kernel.
class Binder {
public:
    explicit Binder(Lowered& lowered) : lowered_(lowered) {}

    void apply_all(const std::vector<Step>& steps) {
        for (const Step& step : steps) apply(step, nullptr, nullptr);
        for (LoweredFunc& f : lowered_.funcs)
            for (size_t stage = 1; stage < f.stages.size(); stage++)
                if (!touched_.count({f.name, static_cast<int>(stage)}))
                    f.func.update(static_cast<int>(stage) - 1).unscheduled();
    }

private:
    using Loops = std::map<std::string, Halide::VarOrRVar>;

    LoweredFunc& func(const Step& step, const std::string& name) {
        LoweredFunc* f = lowered_.find(name);
        if (!f) refuse(step, fmt::format("there is no Func `{}`", name));
        return *f;
    }

    static Halide::VarOrRVar loop(const Step& step, const Loops& loops, const std::string& name) {
        const auto found = loops.find(name);
        if (found == loops.end())
            refuse(step, fmt::format("there is no loop `{}` in `{}.{}`", name, step.func, step.stage));
        return found->second;
    }

    static Halide::VarOrRVar fresh(const std::string& name, bool reduced) {
        if (reduced) return Halide::RVar(name);
        return Halide::Var(name);
    }

    /// `stage` and `loops`: those of an open specialisation, else null.
    void apply(const Step& step, Halide::Stage* stage, Loops* loops) {
        LoweredFunc& f = func(step, step.func);
        if (apply_to_func(step, f)) return;
        if (step.stage < 0 || step.stage >= static_cast<int>(f.stages.size()))
            refuse(step, fmt::format("`{}` has stages 0 to {}", f.name, f.stages.size() - 1));
        touched_.insert({f.name, step.stage});
        Halide::Stage own = step.stage == 0 ? Halide::Stage(f.func) : f.func.update(step.stage - 1);
        apply_to_stage(step, stage ? *stage : own, loops ? *loops : f.stages[step.stage]);
    }

    bool apply_to_func(const Step& step, LoweredFunc& f) {
        switch (step.kind) {
        case StepKind::copy_in:
        case StepKind::twin:
        case StepKind::overcompute: return true;  // already in the equations
        case StepKind::compute_root: f.func.compute_root(); return true;
        case StepKind::compute_at: {
            LoweredFunc& at = func(step, step.at_func);
            const Halide::VarOrRVar level = level_of(step, at);
            f.func.compute_at(Halide::LoopLevel(at.func, level));
            return true;
        }
        case StepKind::store_in_stack: f.func.store_in(Halide::MemoryType::Stack); return true;
        case StepKind::bound_extent:
            f.func.bound_extent(loop(step, f.stages[0], step.loops.at(0)).var,
                                halide_expr(step.factor, lowered_.symbols));
            return true;
        case StepKind::reorder_storage: {
            std::vector<Halide::Var> vars;
            for (const std::string& name : step.loops) vars.push_back(loop(step, f.stages[0], name).var);
            f.func.reorder_storage(vars);
            return true;
        }
        default: return false;
        }
    }

    /// A level is named by a loop of any stage or specialisation of the Func.
    Halide::VarOrRVar level_of(const Step& step, const LoweredFunc& at) {
        for (const Loops& loops : at.stages)
            if (const auto found = loops.find(step.at_loop); found != loops.end()) return found->second;
        if (const auto found = made_in_branches_.find(at.name + "." + step.at_loop); found != made_in_branches_.end())
            return found->second;
        refuse(step, fmt::format("there is no loop `{}` in `{}`", step.at_loop, at.name));
    }

    void apply_to_stage(const Step& step, Halide::Stage& stage, Loops& loops) {
        switch (step.kind) {
        case StepKind::split: {
            const Halide::VarOrRVar old = loop(step, loops, step.loops.at(0));
            const Halide::VarOrRVar outer = fresh(step.made.at(0), old.is_rvar),
                                    inner = fresh(step.made.at(1), old.is_rvar);
            stage.split(old, outer, inner, halide_expr(step.factor, lowered_.symbols), strategy(step.tail));
            make(step, loops, {outer, inner});
            break;
        }
        case StepKind::fuse: {
            const Halide::VarOrRVar inner = loop(step, loops, step.loops.at(0)),
                                    outer = loop(step, loops, step.loops.at(1));
            const Halide::VarOrRVar fused = fresh(step.made.at(0), inner.is_rvar);
            stage.fuse(inner, outer, fused);
            make(step, loops, {fused});
            break;
        }
        case StepKind::reorder: {
            std::vector<Halide::VarOrRVar> order;
            for (const std::string& name : step.loops) order.push_back(loop(step, loops, name));
            stage.reorder(order);
            break;
        }
        case StepKind::vectorize: stage.vectorize(loop(step, loops, step.loops.at(0))); break;
        case StepKind::unroll: stage.unroll(loop(step, loops, step.loops.at(0))); break;
        case StepKind::parallel: stage.parallel(loop(step, loops, step.loops.at(0))); break;
        case StepKind::never_partition: stage.never_partition({loop(step, loops, step.loops.at(0))}); break;
        case StepKind::atomic: stage.atomic(); break;
        case StepKind::rfactor: rfactor(step, stage, loops); break;
        case StepKind::specialize: {
            Halide::Stage branch = stage.specialize(lowered_.evaluate(step.when));
            Loops branch_loops = loops;
            for (const Step& nested : step.nested) apply(nested, &branch, &branch_loops);
            for (const auto& [name, made] : branch_loops) made_in_branches_.emplace(step.func + "." + name, made);
            break;
        }
        default: refuse(step, "this kind applies to a whole Func");
        }
    }

    static void make(const Step& step, Loops& loops, const std::vector<Halide::VarOrRVar>& made) {
        for (const std::string& name : step.loops) loops.erase(name);
        for (size_t i = 0; i < made.size(); i++) loops.insert_or_assign(step.made[i], made[i]);
    }

    void rfactor(const Step& step, Halide::Stage& stage, Loops& loops) {
        std::vector<std::pair<Halide::RVar, Halide::Var>> kept;
        for (size_t i = 0; i < step.loops.size(); i++) {
            const Halide::VarOrRVar reduced = loop(step, loops, step.loops[i]);
            if (!reduced.is_rvar) refuse(step, fmt::format("`{}` is no reduced loop", step.loops[i]));
            kept.emplace_back(reduced.rvar, Halide::Var(step.made.at(i + 1)));
        }
        Halide::Func partial = stage.rfactor(kept);
        LoweredFunc lowered{step.made[0], {}, LoweredFunc::Kind::value, partial, {}, {}, {{}, loops}, {-1, -1}};
        for (const Halide::Var& var : partial.args()) {
            lowered.dims.push_back(var.name());
            lowered.stages[0].emplace(var.name(), var);
        }
        for (size_t i = 0; i < kept.size(); i++) {
            lowered.stages[1].erase(step.loops[i]);
            lowered.stages[1].insert_or_assign(step.made[i + 1], kept[i].second);
        }
        const auto stays = [&](const std::string& name) {
            return std::find(step.loops.begin(), step.loops.end(), name) != step.loops.end();
        };
        for (auto l = loops.begin(); l != loops.end();)
            l = l->second.is_rvar && !stays(l->first) ? loops.erase(l) : std::next(l);
        lowered_.funcs.push_back(lowered);
    }

    Lowered& lowered_;
    std::set<std::pair<std::string, int>> touched_;
    Loops made_in_branches_;
};

/// Every intermediate of a companion whole, the searches plain: it looks, it does not compute much.
Halide::Pipeline bind_check(LoweredCheck& check) {
    for (LoweredFunc& f : check.kernel.funcs)
        if (f.kind == LoweredFunc::Kind::value) f.func.compute_root();
    for (Halide::Func& first : check.firsts) first.compute_root();
    return Halide::Pipeline(check.first_bad);
}

[[noreturn]] void refuse_program(const Kernel& kernel, const std::string& why) {
    throw Failure({ErrorKind::too_complex,
                   fmt::format("kernel `{}`: Halide refuses it: {}", kernel.name, why),
                   {},
                   {},
                   "report it as a defect of Halogen, with the kernel's text"});
}

BoundKernel bind_all(const Kernel& kernel, const Solution& solution, const History& history) {
    BoundKernel bound;
    Lowered lowered = lower(kernel, solution, emission_of(history));
    Binder(lowered).apply_all(history.steps);
    std::vector<Halide::Func> outputs;
    for (const std::string& name : lowered.outputs) outputs.push_back(lowered.find(name)->func);
    bound.pipeline = Halide::Pipeline(outputs);
    bound.arguments = lowered.arguments;
    if (auto check = lower_checks(kernel, solution)) {
        bound.check = bind_check(*check);
        bound.checks = check->checks;
    }
    return bound;
}

}  // namespace

Result<BoundKernel> bind(const Kernel& kernel, const Solution& solution, const History& history, const Leg&) {
    return guarded([&]() -> BoundKernel {
        try {
            return bind_all(kernel, solution, history);
        } catch (const Halide::Error& error) {
            refuse_program(kernel, error.what());
        }
    });
}

}  // namespace halogen
