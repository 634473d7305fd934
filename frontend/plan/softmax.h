#pragma once
// Sums of exponentials that are known to be at least 1.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace halogen::lowering {

using Renaming = std::map<std::string, std::string>;

Expr renamed(const Expr&, const Renaming&);
/// What the indices of `left` are called at `read`; nothing where a place of either is no index.
std::optional<Renaming> names_at(const Access& left, const Access& read);
/// The only equation of a tensor, without conditions.
std::optional<std::size_t> defining(const Kernel&, const std::string& tensor);

/// j of `exp(Z[i, j] - T[i])` where T[i] is the largest of all Z[i, j], in the names of equation `e`, or of a tensor of such: these are at
/// most 1, and the largest of them is 1. Nothing of other values.
std::optional<std::string> largest_is_1_along(const Kernel&, const Solution&, const Expr& value, std::size_t e);
/// S of `S[i] += exp(Z[i, j] - T[i])`, or of a tensor of such: the term of the largest Z is 1, so that the sum of a row that is not empty is at
/// least 1, or no number.
bool is_at_least_1(const Kernel&, const Solution&, const std::string& sum);

}  // namespace halogen::lowering
