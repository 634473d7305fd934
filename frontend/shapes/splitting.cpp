// Parts of a dim as views: ranges, single places, pieces.

#include "frontend/shapes/families.h"
#include "frontend/shapes/slicing.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

constexpr std::int64_t most_pieces = 1 << 16;  // of one call
constexpr std::int64_t most_branches = 32;     // of a count that sizes leave open

int dim_of_input(Call& call) {
    require_rank(call, "input", 1, any_rank);
    return dim_of(call, "dim", call.rank("input"));
}

Results slice(Call& call) {
    const int dim = dim_of_input(call);
    const Operand& input = call.tensor("input");
    const Shape strides = strides_of(input);
    const Formula extent = slice_extent(call, input.shape[dim]);
    return view(with(input.shape, dim, extent), with(strides, dim, strides[dim] * call.size("step")));
}

Results narrow(Call& call) {
    const int dim = dim_of_input(call);
    const Operand& input = call.tensor("input");
    const Formula &extent = input.shape[dim], &start = call.size("start"), &length = call.size("length");
    call.require(at_least(length, 0), Refused::not_positive, "`length` of 0 or more");
    call.require(at_least(start, -extent), Refused::index_out_of_range, "`start` of at least minus the extent");
    call.require(at_most(counted_from_front(call, start, extent) + length, extent), Refused::index_out_of_range,
                 "a range that ends inside the dim");
    return view(with(input.shape, dim, length), strides_of(input));
}

Results select(Call& call) {
    const int dim = dim_of_input(call);
    const Operand& input = call.tensor("input");
    require_inside(call, "index", input.shape[dim]);
    return view(without(input.shape, dim), without(strides_of(input), dim));
}

/// Views of `input` that have `extents` along `dim`.
Results pieces(Call& call, int dim, const Shape& extents) {
    const Operand& input = call.tensor("input");
    Results results;
    for (const Formula& extent : extents)
        results.push_back({with(input.shape, dim, extent), Type::f32, strides_of(input)});
    return results;
}

[[noreturn]] void refuse_count(Call& call, const Formula& count) {
    throw Refusal(Refused::undetermined,
                  fmt::format("{}: how many results there are depends on {}", call.op().name, halogen::print(count)),
                  fmt::format("give it as a number, or sizes a range so that there are {} at most", most_branches));
}

/// How many pieces of `size` make up `extent`, `most` at most; where the sizes leave it open, each number is a branch.
std::int64_t count_pieces(Call& call, const Formula& extent, const Formula& size, std::int64_t most) {
    const Formula count = ceil_div(extent, size);
    std::int64_t n = 1;
    if (const auto number = count.constant()) {
        n = std::max<std::int64_t>(*number, 1);
        if (n > most_pieces) refuse_count(call, count);
        return n;
    }
    const auto is_enough = [&](std::int64_t pieces) { return at_most(extent, Formula(pieces) * size); };
    if (most > most_branches) {
        if (call.prove(is_enough(most - 1)) == std::optional(false)) return most;
        if (!call.prove(is_enough(most_branches)).value_or(false)) refuse_count(call, count);
    }
    while (n < std::min(most, most_branches) && !call.decide(is_enough(n))) ++n;
    return n;
}

Results even_pieces(Call& call, int dim, const Formula& size, std::int64_t count) {
    Shape extents(static_cast<std::size_t>(count), size);
    extents.back() = call.shape("input")[dim] - Formula(count - 1) * size;
    return pieces(call, dim, extents);
}

Results split(Call& call) {
    const int dim = dim_of_input(call);
    const Formula &extent = call.shape("input")[dim], &size = call.size("split_size");
    call.require(at_least(size, 0), Refused::not_positive, "`split_size` of 0 or more");
    call.require(at_least(size, 1) || equal(extent, 0), Refused::rank,
                 "`split_size` of 1 or more, as the dim is not empty");
    if (call.decide(equal(size, 0))) return pieces(call, dim, {extent});
    return even_pieces(call, dim, size, count_pieces(call, extent, size, most_pieces));
}

Results split_with_sizes(Call& call) {
    const int dim = dim_of_input(call);
    const Shape sizes = call.sizes("split_sizes");
    for (const Formula& size : sizes)
        call.require(at_least(size, 0), Refused::size_mismatch, "`split_sizes` of 0 or more");
    call.require(equal(sum(sizes), call.shape("input")[dim]), Refused::size_mismatch,
                 "`split_sizes` that add up to the extent");
    return pieces(call, dim, sizes);
}

/// Pieces of one size, the last one smaller; fewer than `chunks` where that is enough.
Results chunk(Call& call) {
    const int dim = dim_of_input(call);
    const std::int64_t chunks = call.integer("chunks");
    call.require(at_least(chunks, 1) && at_most(chunks, most_pieces), Refused::not_positive, "`chunks` of 1 or more");
    const Formula& extent = call.shape("input")[dim];
    if (call.decide(equal(extent, 0))) return pieces(call, dim, Shape(static_cast<std::size_t>(chunks), extent));
    const Formula size = ceil_div(extent, chunks);
    return even_pieces(call, dim, size, count_pieces(call, extent, size, chunks));
}

/// Just as many pieces as wanted, the first ones larger by one.
Results tensor_split(Call& call) {
    const int dim = dim_of_input(call);
    const std::int64_t sections = call.integer("sections");
    call.require(at_least(sections, 1) && at_most(sections, most_pieces), Refused::not_positive,
                 "`sections` of 1 or more");
    Shape extents;
    for (std::int64_t i = 0; i < sections; ++i)
        extents.push_back(floor_div(call.shape("input")[dim] + Formula(sections - 1 - i), sections));
    return pieces(call, dim, extents);
}

Results unbind(Call& call) {
    const int dim = dim_of_input(call);
    const Operand& input = call.tensor("input");
    const Formula& extent = input.shape[dim];
    std::int64_t count = extent.constant().value_or(0);
    if (extent.is_constant() ? count > most_pieces : !call.prove(at_most(extent, most_branches)).value_or(false))
        refuse_count(call, extent);
    if (!extent.is_constant()) {
        while (count < most_branches && !call.decide(equal(extent, count))) ++count;
    }
    return Results(static_cast<std::size_t>(count),
                   Operand{without(input.shape, dim), Type::f32, without(strides_of(input), dim)});
}

}  // namespace

// clang-format off
Family splitting_family() {
    return {"splitting", "Parts of a dim, as views", {
        {"slice",            "input: tensor, dim: int = 0, start: int? = null, end: int? = null, step: int = 1", slice, "", "a part of the same storage, which may be empty"},
        {"narrow",           "input: tensor, dim: int, start: int, length: int", narrow, "", "a part of the same storage, which may be empty"},
        {"select",           "input: tensor, dim: int, index: int", select, "", "a part of the same storage, which may be empty"},
        {"split",            "input: tensor, split_size: int, dim: int = 0", split, "", "a part of the same storage, which may be empty"},
        {"split_with_sizes", "input: tensor, split_sizes: ints, dim: int = 0", split_with_sizes, "", "a part of the same storage, which may be empty"},
        {"chunk",            "input: tensor, chunks: int, dim: int = 0", chunk, "", "a part of the same storage, which may be empty"},
        {"tensor_split",     "input: tensor, sections: int, dim: int = 0", tensor_split, "", "a part of the same storage, which may be empty"},
        {"unbind",           "input: tensor, dim: int = 0", unbind, "", "a part of the same storage, which may be empty"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
