// Guards against numbers: for random kernels and random calls, the guards of the solution with every size open hold exactly
// where the kernel can be solved with these numbers, and then both give the same sizes. HALOGEN_ROUNDS kernels, 120 usually.

#include "tests/solve/random_calls.h"
#include "tests/solve/random_kernels.h"
#include "tests/solve/solved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace halogen {
namespace {

using test::Call;
using test::evaluate_or;

/// What a compiled kernel checks: every guard, and that buffers have the extents of the solution.
bool is_admitted(const Kernel& kernel, const Solution& s, const Call& call) {
    if (!test::guards_hold(s, call.values)) return false;
    for (const Tensor* t : kernel.inputs()) {
        for (int d = 0; d < t->rank; ++d)
            if (evaluate_or(s.extents.at(t->name)[d], call.values, -1) != call.extents.at(t->name)[d]) return false;
    }
    return true;
}

TEST(RandomGuards, HoldExactlyWhereNumbersCanBeSolved) {
    test::Dice dice(test::seed_of_run());
    const char* rounds = std::getenv("HALOGEN_ROUNDS");
    const int kernels = rounds ? std::atoi(rounds) : 120;
    int solved = 0, legal = 0, refused = 0, open = 0, wrong = 0;
    for (int tries = 0; solved < kernels && tries < 20 * kernels; ++tries) {
        const std::string text = test::RandomKernel(dice).text();
        const auto program = parse(text);
        if (!program) continue;
        const Kernel& kernel = program.value().kernels.at(0);
        const auto solution = solve(kernel, {{"K", std::nullopt}, {"P", std::nullopt}});
        if (!solution) {
            open += solution.error().kind == ErrorKind::underdetermined;
            continue;
        }
        ++solved;
        const Solution& s = solution.value();
        for (int round = 0; round < 10; ++round) {
            const Call call = test::random_call(kernel, s, dice);
            const bool admitted = is_admitted(kernel, s, call);
            const auto numeric = solve(kernel, call.numbers);
            const bool is_solved = numeric && numeric.value().symbols.empty();  // no number is missing
            ++(admitted ? legal : refused);
            const auto about = [&] {
                return fmt::format("{}\n {}\n guards {}", text, call.text, fmt::join(test::guards(s), ", "));
            };
            if (admitted != is_solved) {
                ++wrong;
                ADD_FAILURE() << about() << "\n" << (numeric ? "can be solved" : format(numeric.error(), "-e"));
                break;
            }
            if (!admitted) continue;
            for (const auto& [name, f] : s.sizes) {
                const auto value = evaluate_or(f, call.values, -1);
                EXPECT_GE(value, 0) << about() << " " << name;
                EXPECT_EQ(numeric.value().sizes.at(name).constant(), value) << about() << " " << name;
            }
            for (const auto& [tensor, extents] : s.extents) {
                for (const Formula& f : extents)
                    EXPECT_GE(evaluate_or(f, call.values, -1), 0) << about() << " " << tensor;
            }
        }
    }
    std::cout << fmt::format("{} kernels, {} calls admitted, {} refused; {} kernels left a size open, {} differ\n",
                             solved, legal, refused, open, wrong);
    EXPECT_GE(solved, kernels);
    EXPECT_GT(legal, kernels);
    EXPECT_GT(refused, kernels);
}

}  // namespace
}  // namespace halogen
