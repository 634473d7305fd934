#pragma once
// Short ways to write a solve and what it gives.

#include "frontend/notation/program.h"
#include "frontend/solve/access_form.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"

#include <gtest/gtest.h>

namespace halogen::test {

inline Kernel kernel_of(const std::string& text) { return parse(text).value().kernels.at(0); }

/// The solution; fails the test and gives an empty one when there is none.
/// A solution and what it solves.
struct Solved : Solution {
    Kernel kernel;
};

inline Solved solved(const std::string& text, const Settings& known = {}) {
    Kernel kernel = kernel_of(text);
    const auto result = solve(kernel, known);
    EXPECT_TRUE(result) << text << "\n" << (result ? "" : format(result.error(), "-e"));
    return {result ? result.value() : Solution{}, std::move(kernel)};
}

/// The printed value of a size.
inline std::string size(const Solution& s, const std::string& name) {
    const auto at = s.sizes.find(name);
    return at == s.sizes.end() ? "no size " + name : print(at->second);
}

/// Every guard holds, and can be computed.
inline bool guards_hold(const Solution& s, const Bindings& values) {
    for (const Guard& g : s.guards) {
        try {
            if (!holds(g, values)) return false;
        } catch (const Failure&) {
            return false;
        }
    }
    return true;
}

inline std::vector<std::string> guards(const Solution& s) {
    std::vector<std::string> texts;
    for (const Guard& g : s.guards) texts.push_back(print(g));
    return texts;
}

/// "offset; index: stride, …" of the first access to `tensor`.
inline std::string address(const Solved& s, const std::string& tensor) {
    for (const AccessForm& a : access_forms(s.kernel, s)) {
        if (a.tensor != tensor) continue;
        std::string text = print(a.offset) + ";";
        for (const auto& [index, stride] : a.strides) text += " " + index + ": " + print(stride);
        return a.affine ? text : "by data";
    }
    return "no access";
}

inline const char* const conv2d =
    "kernel conv2d(X: f32[N, H pad P, W pad P, C] else 0, F: f32[R, S, C, K], T: size = 1, D: size = 1, P: size = 0) "
    "-> Y: f32[N, OH, OW, K] { Y[n, y, x, k] += X[n, T*y + D*r - P, T*x + D*s - P, c] * F[r, s, c, k] }";

inline const char* const matmul = "kernel m(A: f32[M, K], B: f32[K, N]) -> C: f32[M, N] { C[i, j] += A[i, k]*B[k, j] }";
inline const char* const heat =
    "kernel heat(U: f32[X pad 1, Y pad 1, Z pad 1] else 0) -> V: f32[X, Y, Z] { V[x, y, z] = U[x, y, z] + U[x - 1, y, "
    "z] + U[x + 1, y, z] + U[x, y - 1, z] + U[x, y + 1, z] + U[x, y, z - 1] + U[x, y, z + 1] }";

}  // namespace halogen::test
