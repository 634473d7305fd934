#pragma once
// Projections: which part of each tensor a block of an equation's index space touches, as formulas.
//
// Of conv2d's rows y.first to y.first + y.count - 1, `X[n, T*y + D*r - P, …]` reaches places T*y.first - P to
// T*(y.first + y.count - 1) + D*(R - 1) - P of dim 1, those below 0 and above H - 1 being padding.

#include "frontend/formula/hull.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// The symbols of a block along an index: how many values of the index lie before it, and how many it has (at least 1).
Formula first_of(const std::string& index);  // y.first
Formula count_of(const std::string& index);  // y.count

/// The values of an index of an equation in a block of its own: `y.first` to `y.first + y.count - 1` behind the range's first.
Hull block_of(const IndexRange&, const std::string& index);
/// All places of a tensor.
std::vector<Hull> whole_window(const Solution&, const std::string& tensor);

/// What a block reaches along one dim of an access.
struct Reached {
    Hull places;  // as they stand in brackets, on padding too; the whole dim where data stand there
    Hull inside;  // the elements that are read or written, from the first to the last: none where `low` is above `high`
    Hull held;    // what a shard holds to read them: where padding mirrors or wraps, up to the ends that it folds at
    bool by_data = false;  // the place holds data
    friend bool operator==(const Reached&, const Reached&) = default;
};

/// What a block reaches by one access.
struct Projection {
    int equation = 0;
    std::string tensor, access;
    bool is_left = false;
    std::vector<Reached> dims;
    std::optional<Formula>
        cells;  // how many elements: fewer than the box holds where strides leave holes. Nothing without a formula
};

/// The projections of `block`, one for each access of the equation: left side first, then as read. An index that `block` does not
/// name has all its values. The block must not be empty. `solution` is one of `kernel`.
/// Source: exact hulls of affine places by the signs of their coefficients (frontend/formula/hull.h); of other places a box that
/// holds all they reach.
std::vector<Projection> project(const Kernel&, const Solution&, int equation, const Box& block);

/// What is known of the signs of sizes and blocks: sizes at least as the guards say, each `count` at least 1.
LowerBounds lower_bounds(const Kernel&, const Solution&);

}  // namespace halogen
