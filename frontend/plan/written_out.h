#pragma once
// The same kernel with the sums of small windows and of short rows written out, where elements side by side are few.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// `max(max(X[y, x], X[y, x + 1]), X[y, x + 2])` of the term `X[y, x + r]`, where r is reduced and runs from 0 to 2: the term for each point
/// of the reduced indices, the last of them fastest. Their ranges are numbers.
Expr in_terms(Op, const Expr& term, const std::vector<std::string>& reduced, const std::map<std::string, IndexRange>&);

/// What the equation reduces is a number of the type it is made in, for every element of a whole tensor.
bool may_be_written_out(const Kernel&, const Solution&, int equation);

/// It may be, and its reduction has few terms, whose number is known: up to 25 of one read, up to 9 of two.
bool can_be_written_out(const Kernel&, const Solution&, int equation);

/// `Y[y, x, c] += X[2*y, 2*x + s, c] where s in 0:2` of images with 1 to 4 colours as `Y[y, x, c] = X[2*y, 2*x, c] + X[2*y, 2*x + 1, c]`,
/// the terms in their order: such an image is computed by vectors of pixels, which a reduction along so few lanes is not. So are sums along
/// rows of up to four elements, `Y[y, x] += X[y, x, c]*w[c]`, and sums of up to four terms each of which is read once by a reduction that
/// follows, the D of `Y[n] min= D[n, k]`; where the tensor was begun before, the terms are added to it. Nothing where no equation is one.
/// No errors.
std::optional<Kernel> written_out(const Kernel&, const Solution&);

}  // namespace halogen
