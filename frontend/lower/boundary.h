#pragma once
// Reads outside a padded tensor.

#include "frontend/notation/program.h"

#include "Halide.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace halogen::lowering {

/// One dim of a padded read: the place asked for, the extent of the tensor, whether the dim is padded.
struct PaddedPlace {
    Halide::Expr at;
    Halide::Expr extent;
    bool padded;
    Halide::Expr pixel = {};                 // so many elements are one to the boundary; undefined: each is
    std::optional<std::int64_t> reach = {};  // `at` is at most so many elements outside, where that is a number
};

/// The value at `places`: `read(inside places)` within the tensor, what `boundary` says outside. Never reads outside.
Halide::Expr read_padded(const Boundary& boundary, Type type, const std::vector<PaddedPlace>& places,
                         const std::function<Halide::Expr(const std::vector<Halide::Expr>&)>& read);

}  // namespace halogen::lowering
