#include "schedules/apply_steps.h"

#include "frontend/lower/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace halogen {

namespace {

[[noreturn]] void refuse(const Step& step, const std::string& why,
                         const std::string& fix = "remove the step or name an existing loop") {
    throw Failure({ErrorKind::schedule, fmt::format("step `{}`: {}", print(step), why), {}, {}, fix});
}

Halide::TailStrategy strategy(const Step& step) {
    switch (step.tail) {
    case Tail::guard: return Halide::TailStrategy::GuardWithIf;
    case Tail::predicate: return Halide::TailStrategy::Predicate;
    case Tail::round_up: return Halide::TailStrategy::RoundUp;
    case Tail::shift_inwards: return Halide::TailStrategy::ShiftInwards;
    case Tail::separate: refuse(step, "a separate tail is no tail of Halide's", "write it in the equations");
    default: return Halide::TailStrategy::Auto;
    }
}

using Loops = std::map<std::string, Halide::VarOrRVar>;

/// A step about to be applied: its Func, stage and the loops that have names there.
struct Place {
    const Step& step;
    LoweredFunc& func;
    Halide::Stage& stage;
    Loops& loops;

    Halide::VarOrRVar loop(const std::string& name) const {
        const auto found = loops.find(name);
        if (found == loops.end())
            refuse(step, fmt::format("there is no loop `{}` in `{}.{}`", name, step.func, step.stage));
        return found->second;
    }
    Halide::VarOrRVar first() const { return loop(step.loops.at(0)); }

    static Halide::VarOrRVar fresh(const std::string& name, bool reduced) {
        if (reduced) return Halide::RVar(name);
        return Halide::Var(name);
    }

    /// The loops of the step are gone, `made` have come.
    void replace(const std::vector<std::string>& gone, const std::vector<std::string>& names,
                 const std::vector<Halide::VarOrRVar>& made) const {
        for (const std::string& name : gone) loops.erase(name);
        for (std::size_t i = 0; i < made.size(); i++) loops.insert_or_assign(names[i], made[i]);
    }
};

/// Applies steps to the Funcs of one lowered kernel.
class Binder {
public:
    explicit Binder(Lowered& lowered) : lowered_(lowered) {}

    void apply_all(const std::vector<Step>& steps) {
        for (const Step& step : steps) apply(step, nullptr, nullptr);
        for (LoweredFunc& f : lowered_.funcs)
            for (std::size_t stage = 1; stage < f.stages.size(); stage++)
                if (!touched_.count({f.name, static_cast<int>(stage)}))
                    f.func.update(static_cast<int>(stage) - 1).unscheduled();
    }

private:
    LoweredFunc& func(const Step& step, const std::string& name) {
        LoweredFunc* f = lowered_.find(name);
        if (!f) refuse(step, fmt::format("there is no Func `{}`", name));
        return *f;
    }

    static Halide::Stage own_stage(const LoweredFunc& f, int stage) {
        return stage == 0 ? Halide::Stage(f.func) : Halide::Func(f.func).update(stage - 1);
    }

    /// `stage` and `loops`: those of an open specialisation, else null.
    void apply(const Step& step, Halide::Stage* stage, Loops* loops) {
        LoweredFunc& f = func(step, step.func);
        if (step.stage < 0 || step.stage >= static_cast<int>(f.stages.size()))
            refuse(step, fmt::format("`{}` has stages 0 to {}", f.name, f.stages.size() - 1));
        Halide::Stage own = own_stage(f, step.stage);
        const Place place{step, f, stage ? *stage : own, loops ? *loops : f.stages[step.stage]};
        try {
            if (apply_to_func(place)) return;
            touched_.insert({f.name, step.stage});
            apply_to_stage(place);
        } catch (const Halide::Error& error) {
            std::string why = error.what();
            while (!why.empty() && (why.back() == '\n' || why.back() == '.')) why.pop_back();
            refuse(step, "Halide refuses it: " + why, "remove or change the step");
        }
    }

    /// A level is named by a loop of any stage or specialisation of the Func.
    Halide::LoopLevel level(const Step& step) {
        const LoweredFunc& at = func(step, step.at_func);
        for (const Loops& loops : at.stages)
            if (const auto found = loops.find(step.at_loop); found != loops.end())
                return Halide::LoopLevel(at.func, found->second);
        const auto found = made_in_branches_.find(at.name + "." + step.at_loop);
        if (found != made_in_branches_.end()) return Halide::LoopLevel(at.func, found->second);
        refuse(step, fmt::format("there is no loop `{}` in `{}`", step.at_loop, at.name));
    }

