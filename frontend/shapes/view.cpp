// Views: the same elements under other extents and strides.

#include "frontend/shapes/families.h"
#include "frontend/shapes/reshape.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

namespace {

/// The dims of `input` in another order; derived from the text that reads it so.
Results permuted(Call& call, const std::vector<int>& order) {
    const Operand& input = call.tensor("input");
    const int rank = input.rank();
    std::string left;
    Shape strides;
    for (const int d : order) {
        left += fmt::format("{}i{}", left.empty() ? "" : ", ", d);
        strides.push_back(strides_of(input)[d]);
    }
    return view(call.derive(fmt::format("kernel k(input: f32[{}]) -> Y: f32 {{ Y[{}] = input[{}] }}",
                                        numbered("N", rank), left, numbered("i", rank)),
                            {{"input", input.shape}})[0],
                strides);
}

std::vector<int> identity(int rank) {
    std::vector<int> order;
    for (int d = 0; d < rank; ++d) order.push_back(d);
    return order;
}

Results permute(Call& call) {
    const std::vector<int> order = dims_of(call, "dims", call.rank("input"));
    if (static_cast<int>(order.size()) != call.rank("input"))
        call.refuse(Refused::size_mismatch, fmt::format("`dims` {} names {} of {} dims", print(call.argument("dims")),
                                                        order.size(), call.rank("input")));
    return permuted(call, order);
}

Results transpose(Call& call) {
    const int a = dim_of(call, "dim0", call.rank("input")), b = dim_of(call, "dim1", call.rank("input"));
    std::vector<int> order = identity(call.rank("input"));
    if (!order.empty()) std::swap(order[a], order[b]);
    return permuted(call, order);
}

Results t(Call& call) {
    require_rank(call, "input", 0, 2);
    std::vector<int> order = identity(call.rank("input"));
    std::reverse(order.begin(), order.end());
    return permuted(call, order);
}

/// Each dim of `source` goes to its place in `destination`; the others fill what is left, in order.
Results movedim(Call& call) {
    const int rank = call.rank("input");
    const std::vector<int> from = dims_of(call, "source", rank), to = dims_of(call, "destination", rank);
    if (from.size() != to.size()) call.refuse(Refused::size_mismatch, "`source` and `destination` differ in length");
    std::vector<int> order(static_cast<std::size_t>(rank), -1), rest = identity(rank);
    for (std::size_t i = 0; i < from.size(); ++i) {
        order[to[i]] = from[i];
        std::erase(rest, from[i]);
    }
    auto next = rest.begin();
    for (int& d : order) {
        if (d < 0) d = *next++;
    }
    return permuted(call, order);
}

/// The dims that `drop` chooses fall away where their extent is 1.
template<typename Drop>
Results squeezed(Call& call, Drop&& drop) {
    const Operand& input = call.tensor("input");
    const Shape strides = strides_of(input);
    Shape shape, kept;
    for (int d = 0; d < input.rank(); ++d) {
        if (drop(d) && call.decide(equal(input.shape[d], 1))) continue;
        shape.push_back(input.shape[d]);
        kept.push_back(strides[d]);
    }
    return view(shape, kept);
}

Results squeeze(Call& call) {
    return squeezed(call, [](int) { return true; });
}

Results squeeze_dims(Call& call) {
    const std::vector<int> dims = dims_of(call, "dim", call.rank("input"));
    return squeezed(call, [&](int d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); });
}

Results unsqueeze(Call& call) {
    const Operand& input = call.tensor("input");
    const int dim = dim_of(call, "dim", input.rank() + 1);
    const Shape strides = strides_of(input);
    const Formula stride = dim < input.rank() ? input.shape[dim] * strides[dim] : Formula(1);
    return view(inserted(input.shape, dim, 1), inserted(strides, dim, stride));
}

