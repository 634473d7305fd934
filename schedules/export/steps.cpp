#include "schedules/export/steps.h"

#include "frontend/lower/number.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::exporting {

namespace {

[[noreturn]] void refuse(const Step& step, const std::string& why) {
    throw Failure({ErrorKind::schedule,
                   fmt::format("step `{}`: {}", print(step), why),
                   {},
                   {},
                   "remove the step or name an existing loop"});
}

/// `, TailStrategy::GuardWithIf`; nothing where Halide needs none.
std::string tail_text(const Step& step) {
    switch (step.tail) {
    case Tail::guard: return ", TailStrategy::GuardWithIf";
    case Tail::predicate: return ", TailStrategy::Predicate";
    case Tail::round_up: return ", TailStrategy::RoundUp";
    case Tail::shift_inwards: return ", TailStrategy::ShiftInwards";
    case Tail::separate: refuse(step, "a separate tail is no tail of Halide's");
    default: return "";
    }
}

}  // namespace

std::vector<std::string> StepWriter::write(const std::vector<Step>& steps) {
    for (const Step& step : steps) write_step(step, nullptr, nullptr, 0);
    write_unscheduled();
    return std::move(lines_);
}

/// Halide warns of updates that no directive names; those here are plain on purpose.
void StepWriter::write_unscheduled() {
    for (const auto& [name, f] : funcs_)
        for (std::size_t stage = 1; stage < f.stages.size(); stage++)
            if (!touched_.count({name, static_cast<int>(stage)}))
                lines_.push_back(fmt::format("{}.update({}).unscheduled();", f.identifier, stage - 1));
}

void StepWriter::write_step(const Step& step, const std::string* stage, ExportLoops* loops, int depth) {
    ExportFunc& f = func(step, step.func);
    if (step.stage < 0 || step.stage >= static_cast<int>(f.stages.size()))
        refuse(step, fmt::format("`{}` has stages 0 to {}", step.func, f.stages.size() - 1));
    const std::string own = step.stage ? fmt::format("{}.update({})", f.identifier, step.stage - 1) : f.identifier;
    const Place place{step, f, stage ? *stage : own, loops ? *loops : f.stages[step.stage], depth};
    if (write_for_func(place)) return;
    touched_.insert({step.func, step.stage});
    write_for_stage(place);
}

void StepWriter::line(const Place& place, const std::string& text) {
    lines_.push_back(std::string(4 * place.depth, ' ') + text);
}
void StepWriter::on_func(const Place& place, const std::string& call) {
    line(place, fmt::format("{}.{};", place.func.identifier, call));
}
void StepWriter::on_stage(const Place& place, const std::string& call) {
    line(place, fmt::format("{}.{};", place.stage, call));
}

ExportFunc& StepWriter::func(const Step& step, const std::string& name) {
    const auto found = funcs_.find(name);
    if (found == funcs_.end()) refuse(step, fmt::format("there is no Func `{}`", name));
    return found->second;
}

const ExportLoop& StepWriter::loop(const Place& place, const std::string& name) const {
    const auto found = place.loops.find(name);
    if (found == place.loops.end())
        refuse(place.step, fmt::format("there is no loop `{}` in `{}.{}`", name, place.step.func, place.step.stage));
    return found->second;
}

/// `C, j_o`: a loop of any stage or specialisation of the Func.
std::string StepWriter::level(const Step& step) {
    const ExportFunc& at = func(step, step.at_func);
    for (const ExportLoops& loops : at.stages)
        if (const auto found = loops.find(step.at_loop); found != loops.end())
            return at.identifier + ", " + found->second.identifier;
    const auto found = made_in_branches_.find(step.at_func + "." + step.at_loop);
    if (found != made_in_branches_.end()) return at.identifier + ", " + found->second.identifier;
    refuse(step, fmt::format("there is no loop `{}` in `{}`", step.at_loop, step.at_func));
}

std::string StepWriter::dim(const Place& place, const std::string& name) {
    const std::vector<std::string>& dims = place.func.dims;
    if (std::find(dims.begin(), dims.end(), name) != dims.end()) return names_.var(name);
    const auto found = place.func.stages[0].find(name);
    if (found == place.func.stages[0].end())
        refuse(place.step, fmt::format("there is no loop `{}` in `{}.0`", name, place.step.func));
    return found->second.identifier;
}

std::string StepWriter::dims(const Place& place) {
    std::string list;
    for (const std::string& name : place.step.loops) list += (list.empty() ? "" : ", ") + dim(place, name);
    return list;
}

std::string StepWriter::loops(const Place& place) {
    std::string list;
    for (const std::string& name : place.step.loops) list += (list.empty() ? "" : ", ") + loop(place, name).identifier;
    return list;
}

