#include "schedules/state/model.h"

#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

/// The named things of a list change places so that they stand in the order of `names`; all others stay.
template<typename Item>
void reorder_slots(std::vector<Item>& items, const std::vector<std::string>& names) {
    std::vector<std::size_t> slots;
    std::vector<Item> taken;
    for (const std::string& name : names)
        for (std::size_t i = 0; i < items.size(); i++)
            if (items[i].name == name) {
                slots.push_back(i);
                taken.push_back(items[i]);
            }
    std::sort(slots.begin(), slots.end());
    for (std::size_t i = 0; i < slots.size(); i++) items[slots[i]] = taken[i];
}

/// True when a stage has this loop of its Func, whole or in parts.
bool runs_over(const StageState& stage, const std::string& loop) {
    return stage.find(loop) >= 0 || std::any_of(stage.splits.begin(), stage.splits.end(), [&](const SplitState& s) {
               return s.old == loop || (s.kind == SplitState::Kind::fuse && (s.outer == loop || s.inner == loop));
           });
}

/// What is left of the splits when the reduced loops are those of a new domain.
void drop_reduced_splits(StageState& stage) {
    std::set<std::string> reduced;
    for (const LoopState& l : stage.loops)
        if (l.reduced) reduced.insert(l.name);
    for (std::size_t s = stage.splits.size(); s-- > 0;) {
        const SplitState split = stage.splits[s];
        const bool fuse = split.kind == SplitState::Kind::fuse;
        if (fuse ? !reduced.count(split.old) : !reduced.count(split.outer) && !reduced.count(split.inner)) continue;
        for (const std::string& name : {split.old, split.outer, split.inner}) reduced.insert(name);
        stage.splits.erase(stage.splits.begin() + static_cast<std::ptrdiff_t>(s));
    }
}

bool has_loops(const StageState& stage, const std::vector<std::string>& loops) {
    return std::all_of(loops.begin(), loops.end(), [&](const std::string& name) { return stage.find(name) >= 0; });
}

bool has_loop(const StageState& stage, const std::string& loop) {
    return stage.find(loop) >= 0 || std::any_of(stage.branches.begin(), stage.branches.end(),
                                                [&](const BranchState& b) { return has_loop(b.stage, loop); });
}

}  // namespace

const FuncState& StateModel::func(const std::string& name) const {
    const auto found = state_.find(name);
    if (found == state_.end()) refuse_step(*step_, fmt::format("there is no Func `{}`", name));
    return found->second;
}

std::vector<int> StateModel::stages_for(const Step& step) {
    step_ = &step;
    const std::vector<StageState>& stages = func(step.func).stages;
    const bool names_loops = has_part(kind_row(step.kind), {StepPart::loops, StepPart::list});
    std::vector<int> all, with_loops;
    for (std::size_t s = 0; s < stages.size(); s++) {
        if (stages[s].step_stage != step.stage) continue;
        all.push_back(static_cast<int>(s));
        if (!names_loops || has_loops(stages[s], step.loops)) with_loops.push_back(all.back());
    }
    if (all.empty()) refuse_step(step, fmt::format("`{}` has stages 0 to {}", step.func, stages.back().step_stage));
    const bool whole_func = kind_row(step.kind).scope == StepScope::func;
    return with_loops.empty() || whole_func ? std::vector<int>{all.front()} : with_loops;
}

int StateModel::other_stage(const std::string& name, int stage, const std::string& loop) const {
    const std::vector<StageState>& stages = func(name).stages;
    int found = -1, count = 0, any = -1;
    for (std::size_t s = 0; s < stages.size(); s++) {
        if (stages[s].step_stage != stage) continue;
        any = static_cast<int>(s);
        if (stages[s].find(loop) < 0) continue;
        found = any;
        count++;
    }
    if (any < 0) refuse_step(*step_, fmt::format("`{}` has stages 0 to {}", name, stages.back().step_stage));
    if (count > 1)
        refuse_step(*step_, fmt::format("several parts of `{}.{}` have a loop `{}`", name, stage, loop),
                    "name a loop that one part alone has");
    return count ? found : any;
}

bool StateModel::takes(const Step& step) const {
    if (!has_loops(*stage_, step.loops)) return false;
    taken_.insert(&step);
    return true;
}

bool StateModel::in_parts() const {
    const auto same = [&](const StageState& s) { return s.step_stage == stage_->step_stage; };
    return std::count_if(func_->stages.begin(), func_->stages.end(), same) > 1;
}

const Step* StateModel::untaken(const Step& specialize) const {
    for (const Step& step : specialize.nested)
        if (!taken_.count(&step)) return &step;
    return nullptr;
}

const StageState& StateModel::stage_of(const std::string& name, int stage) const {
    const FuncState& f = func(name);
    if (stage < 0 || stage >= static_cast<int>(f.stages.size()))
        refuse_step(*step_, fmt::format("`{}` has stages 0 to {}", name, f.stages.size() - 1));
    return f.stages[stage];
}

