// Kernels solved once with every size open, then at random numbers: formulas agree with the numeric solution, guards hold
// exactly where it exists, and every access stays inside, point by point.

#include "frontend/notation/program.h"
#include "frontend/solve/place.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"
#include "tests/solve/seed.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

const char* const kernels[] = {
    "C[i,j] += A[i,k]*B[k,j]",
    "kernel c(X: f32[N, H pad P, W pad P, C] else 0, F: f32[R, S, C, K], T: size = 1, D: size = 1, P: size = 0) -> Y: "
    "f32[N, OH, OW, K] "
    "{ Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k] }",
    "kernel p(X: f32[H pad (P, Q)] else lowest, R: size = 2, T: size = 2, P: size = 0, Q: size = 1) -> Y: f32[OH] { "
    "Y[y] max= X[T*y + r - P] where r in 0:R }",
    "Y[y] += X[2*y + k]*W[k]",
    "Y[2*x + k] += X[x]*W[k]",
    "Z[x] += X[x+k]*W[k]; Y[y] += Z[2*y+j]*V[j]",
    "V[y, r] = X[3*y + r]; Y[y] += V[y,r]*W[r]",
    "Y[i] = X[i] + X[i+1]",
    "Y[i] = X[i+1] + W[i]",
    "Y[i] = X[i/2]",
    "Y[i, t] = X[i/2 + t]*W[t]",
    "Y[i] = A[i, i]",
    "Y[i] = A[i, i + 2]",
    "Y[i] = X[X.0 - 1 - i]",
    "Y[y] += X[y + W.0 - 1 - k]*W[k]",
    "kernel f(X: f32[N]) -> Y: f32[N] { Y[i] = X[N - 1 - i] }",
    "kernel cat(A: f32[M, P], B: f32[M, Q]) -> Y: f32[M, P + Q] { Y[m, a] = A[m, a] where a in 0:P; Y[m, b + P] = B[m, "
    "b] }",
    "kernel s2d(X: f32[H, W, C], B: size = 2) -> Y: f32[H/B, W/B, B*B*C] { Y[y, x, (B*p + q)*C + c] = X[B*y + p, B*x + "
    "q, c] where p in 0:B, q in 0:B }",
    "kernel r(X: f32[A, B]) -> Y: f32[A*B] { Y[k] = X[k/B, k % B] }",
    "kernel r(X: f32[N], M: size) -> Y: f32[N/M, M] { Y[i, j] = X[M*i + j] }",
    "kernel h(X: f32[2*N]) -> Y: f32[N] { Y[i] = X[2*i] + X[2*i + 1] }",
    "kernel cumsum(X: f32[B, N]) -> Y: f32[B, N] { S[b, 0] = 0; S[b, n] = S[b, n - 1] + X[b, n - 1] where n in 1:N + "
    "1; Y[b, n] = S[b, n + 1] }",
    "Y[0] = X[0]; Y[i] = 2*Y[i-1] + X[i] where i in 1:X.0",
    "kernel blur(X: f32[H pad R, W pad R] else reflect, G: f32[D], R: size = 2) -> Y: f32[H, W] "
    "{ U[y, x] += G[t] * X[y - R, x + t - R]; Y[y, x] += G[t] * U[y + t, x] }",
    "kernel g(X: f32[N, C], F: f32[K, D], G: size = 2) -> Y: f32[N, K] { Y[n, k] += X[n, (k/(K/G))*D + d] * F[k, d] }",
    "Y[i] += X[min(i, 3) + k]*W[k]*U[i]",
    "Y[i] = X[7]*W[i]",
    "kernel up(X: f32[N], S: size = 2) -> Y: f32[S*N] { Y[i] = X[i/S] }",
};

/// Values of the open symbols, of the sizes that follow from them, and of all input dims.
Bindings all_values(const Solution& s, const Bindings& symbols) {
    Bindings values = symbols;
    for (const auto& [name, f] : s.sizes) {
        try {
            values.emplace(name, evaluate(f, symbols));
        } catch (const Failure&) {
            values.emplace(name, -1);  // a divisor of 0: the guards say no
        }
    }
    return values;
}

