// A kernel with its dims reversed computes the same, the other way round.

#include "frontend/notation/reversed.h"
#include "frontend/solve/solve.h"
#include "tests/interpret/run_text.h"

#include <gtest/gtest.h>

namespace halogen {
namespace {

Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.at(0); }

/// The same elements under reversed indices.
HostTensor reversed_tensor(const HostTensor& t) {
    std::vector<std::int64_t> extents(t.extents().rbegin(), t.extents().rend());
    HostTensor turned(t.type(), extents);
    for_each_index(t.extents(), [&](std::span<const std::int64_t> index) {
        const std::vector<std::int64_t> back(index.rbegin(), index.rend());
        const std::int64_t from = t.offset_of(index), to = turned.offset_of(back);
        if (is_float(t.type()))
            turned.set_real(to, t.real(from));
        else
            turned.set_integer(to, t.integer(from));
    });
    return turned;
}

/// Small whole numbers, whose sums are exact in any order.
HostTensor numbers(Type type, const std::vector<std::int64_t>& extents) {
    HostTensor t(type, extents);
    for (std::int64_t i = 0; i < t.elements(); i++) {
        const std::int64_t value = (7 * i + 3) % 5;
        if (is_float(type))
            t.set_real(i, static_cast<double>(value));
        else
            t.set_integer(i, value);
    }
    return t;
}

struct Example {
    std::string text;
    std::map<std::string, std::vector<std::int64_t>> inputs;
};

const Example examples[] = {
    {"C[i, j] += A[i, k]*B[k, j]", {{"A", {3, 4}}, {"B", {4, 5}}}},
    {"kernel x(X: f32[N, M]) -> Y: f32 { Y[i, j] = X[X.0 - 1 - i, j] + 10*X.0 + X.1 }", {{"X", {3, 5}}}},
    {"kernel s(X: f32[B, N]) -> Y: f32 { M[b] max= X[b, n]; E[b, n] = X[b, n] - M[b]; S[b] += E[b, n]; "
     "Y[b, n] = E[b, n] + S[b] }",
     {{"X", {3, 5}}}},
    {"kernel c(X: f32[B, N]) -> Y: f32[B, N] { S[b, 0] = 0; S[b, n] = S[b, n - 1] + X[b, n - 1] where n in 1:N + 1; "
     "Y[b, n] = S[b, n + 1] }",
     {{"X", {3, 5}}}},
    {"kernel p(X: f32[H pad (1, 2), W pad 1] else reflect) -> Y: f32[H, W] { Y[y, x] += X[y + r - 1, x + 1] "
     "where r in 0:4 }",
     {{"X", {4, 3}}}},
    {"V[i, j, k] = X[i, 2*j + k] where k in 0:2; Y[i, j] += V[i, j, k]", {{"X", {3, 6}}}},
    {"kernel g(I: i32[M, P], T: f32[K, C]) -> Y: f32[M, P, C] { Y[m, p, c] = T[I[m, p], c] }",
     {{"I", {3, 2}}, {"T", {5, 4}}}},
    {"kernel h(I: i32[M, P], W: i32[M, P]) -> H: i32[5, P] { H[I[m, p], p] += W[m, p] }",
     {{"I", {3, 2}}, {"W", {3, 2}}}},
    {"kernel d(X: f32[A, B, C]) -> (Y: f32[A, B], Z: f32[B, C]) { Y[a, b] max= X[a, b, c]; "
     "Z[b, c] += X[a, b, c] where a > 0 and X[a, b, 0] > 1 }",
     {{"X", {3, 4, 2}}}},
};

TEST(Reversed, ComputesTheSameUnderReversedIndices) {
    for (const Example& example : examples) {
        const Kernel kernel = kernel_of(example.text), turned = check(reversed(kernel)).value();
        Tensors inputs, turned_inputs;
        Settings settings, turned_settings;
        for (const auto& [name, extents] : example.inputs) {
            inputs.emplace(name, numbers(kernel.tensor(name).type, extents));
            turned_inputs.emplace(name, reversed_tensor(inputs.at(name)));
            for (std::size_t d = 0; d < extents.size(); d++) {
                settings[name + "." + std::to_string(d)] = extents[d];
                turned_settings[name + "." + std::to_string(extents.size() - 1 - d)] = extents[d];
            }
        }
        const auto values = interpret(kernel, solve(kernel, settings).value(), inputs, {}).value();
        const auto other = interpret(turned, solve(turned, turned_settings).value(), turned_inputs, {}).value();
        for (const Tensor* output : kernel.outputs()) {
            const HostTensor back = reversed_tensor(other.at(output->name));
            EXPECT_EQ(back.extents(), values.at(output->name).extents()) << example.text;
            EXPECT_EQ(elements(back), elements(values.at(output->name))) << example.text;
        }
    }
}

TEST(Reversed, TwiceIsTheKernelItself) {
    for (const Example& example : examples) {
        const Kernel kernel = kernel_of(example.text);
        EXPECT_EQ(print(reversed(reversed(kernel))), print(kernel));
        EXPECT_TRUE(reversed(reversed(kernel)) == kernel) << example.text;
    }
}

TEST(Reversed, PlacesAndDeclaredDimsTurn) {
    EXPECT_EQ(
        print(reversed(kernel_of(
            "kernel k(X: f32[H pad 1, W, C] else edge, I: i32[N]) -> Y: f32[N, W] { Y[n, w] += X[I[n], w, c] }"))),
        "kernel k(X: f32[C, W, H pad 1] else edge, I: i32[N]) -> Y: f32[W, N] {\n"
        "  Y[w, n] += X[c, w, I[n]]\n"
        "}\n");
}

TEST(Reversed, SumsThatReadWhatTheyAddToDependOnTheOrderOfLoops) {
    EXPECT_FALSE(reversible(kernel_of("kernel k(X: f32[M, K]) -> Y: f32[M] { Y[m] = 1; Y[m] += Y[m]*X[m, k] }")));
    EXPECT_TRUE(reversible(kernel_of(examples[2].text)));
}

}  // namespace
}  // namespace halogen