    /// `formula` of a step over the sizes of the kernel.
    Halide::Expr number(const Step& step, const Formula& formula) const {
        check_symbols(step, formula);
        return halide_expr(formula, lowered_.symbols);
    }

    void check_symbols(const Step& step, const Formula& formula) const {
        for (const std::string& symbol : formula.symbols())
            if (!lowered_.symbols.count(symbol))
                refuse(step, fmt::format("there is no size `{}`", symbol),
                       "name sizes that `halogen solve` leaves open");
    }

    /// Sizes and strides that a condition asks for are those of the kernel's parameters.
    void check_condition(const Step& step) const {
        for (const Condition::Term& term : step.when.all) {
            check_symbols(step, term.left);
            check_symbols(step, term.right);
            for (const std::string& tensor : {term.tensor, term.with}) {
                const bool known =
                    tensor.empty() || lowered_.images.count(tensor) ||
                    std::find(lowered_.outputs.begin(), lowered_.outputs.end(), tensor) != lowered_.outputs.end();
                if (!known)
                    refuse(step, fmt::format("`{}` is no input and no output", tensor),
                           "ask for strides of buffers that the caller gives");
            }
        }
    }

    /// A dim of the whole Func, known as a loop of its pure definition before anything was split.
    Halide::Var dim(const Place& place, const std::string& name) {
        const std::vector<std::string>& dims = place.func.dims;
        if (std::find(dims.begin(), dims.end(), name) != dims.end()) return Halide::Var(name);
        if (place.func.stages[0].count(name)) return place.func.stages[0].at(name).var;
        refuse(place.step, fmt::format("there is no loop `{}` in `{}.{}`", name, place.step.func, 0));
    }

    std::vector<Halide::Var> dims(const Place& place) {
        std::vector<Halide::Var> vars;
        for (const std::string& name : place.step.loops) vars.push_back(dim(place, name));
        return vars;
    }

    bool apply_to_func(const Place& place) {
        Halide::Func& f = place.func.func;
        const Step& step = place.step;
        switch (step.kind) {
        case StepKind::copy_in:
        case StepKind::twin:
        case StepKind::partial:
        case StepKind::overcompute:
        case StepKind::skip_outside:
        case StepKind::compress: break;  // already in the equations, or Halide's own doing
        case StepKind::compute_root: f.compute_root(); break;
        case StepKind::compute_at: f.compute_at(level(step)); break;
        case StepKind::compute_inline: f.compute_inline(); break;
        case StepKind::store_root: f.store_root(); break;
        case StepKind::store_at: f.store_at(level(step)); break;
        case StepKind::hoist_storage: f.hoist_storage(level(step)); break;
        case StepKind::hoist_storage_root: f.hoist_storage_root(); break;
        case StepKind::store_in_stack: f.store_in(Halide::MemoryType::Stack); break;
        case StepKind::bound: f.bound(dim(place, step.loops.at(0)), 0, number(step, step.factor)); break;
        case StepKind::bound_extent: f.bound_extent(dim(place, step.loops.at(0)), number(step, step.factor)); break;
        case StepKind::reorder_storage: f.reorder_storage(dims(place)); break;
        case StepKind::align_storage: f.align_storage(dim(place, step.loops.at(0)), number(step, step.factor)); break;
        case StepKind::fold_storage: f.fold_storage(dim(place, step.loops.at(0)), number(step, step.factor)); break;
        case StepKind::async: f.async(); break;
        default: return false;
        }
        return true;
    }

    void apply_to_stage(const Place& place) {
        Halide::Stage& stage = place.stage;
        const Step& step = place.step;
        switch (step.kind) {
        case StepKind::split: split(place, step.loops.at(0), step.made.at(0), step.made.at(1), step.factor); break;
        case StepKind::tile: tile(place); break;
        case StepKind::fuse:
        case StepKind::flatten: flatten(place); break;
        case StepKind::reorder: reorder(place); break;
        case StepKind::rename: {
            const Halide::VarOrRVar old = place.first(), made = Place::fresh(step.made.at(0), old.is_rvar);
            stage.rename(old, made);
            place.replace(step.loops, step.made, {made});
            break;
        }
        case StepKind::vectorize: stage.vectorize(place.first()); break;
        case StepKind::unroll: stage.unroll(place.first()); break;
        case StepKind::parallel: stage.parallel(place.first()); break;
        case StepKind::serial: stage.serial(place.first()); break;
        case StepKind::never_partition: stage.never_partition({place.first()}); break;
        case StepKind::always_partition: stage.always_partition({place.first()}); break;
        case StepKind::atomic: stage.atomic(); break;
        case StepKind::rfactor: rfactor(place); break;
        case StepKind::prefetch: prefetch(place); break;
        case StepKind::compute_with: compute_with(place); break;
        case StepKind::specialize: specialize(place); break;
        case StepKind::normalize:
        case StepKind::distribute:
        case StepKind::fuse_siblings: break;  // Halide's stages are nests of their own and count from where they must
        default: refuse(step, "it belongs to the equations and comes before all others", "move it to the front");
        }
    }

