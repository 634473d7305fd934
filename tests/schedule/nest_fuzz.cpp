#include "tests/schedule/nest_fuzz.h"
#include "schedules/nest/print.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace halogen {

namespace {

struct Stage {
    std::string func;
    int stage;
    std::vector<std::string> loops;
    std::vector<std::string> reads;
};

std::vector<Stage> stages_of(const Nest& nest) {
    std::vector<Stage> stages;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        Stage stage{s.func, s.stage, {}, {}};
        for (const NestLoop* loop : path) stage.loops.push_back(loop->name);
        if (s.equation.right.defined())
            walk(s.equation.right, [&](const Expr& e) {
                if (auto* access = e.as<Access>()) stage.reads.push_back(access->tensor);
            });
        stages.push_back(stage);
    });
    return stages;
}

template<typename T>
const T& pick(const std::vector<T>& list, test::Dice& dice) {
    return list[static_cast<std::size_t>(dice.between(0, static_cast<int>(list.size()) - 1))];
}

std::string fresh(const Nest& nest, const char* stem) {
    return stem + std::to_string(nest.last_id) + "_" + std::to_string(nest.kernel.tensors.size());
}

const StepKind kinds[] = {
    StepKind::split,         StepKind::split,          StepKind::split,      StepKind::tile,
    StepKind::fuse,          StepKind::flatten,        StepKind::reorder,    StepKind::reorder,
    StepKind::rename,        StepKind::slice_head,     StepKind::slice_tail, StepKind::normalize,
    StepKind::vectorize,     StepKind::parallel,       StepKind::unroll,     StepKind::distribute,
    StepKind::fuse_siblings, StepKind::compute_inline, StepKind::compute_at, StepKind::cache_reads,
    StepKind::cache_writes,  StepKind::compress,       StepKind::rfactor,    StepKind::serial};

std::vector<std::string> some_loops(const Stage& stage, test::Dice& dice, int count) {
    std::vector<std::string> loops = stage.loops;
    std::shuffle(loops.begin(), loops.end(), dice.engine());
    loops.resize(std::min<std::size_t>(loops.size(), static_cast<std::size_t>(count)));
    return loops;
}

}  // namespace

Step random_step(const Nest& nest, test::Dice& dice) {
    const std::vector<Stage> stages = stages_of(nest);
    const Stage &stage = pick(stages, dice), &other = pick(stages, dice);
    Step step{kinds[dice.between(0, static_cast<int>(std::size(kinds)) - 1)], stage.func, stage.stage};
    const std::string a = fresh(nest, "a"), b = fresh(nest, "b"), c = fresh(nest, "c"), d = fresh(nest, "d");
    step.factor = dice.between(1, 7);
    step.second = dice.between(1, 5);
    step.tail = std::vector<Tail>{Tail::guard, Tail::separate, Tail::exact,
                                  Tail::shift_inwards}[static_cast<std::size_t>(dice.between(0, 3))];
    step.at_func = other.func;
    step.at_stage = other.stage;
    step.at_loop = other.loops.empty() ? "none" : pick(other.loops, dice);
    step.tensor = stage.reads.empty() ? "none" : pick(stage.reads, dice);
    step.loops = some_loops(stage, dice, 1);
    switch (step.kind) {
    case StepKind::vectorize:
    case StepKind::unroll:
    case StepKind::parallel:
        step.second = {};
        if (dice.chance(30)) step.loops = some_loops(stage, dice, 2);
        if ((step.loops.size() > 1 && step.kind != StepKind::parallel) || !dice.chance(30)) break;
        step.made = {a, b};
        if (step.tail == Tail::separate) step.tail = Tail::guard;
        if (step.kind != StepKind::vectorize || !dice.chance(50)) break;
        step.made = {a, b, c};
        step.second = dice.between(1, 5);
        break;
    case StepKind::split: step.made = {a, b, c}; break;
    case StepKind::tile:
        step.loops = some_loops(stage, dice, 2);
        step.made = {a, b, c, d};
        break;
    case StepKind::fuse:
    case StepKind::flatten:
        step.loops = some_loops(stage, dice, 2);
        step.made = {a};
        break;
    case StepKind::reorder: step.loops = some_loops(stage, dice, 5); break;
    case StepKind::slice_head:
    case StepKind::slice_tail: step.made = {a, b}; break;
    case StepKind::rfactor: step.made = {fresh(nest, "P"), a}; break;
    case StepKind::cache_reads:
        step.at_func = step.func;
        step.at_loop = stage.loops.empty() ? "none" : pick(stage.loops, dice);
        step.made = {fresh(nest, "R")};
        break;
    case StepKind::cache_writes:
        step.at_func = step.func;
        step.at_loop = stage.loops.empty() ? "none" : pick(stage.loops, dice);
        step.made = {fresh(nest, "W")};
        break;
    case StepKind::rename:
    case StepKind::fuse_siblings: step.made = {a}; break;
    default: break;
    }
    const std::size_t needed = step.kind == StepKind::tile || step.kind == StepKind::fuse ||
                                       step.kind == StepKind::flatten || step.kind == StepKind::reorder
                                   ? 2
                                   : 1;
    if (step.loops.size() < needed) return {StepKind::compute_root, stage.func, stage.stage};
    return step;
}

Step random_illegal_step(const Nest& nest, test::Dice& dice) {
    Step step = random_step(nest, dice);
    while (step.kind == StepKind::compute_root || step.kind == StepKind::fuse_siblings) step = random_step(nest, dice);
    const bool of_func = step.kind == StepKind::compute_inline || step.kind == StepKind::compute_at ||
                         step.kind == StepKind::compress || step.kind == StepKind::cache_reads ||
                         step.kind == StepKind::cache_writes;
    const int way = dice.between(0, 4);
    if (of_func || way == 0) {
        step.func = "nobody";
        step.at_func = "nobody";
        return step;
    }
    if (way == 1) {
        step.stage += 50;
    } else if (way == 2) {
        step.loops[0] = "nowhere";
    } else if (way == 3 && step.made.size() > 1 && step.kind != StepKind::rfactor) {
        step.made[1] = step.made[0];
    } else if (step.kind == StepKind::split || step.kind == StepKind::slice_head || step.kind == StepKind::slice_tail ||
               step.kind == StepKind::tile) {
        step.factor = -dice.between(0, 9);
    } else {
        step.loops[0] = "gone";
    }
    return step;
}

RandomHistory random_history(const Nest& start, int steps, test::Dice& dice) {
    RandomHistory history{{}, {}, start};
    for (int i = 0; i < steps; i++) {
        const Step step = random_step(history.nest, dice);
        const std::string before = print(history.nest);
        const auto after = apply_to_nest(history.nest, step);
        EXPECT_EQ(print(history.nest), before);
        if (!after) {
            EXPECT_NE(after.error().fix, "") << after.error().what;
            history.refused.push_back(print(step));
            continue;
        }
        int statements = 0;
        each_statement(after.value(), [&](const NestPath&, const NestStatement&) { statements++; });
        if (statements > 120) continue;
        history.nest = after.value();
        history.accepted.steps.push_back(step);
    }
    return history;
}

}  // namespace halogen
