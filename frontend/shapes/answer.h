#pragma once
// What a program of operators answers: shapes for given sizes, formulas for all of them, sizes for wanted shapes.

#include "frontend/shapes/passes.h"

#include <map>
#include <string>
#include <vector>

namespace halogen::shapes {

/// The shapes of the last step's results for these sizes, from formulas and conditions alone.
/// Errors: Refusal for sizes that a condition excludes.
std::vector<std::vector<std::int64_t>> shapes_for(const ShapeProgram&, const Bindings& sizes);

/// "[3] if n == 1 else [n, 3]", one for each result of the last step; where paths differ in how many there are, one for all.
std::vector<std::string> print_results(const ShapeProgram&, int step);

/// An extent that is wanted: of a dim of a result of a step.
struct Want {
    int step = 0;
    int result = 0;
    int dim = 0;
    std::int64_t extent = 0;
};

/// All sizes that give what is wanted.
struct Solutions {
    std::vector<Bindings> all;            // sorted; when `complete`, there are no others
    bool complete = true;                 // false when a size has no upper bound, or there are too many
    std::map<std::string, Range> ranges;  // that hold the values of each size, where `complete` is false
    std::vector<std::string> conflict;    // when there are none: wants and conditions that clash
};

/// `rank` is that of the first result of the last step, where it is wanted too.
Solutions solve_backward(const ShapeProgram&, const std::vector<Want>& wants, std::optional<int> rank = std::nullopt);

}  // namespace halogen::shapes
