#include "schedules/bind/constant_loops.h"

#include "schedules/history/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

namespace halogen {

namespace {

/// The iterations of loops as text; "" where they are symbolic but have none. Loops of which nothing is known are left out.
using Iterations = std::map<std::string, std::string>;

bool is_number(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

class Loops {
public:
    Loops(const LoweredFunc& func, const FuncState& state, const Solution& solution)
        : func_(func), state_(state), solution_(solution) {}

    /// A loop of the stage, or of one of its branches, that has to be constant and is not.
    std::optional<std::pair<std::string, std::string>> symbolic(std::size_t s) const {
        return symbolic(state_.stages[s], iterations_of(s));
    }

private:
    Iterations iterations_of(std::size_t s) const {
        Iterations found;
        if (func_.kind == LoweredFunc::Kind::output)
            for (std::size_t d = 0; d < func_.dims.size(); d++)
                found[func_.dims[d]] = print(solution_.extents.at(func_.tensor)[d]);
        for (const BoundState& bound : state_.bounds) found[bound.loop] = bound.extent;
        const int e = s < func_.equations.size() && func_.step_stages.empty() ? func_.equations[s] : -1;
        if (e < 0) return found;
        const auto& indices = solution_.indices[static_cast<std::size_t>(e)];
        for (const auto& [name, range] : indices)
            if (range.reduced && std::ranges::count(func_.dims, name) == 0) found[name] = print(range.extent);
        return found;
    }

    static std::optional<std::pair<std::string, std::string>> symbolic(const StageState& stage, Iterations known) {
        for (const SplitState& split : stage.splits) after(split, known);
        for (const LoopState& loop : stage.loops) {
            const auto found = known.find(loop.name);
            if (loop.mark != "vectorized" && loop.mark != "unrolled") continue;
            if (found != known.end() && !is_number(found->second)) return *found;
        }
        for (const BranchState& branch : stage.branches)
            if (auto found = symbolic(branch.stage, known)) return found;
        return std::nullopt;
    }

    static void after(const SplitState& split, Iterations& known) {
        const auto take = [&](const std::string& loop) {
            const auto found = known.find(loop);
            if (found == known.end()) return std::optional<std::string>();
            std::string text = found->second;
            known.erase(found);
            return std::optional(text);
        };
        switch (split.kind) {
        case SplitState::Kind::split: {
            const auto old = take(split.old);
            known[split.inner] = split.factor;
            if (old && split.outer != split.inner)
                known[split.outer] = is_number(*old) && is_number(split.factor) ? "1" : "";
            return;
        }
        case SplitState::Kind::fuse: {
            const auto inner = take(split.inner), outer = take(split.outer);
            if (inner && outer) known[split.old] = is_number(*inner) && is_number(*outer) ? "1" : "";
            return;
        }
        case SplitState::Kind::rename:
            if (const auto old = take(split.old)) known[split.outer] = *old;
            return;
        }
    }

    const LoweredFunc& func_;
    const FuncState& state_;
    const Solution& solution_;
};

/// The last step that makes the loop what it is; null of what no step of the history names.
const Step* marking(const History& history, const std::string& func, int stage, const std::string& loop) {
    const Step* found = nullptr;
    each_step(history.steps, [&](const Step& step) {
        if (step.func != func || step.stage != stage) return;
        if (step.kind != StepKind::vectorize && step.kind != StepKind::unroll) return;
        const std::vector<std::string> marked = marked_loops(step);
        const bool vectors = step.second != Formula(0) && step.made.size() > 2 && step.made[1] == loop;
        if (vectors || std::ranges::count(marked, loop) > 0) found = &step;
    });
    return found;
}

}  // namespace

std::optional<Impossible> symbolic_loop(const History& history, const Solution& solution, const Lowered& lowered,
                                        const ScheduleState& state) {
    for (const LoweredFunc& func : lowered.funcs) {
        const auto own = state.find(func.name);
        if (own == state.end()) continue;
        const Loops loops(func, own->second, solution);
        for (std::size_t s = 0; s < own->second.stages.size(); s++) {
            const auto found = loops.symbolic(s);
            const Step* const step =
                found ? marking(history, func.name, own->second.stages[s].step_stage, found->first) : nullptr;
            if (!step) continue;
            const std::string iterations =
                found->second.empty() ? "a symbolic number of iterations" : found->second + " iterations";
            return Impossible{step, fmt::format("loop `{}` has {}, which is no constant", found->first, iterations),
                              "split the loop by a constant first"};
        }
    }
    return std::nullopt;
}

}  // namespace halogen
