#pragma once
// Division of polynomials, where it leaves no rest or goes term by term.

#include "frontend/formula/formula.h"

#include <optional>
#include <utility>

namespace halogen {

/// True when every atom of `b` stands in `a` often enough: H*W*W holds W*W.
bool holds(const Formula::Monomial& a, const Formula::Monomial& b);

/// The quotient of two formulas where it is exact, by long division: (H*H - W*W) by (H + W) is H - W; else nothing.
std::optional<Formula> divide_exactly(const Formula& a, const Formula& b);

/// `a` split into a part that the single term `factor * atoms` divides, divided by it, and the rest: 5*H*W + 3 by 2*W is
/// 2*H, and H*W + 3. A constant over a constant leaves a rest from 0 up; other terms keep their sign in the rest.
std::pair<Formula, Formula> split_by_term(const Formula& a, const Formula::Monomial& atoms, std::int64_t factor);

/// The largest term that divides both formulas: of 4*H*W + 6*W and 2*W*T it is 2*W.
std::pair<Formula::Monomial, std::int64_t> common_term(const Formula& a, const Formula& b);

/// `f` with a quotient and its rest as the whole that they are: 2*(i/2) + i % 2 is i.
Formula rejoined(const Formula& f);

}  // namespace halogen