/// Every point of every equation reads and writes inside, padding counted in.
void expect_inside(const Kernel& kernel, const Solution& s, const Bindings& values, const std::string& about) {
    for (std::size_t e = 0; e < kernel.equations.size(); ++e) {
        std::vector<std::string> names;
        std::vector<std::int64_t> low, extent;
        std::int64_t points = 1;
        for (const auto& [index, r] : s.indices[e]) {
            names.push_back(index);
            low.push_back(evaluate(r.min, values));
            extent.push_back(evaluate(r.extent, values));
            ASSERT_GE(extent.back(), 0) << about << " index " << index;
            points *= extent.back();
        }
        std::vector<const Access*> accesses{&kernel.equations[e].left};
        walk(kernel.equations[e].right, [&](const Expr& part) {
            if (const auto* a = part.as<Access>()) accesses.push_back(a);
        });
        for (std::int64_t p = 0; p < std::min<std::int64_t>(points, 3000); ++p) {
            Bindings at = values;
            std::int64_t rest = p;
            for (std::size_t i = 0; i < names.size(); ++i) at[names[i]] = low[i] + rest % extent[i], rest /= extent[i];
            for (const Access* a : accesses) {
                for (std::size_t d = 0; d < a->at.size(); ++d) {
                    std::vector<PlaceCondition> divisors;
                    Symbols symbols;
                    const std::int64_t position = evaluate(*place_formula(a->at[d], divisors, symbols), at);
                    const Tensor& t = kernel.tensor(a->tensor);
                    std::int64_t before = 0, behind = 0;
                    if (t.dims && (*t.dims)[d].pad_low.defined()) {
                        before = evaluate(*place_formula((*t.dims)[d].pad_low, divisors, symbols), values);
                        behind = evaluate(*place_formula((*t.dims)[d].pad_high, divisors, symbols), values);
                    }
                    ASSERT_GE(position, -before) << about << " " << a->tensor;
                    ASSERT_LT(position, evaluate(s.extents.at(a->tensor)[d], values) + behind)
                        << about << " " << a->tensor;
                }
            }
        }
    }
}

TEST(RandomKernel, FormulasGuardsAndNumbersAgree) {
    test::Dice dice(test::seed_of_run());
    int legal = 0, refused = 0;
    for (const char* text : kernels) {
        const Kernel kernel = parse(text).value().kernels[0];
        Settings open;
        for (const SizeParam& p : kernel.sizes) open[p.name] = std::nullopt;
        const auto solved = solve(kernel, open);
        ASSERT_TRUE(solved) << text << "\n" << format(solved.error(), "-e");
        const Solution& s = solved.value();
        for (int round = 0; round < 150; ++round) {
            Bindings symbols;
            for (const auto& name : s.symbols)
                symbols[name] = kernel.find_size(name) ? dice.between(0, 3) : dice.between(round % 4 ? 1 : 0, 9);
            Bindings values = all_values(s, symbols);
            // Now and then an input that does not fit the others.
            for (const auto& [name, source] : s.sources) {
                if (!symbols.contains(name) && dice.chance(20)) values[name] += 1;
            }
            Settings numbers;
            std::string about = std::string(text) + ":";
            for (const auto& [name, v] : values) {
                if (!symbols.contains(name) && !s.sources.contains(name)) continue;
                numbers[name] = v;
                about += fmt::format(" {}={}", name, v);
            }
            const auto numeric = solve(kernel, numbers);
            if (!test::guards_hold(s, values)) {
                ++refused;
                // An empty box makes no access: numbers may know better than the guards.
                bool empty = false;
                for (const auto& [name, v] : values) empty = empty || v <= 0;
                if (!empty) {
                    EXPECT_FALSE(numeric) << about;
                }
                continue;
            }
            ++legal;
            ASSERT_TRUE(numeric) << about << "\n" << format(numeric.error(), "-e");
            for (const auto& [name, f] : s.sizes)
                ASSERT_EQ(evaluate(numeric.value().sizes.at(name), {}), evaluate(f, values)) << about << " " << name;
            ASSERT_NO_FATAL_FAILURE(expect_inside(kernel, s, values, about));
        }
    }
    std::cout << legal << " legal, " << refused << " refused\n";
    EXPECT_GT(legal, 1000);
    EXPECT_GT(refused, 300);
}

