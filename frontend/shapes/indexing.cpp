// Places that data name: gathers and look-ups. What an index tensor holds is not known; 0 must be a place at least.

#include "frontend/shapes/families.h"
#include "frontend/shapes/indexed.h"
#include "frontend/shapes/pointwise.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// One place of a dim for each element of a list.
Results index_select(Call& call) {
    const Shape &input = call.shape("input"), &index = call.shape("index");
    require_rank(call, "index", 0, 1);
    const int rank = call.rank("input"), dim = dim_of(call, "dim", rank);
    if (rank == 0) {
        call.require(equal(numel(index), 1), Refused::index_out_of_range, "one index for a tensor of rank 0");
        return one({});
    }
    require_place(call, input[dim], numel(index));
    const std::string before = numbered("i", dim), after = numbered("i", rank - dim - 1, dim + 1);
    return one(
        call.derive(fmt::format("kernel k(input: f32[{}], index: i64[K]) -> Y: f32 {{ Y[{}] = input[{}] }}",
                                numbered("N", rank), listed({before, "k", after}), listed({before, "index[k]", after})),
                    {{"input", input}, {"index", {numel(index)}}})[0]);
}

/// An element of `input` for each index, at the same place in the other dims.
Results gather(Call& call) {
    const Shape& index = call.shape("index");
    const int dim = dim_of(call, "dim", call.rank("input"));
    require_index_fits(call, dim, {"input"});
    if (call.rank("input") > 0) require_place(call, call.shape("input")[dim], numel(index));
    return one(index);
}

/// Like gather, of shapes that broadcast; without a dim, of both flattened.
Results take_along_dim(Call& call) {
    const Shape &input = call.shape("input"), &indices = call.shape("indices");
    if (!call.has("dim")) {
        require_place(call, numel(input), numel(indices));
        return one({numel(indices)});
    }
    if (input.size() != indices.size()) call.refuse(Refused::rank, "`input` and `indices` differ in rank");
    const int dim = dim_of(call, "dim", call.rank("input"));
    if (input.empty()) return one(indices);
    require_place(call, input[dim], numel(indices));
    return one(broadcast(call, {with(input, dim, indices[dim]), indices}));
}

Results index(Call& call) { return one(indexed_shape(call, call.shape("input"))); }

/// A row of `weight` for each index.
Results embedding(Call& call) {
    const int rank = call.rank("indices");
    require_rank(call, "weight", 2);
    require_place(call, call.shape("weight")[0], numel(call.shape("indices")));
    const std::string i = numbered("i", rank);
    return one(call.derive(
        fmt::format("kernel k(weight: f32[V, D], indices: i64[{}]) -> Y: f32 {{ Y[{}] = weight[indices[{}], "
                    "d] }}",
                    numbered("N", rank), listed({i, "d"}), i),
        {{"weight", call.shape("weight")}, {"indices", call.shape("indices")}})[0]);
}

/// Rows of `weight` summed over bags, which begin at `offsets`.
Results embedding_bag(Call& call) {
    require_rank(call, "weight", 2);
    require_rank(call, "indices", 1);
    require_rank(call, "offsets", 1);
    const Shape &weight = call.shape("weight"), &offsets = call.shape("offsets");
    require_place(call, weight[0], numel(call.shape("indices")));
    const std::int64_t mode = call.integer("mode");
    if (mode < 0 || mode > 2)
        throw Refusal(Refused::bad_mode, fmt::format("embedding_bag: `mode` is {}", mode),
                      "give 0 (sum), 1 (mean) or 2 (maximum)");
    if (call.has("per_sample_weights") && mode != 0)
        call.refuse(Refused::bad_mode, "`per_sample_weights` go with `mode` 0 (sum) alone");
    if (call.has("per_sample_weights"))
        require_same(call, "one of `per_sample_weights` an index", call.shape("per_sample_weights"),
                     call.shape("indices"));
    if (!call.flag("include_last_offset")) return one({offsets[0], weight[1]});
    call.require(at_least(offsets[0], 1), Refused::not_positive, "`offsets` with the last one");
    return one({offsets[0] - Formula(1), weight[1]});
}

/// Elements of `input`, counted as if flattened.
Results take(Call& call) {
    const Shape& index = call.shape("index");
    const int rank = call.rank("index");
    require_place(call, numel(call.shape("input")), numel(index));
    const std::string i = numbered("i", rank);
    return one(
        call.derive(fmt::format("kernel k(input: f32[N], index: i64[{}]) -> Y: f32 {{ Y[{}] = input[index[{}]] }}",
                                numbered("M", rank), i, i),
                    {{"input", {numel(call.shape("input"))}}, {"index", index}})[0]);
}

