// What plans cost, and that the planner finds the cheapest.

#include "frontend/project/planner.h"
#include "frontend/project/scale.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

namespace halogen {
namespace {

using testing::ElementsAre;

const char* const matmul = "kernel matmul(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] { C[i, j] += A[i, k]*B[k, j] }";
const char* const softmax =
    "kernel softmax(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = exp(X[b, n] - M[b]); S[b] += E[b, n]; "
    "Y[b, n] = E[b, n] / S[b] }";
const char* const attention =
    "kernel attention(Q: f32[H, T, D], K: f32[H, S, D], V: f32[H, S, D]) -> Y: f32 { P[h, t, s] += Q[h, t, d]*K[h, s, "
    "d]; "
    "M[h, t] max= P[h, t, s]; E[h, t, s] = exp(P[h, t, s] - M[h, t]); L[h, t] += E[h, t, s]; "
    "Y[h, t, d] += E[h, t, s]/L[h, t]*V[h, s, d] }";

const char* const pooled =
    "kernel pooled(X: f32[H pad P, W pad P, C] else 0, F: f32[R, S, C], P: size = 0) -> Y: f32 { "
    "Z[y, x] += X[y + r - P, x + s - P, c]*F[r, s, c]; Y[y, x] max= Z[2*y + r, 2*x + s] where r in 0:2, s in 0:2 }";
const char* const heat =
    "kernel heat(U: f32[X pad 1, Y pad 1, Z pad 1] else 0) -> V: f32[X, Y, Z] { V[x, y, z] = U[x, y, z] + U[x - 1, "
    "y, z] + U[x + 1, y, z] + U[x, y - 1, z] + U[x, y + 1, z] + U[x, y, z - 1] + U[x, y, z + 1] }";
const char* const cumsum =
    "kernel cumsum(X: f32[B, N]) -> Y: f32[B, N] { S[b, 0] = 0; S[b, n] = S[b, n - 1] + X[b, n - 1] where n in 1:N + "
    "1; Y[b, n] = S[b, n + 1] }";

struct Case {
    const char* text;
    Settings sizes;
};
const std::vector<Case> cases = {
    {matmul, {{"M", 12}, {"N", 8}, {"K", 16}}},
    {softmax, {{"B", 7}, {"N", 64}}},
    {attention, {{"H", 4}, {"T", 16}, {"S", 12}, {"D", 8}}},
    {heat, {{"X", 8}, {"Y", 12}, {"Z", 16}}},
    {cumsum, {{"B", 64}, {"N", 9}}},
    {pooled, {{"H", 34}, {"W", 34}, {"C", 4}, {"R", 3}, {"S", 3}, {"P", 1}}},
    {test::conv2d, {{"N", 2}, {"H", 8}, {"W", 8}, {"C", 4}, {"R", 3}, {"S", 3}, {"K", 4}, {"P", 1}}}};

/// The seconds of every way to make so many shards of up to three indices.
std::vector<double> all_ways(const Kernel& kernel, const Solution& s, std::int64_t ranks) {
    std::set<std::string> names;
    for (const Equation& e : kernel.equations)
        for (const std::string& index : indices_of(e)) names.insert(index);
    const std::vector<std::string> order(names.begin(), names.end());
    std::vector<double> seconds;
    std::vector<Split> splits;
    const std::function<void(std::size_t)> visit = [&](std::size_t i) {
        if (i == order.size()) {
            const auto steps = steps_of(kernel, s, splits);
            if (!steps || !fitting(steps.value())) return;
            std::int64_t most = 1, all = 1;
            for (const ShardStep& step : steps.value()) most = std::max(most, step.shards());
            for (const Split& split : splits) all *= split.shards;
            if (most == ranks && all == ranks) seconds.push_back(predict(kernel, s, steps.value(), {}).seconds());
            return;
        }
        visit(i + 1);
        if (splits.size() == 3) return;
        for (std::int64_t n = 2; n <= ranks; ++n) {
            if (ranks % n != 0) continue;  // else they do not make so many
            splits.push_back({order[i], n});
            visit(i + 1);
            splits.pop_back();
        }
    };
    visit(0);
    return seconds;
}

TEST(Planner, ItsChoiceIsTheCheapestOfAll) {
    for (const Case& c : cases) {
        const Kernel kernel = test::kernel_of(c.text);
        const Solution s = solve(kernel, c.sizes).value();
        for (const std::int64_t ranks : {2, 3, 4, 7, 64}) {
            SCOPED_TRACE(fmt::format("{} by {}", kernel.name, ranks));
            const auto found = candidates(kernel, s, {}, ranks).value();
            const auto all = all_ways(kernel, s, ranks);
            if (found.front().prediction.shards < ranks) {  // a prime number of ranks, and no index that long
                EXPECT_TRUE(all.empty());
                continue;
            }
            ASSERT_FALSE(all.empty());
            if (found.front().phases.size() == 1) {
                EXPECT_DOUBLE_EQ(found.front().prediction.seconds(), *std::min_element(all.begin(), all.end()));
            } else {
                EXPECT_LT(found.front().prediction.seconds(), *std::min_element(all.begin(), all.end()));
            }
        }
    }
}

const char* const running =  // sums along rows, then along columns
    "kernel adi(X: f32[N, M]) -> Y: f32[N, M] { R[i, 0] = X[i, 0]; R[i, j] = R[i, j - 1] + X[i, j] where j in 1:M; "
    "Y[0, j] = R[0, j]; Y[i, j] = Y[i - 1, j] + R[i, j] where i in 1:N }";
const char* const sums = "kernel sums(X: f32[N, M]) -> (R: f32[N], C: f32[M]) { R[i] += X[i, j]; C[j] += X[i, j] }";
const char* const normed =
    "kernel normed(X: f32[N, M]) -> Y: f32 { A[i] += X[i, j]; U[i, j] = X[i, j]/A[i]; B[j] += U[i, j]; "
    "Y[i, j] = U[i, j]/B[j] }";
/// All ways to split the equations of a section, and to leave them whole.
std::vector<std::vector<Split>> ways(const Kernel& kernel, Section section, std::int64_t ranks) {
    std::set<std::string> names;
    for (int e = section.first; e < section.end; ++e)
        for (const std::string& index : indices_of(kernel.equations[e])) names.insert(index);
    std::vector<std::vector<Split>> all = {{}};
    for (const std::string& name : names) {
        const std::size_t before = all.size();
        for (std::size_t i = 0; i < before; ++i)
            for (std::int64_t n = 2; n <= ranks && all[i].size() < 3; ++n) {
                all.push_back(all[i]);
                all.back().push_back({name, n});
            }
    }
    return all;
}

/// The least seconds of all plans, whatever phases they have, with this many shards where a phase is split.
double least_of_all_phases(const Kernel& kernel, const Solution& s, std::int64_t ranks) {
    const int count = static_cast<int>(kernel.equations.size());
    double least = std::numeric_limits<double>::infinity();
    Phases phases;
    const std::function<void(int)> visit = [&](int first) {
        if (first == count) {
            const auto steps = steps_of(kernel, s, phases);
            if (!steps || !fitting(steps.value()) || ranks_of(steps.value()) != ranks) return;
            least = std::min(least, predict(kernel, s, steps.value(), {}).seconds());
            return;
        }
        for (int end = first + 1; end <= count; ++end) {
            for (const auto& splits : ways(kernel, {first, end}, ranks)) {
                const auto steps = steps_of(kernel, s, Section{first, end}, splits);
                if (!steps || !fitting(steps.value())) continue;
                const std::int64_t most = ranks_of(steps.value());
                if (most != (splits.empty() ? 1 : ranks)) continue;
                phases.push_back({first, splits});
                visit(end);
                phases.pop_back();
            }
        }
    };
    visit(0);
    return least;
}

TEST(Planner, ItsPhasesAreTheCheapestOfAll) {
    const std::vector<Case> several = {{running, {{"N", 256}, {"M", 512}}},
                                       {running, {{"N", 2000}, {"M", 1000}}},
                                       {sums, {{"N", 300}, {"M", 200}}},
                                       {sums, {{"N", 3000}, {"M", 2000}}},
                                       {normed, {{"N", 4000}, {"M", 30}}},
                                       {softmax, {{"B", 16}, {"N", 8192}}},
                                       {pooled, {{"H", 34}, {"W", 34}, {"C", 4}, {"R", 3}, {"S", 3}, {"P", 1}}}};
    for (const Case& c : several) {
        const Kernel kernel = test::kernel_of(c.text);
        const Solution s = solve(kernel, c.sizes).value();
        for (const std::int64_t ranks : {2, 3, 4}) {
            SCOPED_TRACE(fmt::format("{} by {}", kernel.name, ranks));
            const auto found = candidates(kernel, s, {}, ranks).value();
            const double least = least_of_all_phases(kernel, s, ranks), chosen = found.front().prediction.seconds();
            EXPECT_GE(chosen, least * (1 - 1e-9));
            EXPECT_LE(chosen, least * (found.front().phases.size() == 1 ? 1 + 1.1e-3 : 1 + 1e-9));
        }
    }
}

std::vector<std::string> choice(const char* text, const Settings& sizes, std::int64_t ranks) {
    const Kernel kernel = test::kernel_of(text);
    const auto found = candidates(kernel, solve(kernel, sizes).value(), {}, ranks).value();
    std::vector<std::string> texts = {print(found[0].phases)};
    if (found.size() > 1) texts.push_back(reason(found[0], found[1]));
    return texts;
}

TEST(Planner, SaysWhyTheNextIsNotChosen) {
    const Settings square = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
    EXPECT_THAT(choice(matmul, square, 2), ElementsAre("i=2", "`j=2` takes as long"));
    EXPECT_THAT(choice(matmul, square, 4), ElementsAre("i=2,j=2", "`i=2,k=2` sends more messages"));
    EXPECT_THAT(choice(matmul, square, 7), ElementsAre("i=7", "`j=7` takes as long"));
    EXPECT_THAT(choice(matmul, square, 64), ElementsAre("i=4,j=4,k=4", "`i=4,j=8,k=2` receives 131072 bytes more"));
    EXPECT_THAT(choice(softmax, {{"B", 64}, {"N", 1024}}, 4), ElementsAre("b=4", "`b=2,n=2` receives 256 bytes more"));
    EXPECT_THAT(choice(softmax, {{"B", 2}, {"N", 1 << 20}}, 4), ElementsAre("b=2,n=2", "`n=4` receives 16 bytes more"));
    EXPECT_THAT(choice(attention, {{"H", 8}, {"T", 512}, {"S", 512}, {"D", 64}}, 4),
                ElementsAre("h=4", "`h=2,t=2` receives 524288 bytes more"));
    EXPECT_THAT(choice(running, {{"N", 4096}, {"M", 4096}}, 4),
                ElementsAre("i=4 from 3 j=4", "`i=4 from 3 no split` receives 37748736 bytes more"));
}

/// The bytes that each of q^2 ranks (i and j cut) or q^3 (k too) receives for a product of n by n matrices.
double received_by_matmul(std::int64_t n, const std::vector<Split>& splits) {
    const Kernel kernel = test::kernel_of(matmul);
    const Solution s = solve(kernel, {{"M", n}, {"N", n}, {"K", n}}).value();
    return predict(kernel, s, steps_of(kernel, s, splits).value(), {}).received;
}

// van de Geijn and Watts, "SUMMA", 1997: two panels of n*n/q elements, of which a rank has 1/q. Agarwal et al., "A three-dimensional
// approach to parallel matrix multiplication", 1995, which is 2.5D with as many copies as fit: three blocks of n*n/q^2, 1/q of each at home.
TEST(Planner, ProductsReceiveWhatTheKnownAlgorithmsDo) {
    for (const std::int64_t q : {2, 4, 8}) {
        const auto n = static_cast<double>(1024), p = static_cast<double>(q);
        EXPECT_EQ(received_by_matmul(1024, {{"i", q}, {"j", q}}), 4 * 2 * (n * n / p) * (1 - 1 / p));
        EXPECT_EQ(received_by_matmul(1024, {{"i", q}, {"j", q}, {"k", q}}), 4 * 3 * (n * n / (p * p)) * (1 - 1 / p));
    }
}

TEST(Scale, EfficiencyFallsWithTheShareOfExchange) {
    const Kernel kernel = test::kernel_of(matmul);
    const auto points = scaling(kernel, {{"M", 512}, {"N", 512}, {"K", 512}}, {}, 16).value();
    ASSERT_EQ(points.size(), 5U);
    EXPECT_EQ(points[0].efficiency, 1);
    for (const ScalePoint& p : points) EXPECT_LE(p.efficiency, 1.0 + 1e-9);
    const auto weak = scaling(kernel, {{"M", 64}, {"N", 512}, {"K", 512}}, {}, 4, "M").value();
    EXPECT_EQ(print(weak.back().best.phases), "j=2,k=2");
    EXPECT_EQ(format(scaling(kernel, {{"M", 64}, {"N", 512}, {"K", 512}}, {}, 4, "Q").error(), ""),
              "`Q` cannot grow with the ranks: it is not given\n  fix  give it, as in --set Q=1024");
    EXPECT_EQ(format(scaling(kernel, {{"M", 64}, {"N", 512}}, {}, 4).error(), ""),
              "scaling is told for numbers, and `K` is open\n  fix  give it, as in --set K=1024");
}

TEST(Planner, MemoryThatSufficesForNoShardIsAnError) {
    const Kernel kernel = test::kernel_of(matmul);
    const Solution s = solve(kernel, {{"M", 64}, {"N", 64}, {"K", 64}}).value();
    EXPECT_EQ(format(candidates(kernel, s, {}, 4, 1000).error(), ""),
              "no way to make 4 shards fits into 1000 bytes each\n  fix  give each 20480 bytes, which i=2,j=2 needs, "
              "or use more "
              "ranks");
    EXPECT_EQ(candidates(kernel, s, {}, 4, 1e6).value().size(), candidates(kernel, s, {}, 4).value().size());
}

TEST(Planner, AScanAloneCannotBeSplit) {
    const Kernel kernel =
        test::kernel_of("kernel k(X: f32[N]) -> Y: f32[N] { Y[0] = X[0]; Y[i] = Y[i - 1] + X[i] where i in 1:N }");
    EXPECT_EQ(
        format(candidates(kernel, solve(kernel, {{"N", 8}}).value(), {}, 2).error(), ""),
        "no index of this kernel can be split: `Y[i]` needs `Y[i - 1]`, so `i` runs in order\n  fix  run it as it is");
}

TEST(Cluster, IsReadBackAsItWasPrinted) {
    const Cluster c{1e12, 2e11, 1.25e10, 1e-6};
    EXPECT_EQ(parse_cluster(print(c)).value(), c);
    EXPECT_EQ(parse_cluster("# usual\n").value(), Cluster{});
    EXPECT_EQ(format(parse_cluster("flops 1e9\nflips 2").error(), "m.txt"),
              "m.txt:2:1: a machine has no `flips`\n  fix  write `flops`, `memory`, `link` or `latency` and a number");
    EXPECT_EQ(format(parse_cluster("link fast").error(), "m.txt"),
              "m.txt:1:1: `link` needs one number above 0\n  fix  write it as `link 1e9`");
}

}  // namespace
}  // namespace halogen
