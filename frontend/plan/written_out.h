#pragma once
// The same kernel with the sums of small windows and of short rows written out, where elements side by side are few.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>

namespace halogen {

/// The equation reduces for every element of its tensor, and its reduction has few terms, whose number is known: up to 25 of one read,
/// up to 9 of two.
bool can_be_written_out(const Kernel&, const Solution&, int equation);

/// `Y[y, x, c] += X[2*y, 2*x + s, c] where s in 0:2` of images with 1 to 4 colours as `Y[y, x, c] = X[2*y, 2*x, c] + X[2*y, 2*x + 1, c]`,
/// the terms in their order: such an image is computed by vectors of pixels, which a reduction along so few lanes is not. So are sums along
/// rows of up to four elements, `Y[y, x] += X[y, x, c]*w[c]`; where the tensor was begun before, the terms are added to it. Nothing where no
/// equation is one. No errors.
std::optional<Kernel> written_out(const Kernel&, const Solution&);

}  // namespace halogen
