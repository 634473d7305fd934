#include "schedules/export/steps.h"

#include "frontend/lower/number.h"
#include "schedules/history/print_step.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::exporting {

namespace {

const char* tail_text(Tail tail) {
    switch (tail) {
    case Tail::predicate: return "TailStrategy::Predicate";
    case Tail::round_up: return "TailStrategy::RoundUp";
    case Tail::shift_inwards: return "TailStrategy::ShiftInwards";
    default: return "TailStrategy::GuardWithIf";
    }
}

std::string stage_text(const ExportFunc& f, int stage) {
    return stage ? fmt::format("{}.update({})", f.identifier, stage - 1) : f.identifier;
}

std::string listed(const std::vector<std::string>& items) {
    std::string list;
    for (const std::string& item : items) list += (list.empty() ? "" : ", ") + item;
    return list;
}

}  // namespace

/// Halide warns of updates that no directive names; those here are plain on purpose.
std::vector<std::string> StepWriter::finish() {
    for (const auto& [name, f] : funcs_)
        for (std::size_t stage = 1; stage < f.stages.size(); stage++)
            if (!f.ordered.count(stage) && !touched_.count({name, static_cast<int>(stage)}))
                lines_.push_back(fmt::format("{}.update({}).unscheduled();", f.identifier, stage - 1));
    return std::move(lines_);
}

void StepWriter::begin(const Step& step, const std::string& func, int stage) {
    step_ = &step;
    name_ = func;
    number_ = stage;
    func_ = &funcs_.at(func);
    stage_ = branches_.empty() ? stage_text(*func_, stage) : branches_.back().first;
    loops_ = branches_.empty() ? &func_->stages[stage] : branches_.back().second;
}

void StepWriter::line(const std::string& text) { lines_.push_back(std::string(4 * branches_.size(), ' ') + text); }
void StepWriter::on_func(const std::string& call) { line(fmt::format("{}.{};", func_->identifier, call)); }
void StepWriter::on_stage(const std::string& call) {
    touched_.insert({name_, number_});
    line(fmt::format("{}.{};", stage_, call));
}

const ExportLoop& StepWriter::loop(const std::string& name) const {
    const auto found = loops_->find(name);
    if (found == loops_->end())
        refuse_step(*step_, fmt::format("there is no loop `{}` in `{}.{}`", name, name_, number_));
    return found->second;
}

/// `C, j_o`: a loop of any stage or specialisation of the Func.
std::string StepWriter::level(const std::string& func, const std::string& loop) const {
    const ExportFunc& at = funcs_.at(func);
    for (std::size_t stage = at.in_parts ? 1 : 0; stage < at.stages.size(); stage++)
        if (const auto found = at.stages[stage].find(loop); found != at.stages[stage].end())
            return at.identifier + ", " + found->second.identifier;
    return at.identifier + ", " + made_in_branches_.at(func + "." + loop).identifier;
}

std::string StepWriter::dim(const std::string& name) {
    const std::vector<std::string>& dims = func_->dims;
    if (std::find(dims.begin(), dims.end(), name) != dims.end()) return names_.var(name);
    return func_->stages[0].at(name).identifier;
}

std::string StepWriter::number(const Formula& formula) {
    return exprs_.write(halide_expr(formula, lowered_.symbols), lines_);
}

ExportLoop StepWriter::made(const std::string& name, bool reduced) {
    return {reduced ? names_.rvar(name) : names_.var(name), reduced};
}

void StepWriter::place(Level which, const std::string& at, const std::string& loop) {
    static const char* const roots[] = {"compute_root()", "store_root()", "hoist_storage_root()"};
    static const char* const calls[] = {"compute_at", "store_at", "hoist_storage"};
    const int n = static_cast<int>(which);
    on_func(at.empty() ? roots[n] : fmt::format("{}({})", calls[n], level(at, loop)));
}

void StepWriter::compute_inline() { on_func("compute_inline()"); }
void StepWriter::store_in_stack() { on_func("store_in(MemoryType::Stack)"); }
void StepWriter::async() { on_func("async()"); }

void StepWriter::bound(const std::string& name, bool from_zero, const Formula& extent) {
    on_func(from_zero ? fmt::format("bound({}, 0, {})", dim(name), number(extent))
                      : fmt::format("bound_extent({}, {})", dim(name), number(extent)));
}

void StepWriter::reorder_storage(const std::vector<std::string>& dims) {
    std::vector<std::string> order;
    for (const std::string& name : dims) order.push_back(dim(name));
    on_func(fmt::format("reorder_storage({})", listed(order)));
}

void StepWriter::align_storage(const std::string& name, const Formula& factor) {
    on_func(fmt::format("align_storage({}, {})", dim(name), number(factor)));
}

void StepWriter::fold_storage(const std::string& name, const Formula& factor) {
    on_func(fmt::format("fold_storage({}, {})", dim(name), number(factor)));
}

