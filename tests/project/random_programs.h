#pragma once
// Random programs to split: maps, windows, padding of all modes, products, reductions, recurrences, scatters, gathers, indices by
// value and predicates, in chains whose tensors are outputs or not. Most of them have sizes that solve.

#include "tests/solve/seed.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace halogen::test {

class RandomProgram {
public:
    explicit RandomProgram(Dice& dice) : dice_(dice) {}

    std::string text() {
        const char* const modes[] = {"0", "2", "lowest", "edge", "reflect", "symmetric", "wrap"};
        const std::string mode = modes[dice_.between(0, 6)];
        const int equations = dice_.between(1, 3);
        std::string body, source = "X", outputs;
        for (int e = 0; e < equations; ++e) {
            const std::string to = e == equations - 1 ? "Y" : fmt::format("T{}", e);
            body += equation(to, source) + "; ";
            if (e < equations - 1 && dice_.chance(20)) outputs += to + ": f32, ";
            source = to;
        }
        return fmt::format(
            "kernel k(X: f32[N pad P, M pad (1, 2)] else {}, W: f32[K], V: f32[_, _], I: i32[_], P: size = 1) -> {}Y: "
            "f32{} {{ {}}}",
            mode, outputs.empty() ? "" : "(" + outputs, outputs.empty() ? "" : ")", body);
    }

private:
    std::string equation(const std::string& to, const std::string& from) {
        static const char* const forms[] = {"{0}[i, j] = {1}[i, j]*2 + i - 3*j",
                                            "{0}[i, j] += {1}[i + k, j]*W[k]",
                                            "{0}[i, j] += {1}[i, j + k]*W[k]",
                                            "{0}[i, j] max= {1}[2*i + k, j + r] where k in 0:2, r in 0:2",
                                            "{0}[i, j] = select(i > 1, {1}[i, j], 1 - {1}[i, j])",
                                            "{0}[i, j] = {1}[i, j] where i % 2 == 0",
                                            "{0}[i, j] += {1}[i, k]*V[k, j]",
                                            "R{0}[i] += {1}[i, j]; {0}[i, j] = {1}[i, j] - R{0}[i]",
                                            "R{0}[j] min= {1}[i, j]; {0}[i, j] = {1}[i, j] - R{0}[j]",
                                            "R{0}[] += {1}[i, j]; {0}[i, j] = {1}[i, j] + R{0}[]",
                                            "{0}[2*i + k, j] = {1}[i, j] + k where k in 0:2",
                                            "{0}[j, i] = {1}[i, j]",
                                            "{0}[i, j] = {1}[I[i], j]",
                                            "{0}[i + k, j] += {1}[i, j]*W[k]",
                                            "{0}[i, j] = {1}[i, j]; {0}[i, j] += V[i, k]",
                                            "{0}[i, j] += {1}[i, j] + {1}[i + 1, j] + {1}[i, j + 2]",
                                            "{0}[i, j] = {1}[3 - i, j] where i in 1:4",
                                            "{0}[i, j] = {1}[i, j]; {0}[i, j] = {0}[i, j - 1] + V[i, j] where j in 1:3",
                                            "{0}[I[i], j] += {1}[i, j]"};
        static const char* const padded[] = {"{0}[i, j] = {1}[i - 1, j] + {1}[i, j] + {1}[i + 1, j]",
                                             "{0}[i, j] += {1}[2*i + k - P, j + r - 1]*W[k] where r in 0:3",
                                             "{0}[i, j] = {1}[i - P, j + 2] where i in 0:N + P, j in 0:M",
                                             "{0}[i, j] += {1}[N - 1 + P - i - k, j] where i in 0:N, k in 0:2"};
        if (from == "X" && dice_.chance(50)) return fmt::format(fmt::runtime(padded[dice_.between(0, 3)]), to, from);
        return fmt::format(fmt::runtime(forms[dice_.between(0, 18)]), to, from);
    }

    Dice& dice_;
};

}  // namespace halogen::test