/// For each affine guard there are sizes that break it and no other: none says what the others say already.
TEST(RandomKernel, NoAffineGuardIsImpliedByTheOthers) {
    test::Dice dice(test::seed_of_run(3));
    int needed = 0;
    for (const char* text : kernels) {
        const Kernel kernel = parse(text).value().kernels[0];
        Settings open;
        for (const SizeParam& p : kernel.sizes) open[p.name] = std::nullopt;
        const Solution s = solve(kernel, open).value();
        std::vector<bool> alone(s.guards.size());
        for (int round = 0; round < 20'000; ++round) {
            Bindings symbols;
            for (const auto& name : s.symbols) symbols[name] = dice.between(0, 6);
            Bindings values = all_values(s, symbols);
            for (const auto& [name, source] : s.sources) {
                if (!symbols.contains(name) && dice.chance(30)) values[name] += 1;
            }
            int broken = 0, which = 0;
            for (std::size_t g = 0; g < s.guards.size() && broken < 2; ++g) {
                try {
                    if (holds(s.guards[g], values)) continue;
                } catch (const Failure&) {
                    continue;  // its divisor is 0, which is for another guard to say
                }
                ++broken;
                which = static_cast<int>(g);
            }
            if (broken == 1) alone[which] = true;
        }
        for (std::size_t g = 0; g < s.guards.size(); ++g) {
            EXPECT_TRUE(alone[g]) << text << "\n" << print(s.guards[g]);
            needed += alone[g];
        }
    }
    std::cout << needed << " guards, each needed\n";
}

/// Outputs of a forward solution, given back, find inputs that give the same outputs, none larger.
TEST(RandomKernel, BackwardFindsLeastInputs) {
    test::Dice dice(test::seed_of_run(2));
    const char* const windows[] = {
        "Y[y] += X[2*y + k]*W[k]",
        "Z[x] += X[x+k]*W[k]; Y[y] += Z[2*y+j]*V[j]",
        "A[a] += X[3*a + k]*W[k]; B[b] += A[b + k]*W[k]; Y[y] += B[2*y + k]*W[k]",
        "kernel c(X: f32[H pad P] else 0, W: f32[R], T: size = 1, P: size = 0) -> Y: f32[OH] { Y[y] += X[T*y + r - P] "
        "* W[r] }",
    };
    for (const char* text : windows) {
        const Kernel kernel = parse(text).value().kernels[0];
        const bool named = kernel.sizes.size() > 0;
        for (int round = 0; round < 60; ++round) {
            Settings numbers{{named ? "R" : "W.0", dice.between(1, 4)}};
            if (named) numbers["T"] = dice.between(1, 3), numbers["P"] = dice.between(0, 1);
            if (std::string(text).find("V[") != std::string::npos) numbers["V.0"] = dice.between(1, 4);
            const std::string input = named ? "H" : "X.0", output = named ? "OH" : "Y.0";
            Settings forward = numbers, backward = numbers;
            forward[input] = dice.between(1, 60);
            const auto there = solve(kernel, forward);
            if (!there) continue;
            backward[output] = there.value().sizes.at(output).constant();
            const auto back = solve(kernel, backward);
            ASSERT_TRUE(back) << text << "\n" << format(back.error(), "-e");
            const std::int64_t least = *back.value().sizes.at(input).constant();
            EXPECT_LE(least, *forward[input]);
            Settings smaller = numbers;
            for (const std::int64_t extent : {least, least - 1}) {
                smaller[input] = extent;
                const auto again = solve(kernel, smaller);
                const bool same = again && again.value().sizes.at(output).constant() == backward[output];
                EXPECT_EQ(same, extent == least) << text << " " << input << "=" << extent;
            }
        }
    }
}

}  // namespace
}  // namespace halogen