std::string StepWriter::number(const Formula& formula) {
    return exprs_.write(halide_expr(formula, lowered_.symbols), lines_);
}

ExportLoop StepWriter::made(const std::string& name, bool reduced) {
    return {reduced ? names_.rvar(name) : names_.var(name), reduced};
}

bool StepWriter::write_for_func(const Place& place) {
    const Step& step = place.step;
    const auto first = [&] { return dim(place, step.loops.at(0)); };
    switch (step.kind) {
    case StepKind::copy_in:
    case StepKind::twin:
    case StepKind::skip_outside:
    case StepKind::partial:
    case StepKind::overcompute:
    case StepKind::compress: break;  // in the definitions above, or Halide's own doing
    case StepKind::compute_root: on_func(place, "compute_root()"); break;
    case StepKind::compute_at: on_func(place, fmt::format("compute_at({})", level(step))); break;
    case StepKind::compute_inline: on_func(place, "compute_inline()"); break;
    case StepKind::store_root: on_func(place, "store_root()"); break;
    case StepKind::store_at: on_func(place, fmt::format("store_at({})", level(step))); break;
    case StepKind::hoist_storage: on_func(place, fmt::format("hoist_storage({})", level(step))); break;
    case StepKind::hoist_storage_root: on_func(place, "hoist_storage_root()"); break;
    case StepKind::store_in_stack: on_func(place, "store_in(MemoryType::Stack)"); break;
    case StepKind::bound_extent:
        on_func(place, fmt::format("bound_extent({}, {})", first(), number(step.factor)));
        break;
    case StepKind::bound: on_func(place, fmt::format("bound({}, 0, {})", first(), number(step.factor))); break;
    case StepKind::reorder_storage: on_func(place, fmt::format("reorder_storage({})", dims(place))); break;
    case StepKind::align_storage:
        on_func(place, fmt::format("align_storage({}, {})", first(), number(step.factor)));
        break;
    case StepKind::fold_storage:
        on_func(place, fmt::format("fold_storage({}, {})", first(), number(step.factor)));
        break;
    case StepKind::async: on_func(place, "async()"); break;
    default: return false;
    }
    return true;
}

void StepWriter::write_for_stage(const Place& place) {
    const Step& step = place.step;
    const auto first = [&] { return loop(place, step.loops.at(0)).identifier; };
    switch (step.kind) {
    case StepKind::split: split(place, step.loops.at(0), step.made.at(0), step.made.at(1), step.factor); break;
    case StepKind::tile: tile(place); break;
    case StepKind::fuse:
    case StepKind::flatten: flatten(place); break;
    case StepKind::reorder: on_stage(place, fmt::format("reorder({})", loops(place))); break;
    case StepKind::rename: rename(place); break;
    case StepKind::vectorize: on_stage(place, fmt::format("vectorize({})", first())); break;
    case StepKind::unroll: on_stage(place, fmt::format("unroll({})", first())); break;
    case StepKind::parallel: on_stage(place, fmt::format("parallel({})", first())); break;
    case StepKind::serial: on_stage(place, fmt::format("serial({})", first())); break;
    case StepKind::never_partition: on_stage(place, fmt::format("never_partition({})", first())); break;
    case StepKind::always_partition: on_stage(place, fmt::format("always_partition({})", first())); break;
    case StepKind::atomic: on_stage(place, "atomic()"); break;
    case StepKind::rfactor: rfactor(place); break;
    case StepKind::prefetch: prefetch(place); break;
    case StepKind::compute_with: compute_with(place); break;
    case StepKind::specialize: specialize(place); break;
    case StepKind::normalize:
    case StepKind::distribute:
    case StepKind::fuse_siblings: break;  // Halide's stages are nests of their own and count from where they must
    default: refuse(step, "it belongs to the equations and cannot be exported as a directive");
    }
}

void StepWriter::split(const Place& place, const std::string& old, const std::string& outer, const std::string& inner,
                       const Formula& factor) {
    const ExportLoop gone = loop(place, old), out = made(outer, gone.reduced), in = made(inner, gone.reduced);
    on_stage(place, fmt::format("split({}, {}, {}, {}{})", gone.identifier, out.identifier, in.identifier,
                                number(factor), tail_text(place.step)));
    place.loops.erase(old);
    place.loops[outer] = out;
    place.loops[inner] = in;
}

void StepWriter::tile(const Place& place) {
    const std::vector<std::string>&loops = place.step.loops, &made = place.step.made;
    split(place, loops.at(0), made.at(0), made.at(2), place.step.factor);
    split(place, loops.at(1), made.at(1), made.at(3), place.step.second);
    std::string order;
    for (std::size_t i = 4; i-- > 0;) order += (order.empty() ? "" : ", ") + loop(place, made[i]).identifier;
    on_stage(place, fmt::format("reorder({})", order));
}

