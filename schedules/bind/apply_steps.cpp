#include "schedules/bind/apply_steps.h"

#include "frontend/lower/number.h"
#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"
#include "schedules/state/kind_directives.h"
#include "schedules/state/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace halogen {

namespace {

Halide::TailStrategy strategy(Tail tail) {
    switch (tail) {
    case Tail::predicate: return Halide::TailStrategy::Predicate;
    case Tail::round_up: return Halide::TailStrategy::RoundUp;
    case Tail::shift_inwards: return Halide::TailStrategy::ShiftInwards;
    default: return Halide::TailStrategy::GuardWithIf;
    }
}

using Loops = std::map<std::string, Halide::VarOrRVar>;

Halide::VarOrRVar fresh(const std::string& name, bool reduced) {
    if (reduced) return Halide::RVar(halide_name(name));
    return Halide::Var(halide_name(name));
}

/// Directives on the Funcs of one lowered kernel. The model has checked the names.
class Binder : public Directives {
public:
    Binder(Lowered& lowered, StateReader& reader) : lowered_(lowered), reader_(reader) {}

    /// The last step that began, or the part of one.
    const std::optional<Step>& current() const { return step_; }

    /// Updates that no step touched are plain on purpose.
    void leave_the_rest() {
        for (LoweredFunc& f : lowered_.funcs)
            for (std::size_t stage = 1; stage < f.stages.size(); stage++)
                if (!f.ordered(stage) && !touched_.count({f.name, static_cast<int>(stage)}))
                    f.func.update(static_cast<int>(stage) - 1).unscheduled();
    }

    void begin(const Step& step, const std::string& func, int stage) override {
        step_ = step;
        number_ = stage;
        func_ = lowered_.find(func);
        if (!branches_.empty()) {
            stage_ = branches_.back().first;
            loops_ = branches_.back().second;
            return;
        }
        stage_ = own_stage(*func_, stage);
        loops_ = &func_->stages[stage];
    }

    void place(Level level, const std::string& at, const std::string& loop) override {
        const Halide::LoopLevel place = at.empty() ? Halide::LoopLevel::root() : level_of(at, loop);
        Halide::Func& f = func_->func;
        if (level == Level::compute) f.compute_at(place);
        if (level == Level::store) f.store_at(place);
        if (level == Level::hoist) f.hoist_storage(place);
    }
    void compute_inline() override { func_->func.compute_inline(); }
    void store_in_stack() override { func_->func.store_in(Halide::MemoryType::Stack); }
    void async() override { func_->func.async(); }
    void bound(const std::string& dim, bool from_zero, const Formula& extent) override {
        const Halide::Var var(halide_name(dim));
        if (from_zero)
            func_->func.bound(var, 0, number(extent));
        else
            func_->func.bound_extent(var, number(extent));
        // Without this Halide has no values made for what only the part of a tile past the end reads.
        if (!from_zero && func_->overcomputed.count(dim)) func_->func.align_extent(var, number(extent));
    }
    void reorder_storage(const std::vector<std::string>& dims) override {
        std::vector<Halide::Var> vars;
        for (const std::string& dim : dims) vars.emplace_back(halide_name(dim));
        func_->func.reorder_storage(vars);
    }
    void align_storage(const std::string& dim, const Formula& factor) override {
        func_->func.align_storage(Halide::Var(halide_name(dim)), number(factor));
    }
    void fold_storage(const std::string& dim, const Formula& factor) override {
        func_->func.fold_storage(Halide::Var(halide_name(dim)), number(factor));
    }

