// Random programs, split at random: the shards' own parts cover every result once, and what the shards compute, run by the
// interpreter over windows, is what the whole kernel computes. All numbers are small and whole, so that sums are exact in any order.
// HALOGEN_SEED and HALOGEN_COUNT take a run back or make it longer.

#include "frontend/interpret/interpret.h"
#include "frontend/project/plan.h"
#include "frontend/project/ranks.h"
#include "frontend/project/run_shards.h"
#include "frontend/project/same_kernel.h"
#include "frontend/solve/solve.h"
#include "tests/project/random_programs.h"
#include "tests/solve/seed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace halogen {
namespace {

using test::Dice;

Tensors random_inputs(const Kernel& kernel, const Solution& numbers, Dice& dice) {
    Tensors inputs;
    for (const Tensor* t : kernel.inputs()) {
        std::vector<std::int64_t> extents;
        for (const Formula& e : numbers.extents.at(t->name)) extents.push_back(*e.constant());
        HostTensor& tensor = inputs[t->name] = HostTensor(t->type, extents);
        for (std::int64_t i = 0; i < tensor.elements(); ++i) {
            if (is_float(t->type))
                tensor.set_real(i, dice.between(-3, 3));
            else
                tensor.set_integer(i, dice.between(0, 2));
        }
    }
    return inputs;
}

/// Runs a shard by the interpreter, on copies of its parts.
void interpret_task(const ShardTask& task) {
    const Kernel& kernel = task.shard->kernel;
    Tensors inputs;
    Settings known;
    for (const auto& [name, value] : task.call.sizes) known[name] = value;
    for (const Tensor* t : kernel.inputs()) {
        inputs[t->name] = copy_of(task.parts.at(t->name));
        for (int d = 0; d < t->rank; ++d) known[fmt::format("{}.{}", t->name, d)] = inputs[t->name].extents()[d];
    }
    const Tensors values = interpret(kernel, solve(kernel, known).value(), inputs, {}).value();
    for (const Tensor* t : kernel.outputs()) copy_back(values.at(t->name), task.parts.at(t->name));
}

/// Every element of every result is one shard's own, partial results left aside.
void expect_cover(const Kernel& kernel, const Solution& numbers, const ShardStep& step) {
    for (const std::string& tensor : step.results) {
        std::map<std::vector<std::int64_t>, std::int64_t> owners;
        std::int64_t alike = 1;
        for (const Cut& cut : step.cuts) alike *= cut.partial ? cut.split.shards : 1;
        for (std::int64_t n = 0; n < step.shards(); ++n) {
            const Window own = own_windows(kernel, numbers, step, shares_of(step, n)).at(tensor);
            std::vector<std::int64_t> extents;
            for (const Hull& h : own) extents.push_back(std::max<std::int64_t>(0, *h.extent().constant()));
            for_each_index(extents, [&](std::span<const std::int64_t> index) {
                std::vector<std::int64_t> at(index.begin(), index.end());
                for (std::size_t d = 0; d < at.size(); ++d) at[d] += *own[d].low.constant();
                ++owners[at];
            });
        }
        std::int64_t elements = 1;
        for (const Formula& e : numbers.extents.at(tensor)) elements *= *e.constant();
        EXPECT_EQ(static_cast<std::int64_t>(owners.size()), elements) << tensor;
        for (const auto& [at, count] : owners) EXPECT_EQ(count, alike) << tensor;
    }
}

bool equal_bits(const HostTensor& a, const HostTensor& b) {
    return a.extents() == b.extents() && std::memcmp(a.data(), b.data(), a.storage().size()) == 0;
}

class RandomShards : public testing::Test {
protected:
    void check(unsigned seed) {
        Dice dice(seed);
        const std::string text = test::RandomProgram(dice).text();
        const auto program = parse(text);
        if (!program) return refused_["the text: " + program.error().what]++, void();
        const Kernel kernel = program.value().kernels[0];
        Settings known;
        for (const char* name : {"N", "M", "V.0", "V.1", "I.0", "K"})
            known[name] = std::string(name) == "K" ? dice.between(1, 3) : dice.between(4, 9);
        auto solved = solve(kernel, known);
        for (const char* name : {"V.1", "V.0", "I.0"}) {  // dims that the equations give
            if (solved) break;
            known.erase(name);
            solved = solve(kernel, known);
        }
        if (!solved || !is_number(solved.value())) return;
        SCOPED_TRACE(fmt::format("seed {}: {}", seed, text));
        const Solution& numbers = solved.value();
        Tensors tensors = random_inputs(kernel, numbers, dice);
        const auto whole = interpret(kernel, numbers, tensors, {});
        if (!whole) return;
        solved_++;
        const Phases phases = random_phases(kernel, dice);
        const auto steps = steps_of(kernel, numbers, phases);
        if (!steps) return;  // ordered; its message is tested elsewhere
        if (!fitting(steps.value())) return;
        SCOPED_TRACE(print(phases));
        expect_ranks_run_every_shard(steps.value());
        std::vector<ShardKernel> shards;
        for (const ShardStep& step : steps.value()) {
            expect_cover(kernel, numbers, step);
            shards.push_back(shard_kernel_of(kernel, numbers, step).value());
            several_ += step.shards() > 1;
            partial_ += step.is_partial();
        }
        split_++;
        phases_ += phases.size() > 1;
        const auto same = same_kernel_of(kernel, numbers, steps.value());
        if (const auto* shard = std::get_if<ShardKernel>(&same)) {
            same_++;
            compare(kernel, numbers, steps.value(), {*shard}, tensors, whole.value());
        }
        compare(kernel, numbers, steps.value(), shards, tensors, whole.value());
    }

