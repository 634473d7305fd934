// Random histories on Halide: whatever the model, the shadow nest and Halide accept gives the interpreter's values, and leaves
// the state that the steps say. HALOGEN_SEED takes a seed back, HALOGEN_HISTORIES the number.

#include "generators/run/call_data.h"
#include "generators/run/child.h"
#include "generators/run/executor.h"
#include "generators/run/verify.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/shadow.h"
#include "schedules/bind/slices.h"
#include "schedules/history/kinds.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "tests/solve/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace halogen {
namespace {

struct Program {
    const char* text;
    std::vector<std::vector<std::string>> sizes;  // of calls; the shadow looks at the first
};

const std::vector<Program>& programs() {
    static const std::vector<std::vector<std::string>> one{{"N=11"}, {"N=1"}, {"N=64"}};
    static const std::vector<std::vector<std::string>> two{{"M=7", "N=11"}, {"M=1", "N=1"}, {"M=13", "N=37"}};
    static const std::vector<Program> all{
        {"kernel k(X: i32[M, N]) -> Y: i32[M, N] { Y[i,j] = 3*X[i,j] + 1 }", two},
        {"kernel k(X: i32[M, N]) -> Y: i32[M] { Y[i] += X[i,j] }", two},
        {"kernel k(X: i32[M, N]) -> Y: i32[N] { Y[j] max= X[i,j] }", two},
        {"kernel k(X: i32[M, N]) -> (Y: i32, Z: i32) { S[i] += X[i,j]; Y[i,j] = X[i,j] - S[i]; Z[i] = S[i]*2 }", two},
        {"kernel k(A: i32[M, K], B: i32[K, N]) -> C: i32 { C[i,j] += A[i,k]*B[k,j] }",
         {{"M=7", "N=11", "K=5"}, {"M=1", "N=1", "K=0"}, {"M=13", "N=17", "K=9"}}},
        {"kernel k(X: i32[N]) -> Y: i32 { P[i] = 2*X[i] + 1; Q[i] = P[i] + P[i+1] where i in 0:N-1; Y[i] = Q[i]*3 }",
         {{"N=11"}, {"N=2"}, {"N=64"}}},
        {"kernel k(X: i32[M pad 1, N pad 1] else 0) -> Y: i32[M, N] { H[y,x] = X[y,x-1] + X[y,x] + X[y,x+1]; "
         "Y[y,x] += H[y,x]*r where r in 0:3 }",
         two},
        {"kernel k(X: i32[N]) -> Y: i32[N] { Y[0] = X[0]; Y[i] = Y[i-1] + X[i] where i in 1:N }", one},
        {"kernel k(I: i32[N], W: i32[N]) -> H: i32[256] { H[I[n]] += W[n] where I[n] >= 0 }", {{"N=11"}, {"N=1"}}},
        {"kernel k(A: i32[M, K], B: i32[K, N]) -> C: i32 { Z[i,j] += A[i,k]*B[k,j]; R[i] max= Z[i,j]; C[i,j] = Z[i,j] "
         "- "
         "R[i] }",
         {{"M=7", "N=11", "K=5"}, {"M=1", "N=1", "K=1"}, {"M=9", "N=17", "K=3"}}},
    };
    return all;
}

CallData call_of(const Kernel& kernel, const std::vector<std::string>& sizes) {
    Options options;
    options.set = sizes;
    options.random = 7;
    return prepare_call(kernel, options, false);
}

const StepKind kinds[] = {StepKind::split,
                          StepKind::split,
                          StepKind::split,
                          StepKind::split,
                          StepKind::tile,
                          StepKind::fuse,
                          StepKind::reorder,
                          StepKind::reorder,
                          StepKind::rename,
                          StepKind::vectorize,
                          StepKind::vectorize,
                          StepKind::unroll,
                          StepKind::parallel,
                          StepKind::serial,
                          StepKind::compute_at,
                          StepKind::compute_at,
                          StepKind::compute_at,
                          StepKind::compute_root,
                          StepKind::store_at,
                          StepKind::store_root,
                          StepKind::hoist_storage,
                          StepKind::atomic,
                          StepKind::specialize,
                          StepKind::rfactor,
                          StepKind::reorder_storage,
                          StepKind::align_storage,
                          StepKind::prefetch,
                          StepKind::compute_with,
                          StepKind::fuse_siblings,
                          StepKind::copy_in,
                          StepKind::never_partition,
                          StepKind::always_partition,
                          StepKind::compute_inline,
                          StepKind::normalize,
                          StepKind::distribute,
                          StepKind::compress,
                          StepKind::cache_reads,
                          StepKind::cache_reads,
                          StepKind::cache_writes,
                          StepKind::cache_writes,
                          StepKind::slice_head,
                          StepKind::slice_head,
                          StepKind::slice_tail,
                          StepKind::slice_tail};

/// Random steps on the Funcs, stages and loops of a state.
class Thrower {
public:
    Thrower(const Kernel& kernel, const ScheduleState& state, test::Dice& dice, int number)
        : kernel_(kernel), state_(state), dice_(dice), number_(number) {}

