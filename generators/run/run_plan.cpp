#include "generators/run/run_plan.h"

#include "frontend/notation/parts.h"
#include "frontend/project/run_shards.h"
#include "frontend/project/same_kernel.h"
#include "frontend/solve/solve.h"
#include "generators/run/executor.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// Data in brackets decide which elements are touched: looked at before anything runs, in the whole kernel's coordinates.
bool has_data_in_brackets(const Kernel& kernel) {
    bool found = false;
    for (const Equation& equation : kernel.equations) {
        const auto look = [&](const Access& access) {
            for (const Expr& place : access.at) found = found || depends_on_data(place);
        };
        look(equation.left);
        each_read(equation, look);
    }
    return found;
}

/// The kernel itself where its shards are calls of it, so that each element is computed by the same code; else one for each step.
std::vector<ShardKernel> kernels_of(const Kernel& kernel, const Solution& numbers,
                                    const std::vector<ShardStep>& steps) {
    auto same = same_kernel_of(kernel, numbers, steps);
    if (auto* shard = std::get_if<ShardKernel>(&same)) return {std::move(*shard)};
    std::vector<ShardKernel> shards;
    for (const ShardStep& step : steps) shards.push_back(shard_kernel_of(kernel, numbers, step).value());
    return shards;
}

/// The sizes of a shard's call, solved: what its guards ask holds.
Solution solved(const ShardTask& task) {
    Settings known;
    for (const auto& [name, value] : task.call.sizes) known[name] = value;
    for (const auto& [name, tensor] : task.shard->inputs) {
        const auto& extents = task.parts.at(name).part.extents;
        for (std::size_t d = 0; d < extents.size(); ++d) known[fmt::format("{}.{}", name, d)] = extents[d];
    }
    return solve(task.shard->kernel, known).value();
}

}  // namespace

Tensors run_plan(const Kernel& kernel, const CallData& data, const ShardPlan& plan, const Leg& leg, int threads) {
    const auto steps = fitting(steps_of(kernel, data.numbers, plan.phases).value()).value();
    if (has_data_in_brackets(kernel)) Executor(kernel, leg, {}, Variant{}, data, threads).check_data(data);
    const std::vector<ShardKernel> shards = kernels_of(kernel, data.numbers, steps);
    std::int64_t fewest = threads;
    for (const ShardStep& step : steps) fewest = std::min(fewest, step.shards());
    std::vector<std::unique_ptr<Executor>> executors;
    for (const ShardKernel& shard : shards)
        executors.push_back(std::make_unique<Executor>(shard.kernel, leg, Settings{}));
    set_threads(static_cast<int>(std::max<std::int64_t>(1, threads / fewest)));
    Tensors tensors = data.inputs;
    run_shards(kernel, data.numbers, steps, shards, tensors, threads,
               [&](const ShardTask& task) { executors[task.step]->prepare(solved(task), data.scalars, task.parts)(); });
    Tensors outputs;
    for (const Tensor* t : kernel.outputs()) outputs[t->name] = std::move(tensors.at(t->name));
    return outputs;
}

}  // namespace halogen
