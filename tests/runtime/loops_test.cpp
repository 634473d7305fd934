// Parallel loops: every iteration once, by whichever thread, and the first error ends them.

#include <halogen/loops.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace halogen::detail {
namespace {

TEST(Share, GivesItsOwnerTheFirstAndOthersTheLast) {
    Share share;
    share.set(3, 6);
    std::uint32_t at = 0;
    EXPECT_TRUE(share.take_first(at) && at == 3);
    EXPECT_TRUE(share.take_last(at) && at == 5);
    EXPECT_TRUE(share.take_first(at) && at == 4);
    EXPECT_FALSE(share.take_first(at));
    EXPECT_FALSE(share.take_last(at));
}

/// How often each iteration ran.
struct Counts {
    std::vector<std::atomic<int>> of;
    int failing = 1000;
    explicit Counts(int size) : of(static_cast<std::size_t>(size)) {}

    static int task(void*, int i, std::uint8_t* closure) {
        auto& counts = *reinterpret_cast<Counts*>(closure);
        counts.of[static_cast<std::size_t>(i) + 7]++;
        return i == counts.failing ? 42 : 0;
    }
    std::uint8_t* closure() { return reinterpret_cast<std::uint8_t*>(this); }
};

TEST(SharedLoop, RunsEachIterationOnceForAnyNumberOfThreadsAndShares) {
    for (const int size : {1, 2, 3, 64, 65, 1000})
        for (const int threads : {1, 2, 3, 8, 100}) {
            Counts counts(size);
            SharedLoop loop(&Counts::task, counts.closure(), -7, size, threads);
            std::vector<std::thread> team;
            for (int t = 0; t < threads; t++) team.emplace_back([&loop, t] { EXPECT_EQ(loop.run(nullptr, t), 0); });
            for (std::thread& thread : team) thread.join();
            for (const auto& count : counts.of) EXPECT_EQ(count, 1) << size << " iterations, " << threads << " threads";
        }
}

TEST(SharedLoop, OneThreadDoesTheWorkOfThoseThatNeverCome) {
    Counts counts(100);
    SharedLoop loop(&Counts::task, counts.closure(), -7, 100, 4);
    EXPECT_EQ(loop.run(nullptr, 2), 0);
    for (const auto& count : counts.of) EXPECT_EQ(count, 1);
}

TEST(SharedLoop, EndsWithAnErrorOfOneIterationForAllThreads) {
    Counts counts(100);
    counts.failing = 20 - 7;
    SharedLoop loop(&Counts::task, counts.closure(), -7, 100, 2);
    EXPECT_EQ(loop.run(nullptr, 0), 42);
    EXPECT_EQ(counts.of[20], 1);
    EXPECT_EQ(counts.of[21], 0);
    EXPECT_EQ(loop.run(nullptr, 1), 42);
    EXPECT_EQ(std::ranges::count(counts.of, 1, [](const auto& count) { return count.load(); }), 22);
}

std::atomic<int> tasks_of_the_pool{0};
int counted(void* user_context, halide_task_t task, int min, int size, std::uint8_t* closure) {
    tasks_of_the_pool = size;
    return halide_default_do_par_for(user_context, task, min, size, closure);
}

TEST(Loop, OfACallIsATaskAThreadForThePoolAndOneOfOthersIsLeftToIt) {
    use_threads(3);
    const halide_do_par_for_t before = previous_loop().exchange(&counted);
    CallContext context;
    Counts counts(100);
    EXPECT_EQ(run_loop(&context, &Counts::task, -7, 100, counts.closure()), 0);
    EXPECT_EQ(tasks_of_the_pool, 3);
    EXPECT_EQ(run_loop(&context, &Counts::task, -7, 2, counts.closure()), 0);
    EXPECT_EQ(tasks_of_the_pool, 2);
    EXPECT_EQ(run_loop(nullptr, &Counts::task, -7, 100, counts.closure()), 0);
    EXPECT_EQ(tasks_of_the_pool, 100);
    for (std::size_t i = 0; i < 100; i++) EXPECT_EQ(counts.of[i], i < 2 ? 3 : 2);
    previous_loop().store(before);
}

}  // namespace
}  // namespace halogen::detail
