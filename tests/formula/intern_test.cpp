// Operations are made once, so that what shares parts stays small.

#include "frontend/formula/formula.h"

#include <gtest/gtest.h>

#include <thread>

namespace halogen {
namespace {

using Atom = Formula::Atom;
const Formula H = Formula::symbol("H"), W = Formula::symbol("W");

Formula::AtomRef half(const Formula& f) { return Atom::operation(Atom::Kind::floor_div, f, 2); }

TEST(Intern, EqualOperationsAreOneObject) {
    const auto first = half(H + W);
    EXPECT_EQ(first, half(W + H));
    EXPECT_NE(first, half(H - W));
    EXPECT_NE(first, Atom::operation(Atom::Kind::remainder, H + W, 2));
}

TEST(Intern, KnowsTheSymbolsAndTheNumberOfAtoms) {
    const auto atom = Atom::operation(Atom::Kind::max, Formula(half(H * W)) + H, W);
    ASSERT_EQ(atom->symbols.size(), 2u);
    EXPECT_EQ(atom->symbols[0]->name, "H");
    EXPECT_EQ(atom->symbols[1]->name, "W");
    EXPECT_EQ(atom->weight, 6);  // max, the half, and H, W, H, W
}

TEST(Intern, TheNumberOfAtomsHasAnEnd) {
    Formula f = H;
    for (int i = 0; i < 100; ++i) f = Formula(half(f)) * Formula(half(f + W));
    EXPECT_EQ(half(f)->weight, Atom::heaviest);
}

TEST(Intern, ThousandsThatNobodyUsesLeaveNothingWrong) {
    const auto kept = half(H);
    for (int i = 1; i < 5000; ++i) half(H + i);  // more than a table of operations holds before it is swept
    EXPECT_EQ(kept, half(H));
}

TEST(Intern, OperationsOfOtherThreadsAreEqualToo) {
    const Formula here(half(H + W));
    Formula there;
    std::thread([&] { there = Formula(half(H + W)); }).join();
    EXPECT_EQ(here, there);
    EXPECT_EQ(here - there, Formula(0));
}

}  // namespace
}  // namespace halogen