    void split(const std::string& old, const std::string& outer, const std::string& inner, const Formula& factor,
               Tail tail) override {
        const Halide::VarOrRVar gone = loop(old), out = fresh(outer, gone.is_rvar), in = fresh(inner, gone.is_rvar);
        if (gone.is_rvar) check_no_data_in_where(old);
        stage().split(gone, out, in, number(factor), strategy(tail));
        loops_->erase(old);
        loops_->insert_or_assign(outer, out);
        loops_->insert_or_assign(inner, in);
    }
    void fuse(const std::string& inner, const std::string& outer, const std::string& fused) override {
        const Halide::VarOrRVar made = fresh(fused, loop(inner).is_rvar);
        stage().fuse(loop(inner), loop(outer), made);
        loops_->erase(inner);
        loops_->erase(outer);
        loops_->insert_or_assign(fused, made);
    }
    void rename(const std::string& old, const std::string& name) override {
        const Halide::VarOrRVar gone = loop(old), made = fresh(name, gone.is_rvar);
        stage().rename(gone, made);
        loops_->erase(old);
        loops_->insert_or_assign(name, made);
    }
    void reorder(const std::vector<std::string>& loops) override {
        std::vector<Halide::VarOrRVar> order;
        for (const std::string& name : loops) order.push_back(loop(name));
        stage().reorder(order);
    }
    void mark(const std::string& name, LoopKind kind, bool unordered) override {
        Halide::Internal::StageSchedule schedule = stage().get_schedule();  // shared with the stage's own
        schedule.allow_race_conditions() = unordered;                       // for this loop alone
        switch (kind) {
        case LoopKind::serial: stage().serial(loop(name)); break;
        case LoopKind::parallel: stage().parallel(loop(name)); break;
        case LoopKind::vectorized: stage().vectorize(loop(name)); break;
        case LoopKind::unrolled: stage().unroll(loop(name)); break;
        }
        schedule.allow_race_conditions() = false;
    }
    void partition(const std::string& name, PartitionKind kind) override {
        if (kind == PartitionKind::never)
            stage().never_partition({loop(name)});
        else
            stage().always_partition({loop(name)});
    }
    void atomic() override { stage().atomic(); }
    void prefetch(const std::string& tensor, const std::string& name, const Formula& offset) override {
        const Halide::VarOrRVar at = loop(name);
        const auto image = lowered_.images.find(tensor);
        if (image != lowered_.images.end())
            stage().prefetch(image->second.parameter(), at, at, number(offset));
        else if (const LoweredFunc* producer = lowered_.find(tensor))
            stage().prefetch(producer->func, at, at, number(offset));
        else
            refuse_step(*step_, fmt::format("there is no input and no Func `{}`", tensor));
    }
    void compute_with(const std::string& func, int number, const std::string& loop) override {
        const LoweredFunc& other = *lowered_.find(func);
        const auto found = other.stages[number].find(loop);
        if (found == other.stages[number].end())
            refuse_step(*step_, fmt::format("there is no loop `{}` in `{}.{}`", loop, func, number));
        stage().compute_with(own_stage(other, number), found->second);
    }
    void rfactor(const std::vector<std::string>& loops, const std::string& func,
                 const std::vector<std::string>& kept) override;
    void specialize(const Condition& when, const std::function<void()>& body) override;

private:
    static Halide::Stage own_stage(const LoweredFunc& f, int stage) {
        return stage == 0 ? Halide::Stage(f.func) : Halide::Func(f.func).update(stage - 1);
    }
    Halide::Stage& stage() {
        touched_.insert({func_->name, number_});
        return *stage_;
    }
    /// Loops that lowering keeps for itself, such as one around a fixed position, have no handle.
    Halide::VarOrRVar loop(const std::string& name) const {
        const auto found = loops_->find(name);
        if (found == loops_->end())
            refuse_step(*step_, fmt::format("there is no loop `{}` in `{}.{}`", name, func_->name, number_));
        return found->second;
    }

    /// A level is named by a loop of any stage or specialisation of the Func.
    Halide::LoopLevel level_of(const std::string& func, const std::string& loop) {
        const LoweredFunc& at = *lowered_.find(func);
        for (std::size_t stage = 0; stage < at.stages.size(); stage++) {
            const auto found = at.stages[stage].find(loop);
            if (at.step_stage(stage) >= 0 && found != at.stages[stage].end())
                return Halide::LoopLevel(at.func, found->second);
        }
        const auto found = made_in_branches_.find(func + "." + loop);
        if (found == made_in_branches_.end())
            refuse_step(*step_, fmt::format("there is no loop `{}` in `{}`", loop, func));
        return Halide::LoopLevel(at.func, found->second);
    }

    /// `formula` of the step over the sizes of the kernel.
    Halide::Expr number(const Formula& formula) {
        check_symbols(formula);
        const Halide::Expr e = halide_expr(formula, lowered_.symbols);
        reader_.says(e, print(formula));
        return e;
    }
    void check_symbols(const Formula& formula) const {
        for (const std::string& symbol : formula.symbols())
            if (!lowered_.symbols.count(symbol))
                refuse_step(*step_, fmt::format("there is no size `{}`", symbol),
                            "name sizes that `halogen solve` leaves open");
    }
    void check_condition(const Condition&) const;
    void check_no_data_in_where(const std::string& loop) const;

