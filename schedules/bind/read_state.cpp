#include "schedules/bind/read_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace halogen {

namespace {

std::string halide_text(const Halide::Expr& e) {
    std::ostringstream text;
    text << e;
    return text.str();
}

std::string_view mark_of(Halide::Internal::ForType type) {
    using Halide::Internal::ForType;
    switch (type) {
    case ForType::Parallel: return "parallel";
    case ForType::Vectorized: return "vectorized";
    case ForType::Unrolled: return "unrolled";
    default: return "serial";
    }
}

std::string_view partition_of(Halide::Partition policy) {
    return policy == Halide::Partition::Never ? "never" : policy == Halide::Partition::Always ? "always" : "auto";
}

Tail tail_of(Halide::TailStrategy strategy) {
    using Halide::TailStrategy;
    switch (strategy) {
    case TailStrategy::GuardWithIf: return Tail::guard;
    case TailStrategy::Predicate: return Tail::predicate;
    case TailStrategy::RoundUp: return Tail::round_up;
    case TailStrategy::ShiftInwards: return Tail::shift_inwards;
    default: return Tail::exact;  // none of those a history may ask for
    }
}

bool is_zero(const Halide::Expr& e) {
    return e.defined() && Halide::Internal::is_const_zero(Halide::Internal::simplify(e));
}

/// A loop that no step has touched counts from 0 where its range or its Func's bounds say so.
bool counts_from_zero(const std::string& var, const Halide::Internal::Definition& definition,
                      const Halide::Internal::Function& function) {
    for (const auto& rvar : definition.schedule().rvars())
        if (rvar.var == var) return is_zero(rvar.min);
    const auto& bounds = function.schedule().bounds();
    return std::any_of(bounds.begin(), bounds.end(), [&](const auto& b) { return b.var == var && is_zero(b.min); });
}

/// Calls `f` with every number and condition of the state.
template<class F>
void each_text(StageState& stage, const F& f) {
    for (SplitState& split : stage.splits) f(split.factor);
    for (PrefetchState& prefetch : stage.prefetches) f(prefetch.offset);
    for (BranchState& branch : stage.branches) {
        f(branch.when);
        each_text(branch.stage, f);
    }
}

template<class F>
void each_text(FuncState& state, const F& f) {
    for (DimState& dim : state.storage) f(dim.align), f(dim.fold);
    for (BoundState& bound : state.bounds) f(bound.min), f(bound.extent);
    for (StageState& stage : state.stages) each_text(stage, f);
}

}  // namespace

StateReader::StateReader(const Lowered& lowered) {
    for (const LoweredFunc& f : lowered.funcs) add(f);
}

void StateReader::add(const LoweredFunc& f) {
    funcs_[f.name] = f.func;
    names_[f.func.name()] = f.name;
    if (f.kind == LoweredFunc::Kind::output) outputs_.insert(f.name);
    if (!f.step_stages.empty()) step_stages_[f.name] = f.step_stages;
    for (const auto& loops : f.stages)
        for (const auto& [name, loop] : loops)
            if (loop.is_rvar) reduced_[loop.rvar.name()] = name;
    unordered_.insert(f.unordered.begin(), f.unordered.end());
}

void StateReader::says(const Halide::Expr& e, const std::string& text) {
    const std::string halide = halide_text(e);
    texts_[halide] = text;
    halide_texts_[text] = halide;
}

FuncState StateReader::as_told(FuncState state) const {
    each_text(state, [&](std::string& text) {
        const auto halide = halide_texts_.find(text);
        if (halide != halide_texts_.end()) text = texts_.at(halide->second);
    });
    return state;
}

/// Halide names a loop by the path of splits that led to it: `i.it.i`.
std::string StateReader::loop_name(const std::string& halide) const {
    const std::string last = halide.substr(halide.rfind('.') + 1);
    const auto found = reduced_.find(last);
    return found == reduced_.end() ? loop_of(last) : found->second;
}

