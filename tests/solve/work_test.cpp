// How much work solving takes, counted in allocations: twice the equations are twice the work, whatever the formulas.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "frontend/solve/solve.h"
#include "tests/solve/chains.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {
long allocations = 0;
}

// Not inlined: else GCC takes `free` for the wrong partner of `new`.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace halogen {
namespace {

/// Per equation, of solving a chain of that many with its size open.
double work(const char* rule, int equations) {
    const Kernel kernel = parse(test::chain_of(equations, rule)).value().kernels.at(0);
    const long before = allocations;
    EXPECT_TRUE(solve(kernel)) << rule;
    return static_cast<double>(allocations - before) / equations;
}

TEST(Work, GrowsWithTheNumberOfEquationsAlone) {
    for (const char* rule : test::short_rules) {
        const double few = work(rule, 50), many = work(rule, 1000);
        EXPECT_LT(many, 1.2 * few + 20) << rule;
        std::cout << rule << ": " << few << " for each of 50, " << many << " for each of 1000\n";
    }
}

TEST(Work, OfNestedFormulasLooksAtEachPartOnce) {
    for (const char* rule : test::nested_rules) {
        const double few = work(rule, 10), many = work(rule, 80);
        EXPECT_LT(many, 1.5 * few) << rule;  // written out, the last formula would have 2^80 parts
        std::cout << rule << ": " << few << " for each of 10, " << many << " for each of 80\n";
    }
}

/// The lesser of two bounds is known once the extent in front is at least 1.
TEST(Work, BoundsOfAChainStayShort) {
    const Kernel kernel = parse(test::chain_of(20, test::nested_rules[0])).value().kernels.at(0);
    const Solution s = solve(kernel).value();
    EXPECT_EQ(print(s.extents.at("T20")[0]), "N - 20");
    ASSERT_EQ(s.guards.size(), 1u);
    EXPECT_EQ(print(s.guards[0]), "21 <= N");
}

}  // namespace
}  // namespace halogen