    Lowered& lowered_;
    StateReader& reader_;
    std::set<std::pair<std::string, int>> touched_;
    Loops made_in_branches_;    // by "Func.loop"
    std::optional<Step> step_;  // of its own: parts of a step are gone before a refusal names them
    LoweredFunc* func_ = nullptr;
    int number_ = 0;  // of the stage
    std::optional<Halide::Stage> stage_;
    Loops* loops_ = nullptr;
    std::vector<std::pair<Halide::Stage, Loops*>> branches_;  // that are open
};

/// True when an expression reads a tensor.
bool reads_data(const Halide::Expr& e) {
    struct Reads : Halide::Internal::IRGraphVisitor {
        using IRGraphVisitor::visit;
        bool found = false;
        void visit(const Halide::Internal::Call* call) override {
            using Halide::Internal::Call;
            found = found || call->call_type == Call::Halide || call->call_type == Call::Image;
            IRGraphVisitor::visit(call);
        }
    } reads;
    e.accept(&reads);
    return reads.found;
}

/// Halide looks at the condition of a reduction before the guard of a split: what it reads would lie past the end.
void Binder::check_no_data_in_where(const std::string& loop) const {
    const Halide::Internal::Function function = func_->func.function();
    if (!reads_data(function.update(number_ - 1).predicate())) return;
    refuse_step(
        *step_,
        fmt::format("the condition of `{}.{}` reads data, and Halide asks it beyond the end of `{}` when that is split",
                    func_->name, number_, loop),
        "leave the loop whole");
}

/// Sizes and strides that a condition asks for are those of the kernel's parameters.
void Binder::check_condition(const Condition& when) const {
    for (const Condition::Term& term : when.all) {
        check_symbols(term.left);
        check_symbols(term.right);
        for (const std::string& tensor : {term.tensor, term.with}) {
            const bool known =
                tensor.empty() || lowered_.images.count(tensor) ||
                std::find(lowered_.outputs.begin(), lowered_.outputs.end(), tensor) != lowered_.outputs.end();
            if (!known)
                refuse_step(*step_, fmt::format("`{}` is no input and no output", tensor),
                            "ask for strides of buffers that the caller gives");
        }
    }
}

void Binder::specialize(const Condition& when, const std::function<void()>& body) {
    check_condition(when);
    const std::optional<Step> step = step_;
    const Halide::Expr condition = lowered_.evaluate(when);
    reader_.says(condition, print(when));
    Halide::Stage around = stage();
    Loops* const outside = loops_;
    Loops inside = *loops_;
    branches_.emplace_back(around.specialize(condition), &inside);
    body();
    branches_.pop_back();
    for (const auto& [name, made] : inside) made_in_branches_.emplace(func_->name + "." + name, made);
    step_ = step;
    stage_ = around;
    loops_ = outside;
}

void Binder::rfactor(const std::vector<std::string>& reduced, const std::string& func,
                     const std::vector<std::string>& kept) {
    std::vector<std::pair<Halide::RVar, Halide::Var>> pairs;
    for (std::size_t i = 0; i < reduced.size(); i++)
        pairs.emplace_back(loop(reduced[i]).rvar, Halide::Var(halide_name(kept[i])));
    Halide::Func partial = stage().rfactor(pairs);
    LoweredFunc lowered{func, {}, LoweredFunc::Kind::value, partial, {}, {}, {{}, *loops_}, {-1, -1}};
    for (const Halide::Var& var : partial.args()) {
        lowered.dims.push_back(loop_of(var.name()));
        lowered.stages[0].emplace(loop_of(var.name()), var);
    }
    for (std::size_t i = 0; i < kept.size(); i++) {
        lowered.stages[1].erase(reduced[i]);
        lowered.stages[1].insert_or_assign(kept[i], pairs[i].second);
    }
    std::erase_if(*loops_, [&](const auto& l) {
        return l.second.is_rvar && std::find(reduced.begin(), reduced.end(), l.first) == reduced.end();
    });
    for (const Halide::Internal::Dim& dim : stage().get_schedule().dims())
        if (std::find(func_->dims.begin(), func_->dims.end(), loop_of(dim.var)) != func_->dims.end())
            loops_->emplace(loop_of(dim.var), Halide::Var(dim.var));
    touched_.insert({func, 1});  // it holds a schedule from the start
    reader_.add(lowered);
    lowered_.funcs.push_back(lowered);
}

/// The first line in which two states differ.
std::string difference(const std::string& expected, const std::string& found) {
    const auto line = [](const std::string& text, std::size_t at) {
        const std::size_t begin = at ? text.rfind('\n', at - 1) + 1 : 0;
        return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin) : "nothing";
    };
    const auto at = static_cast<std::size_t>(
        std::mismatch(expected.begin(), expected.end(), found.begin(), found.end()).first - expected.begin());
    return fmt::format("the steps say `{}`, Halide has `{}`", line(expected, at), line(found, at));
}

void compare(const StateModel& model, const StateReader& reader, const std::string& func, const Step& step) {
    const std::string expected = print(func, reader.as_told(model.state().at(func))),
                      found = print(func, reader.read(func));
    if (expected != found)
        throw std::logic_error(
            fmt::format("the state of `{}` after step `{}`: {}", func, print(step), difference(expected, found)));
}

}  // namespace

ScheduleState apply_steps(Lowered& lowered, StateReader& reader, const std::vector<Step>& steps) {
    StateModel model(reader.read());
    Binder binder(lowered, reader);
    try {
        direct_steps(steps, model, binder, [&](const Step& step) {
            compare(model, reader, step.func, step);
            if (step.kind == StepKind::fuse_siblings) compare(model, reader, step.at_func, step);
            if (step.kind == StepKind::rfactor || makes_placed_copy(step.kind))
                compare(model, reader, step.made.at(0), step);
        });
        binder.leave_the_rest();
    } catch (const Halide::Error& error) {
        std::string why = error.what();
        while (!why.empty() && (why.back() == '\n' || why.back() == '.')) why.pop_back();
        if (binder.current()) refuse_step(*binder.current(), "Halide refuses it: " + why, "remove or change the step");
        throw;
    }
    return model.state();
}

}  // namespace halogen