    Step step() {
        const auto& [func, f] = *std::next(state_.begin(), dice_.between(0, static_cast<int>(state_.size()) - 1));
        const StageState& stage = f.stages[dice_.between(0, static_cast<int>(f.stages.size()) - 1)];
        Step step{kinds[dice_.between(0, static_cast<int>(std::size(kinds)) - 1)], func, std::max(stage.step_stage, 0)};
        const auto& [other, g] = *std::next(state_.begin(), dice_.between(0, static_cast<int>(state_.size()) - 1));
        step.at_func = other;
        const StageState& at = g.stages[dice_.between(0, static_cast<int>(g.stages.size()) - 1)];
        step.at_stage = std::max(at.step_stage, 0);
        step.at_loop = some_loop(at);
        fill(step, stage);
        return step;
    }

private:
    std::string some_loop(const StageState& stage) {
        const std::vector<std::string> loops = shuffled(stage);
        return loops.empty() ? "none" : loops.front();
    }
    std::string fresh(const char* stem) { return stem + std::to_string(number_) + "_" + std::to_string(made_++); }

    std::vector<std::string> shuffled(const StageState& stage) {
        std::vector<std::string> loops;
        for (const LoopState& l : stage.loops)
            if (l.name.find('$') == std::string::npos) loops.push_back(l.name);  // others have no handle
        std::shuffle(loops.begin(), loops.end(), dice_.engine());
        return loops;
    }

    /// The inner loop of a split, whose extent is constant; any loop without one.
    std::string constant_loop(const StageState& stage) {
        for (auto s = stage.splits.rbegin(); s != stage.splits.rend(); ++s)
            if (s->kind == SplitState::Kind::split && stage.find(s->inner) >= 0) return s->inner;
        return "none";
    }

    void fill(Step& step, const StageState& stage) {
        step.factor = dice_.between(1, 6);
        step.second = dice_.between(1, 5);
        step.tail = dice_.between(0, 3) ? Tail::guard : Tail::predicate;
        step.loops = {some_loop(stage)};
        switch (step.kind) {
        case StepKind::split:
            step.made = {fresh("o"), fresh("i")};
            if (dice_.between(0, 4)) break;
            step.tail = Tail::separate;
            step.made.push_back(fresh("t"));
            break;
        case StepKind::slice_head:
        case StepKind::slice_tail: step.made = {fresh("a"), fresh("b")}; break;
        case StepKind::tile: step.made = {fresh("o"), fresh("p"), fresh("i"), fresh("j")}; [[fallthrough]];
        case StepKind::fuse:
            step.loops = shuffled(stage);
            step.loops.resize(std::min<std::size_t>(2, step.loops.size()));
            if (step.kind == StepKind::fuse) step.made = {fresh("f")};
            break;
        case StepKind::reorder:
        case StepKind::reorder_storage: step.loops = shuffled(stage); break;
        case StepKind::rename:
        case StepKind::fuse_siblings: step.made = {fresh("r")}; break;
        case StepKind::vectorize:
        case StepKind::unroll:
        case StepKind::parallel:
            if (dice_.between(0, 2)) {
                step.second = {};
                if (step.kind != StepKind::parallel) step.loops = {constant_loop(stage)};
                break;
            }
            step.made = {fresh("o"), fresh("i")};
            if (step.kind == StepKind::parallel && dice_.between(0, 1)) step.loops = shuffled(stage);
            if (step.kind == StepKind::vectorize && dice_.between(0, 1))
                step.made.push_back(fresh("v"));
            else
                step.second = {};
            break;
        case StepKind::rfactor: step.made = {fresh("P"), fresh("u")}; break;
        case StepKind::align_storage: step.factor = 8; break;
        case StepKind::prefetch: step.tensor = kernel_.inputs().front()->name; break;
        case StepKind::cache_writes: step.made = {fresh("W")}; break;
        case StepKind::cache_reads:
        case StepKind::copy_in:
            step.tensor = kernel_.tensors[dice_.between(0, static_cast<int>(kernel_.tensors.size()) - 1)].name;
            step.made = {fresh("C")};
            step.factor = step.second = {};
            break;
        case StepKind::specialize: {
            Condition::Term term{Condition::Term::Kind::at_least};
            term.left = Formula::symbol("N");
            term.right = dice_.between(0, 20);
            step.when.all = {term};
            Step inner{StepKind::unroll, step.func, step.stage, {some_loop(stage)}};
            inner.kind = dice_.between(0, 1) ? StepKind::parallel : StepKind::split;
            inner.factor = 4;
            inner.tail = Tail::guard;
            if (inner.kind == StepKind::split) inner.made = {fresh("s"), fresh("t")};
            step.nested = {inner};
            break;
        }
        default: break;
        }
    }