Results one_hot(Call& call) {
    const Formula& classes = call.size("num_classes");
    call.require(at_least(classes, 1), Refused::size_mismatch, "`num_classes` of 1 or more");
    const int rank = call.rank("input");
    const std::string i = numbered("i", rank);
    return one(call.derive(
        fmt::format("kernel k(input: i64[{}], num_classes: size) -> Y: f32 {{ Y[{}] = select(input[{}] == c, "
                    "1, 0) where c in 0:num_classes }}",
                    numbered("N", rank), listed({i, "c"}), i),
        {{"input", call.shape("input")}}, {{"num_classes", classes}})[0]);
}

Results nonzero_static(Call& call) {
    call.require(at_least(call.size("size"), 0), Refused::not_positive, "`size` of 0 or more");
    return one({call.size("size"), call.rank("input")});
}

Results bucketize(Call& call) {
    if (call.rank("boundaries") != 1) call.refuse(Refused::not_positive, "`boundaries` has no single dim");
    return one(call.shape("input"));
}

/// One sorted row for all, or one for each row of `input`.
Results searchsorted(Call& call) {
    const Shape &sorted = call.shape("sorted_sequence"), &input = call.shape("input");
    require_rank(call, "sorted_sequence", 1, any_rank);
    const std::string side = call.has("side") ? call.text("side") : call.flag("right") ? "right" : "left";
    if (side != "left" && side != "right")
        throw Refusal(Refused::bad_mode, fmt::format("searchsorted: `side` is \"{}\"", side),
                      "give \"left\" or \"right\"");
    if (call.flag("right") && side == "left") call.refuse(Refused::bad_mode, "`right` is true and `side` \"left\"");
    if (call.has("sorter")) require_same(call, "`sorter` of the shape of the sequence", call.shape("sorter"), sorted);
    if (sorted.size() == 1) return one(input);
    if (sorted.size() != input.size()) call.refuse(Refused::rank, "`sorted_sequence` and `input` differ in rank");
    require_same(call, "all dims but the last of `sorted_sequence` and `input`", first(sorted, call.rank("input") - 1),
                 first(input, call.rank("input") - 1));
    return one(input);
}

}  // namespace

// clang-format off
Family indexing_family() {
    return {"indexing", "Elements at places that data name", {
        {"index_select",   "input: tensor, dim: int, index: index", index_select, "(input: f32[N0, N1], index: i64[K]) -> Y: f32 { Y[i0, k] = input[i0, index[k]] }"},
        {"gather",         "input: tensor, dim: int, index: index, sparse_grad: bool = false", gather, "", "the index may be smaller than the input"},
        {"take_along_dim", "input: tensor, indices: index, dim: int? = null", take_along_dim, "", "index and input broadcast but for one dim"},
        {"index",          "input: tensor, indices: indices", index, "", "how many dims are indexed, and where, changes with the call"},
        {"embedding",      "weight: tensor, indices: index, padding_idx: int = -1, scale_grad_by_freq: bool = false, sparse: bool = false", embedding, "(weight: f32[V, D], indices: i64[N0]) -> Y: f32 { Y[i0, d] = weight[indices[i0], d] }"},
        {"embedding_bag",  "weight: tensor, indices: index, offsets: index, scale_grad_by_freq: bool = false, mode: int = 0, sparse: bool = false, per_sample_weights: tensor? = null, include_last_offset: bool = false, padding_idx: int = -1", embedding_bag, "", "where bags begin is data"},
        {"take",           "input: tensor, index: index", take, "(input: f32[N], index: i64[M0]) -> Y: f32 { Y[i0] = input[index[i0]] }"},
        {"one_hot",        "input: index, num_classes: int -> i64", one_hot, "(input: i64[N0], num_classes: size) -> Y: f32 { Y[i0, c] = select(input[i0] == c, 1, 0) where c in 0:num_classes }"},
        {"nonzero_static", "input: tensor, size: int, fill_value: int = -1 -> i64", nonzero_static, "", "what is found is data"},
        {"bucketize",      "input: tensor, boundaries: tensor, out_int32: bool = false, right: bool = false -> i64", bucketize, "", "a search in data"},
        {"searchsorted",   "sorted_sequence: tensor, input: tensor, out_int32: bool = false, right: bool = false, side: text? = null, sorter: tensor? = null -> i64", searchsorted, "", "a search in data"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
