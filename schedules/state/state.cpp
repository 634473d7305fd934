#include "schedules/state/state.h"

#include "schedules/history/replay.h"

#include <fmt/format.h>

namespace halogen {

namespace {

std::string line(int depth, const std::string& text) { return std::string(2 * depth, ' ') + text + "\n"; }

std::string text_of(const LoopState& loop) {
    std::string text = (loop.reduced ? "reduced " : "") + loop.name;
    if (loop.mark != "serial") text += fmt::format(" {}", loop.mark);
    if (loop.partition != "auto") text += fmt::format(" partition {}", loop.partition);
    return text;
}

std::string text_of(const LevelState& level) { return level.func.empty() ? level.loop : level.func + "." + level.loop; }

std::string text_of(const SplitState& s) {
    switch (s.kind) {
    case SplitState::Kind::fuse: return fmt::format("fuse {}, {} -> {}", s.inner, s.outer, s.old);
    case SplitState::Kind::rename: return fmt::format("rename {} -> {}", s.old, s.outer);
    default:
        return fmt::format("split {} -> {}, {} by {} tail {}", s.old, s.outer, s.inner, s.factor, to_string(s.tail));
    }
}

void print_stage(std::string& text, const StageState& stage, int depth) {
    std::string loops;
    for (auto loop = stage.loops.rbegin(); loop != stage.loops.rend(); ++loop)
        loops += (loops.empty() ? " " : ", ") + text_of(*loop);
    text += line(depth, "loops" + loops);
    for (const SplitState& s : stage.splits) text += line(depth, text_of(s));
    for (const PrefetchState& p : stage.prefetches)
        text += line(depth, fmt::format("prefetch {} {} {}", p.tensor, p.loop, p.offset));
    if (stage.atomic) text += line(depth, "atomic");
    if (!stage.with.func.empty())
        text += line(depth, fmt::format("with {}.{}.{}", stage.with.func, stage.with_stage, stage.with.loop));
    for (const BranchState& branch : stage.branches) {
        text += line(depth, "when " + branch.when);
        print_stage(text, branch.stage, depth + 1);
    }
}

/// ".1": as steps count; ".0 part 2" of a sliced stage.
std::string title(const FuncState& f, std::size_t stage) {
    const int number = f.stages[stage].step_stage;
    if (number < 0) return ".0 computes nothing";
    int before = 0, all = 0;
    for (std::size_t s = 0; s < f.stages.size(); s++) {
        if (f.stages[s].step_stage != number) continue;
        all++;
        if (s <= stage) before++;
    }
    return all > 1 ? fmt::format(".{} part {}", number, before) : fmt::format(".{}", number);
}

}  // namespace

int StageState::find(const std::string& loop) const {
    for (std::size_t i = 0; i < loops.size(); i++)
        if (loops[i].name == loop) return static_cast<int>(i);
    return -1;
}

std::string print(const std::string& name, const FuncState& f) {
    std::string text = fmt::format("{} compute {} store {} hoist {}{}{}\n", name, text_of(f.compute), text_of(f.store),
                                   text_of(f.hoist), f.stack ? " stack" : "", f.async ? " async" : "");
    std::string storage;
    for (const DimState& d : f.storage) {
        storage += (storage.empty() ? " " : ", ") + d.name;
        if (!d.align.empty()) storage += " align " + d.align;
        if (!d.fold.empty()) storage += " fold " + d.fold;
    }
    if (!storage.empty()) text += line(1, "storage" + storage);
    for (const BoundState& b : f.bounds)
        text += line(1, fmt::format("bound {}{} extent {}", b.loop, b.min.empty() ? "" : " from " + b.min, b.extent));
    for (std::size_t stage = 0; stage < f.stages.size(); stage++) {
        text += line(1, name + title(f, stage));
        print_stage(text, f.stages[stage], 2);
    }
    return text;
}

std::string print(const ScheduleState& state) {
    std::string text;
    for (const auto& [name, f] : state) text += print(name, f);
    return text;
}

std::string state_hash(const ScheduleState& state) { return fmt::format("{:016x}", text_hash(print(state))); }

}  // namespace halogen
