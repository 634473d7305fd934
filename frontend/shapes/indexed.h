#pragma once
// Index tensors: where they have to fit, and the shape that several of them give together.

#include "frontend/shapes/rules.h"

namespace halogen::shapes {

/// The condition that a dim of `extent` has a place for `count` indices: it is not empty, or there are none.
void require_place(Call&, const Formula& extent, const Formula& count);

/// The condition that the argument `index` lies in the tensors named, along all dims but `dim`; nothing for an empty index.
void require_index_fits(Call&, int dim, std::initializer_list<const char*> within);

/// The shape of `input[indices]`, the argument `indices` holding one index or null a dim: index shapes broadcast, and take the
/// place of the dims they index where those are neighbours, else come first.
Shape indexed_shape(Call&, const Shape& input);

}  // namespace halogen::shapes