Results expanded(Call& call, const Shape& target) {
    const Operand& input = call.tensor("input");
    const int added = static_cast<int>(target.size()) - input.rank();
    if (added < 0)
        call.refuse(Refused::rank, fmt::format("{} has fewer dims than `input` {}", print(target), print(input.shape)));
    const Shape strides = strides_of(input);
    Shape shape(target.size()), stretched(target.size());
    for (int d = static_cast<int>(target.size()) - 1; d >= 0; --d) {
        const bool is_new = d < added;
        const Formula extent = is_new ? Formula(1) : input.shape[d - added];
        const bool keeps = target[d] == Formula(-1);
        if (keeps && is_new) call.refuse(Refused::rank, fmt::format("{} has -1 for a new dim", print(target)));
        call.require(keeps || at_least(target[d], 0), Refused::not_positive, "extents of 0 or more, or -1");
        shape[d] = keeps ? extent : target[d];
        call.require(equal(shape[d], extent) || equal(extent, 1), Refused::size_mismatch,
                     [&] { return fmt::format("dim {} of the result to be that of `input`, or that to be 1", d); });
        if (!is_new && shape[d] == extent) stretched[d] = strides[d - added];
        if (is_new && shape[d] == extent && input.rank() > 0) stretched[d] = shape[d + 1] * stretched[d + 1];
    }
    return view(shape, stretched);
}

Results expand(Call& call) { return expanded(call, call.sizes("size")); }

Results expand_as(Call& call) { return expanded(call, call.shape("other")); }

Results broadcast_tensors(Call& call) {
    std::vector<Shape> shapes;
    for (const Operand& o : call.tensors("tensors")) shapes.push_back(o.shape);
    if (shapes.empty()) call.refuse(Refused::empty_list, "there is no tensor");
    return Results(shapes.size(), Operand{broadcast(call, shapes)});
}

Results reshape(Call& call) {
    const Operand& input = call.tensor("input");
    const Shape shape = inferred(call, call.sizes("shape"), numel(input.shape));
    return {{shape, Type::f32, reshaped_strides(call, input, shape)}};
}

Results view_as(Call& call) {
    const Operand& input = call.tensor("input");
    const Shape shape = inferred(call, call.sizes("size"), numel(input.shape));
    return view(shape, view_strides(call, input, shape));
}

/// Dims from `start_dim` to `end_dim` become one.
Results flatten(Call& call) {
    const Operand& input = call.tensor("input");
    const int begin = dim_of(call, "start_dim", input.rank()), end = dim_of(call, "end_dim", input.rank());
    if (begin > end) call.refuse(Refused::rank, fmt::format("`start_dim` {} lies behind `end_dim` {}", begin, end));
    if (input.rank() == 0) return one({1});
    const Shape merged(input.shape.begin() + begin, input.shape.begin() + end + 1);
    const Shape shape = first(input.shape, begin) + Shape{numel(merged)} + last(input.shape, input.rank() - end - 1);
    return {{shape, Type::f32, reshaped_strides(call, input, shape)}};
}

/// One dim becomes several.
Results unflatten(Call& call) {
    const Operand& input = call.tensor("input");
    require_rank(call, "input", 1, any_rank);
    const int dim = dim_of(call, "dim", input.rank());
    if (call.sizes("sizes").empty()) call.refuse(Refused::empty_list, "`sizes` is empty");
    const Shape parts = inferred(call, call.sizes("sizes"), input.shape[dim]);
    const Shape shape = first(input.shape, dim) + parts + last(input.shape, input.rank() - dim - 1);
    return view(shape, view_strides(call, input, shape));
}

/// Windows of `size`, a new last dim.
Results unfold(Call& call) {
    const Operand& input = call.tensor("input");
    const int dim = dim_of(call, "dimension", input.rank());
    const Formula &size = call.size("size"), &step = call.size("step");
    const Formula extent = input.rank() == 0 ? Formula(1) : input.shape[dim];
    call.require(at_least(size, 0), Refused::not_positive, "`size` of 0 or more");
    call.require(at_least(step, 1), Refused::not_positive, "`step` of 1 or more");
    call.require(at_most(size, extent), Refused::index_out_of_range, "`size` of at most the extent of the dim");
    if (input.rank() == 0) return view({size}, {1});
    const Shape strides = strides_of(input);
    return view(with(input.shape, dim, floor_div(extent - size, step) + Formula(1)) + Shape{size},
                with(strides, dim, strides[dim] * step) + Shape{strides[dim]});
}