void StepWriter::split(const std::string& old, const std::string& outer, const std::string& inner,
                       const Formula& factor, Tail tail) {
    const ExportLoop gone = loop(old), out = made(outer, gone.reduced), in = made(inner, gone.reduced);
    on_stage(fmt::format("split({}, {}, {}, {}, {})", gone.identifier, out.identifier, in.identifier, number(factor),
                         tail_text(tail)));
    loops_->erase(old);
    loops_->insert_or_assign(outer, out);
    loops_->insert_or_assign(inner, in);
}

void StepWriter::fuse(const std::string& inner, const std::string& outer, const std::string& fused) {
    const ExportLoop one = made(fused, loop(inner).reduced);
    on_stage(fmt::format("fuse({}, {}, {})", loop(inner).identifier, loop(outer).identifier, one.identifier));
    loops_->erase(inner);
    loops_->erase(outer);
    loops_->insert_or_assign(fused, one);
}

void StepWriter::rename(const std::string& old, const std::string& name) {
    const ExportLoop gone = loop(old), fresh = made(name, gone.reduced);
    on_stage(fmt::format("rename({}, {})", gone.identifier, fresh.identifier));
    loops_->erase(old);
    loops_->insert_or_assign(name, fresh);
}

void StepWriter::reorder(const std::vector<std::string>& loops) {
    std::vector<std::string> order;
    for (const std::string& name : loops) order.push_back(loop(name).identifier);
    on_stage(fmt::format("reorder({})", listed(order)));
}

void StepWriter::mark(const std::string& name, LoopKind kind, bool unordered) {
    static const char* const calls[] = {"serial", "parallel", "vectorize", "unroll"};
    if (unordered && (kind == LoopKind::parallel || kind == LoopKind::vectorized)) on_stage("allow_race_conditions()");
    on_stage(fmt::format("{}({})", calls[static_cast<int>(kind)], loop(name).identifier));
}

void StepWriter::partition(const std::string& name, PartitionKind kind) {
    on_stage(fmt::format("{}_partition({})", kind == PartitionKind::never ? "never" : "always", loop(name).identifier));
}

void StepWriter::atomic() { on_stage("atomic()"); }

void StepWriter::prefetch(const std::string& tensor, const std::string& name, const Formula& offset) {
    const std::string at = loop(name).identifier;
    const auto image = lowered_.images.find(tensor);
    const auto producer = funcs_.find(tensor);
    if (image == lowered_.images.end() && producer == funcs_.end())
        refuse_step(*step_, fmt::format("there is no input and no Func `{}`", tensor));
    const std::string what = image != lowered_.images.end()
                                 ? fmt::format("ImageParam({})", exprs_.parameters.at(image->second.parameter().name()))
                                 : producer->second.identifier;
    on_stage(fmt::format("prefetch({}, {}, {}, {})", what, at, at, number(offset)));
}

void StepWriter::compute_with(const std::string& func, int stage, const std::string& name) {
    const ExportFunc& other = funcs_.at(func);
    on_stage(fmt::format("compute_with({}, {})", stage_text(other, stage), other.stages[stage].at(name).identifier));
}

void StepWriter::specialize(const Condition& when, const std::function<void()>& body) {
    touched_.insert({name_, number_});
    const std::string condition = exprs_.write(lowered_.evaluate(when), lines_);
    const Step* const step = step_;
    const std::string handle = names_.fresh(name_ + "_case"), around = stage_;
    line(fmt::format("{{  // where {}", print(when)));
    ExportLoops inside = *loops_;
    ExportLoops* const outside = loops_;
    branches_.emplace_back(handle, &inside);
    line(fmt::format("Stage {} = {}.specialize({});", handle, around, condition));
    body();
    branches_.pop_back();
    line("}");
    for (const auto& [name, made] : inside) made_in_branches_.emplace(name_ + "." + name, made);
    step_ = step;
    stage_ = around;
    loops_ = outside;
}

/// The partial results are a Func of their own: its pure loops are those of the values and the kept ones.
void StepWriter::rfactor(const std::vector<std::string>& reduced, const std::string& func,
                         const std::vector<std::string>& kept) {
    std::string pairs;
    ExportFunc partial{names_.fresh(func), func_->dims, {{}, *loops_}};
    for (std::size_t i = 0; i < reduced.size(); i++) {
        const ExportLoop loop_kept = made(kept[i], false);
        pairs += fmt::format("{}{{{}, {}}}", i ? ", " : "", loop(reduced[i]).identifier, loop_kept.identifier);
        partial.dims.push_back(kept[i]);
        partial.stages[1].erase(reduced[i]);
        partial.stages[1][kept[i]] = loop_kept;
    }
    for (const std::string& dim : partial.dims) partial.stages[0][dim] = made(dim, false);
    std::erase_if(*loops_, [&](const auto& l) {
        return l.second.reduced && std::find(reduced.begin(), reduced.end(), l.first) == reduced.end();
    });
    for (const std::string& dim : func_->dims)
        if (!loops_->contains(dim)) (*loops_)[dim] = made(dim, false);  // a scatter's results are joined everywhere
    touched_.insert({name_, number_});
    touched_.insert({func, 1});
    line(fmt::format("Func {} = {}.rfactor({{{}}});", partial.identifier, stage_, pairs));
    funcs_[func] = std::move(partial);
}

}  // namespace halogen::exporting
