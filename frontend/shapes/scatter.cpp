// Parts of a tensor replaced or added to: the result has the shape of `input`.

#include "frontend/shapes/families.h"
#include "frontend/shapes/indexed.h"
#include "frontend/shapes/pointwise.h"
#include "frontend/shapes/slicing.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

Results scatter(Call& call) {
    const int dim = dim_of(call, "dim", call.rank("input"));
    require_one_type(call, {"input", "src"});
    require_index_fits(call, dim, {"input", "src"});
    if (call.rank("input") > 0) require_place(call, call.shape("input")[dim], numel(call.shape("index")));
    return one(call.shape("input"));
}

Results slice_scatter(Call& call) {
    const Shape& input = call.shape("input");
    require_rank(call, "input", 1, any_rank);
    const int dim = dim_of(call, "dim", call.rank("input"));
    require_same(call, "`src` of the shape of the slice", call.shape("src"),
                 with(input, dim, slice_extent(call, input[dim])));
    return one(input);
}

Results select_scatter(Call& call) {
    const Shape& input = call.shape("input");
    require_rank(call, "input", 1, any_rank);
    const int dim = dim_of(call, "dim", call.rank("input"));
    require_inside(call, "index", input[dim]);
    require_same(call, "`src` of the shape of `input` without the dim", call.shape("src"), without(input, dim));
    return one(input);
}

Results index_put(Call& call) {
    require_one_type(call, {"input", "values"});
    require_expands(call, "`values`", call.shape("values"), indexed_shape(call, call.shape("input")));
    return one(call.shape("input"));
}

/// One slice of `source` for each index.
Results index_add(Call& call) {
    const Shape &input = call.shape("input"), &source = call.shape("source");
    const int dim = dim_of(call, "dim", call.rank("input"));
    require_rank(call, "index", 0, 1);
    require_one_type(call, {"input", "source"});
    const Formula count = numel(call.shape("index"));
    if (input.size() != source.size()) call.refuse(Refused::size_mismatch, "`input` and `source` differ in rank");
    if (input.empty()) return one(input);
    require_same(call, "`source` like `input`, with one slice an index", source, with(input, dim, count));
    require_place(call, input[dim], count);
    return one(input);
}

/// Mask and input stretch both ways.
Results masked_scatter(Call& call) {
    require_one_type(call, {"input", "source"});
    return one(pointwise(call, "select(mask, 0, input)", broadcast(call, {call.shape("input"), call.shape("mask")})));
}

}  // namespace

// clang-format off
Family scatter_family() {
    const std::string_view places = "input: tensor, dim: int, index: index, src: tensor";
    return {"scatter", "Parts of a tensor replaced or added to", {
        {"scatter",        places, scatter, "", "the index may be smaller than the input"},
        {"scatter_add",    places, scatter, "", "the index may be smaller than the input"},
        {"slice_scatter",  "input: tensor, src: tensor, dim: int = 0, start: int? = null, end: int? = null, step: int = 1", slice_scatter, "", "the input with a part replaced"},
        {"select_scatter", "input: tensor, src: tensor, dim: int, index: int", select_scatter, "", "the input with a part replaced"},
        {"index_put",      "input: tensor, indices: indices, values: tensor, accumulate: bool = false", index_put, "", "the input with a part replaced"},
        {"index_add",      "input: tensor, dim: int, index: index, source: tensor, alpha: number = 1", index_add, "", "the input with a part replaced"},
        {"masked_scatter", "input: tensor, mask: mask, source: tensor", masked_scatter, "select(mask, 0, input)"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