std::size_t StateModel::index(const std::string& loop) const {
    const int found = stage_->find(loop);
    if (found < 0)
        refuse_step(*step_, fmt::format("there is no loop `{}` in `{}.{}`", loop, name_, stage_->step_stage));
    return static_cast<std::size_t>(found);
}

const LoopState& StateModel::loop(const std::string& name) const { return stage_->loops[index(name)]; }

void StateModel::check_dim(const std::string& name) const {
    const bool known =
        std::any_of(func_->storage.begin(), func_->storage.end(), [&](const DimState& d) { return d.name == name; }) ||
        func_->stages[0].find(name) >= 0;
    if (!known) refuse_step(*step_, fmt::format("there is no loop `{}` in `{}.0`", name, name_));
}

DimState& StateModel::dim(const std::string& name) {
    check_no_output();
    check_dim(name);
    for (DimState& d : func_->storage)
        if (d.name == name) return d;
    refuse_step(*step_, fmt::format("loop `{}` is no dim of `{}`", name, name_),
                "name one of its loops before they were split");
}

void StateModel::begin(const Step& step, const std::string& func, int stage) {
    step_ = &step;
    StageState* own = const_cast<StageState*>(&stage_of(func, stage));
    name_ = func;
    number_ = stage;
    func_ = &state_.at(func);
    stage_ = own;
    if (branches_.empty()) return;
    const auto& [open, branch] = branches_.back();
    if (open->func != step.func || open->stage != step.stage)
        refuse_step(step, fmt::format("it stands below a specialize of `{}.{}`", open->func, open->stage),
                    "write it on that stage, or outside of the specialize");
    stage_ = branch;
}

/// Halide takes levels of outputs in silence, or ends.
void StateModel::check_no_output() const {
    if (func_->output)
        refuse_step(*step_, fmt::format("`{}` is an output: it is computed once, into the caller's memory", name_),
                    "place the Funcs that it reads");
}

void StateModel::place(Level level, const std::string& at, const std::string& loop) {
    if (!at.empty() || level != Level::compute) check_no_output();
    LevelState& place = level == Level::compute ? func_->compute : level == Level::store ? func_->store : func_->hoist;
    if (at.empty()) {
        place = {"", "root"};
        return;
    }
    const std::vector<StageState>& stages = func(at).stages;
    if (std::none_of(stages.begin(), stages.end(),
                     [&](const StageState& s) { return s.step_stage >= 0 && has_loop(s, loop); }))
        refuse_step(*step_, fmt::format("there is no loop `{}` in `{}`", loop, at));
    place = {at, loop};
}

void StateModel::compute_inline() {
    check_no_output();
    func_->compute = {};
}

void StateModel::store_in_stack() {
    check_no_output();
    func_->stack = true;
}

void StateModel::async() { func_->async = true; }

void StateModel::bound(const std::string& name, bool from_zero, const Formula& extent) {
    check_dim(name);
    func_->bounds.push_back({name, from_zero ? "0" : "", print(extent)});
}

void StateModel::reorder_storage(const std::vector<std::string>& dims) {
    check_no_output();
    for (const std::string& name : dims) check_dim(name);
    reorder_slots(func_->storage, dims);
}

void StateModel::align_storage(const std::string& name, const Formula& factor) { dim(name).align = print(factor); }
void StateModel::fold_storage(const std::string& name, const Formula& factor) { dim(name).fold = print(factor); }

void StateModel::split(const std::string& old, const std::string& outer, const std::string& inner,
                       const Formula& factor, Tail tail) {
    const std::size_t at = index(old);
    LoopState made = stage_->loops[at];
    made.from_zero = true;
    made.name = outer;
    stage_->loops[at] = made;
    made.name = inner;
    stage_->loops.insert(stage_->loops.begin() + static_cast<std::ptrdiff_t>(at), made);
    stage_->splits.push_back({SplitState::Kind::split, old, outer, inner, print(factor), tail});
}

void StateModel::fuse(const std::string& inner, const std::string& outer, const std::string& fused) {
    const LoopState gone = stage_->loops[index(outer)];
    index(inner);
    stage_->loops.erase(stage_->loops.begin() + static_cast<std::ptrdiff_t>(index(outer)));
    LoopState& loop = stage_->loops[index(inner)];
    loop.name = fused;
    loop.unordered = (loop.unordered || !loop.reduced) && (gone.unordered || !gone.reduced);
    loop.reduced = loop.reduced || gone.reduced;
    loop.from_zero = true;
    stage_->splits.push_back({SplitState::Kind::fuse, fused, outer, inner});
}

/// Halide rewrites the split that made the loop where there is one, and notes a rename otherwise.
void StateModel::rename(const std::string& old, const std::string& made) {
    stage_->loops[index(old)].name = made;
    for (auto s = stage_->splits.rbegin(); s != stage_->splits.rend(); ++s) {
        if (s->kind == SplitState::Kind::fuse) {
            if (s->old != old) continue;
            s->old = made;
            return;
        }
        if (s->inner != old && s->outer != old) continue;
        (s->inner == old ? s->inner : s->outer) = made;
        return;
    }
    stage_->splits.push_back({SplitState::Kind::rename, old, made, {}});
}