    void split(const Place& place, const std::string& loop, const std::string& outer, const std::string& inner,
               const Formula& factor) {
        const Halide::VarOrRVar old = place.loop(loop), out = Place::fresh(outer, old.is_rvar),
                                in = Place::fresh(inner, old.is_rvar);
        place.stage.split(old, out, in, number(place.step, factor), strategy(place.step));
        place.replace({loop}, {outer, inner}, {out, in});
    }

    void tile(const Place& place) {
        const std::vector<std::string>&loops = place.step.loops, &made = place.step.made;
        split(place, loops.at(0), made.at(0), made.at(2), place.step.factor);
        split(place, loops.at(1), made.at(1), made.at(3), place.step.second);
        std::vector<Halide::VarOrRVar> order;
        for (std::size_t i = 4; i-- > 0;) order.push_back(place.loop(made[i]));
        place.stage.reorder(order);
    }

    static void flatten(const Place& place) {
        const std::vector<std::string>& loops = place.step.loops;
        Halide::VarOrRVar inner = place.first();
        for (std::size_t i = 1; i < loops.size(); i++) {
            const std::string name = place.step.made.at(0) + (i + 1 < loops.size() ? "_" + std::to_string(i) : "");
            const Halide::VarOrRVar fused = Place::fresh(name, inner.is_rvar);
            place.stage.fuse(inner, place.loop(loops[i]), fused);
            inner = fused;
        }
        place.replace(loops, {place.step.made.at(0)}, {inner});
    }

    static void reorder(const Place& place) {
        std::vector<Halide::VarOrRVar> order;
        for (const std::string& name : place.step.loops) order.push_back(place.loop(name));
        place.stage.reorder(order);
    }

    void prefetch(const Place& place) {
        const Step& step = place.step;
        const Halide::VarOrRVar loop = place.first();
        const auto image = lowered_.images.find(step.tensor);
        if (image != lowered_.images.end())
            place.stage.prefetch(image->second.parameter(), loop, loop, number(step, step.factor));
        else
            place.stage.prefetch(func(step, step.tensor).func, loop, loop, number(step, step.factor));
    }

    void compute_with(const Place& place) {
        const LoweredFunc& other = func(place.step, place.step.at_func);
        const int number = place.step.at_stage;
        if (number < 0 || number >= static_cast<int>(other.stages.size()))
            refuse(place.step, fmt::format("`{}` has stages 0 to {}", other.name, other.stages.size() - 1));
        const auto found = other.stages[number].find(place.step.at_loop);
        if (found == other.stages[number].end())
            refuse(place.step, fmt::format("there is no loop `{}` in `{}.{}`", place.step.at_loop, other.name, number));
        place.stage.compute_with(own_stage(other, number), found->second);
    }

    void specialize(const Place& place) {
        check_condition(place.step);
        Halide::Stage branch = place.stage.specialize(lowered_.evaluate(place.step.when));
        Loops loops = place.loops;
        for (const Step& nested : place.step.nested) apply(nested, &branch, &loops);
        for (const auto& [name, made] : loops) made_in_branches_.emplace(place.step.func + "." + name, made);
    }

    void rfactor(const Place& place) {
        const Step& step = place.step;
        std::vector<std::pair<Halide::RVar, Halide::Var>> kept;
        for (std::size_t i = 0; i < step.loops.size(); i++) {
            const Halide::VarOrRVar reduced = place.loop(step.loops[i]);
            if (!reduced.is_rvar) refuse(step, fmt::format("`{}` is no reduced loop", step.loops[i]));
            kept.emplace_back(reduced.rvar, Halide::Var(step.made.at(i + 1)));
        }
        Halide::Func partial = place.stage.rfactor(kept);
        Loops& loops = place.loops;
        LoweredFunc lowered{step.made[0], {}, LoweredFunc::Kind::value, partial, {}, {}, {{}, loops}, {-1, -1}};
        for (const Halide::Var& var : partial.args()) {
            lowered.dims.push_back(var.name());
            lowered.stages[0].emplace(var.name(), var);
        }
        for (std::size_t i = 0; i < kept.size(); i++) {
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
    Loops made_in_branches_;  // by "Func.loop"
};

}  // namespace

void apply_steps(Lowered& lowered, const std::vector<Step>& steps) { Binder(lowered).apply_all(steps); }

}  // namespace halogen
