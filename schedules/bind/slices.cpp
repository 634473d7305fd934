#include "schedules/bind/slices.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/order.h"
#include "frontend/plan/pieces.h"
#include "frontend/plan/value_funcs.h"
#include "schedules/history/print_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

/// A stage of a Func: its equation, and the ranges of its loops.
struct SlicedStage {
    int equation = -1;  // -1: a start, or a copy of values
    bool update = false;
    std::map<std::string, IndexRange> loops;
};

SlicedStage stage_of(const Kernel&, const Solution& solution, const std::vector<ValueFunc>& funcs, const Step& step) {
    for (const ValueFunc& f : funcs) {
        const bool stored = f.stored == step.func && f.stored != f.name;
        if (!stored && f.name != step.func) continue;
        const int stages = stored ? 1 : static_cast<int>(f.equations.size());
        if (step.stage < 0 || step.stage >= stages)
            refuse_step(step, fmt::format("`{}` has stages 0 to {}", step.func, stages - 1));
        if (step.stage == 0)
            return {stored ? -1 : f.equations[0], false, dim_ranges(f.dims, solution.extents.at(f.tensor))};
        const int e = f.equations[step.stage];
        return {e, true, solution.indices[e]};
    }
    refuse_step(step, fmt::format("`{}` has no equation of the kernel that could run in parts", step.func),
                "name a Func of the kernel, such as `T` or `T_value`, or use tail guard");
}

void check_numbers_and_names(const Step& step, const SlicedStage& stage, const std::set<std::string>& made) {
    if (step.factor.constant().value_or(0) < 1)
        refuse_step(step, fmt::format("it takes a number of iterations, and has `{}`", print(step.factor)),
                    "give a number from 1");
    std::set<std::string> own;
    for (const std::string& name : step.made) {
        if (!own.insert(name).second)
            refuse_step(step, fmt::format("it makes two loops `{}`", name), "give each loop a name of its own");
        if ((stage.loops.count(name) || made.count(name)) && name != step.loops.at(0))
            refuse_step(step, fmt::format("there is a loop `{}` already", name), "choose another name");
    }
}

/// The index of the equation that the loop runs over, in some part; "" without one.
std::string index_of(const std::vector<Piece>& pieces, const SlicedStage& stage, const std::string& loop) {
    for (const Piece& piece : pieces)
        for (const auto& [index, range] : stage.loops) {
            const auto cut = piece.loops.find(index);
            if ((cut == piece.loops.end() ? index : cut->second.name) == loop) return index;
        }
    return "";
}

void check_order(const Kernel& kernel, const Solution& solution, const Step& step, const SlicedStage& stage,
                 const std::string& index) {
    if (!stage.update) return;
    const Equation& equation = kernel.equations[stage.equation];
    if (equation.op != Op::assign && !reads_itself(equation)) return;
    const std::vector<std::string> serial = serial_loops(kernel, solution, stage.equation);
    if (std::find(serial.begin(), serial.end(), index) == serial.end() || serial.front() == index) return;
    refuse_step(step,
                fmt::format("its parts would run one after the other, and `{}` depends on their order within loop `{}`",
                            equation.text, serial.front()),
                fmt::format("slice loop `{}`", serial.front()));
}

/// Steps before it on the same stage: the loop is still whole, and nobody else changes the stage's equation.
void check_before(const std::vector<Step>& steps, const Step& step) {
    bool before = true;
    each_step(steps, [&](const Step& other) {
        if (&other == &step) before = false;
        if (other.func != step.func) return;
        const bool partial = other.kind == StepKind::partial && other.stage <= step.stage;
        const bool copied = other.kind == StepKind::cache_writes && other.stage == step.stage && step.stage > 0;
        if (partial || copied)
            refuse_step(step, fmt::format("step `{}` has changed the equation", print(other)), "keep one of the two");
        const bool takes_apart = other.stage == step.stage && !other.made.empty() && !slices(other) &&
                                 std::count(other.loops.begin(), other.loops.end(), step.loops.at(0));
        if (before && takes_apart)
            refuse_step(step, fmt::format("loop `{}` was removed by step `{}`", step.loops[0], print(other)),
                        "slice the loop first, and take its parts apart then");
    });
}

/// Computations of parts have names that nothing else has.
void check_part_names(const Kernel& kernel, const std::vector<ValueFunc>& funcs, const Step& step) {
    for (const ValueFunc& f : funcs) {
        if (f.stored != step.func) continue;
        const auto same = [&](const ValueFunc& g) { return g.name == f.name || g.stored == f.name; };
        const bool taken =
            f.name != f.stored && (kernel.find_tensor(f.name) || std::count_if(funcs.begin(), funcs.end(), same) > 1);
        if (taken)
            refuse_step(step, fmt::format("there is a Func `{}` already", f.name), "choose other names for the parts");
    }
}

}  // namespace

bool slices(const Step& step) {
    return step.kind == StepKind::slice_head || step.kind == StepKind::slice_tail ||
           (step.kind == StepKind::split && step.tail == Tail::separate);
}

std::optional<Slice> slice_of(const Step& step) {
    if (!slices(step) || step.made.size() < (step.kind == StepKind::split ? 3U : 2U)) return std::nullopt;
    const std::int64_t points = std::max<std::int64_t>(step.factor.constant().value_or(1), 1);
    Slice slice{Slice::Kind::head, step.func, step.stage, step.loops.at(0), step.made.at(0), step.made.at(1), points};
    if (step.kind == StepKind::slice_tail) slice.kind = Slice::Kind::tail;
    if (step.kind != StepKind::split) return slice;
    slice.kind = Slice::Kind::blocks;
    slice.first = slice.loop;  // and split
    slice.second = step.made.at(2);
    return slice;
}

void check_slices(const Kernel& kernel, const Solution& solution, const std::vector<Step>& steps,
                  const Emission& emission) {
    const std::vector<ValueFunc> funcs = value_funcs(kernel, solution, emission);
    std::vector<Slice> before;
    std::map<std::pair<std::string, int>, std::set<std::string>> made;
    each_step(steps, [&](const Step& step) {
        if (!slices(step)) return;
        const auto slice = slice_of(step);
        if (!slice)
            refuse_step(step, fmt::format("it makes {} loops", step.made.size()),
                        "name the two parts, or outer, inner and separate tail of a split");
        const SlicedStage stage = stage_of(kernel, solution, funcs, step);
        std::set<std::string>& names = made[{step.func, step.stage}];
        check_numbers_and_names(step, stage, names);
        check_before(steps, step);
        const std::string index =
            index_of(pieces_of(before, step.func, step.stage, stage.loops), stage, step.loops.at(0));
        if (index.empty())
            refuse_step(
                step,
                fmt::format("there is no loop `{}` in the equation of `{}.{}`", step.loops[0], step.func, step.stage),
                "slice loops of the equation, or parts of them");
        check_order(kernel, solution, step, stage, index);
        check_part_names(kernel, funcs, step);
        names.insert(step.made.begin(), step.made.end());
        before.push_back(*slice);
    });
}

}  // namespace halogen