void StepWriter::flatten(const Place& place) {
    const std::vector<std::string>& loops = place.step.loops;
    ExportLoop inner = loop(place, loops.at(0));
    for (std::size_t i = 1; i < loops.size(); i++) {
        const std::string name = place.step.made.at(0) + (i + 1 < loops.size() ? "_" + std::to_string(i) : "");
        const ExportLoop fused = made(name, inner.reduced);
        on_stage(place,
                 fmt::format("fuse({}, {}, {})", inner.identifier, loop(place, loops[i]).identifier, fused.identifier));
        inner = fused;
    }
    for (const std::string& name : loops) place.loops.erase(name);
    place.loops[place.step.made.at(0)] = inner;
}

void StepWriter::rename(const Place& place) {
    const ExportLoop old = loop(place, place.step.loops.at(0)), fresh = made(place.step.made.at(0), old.reduced);
    on_stage(place, fmt::format("rename({}, {})", old.identifier, fresh.identifier));
    place.loops.erase(place.step.loops[0]);
    place.loops[place.step.made[0]] = fresh;
}

void StepWriter::prefetch(const Place& place) {
    const Step& step = place.step;
    const std::string at = loop(place, step.loops.at(0)).identifier;
    const auto image = lowered_.images.find(step.tensor);
    const std::string what = image != lowered_.images.end()
                                 ? fmt::format("ImageParam({})", exprs_.parameters.at(image->second.parameter().name()))
                                 : func(step, step.tensor).identifier;
    on_stage(place, fmt::format("prefetch({}, {}, {}, {})", what, at, at, number(step.factor)));
}

void StepWriter::compute_with(const Place& place) {
    const Step& step = place.step;
    const ExportFunc& other = func(step, step.at_func);
    if (step.at_stage < 0 || step.at_stage >= static_cast<int>(other.stages.size()))
        refuse(step, fmt::format("`{}` has stages 0 to {}", step.at_func, other.stages.size() - 1));
    const auto found = other.stages[step.at_stage].find(step.at_loop);
    if (found == other.stages[step.at_stage].end())
        refuse(step, fmt::format("there is no loop `{}` in `{}.{}`", step.at_loop, step.at_func, step.at_stage));
    const std::string stage =
        step.at_stage ? fmt::format("{}.update({})", other.identifier, step.at_stage - 1) : other.identifier;
    on_stage(place, fmt::format("compute_with({}, {})", stage, found->second.identifier));
}

void StepWriter::specialize(const Place& place) {
    const std::string condition = exprs_.write(lowered_.evaluate(place.step.when), lines_);
    const std::string handle = names_.fresh(place.step.func + "_case");
    line(place, fmt::format("{{  // where {}", print(place.step.when)));
    line(place, fmt::format("    Stage {} = {}.specialize({});", handle, place.stage, condition));
    ExportLoops loops = place.loops;
    for (const Step& nested : place.step.nested) write_step(nested, &handle, &loops, place.depth + 1);
    line(place, "}");
    for (const auto& [name, made] : loops) made_in_branches_.emplace(place.step.func + "." + name, made);
}

/// The partial results are a Func of their own: its pure loops are those of the values and the kept ones.
void StepWriter::rfactor(const Place& place) {
    const Step& step = place.step;
    std::string pairs;
    ExportFunc partial{names_.fresh(step.made.at(0)), place.func.dims, {{}, place.loops}};
    for (std::size_t i = 0; i < step.loops.size(); i++) {
        const ExportLoop reduced = loop(place, step.loops[i]);
        if (!reduced.reduced) refuse(step, fmt::format("`{}` is no reduced loop", step.loops[i]));
        const ExportLoop kept = made(step.made.at(i + 1), false);
        pairs += fmt::format("{}{{{}, {}}}", i ? ", " : "", reduced.identifier, kept.identifier);
        partial.dims.push_back(step.made[i + 1]);
        partial.stages[1].erase(step.loops[i]);
        partial.stages[1][step.made[i + 1]] = kept;
    }
    for (const std::string& dim : partial.dims) partial.stages[0][dim] = made(dim, false);
    const auto stays = [&](const std::string& name) {
        return std::find(step.loops.begin(), step.loops.end(), name) != step.loops.end();
    };
    std::erase_if(place.loops, [&](const auto& l) { return l.second.reduced && !stays(l.first); });
    line(place, fmt::format("Func {} = {}.rfactor({{{}}});", partial.identifier, place.stage, pairs));
    funcs_[step.made[0]] = std::move(partial);
}

}  // namespace halogen::exporting