/// Any extents and strides over the storage of `input`, within its bounds.
Results as_strided(Call& call) {
    const Operand& input = call.tensor("input");
    const Shape size = call.sizes("size"), stride = call.sizes("stride");
    const Formula offset = call.has("storage_offset") ? call.size("storage_offset") : Formula(0);
    if (size.size() != stride.size()) call.refuse(Refused::rank, "`size` and `stride` differ in length");
    call.require(at_least(offset, 0), Refused::not_positive, "`storage_offset` of 0 or more");
    const auto reach = [](const Shape& extents, const Shape& strides) {
        Formula end = 1;
        for (std::size_t d = 0; d < extents.size(); ++d) end = end + (extents[d] - Formula(1)) * strides[d];
        return end;
    };
    Predicate is_empty = false, has_storage = true;
    for (std::size_t d = 0; d < size.size(); ++d) {
        call.require(at_least(size[d], 0), Refused::not_positive, "`size` of 0 or more");
        call.require(at_least(stride[d], 0), Refused::not_positive, "`stride` of 0 or more");
        is_empty = is_empty || equal(size[d], 0);
    }
    for (const Formula& extent : input.shape) has_storage = has_storage && at_least(extent, 1);
    call.require(
        is_empty || (has_storage && at_most(offset + reach(size, stride), reach(input.shape, strides_of(input)))),
        Refused::storage_bounds, "all elements inside the storage of `input`");
    return view(size, stride);
}

}  // namespace

// clang-format off
Family view_family() {
    const std::string_view order = "(input: f32[N0, N1, N2]) -> Y: f32 { Y[i2, i0, i1] = input[i0, i1, i2] }";
    return {"view", "The same elements under other extents and strides", {
        {"reshape",      "input: tensor, shape: ints", reshape, "", "extents and strides of the same storage: nothing is computed"},
        {"view",         "input: tensor, size: ints", view_as, "", "extents and strides of the same storage: nothing is computed"},
        {"flatten",      "input: tensor, start_dim: int = 0, end_dim: int = -1", flatten, "", "extents and strides of the same storage: nothing is computed"},
        {"unflatten",    "input: tensor, dim: int, sizes: ints", unflatten, "", "extents and strides of the same storage: nothing is computed"},
        {"permute",      "input: tensor, dims: ints", permute, order},
        {"transpose",    "input: tensor, dim0: int, dim1: int", transpose, order},
        {"t",            "input: tensor", t, order},
        {"movedim",      "input: tensor, source: ints, destination: ints", movedim, order},
        {"squeeze",      "input: tensor", squeeze, "", "extents and strides of the same storage: nothing is computed"},
        {"squeeze_dim",  "input: tensor, dim: int", squeeze_dims, "", "extents and strides of the same storage: nothing is computed"},
        {"squeeze_dims", "input: tensor, dim: ints", squeeze_dims, "", "extents and strides of the same storage: nothing is computed"},
        {"unsqueeze",    "input: tensor, dim: int", unsqueeze, "", "extents and strides of the same storage: nothing is computed"},
        {"expand",       "input: tensor, size: ints, implicit: bool = false", expand, "", "extents and strides of the same storage: nothing is computed"},
        {"broadcast_to", "input: tensor, size: ints", expand, "", "extents and strides of the same storage: nothing is computed"},
        {"expand_as",    "input: tensor, other: tensor", expand_as, "", "extents and strides of the same storage: nothing is computed"},
        {"broadcast_tensors", "tensors: tensors", broadcast_tensors, "", "extents and strides of the same storage: nothing is computed"},
        {"unfold",       "input: tensor, dimension: int, size: int, step: int", unfold, "", "extents and strides of the same storage: nothing is computed"},
        {"as_strided",   "input: tensor, size: ints, stride: ints, storage_offset: int? = null", as_strided, "", "extents and strides of the same storage: nothing is computed"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