std::string StateReader::func_name(const std::string& halide) const {
    const auto found = names_.find(halide);
    return found == names_.end() ? halide : found->second;
}

std::string StateReader::text(const Halide::Expr& e) const {
    if (!e.defined()) return "";
    const std::string text = halide_text(e);
    const auto found = texts_.find(text);
    if (found != texts_.end()) return found->second;
    const auto* const number = e.as<Halide::Internal::IntImm>();
    return number ? std::to_string(number->value) : text;
}

LevelState StateReader::level(const Halide::LoopLevel& level) const {
    if (level.var_name().empty()) return {};  // inlined, or never set
    if (level.func_name().empty()) return {"", "root"};
    return {func_name(level.func_name()), loop_name(level.var_name())};
}

SplitState StateReader::split(const Halide::Internal::Split& s) const {
    using Halide::Internal::Split;
    if (s.split_type == Split::FuseVars)
        return {SplitState::Kind::fuse, loop_name(s.old_var), loop_name(s.outer), loop_name(s.inner)};
    if (s.split_type == Split::RenameVar)
        return {SplitState::Kind::rename, loop_name(s.old_var), loop_name(s.outer), {}};
    return {SplitState::Kind::split, loop_name(s.old_var), loop_name(s.outer),
            loop_name(s.inner),      text(s.factor),       tail_of(s.tail)};
}

StageState StateReader::stage(const Halide::Internal::Definition& definition,
                              const Halide::Internal::Function& function) const {
    const Halide::Internal::StageSchedule& schedule = definition.schedule();
    StageState state;
    for (const Halide::Internal::Dim& dim : schedule.dims()) {
        if (dim.var == Halide::Var::outermost().name()) continue;
        state.loops.push_back({loop_name(dim.var), dim.is_rvar(), mark_of(dim.for_type),
                               partition_of(dim.partition_policy), counts_from_zero(dim.var, definition, function),
                               unordered_.count(dim.var) > 0});
    }
    for (const auto& s : schedule.splits()) state.splits.push_back(split(s));
    for (const auto& p : schedule.prefetches())
        state.prefetches.push_back({func_name(p.name), loop_name(p.at), text(p.offset)});
    state.atomic = schedule.atomic();
    state.with = level(schedule.fuse_level().level);
    if (!state.with.func.empty()) state.with_stage = schedule.fuse_level().level.get_stage_index();
    for (const auto& branch : definition.specializations())
        state.branches.push_back({text(branch.condition), stage(branch.definition, function)});
    return state;
}

FuncState StateReader::read(const std::string& name) const {
    const Halide::Internal::Function function = funcs_.at(name).function();
    const Halide::Internal::FuncSchedule& schedule = function.schedule();
    FuncState state;
    state.compute = level(schedule.compute_level());
    state.store = level(schedule.store_level());
    state.hoist = level(schedule.hoist_storage_level());
    state.stack = schedule.memory_type() == Halide::MemoryType::Stack;
    state.async = schedule.async();
    state.output = outputs_.count(name) > 0;
    for (const auto& dim : schedule.storage_dims())
        state.storage.push_back({loop_name(dim.var), text(dim.alignment), text(dim.fold_factor)});
    for (const std::string& dim : function.args()) state.dims.push_back(loop_name(dim));
    for (const auto& bound : schedule.bounds())
        if (bound.extent.defined())  // not the alignment of what is overcomputed
            state.bounds.push_back({loop_name(bound.var), text(bound.min), text(bound.extent)});
    state.stages.push_back(stage(function.definition(), function));
    for (const auto& update : function.updates()) state.stages.push_back(stage(update, function));
    const auto sliced = step_stages_.find(name);
    for (std::size_t s = 0; s < state.stages.size(); s++)
        state.stages[s].step_stage = sliced == step_stages_.end() ? static_cast<int>(s) : sliced->second[s];
    return state;
}

ScheduleState StateReader::read() const {
    ScheduleState state;
    for (const auto& [name, f] : funcs_) state[name] = read(name);
    return state;
}

}  // namespace halogen