void StateModel::reorder(const std::vector<std::string>& loops) {
    for (const std::string& name : loops) index(name);
    reorder_slots(stage_->loops, loops);
}

void StateModel::mark(const std::string& loop, LoopKind kind, bool /*unordered*/) {
    static const char* const words[] = {"serial", "parallel", "vectorized", "unrolled"};
    stage_->loops[index(loop)].mark = words[static_cast<int>(kind)];
}

void StateModel::partition(const std::string& loop, PartitionKind kind) {
    stage_->loops[index(loop)].partition = kind == PartitionKind::never ? "never" : "always";
}

void StateModel::atomic() { stage_->atomic = true; }

void StateModel::prefetch(const std::string& tensor, const std::string& loop, const Formula& offset) {
    index(loop);
    stage_->prefetches.push_back({tensor, loop, print(offset)});
}

void StateModel::compute_with(const std::string& name, int stage, const std::string& loop) {
    if (stage_of(name, stage).find(loop) < 0)
        refuse_step(*step_, fmt::format("there is no loop `{}` in `{}.{}`", loop, name, stage));
    for (const std::string& func : {name_, name})
        if (const FuncState& f = state_.at(func); !f.output && f.compute.func.empty() && f.compute.loop == "inline")
            refuse_step(*step_, fmt::format("`{}` is pasted into its readers: it has no loops of its own", func),
                        fmt::format("compute `{}` somewhere first", func));
    stage_->with = {name, loop};
    stage_->with_stage = stage;
}

/// The partial results hold the dims of their Func and the kept loops; their update and what joins them are the stage without the
/// splits of its reduction.
void StateModel::rfactor(const std::vector<std::string>& loops, const std::string& name,
                         const std::vector<std::string>& kept) {
    const auto is_kept = [&](const std::string& loop) {
        return std::find(loops.begin(), loops.end(), loop) != loops.end();
    };
    FuncState partial;
    StageState start, update = *stage_;
    partial.dims = func_->dims;
    for (const LoopState& l : stage_->loops)  // in their own order, whatever that of the step
        if (is_kept(l.name)) partial.dims.push_back(kept[std::ranges::find(loops, l.name) - loops.begin()]);
    for (const std::string& dim : partial.dims) {
        partial.storage.push_back({dim});
        start.loops.push_back({dim});
    }
    drop_reduced_splits(update);
    for (LoopState& l : update.loops)
        for (std::size_t i = 0; i < loops.size(); i++)
            if (l.name == loops[i]) l = {kept[i]};
    start.step_stage = 0;
    update.step_stage = 1;
    partial.stages = {start, update};
    drop_reduced_splits(*stage_);
    std::erase_if(stage_->loops, [&](const LoopState& l) { return l.reduced && !is_kept(l.name); });
    for (const std::string& dim : func_->dims)
        if (!runs_over(*stage_, dim)) stage_->loops.push_back({dim});  // a scatter's results are joined everywhere
    state_[name] = partial;
}

void StateModel::specialize(const Condition& when, const std::function<void()>& body) {
    StageState* const around = stage_;
    const Step* const step = step_;
    StageState copy = *stage_;
    copy.branches.clear();
    stage_->branches.push_back({print(when), std::move(copy)});
    branches_.emplace_back(step, &stage_->branches.back().stage);
    body();
    branches_.pop_back();
    step_ = step;
    stage_ = around;
}

bool StateModel::rounds_up(const std::string& loop) const {
    std::set<std::string> inner;
    for (const SplitState& s : stage_->splits) {
        const bool within = inner.erase(s.old) > 0;  // the name may be used again
        if (within) inner.insert(s.outer);
        if (s.kind == SplitState::Kind::split) inner.insert(s.inner);
    }
    return !inner.count(loop);
}

bool StateModel::descends_from_shifted(const std::string& loop) const {
    std::set<std::string> shifted;
    for (const SplitState& s : stage_->splits) {
        const bool within = shifted.erase(s.old) > 0;
        const bool split = s.kind == SplitState::Kind::split;
        if (within || (split && s.tail == Tail::shift_inwards)) shifted.insert(s.outer);
        if (within && split && s.tail != Tail::shift_inwards) shifted.insert(s.inner);
    }
    return shifted.count(loop) > 0;
}

Tail StateModel::resolved(const std::string& name, Tail tail) const {
    if (tail != Tail::exact) return tail;
    if (loop(name).reduced) return Tail::guard;
    if (number_ > 0) return rounds_up(name) ? Tail::round_up : Tail::guard;
    return descends_from_shifted(name) ? Tail::round_up : Tail::shift_inwards;
}

}  // namespace halogen