    static void compare(const Kernel& kernel, const Solution& numbers, const std::vector<ShardStep>& steps,
                        const std::vector<ShardKernel>& shards, Tensors tensors, const Tensors& whole) {
        try {
            run_shards(kernel, numbers, steps, shards, tensors, 3, interpret_task);
        } catch (const Failure& failure) {
            FAIL() << format(failure.error(), "shard") << "\n" << print(shards.back().kernel);
        }
        for (const Tensor* t : kernel.outputs())
            EXPECT_TRUE(equal_bits(tensors.at(t->name), whole.at(t->name)))
                << t->name << "\n"
                << print(shards.front().kernel) << print(shards.back().kernel);
    }

    static bool is_number(const Solution& s) {
        return std::all_of(s.sizes.begin(), s.sizes.end(), [](const auto& e) { return e.second.is_constant(); });
    }

    static void expect_ranks_run_every_shard(const std::vector<ShardStep>& steps) {
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            std::set<std::int64_t> run, all;
            for (std::int64_t rank = 0; rank < ranks_of(steps); ++rank) run.insert(shard_of(steps, i, rank));
            for (std::int64_t shard = 0; shard < steps[i].shards(); ++shard) all.insert(shard);
            EXPECT_EQ(run, all) << "step " << i + 1;
            for (const std::int64_t shard : all) {
                const std::int64_t first = rank_of(steps, i, shard);
                EXPECT_EQ(shard_of(steps, i, first), shard);
                for (std::int64_t rank = 0; rank < first; ++rank) EXPECT_NE(shard_of(steps, i, rank), shard);
            }
        }
    }

    /// One phase, or several that begin anywhere; some leave their equations whole.
    static Phases random_phases(const Kernel& kernel, Dice& dice) {
        Phases phases = {{0, {}}};
        const int count = static_cast<int>(kernel.equations.size());
        const bool several = dice.chance(50);
        for (int e = 1; e < count; ++e)
            if (several && dice.chance(50)) phases.push_back({e, {}});
        for (std::size_t p = 0; p < phases.size(); ++p) {
            const int end = p + 1 < phases.size() ? phases[p + 1].first : count;
            if (phases.size() == 1 || dice.chance(85))
                phases[p].splits = random_splits(kernel, {phases[p].first, end}, dice);
        }
        return phases;
    }

    static std::vector<Split> random_splits(const Kernel& kernel, Section section, Dice& dice) {
        std::vector<std::string> names;
        for (int e = section.first; e < section.end; ++e)
            for (const std::string& index : indices_of(kernel.equations[e]))
                if (std::find(names.begin(), names.end(), index) == names.end()) names.push_back(index);
        std::shuffle(names.begin(), names.end(), dice.engine());
        std::vector<Split> splits;
        for (const std::string& name : names)
            if (static_cast<int>(splits.size()) < (dice.chance(40) ? 2 : 1))
                splits.push_back({name, dice.between(2, 4)});
        return splits;
    }

    int solved_ = 0, split_ = 0, phases_ = 0, several_ = 0, partial_ = 0, same_ = 0;
    std::map<std::string, int> refused_;
};

TEST_F(RandomShards, ComputeWhatTheWholeKernelComputes) {
    const unsigned seed = test::seed_of_run();
    const char* given = std::getenv("HALOGEN_COUNT");
    const int count = given ? std::atoi(given) : 3000;
    for (int i = 0; i < count && !HasFailure(); ++i) check(seed * 100'000 + static_cast<unsigned>(i));
    for (const auto& [what, times] : refused_) std::cout << times << " times " << what << "\n";
    std::cout << solved_ << " solved, " << split_ << " split, " << phases_ << " of them by phases, " << several_
              << " steps of several shards, " << partial_ << " with partial results; " << same_
              << " by calls of the kernel itself\n";
    EXPECT_GE(split_, count / 5);
}

}  // namespace
}  // namespace halogen