    const Kernel& kernel_;
    const ScheduleState& state_;
    test::Dice& dice_;
    const int number_;
    int made_ = 0;
};

bool enough_loops(const Step& step) {
    const bool two = step.kind == StepKind::tile || step.kind == StepKind::fuse || step.kind == StepKind::reorder ||
                     step.kind == StepKind::reorder_storage;
    return step.loops.size() >= (two ? 2 : 1);
}

/// Up to `count` random steps that the model, Halide's directives and the shadow nest accept, one after the other.
History random_history(const Program& program, int count, test::Dice& dice) {
    const Kernel kernel = parse(program.text).value().kernels.front();
    const Solution open = solve_open(kernel);
    const Settings sizes = parse_settings(program.sizes.front());
    History history;
    ScheduleState state = bind(kernel, open, history).value().state;
    for (int n = 0; n < count; n++) {
        const Step step = Thrower(kernel, state, dice, n).step();
        if (!enough_loops(step)) continue;
        History longer = history;
        longer.steps.push_back(step);
        if (kind_row(step.kind).scope == StepScope::equations && step.kind == StepKind::copy_in) {
            longer.steps.pop_back();
            longer.steps.insert(longer.steps.begin(), step);
        }
        const auto bound = bind(kernel, open, longer);
        if (!bound) continue;

        const auto shadow = run_shadow(kernel, open, longer, sizes);
        if (shadow && !shadow.value().refused.empty()) continue;
        history = longer;
        state = bound.value().state;
    }
    return history;
}

/// "" when every call gives the interpreter's values; "refused …" when Halide cannot lower the history, "stopped …" when its own
/// checks of bounds end a call before anything is written.
std::string run(const Program& program, const History& history) {
    const Kernel kernel = parse(program.text).value().kernels.front();
    std::unique_ptr<Executor> executor;
    try {
        executor = std::make_unique<Executor>(kernel, *find_leg("sse41"), Settings{}, &history);
    } catch (const Failure& failure) {
        return "refused " + failure.error().what;
    }
    for (const std::vector<std::string>& sizes : program.sizes) {
        const CallData data = call_of(kernel, sizes);
        Tensors outputs = executor->make_outputs(data);
        try {
            executor->check_data(data);
        } catch (const Failure&) {
            continue;  // these data are refused by any schedule
        }
        try {
            executor->prepare(data, outputs)();
        } catch (const Failure& failure) {
            return "stopped " + failure.error().what;
        }
        verify(kernel, data, outputs);
    }
    return "";
}

int number_of(const char* variable, int usual) {
    const char* const given = std::getenv(variable);
    return given ? std::atoi(given) : usual;
}

TEST(HalideFuzz, RandomLegalHistoriesGiveTheInterpretersValues) {
    constexpr double limit = 120;  // seconds for one history
    const unsigned seed = test::seed_of_run();
    const int count = number_of("HALOGEN_HISTORIES", 60);
    int steps = 0, parts = 0, caches = 0, refused = 0, stopped = 0;
    for (int n = number_of("HALOGEN_FIRST", 0); n < count; n++) {
        test::Dice dice(seed * 1000003U + static_cast<unsigned>(n));
        const Program& program = programs()[static_cast<std::size_t>(n) % programs().size()];
        const Answer made = in_child([&] { return print(random_history(program, 14, dice)); }, limit);
        ASSERT_TRUE(made.done) << "history " << n << " of " << program.text << ": " << made.text;
        History history = parse_history(made.text).value();
        for (bool again = true; again;) {
            const Answer ran = in_child([&] { return run(program, history); }, limit);
            EXPECT_TRUE(ran.done) << "history " << n << "\n" << program.text << "\n" << print(history) << ran.text;
            again = ran.done && !ran.text.empty();
            if (!again) break;
            (ran.text.starts_with("stopped")
                 ? stopped
                 : refused)++;  // Halide's own checks while it lowers: a shorter history may pass
            if (std::getenv("HALOGEN_SHOW_REFUSED"))
                std::cout << program.text << "\n" << print(history) << ran.text << "\n";
            history = prefix(history, count_steps(history) / 2);
        }
        steps += count_steps(history);
        each_step(history.steps, [&](const Step& step) {
            if (slices(step)) parts++;
            if (makes_placed_copy(step.kind)) caches++;
        });
    }
    std::cout << count << " histories, " << steps << " accepted steps (" << parts << " slices, " << caches
              << " caches), " << refused << " refused while lowering, " << stopped << " stopped by Halide's checks\n";
}

}  // namespace
}  // namespace halogen
