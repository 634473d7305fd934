#pragma once
// Windows that slide: what convolutions, pools and their relatives have in common.

#include "frontend/shapes/rules.h"

#include <string>

namespace halogen::shapes {

/// How windows lie along each spatial dim.
struct Windows {
    Shape stride, dilation, low, high;  // low, high: padding before the first element and behind the last
};

/// The arguments `stride`, `padding`, `dilation` of the operator, those it has, for `dims` spatial dims; all are checked.
Windows windows_of(Call&, int dims);

/// A tensor with a batch in front, where it has `rank` dims; a batch of 1 is put before one of `rank` - 1 dims.
Shape batched(Call&, std::string_view name, int rank);
/// The condition that no extent from dim `begin` on is 0.
void require_filled(Call&, const Shape&, std::size_t begin);
/// Takes the batch off again.
Shape unbatched(Call&, std::string_view name, int rank, Shape);

/// The extents in the text of a window: parameters "S0: size, D0: size, …" and places "S0*y0 + D0*k0 - L0, …".
const std::string& window_parameters(int dims);
const std::string& window_places(int dims);
/// "H0 pad (L0, R0), …".
const std::string& padded_dims(int dims);
std::map<std::string, Formula> window_sizes(const Windows&);

}  // namespace halogen::shapes
