// Elements at other places: turned, repeated, moved between channels and space.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace halogen::shapes {

namespace {

/// Each element from another place: along the dims of `places` there, elsewhere from its own.
Shape moved(Call& call, const std::map<int, std::string>& places) {
    const int rank = call.rank("input");
    std::string read;
    for (int d = 0; d < rank; ++d) {
        const auto at = places.find(d);
        read += (d ? ", " : "") + (at == places.end() ? fmt::format("i{}", d) : at->second);
    }
    return call.derive(fmt::format("kernel k(input: f32[{0}]) -> Y: f32[{0}] {{ Y[{1}] = input[{2}] }}",
                                   numbered("N", rank), numbered("i", rank), read),
                       {{"input", call.shape("input")}})[0];
}

std::string turned(int dim) { return fmt::format("N{0} - 1 - i{0}", dim); }

Results flip(Call& call) {
    std::map<int, std::string> places;
    for (const int dim : dims_of(call, "dims", call.rank("input"))) {
        if (call.rank("input") > 0) places.emplace(dim, turned(dim));
    }
    return one(moved(call, places));
}

/// Elements pushed out at one end come in at the other.
Results roll(Call& call) {
    const std::vector<std::int64_t> dims = call.integers("dims");
    const Shape shifts = call.sizes("shifts");
    if (dims.empty() ? shifts.size() != 1 : dims.size() != shifts.size())
        call.refuse(Refused::rank, fmt::format("`shifts` {} and `dims` {} do not pair up",
                                               print(call.argument("shifts")), print(call.argument("dims"))));
    if (!dims.empty()) require_rank(call, "input", 1, any_rank);
    for (const std::int64_t dim : dims) wrap(call, "dims", dim, call.rank("input"));
    return one(call.shape("input"));
}

/// `k` quarter turns in the plane of two dims.
Results rot90(Call& call) {
    const std::vector<std::int64_t> dims = call.integers("dims");
    const int rank = call.rank("input");
    if (dims.size() != 2) call.refuse(Refused::duplicate_dim, "`dims` must name 2 dims");
    require_rank(call, "input", 2, any_rank);
    const std::vector<int> plane = dims_of(call, "dims", rank);
    const Shape& input = call.shape("input");
    if (call.integer("k") % 2 == 0) return one(input);
    std::string left;
    for (int d = 0; d < rank; ++d)
        left += fmt::format("{}i{}", d ? ", " : "", d == plane[0] ? plane[1] : d == plane[1] ? plane[0] : d);
    return one(call.derive(fmt::format("kernel k(input: f32[{}]) -> Y: f32 {{ Y[{}] = input[{}] }}",
                                       numbered("N", rank), left, numbered("i", rank)),
                           {{"input", input}})[0]);
}

/// The whole of `input`, again and again, `times` along each dim.
Shape repeated(Call& call, const Shape& input, const Shape& times) {
    const int rank = static_cast<int>(times.size());
    std::string parameters, left, ranges;
    std::map<std::string, Formula> sizes;
    for (int d = 0; d < rank; ++d) {
        call.require(at_least(times[d], 0), Refused::not_positive, "repetitions of 0 or more");
        parameters += fmt::format(", R{}: size", d);
        left += fmt::format("{}r{}*N{} + i{}", d ? ", " : "", d, d, d);
        ranges += fmt::format("{}r{} in 0:R{}", d ? ", " : " where ", d, d);
        sizes.emplace(fmt::format("R{}", d), times[d]);
    }
    if (rank == 0) return {};
    Shape filled(static_cast<std::size_t>(rank) - input.size(), 1);
    return call.derive(fmt::format("kernel k(input: f32[{}]{}) -> Y: f32 {{ Y[{}] = input[{}]{} }}",
                                   numbered("N", rank), parameters, left, numbered("i", rank), ranges),
                       {{"input", std::move(filled) + input}}, sizes)[0];
}

Results repeat(Call& call) {
    const Shape times = call.sizes("repeats");
    if (times.size() < call.shape("input").size())
        call.refuse(Refused::rank, fmt::format("`repeats` {} has fewer numbers than `input` has dims", print(times)));
    return one(repeated(call, call.shape("input"), times));
}

/// Like repeat; what is missing in front is 1.
Results tile(Call& call) {
    Shape times = call.sizes("dims");
    while (times.size() < call.shape("input").size()) times.insert(times.begin(), 1);
    return one(repeated(call, call.shape("input"), times));
}

/// Each element `repeats` times in a row; without a dim, of the flattened tensor.
Results repeat_interleave(Call& call) {
    const bool has_dim = call.has("dim");
    const Formula& times = call.size("repeats");
    call.require(at_least(times, 0), Refused::not_positive, "`repeats` of 0 or more");
    if (has_dim && call.rank("input") == 0) call.refuse(Refused::dim_out_of_range, "a tensor of rank 0 has no `dim`");
    const Shape input = has_dim ? call.shape("input") : Shape{numel(call.shape("input"))};
    const int rank = static_cast<int>(input.size()), dim = has_dim ? dim_of(call, "dim", rank) : 0;
    return one(call.derive(
        fmt::format("kernel k(input: f32[{}], R: size) -> Y: f32 {{ Y[{}] = input[{}] where r in 0:R }}",
                    numbered("N", rank),
                    listed({numbered("i", dim), fmt::format("i{}*R + r", dim), numbered("i", rank - dim - 1, dim + 1)}),
                    numbered("i", rank)),
        {{"input", input}}, {{"R", times}})[0]);
}

/// The last three dims of `input` and the factor go through the row's text, for channels, height and width. `divided` are dims,
/// counted from the end, with what divides them.
Results channels_and_space(Call& call, std::string_view factor,
                           const std::vector<std::pair<std::size_t, Formula>>& divided) {
    require_rank(call, "input", 3, any_rank);
    const Shape& input = call.shape("input");
    call.require(at_least(call.size(factor), 1), Refused::not_positive,
                 [&] { return fmt::format("`{}` of 1 or more", factor); });
    for (const auto& [dim, divisor] : divided)
        call.require(divides(divisor, input[input.size() - dim]), Refused::not_divisible, [&, dim = dim] {
            return fmt::format("dim -{} of `input` to be a multiple of `{}`{}", dim, factor,
                               dim == 3 ? " squared" : "");
        });
    const Shape y = call.derive(fmt::format("kernel k{}", call.op().equation), {{"input", last(input, 3)}},
                                {{"R", call.size(factor)}})[0];
    return one(first(input, call.rank("input") - 3) + y);
}

Results pixel_shuffle(Call& call) {
    const Formula& r = call.size("upscale_factor");
    return channels_and_space(call, "upscale_factor", {{3, r * r}});
}

Results pixel_unshuffle(Call& call) {
    const Formula& r = call.size("downscale_factor");
    return channels_and_space(call, "downscale_factor", {{2, r}, {1, r}});
}

/// Channel c of group g goes to place c*groups + g.
Results channel_shuffle(Call& call) {
    require_rank(call, "input", 3, any_rank);
    const Shape& input = call.shape("input");
    const Formula& groups = call.size("groups");
    call.require(at_least(groups, 1), Refused::not_positive, "`groups` of 1 or more");
    call.require(divides(groups, input[1]), Refused::not_divisible, "channels that divide into `groups`");
    const int rank = call.rank("input") - 2;
    const std::string n = numbered("N", rank), i = numbered("i", rank);
    return one(call.derive(
        fmt::format(
            "kernel k(input: f32[{0}], G: size) -> Y: f32[{0}] {{ Y[{1}] = input[{2}] where g in 0:G, c in 0:C }}",
            listed({"B, G*C", n}), listed({"b, c*G + g", i}), listed({"b, g*C + c", i})),
        {{"input", input}}, {{"G", groups}})[0]);
}

}  // namespace

// clang-format off
Family layout_family() {
    const std::string_view again = "(input: f32[N0], R0: size) -> Y: f32 { Y[r0*N0 + i0] = input[i0] where r0 in 0:R0 }";
    return {"layout", "Elements at other places", {
        {"flip",              "input: tensor, dims: ints", flip, "(input: f32[N0, N1]) -> Y: f32[N0, N1] { Y[i0, i1] = input[i0, N1 - 1 - i1] }"},
        {"roll",              "input: tensor, shifts: ints, dims: ints = []", roll, "", "a remainder by an extent of 0 is refused in a text, and legal here"},
        {"rot90",             "input: tensor, k: int = 1, dims: ints = [0 1]", rot90, "(input: f32[N0, N1]) -> Y: f32 { Y[i1, i0] = input[i0, i1] }"},
        {"repeat",            "input: tensor, repeats: ints", repeat, again},
        {"tile",              "input: tensor, dims: ints", tile, again},
        {"repeat_interleave", "input: tensor, repeats: int, dim: int? = null", repeat_interleave, "(input: f32[N0, N1], R: size) -> Y: f32 { Y[i0*R + r, i1] = input[i0, i1] where r in 0:R }"},
        {"pixel_shuffle",     "input: tensor, upscale_factor: int", pixel_shuffle, "(input: f32[C*R*R, H, W], R: size) -> Y: f32[C, H*R, W*R] { Y[c, h*R + a, w*R + b] = input[(c*R + a)*R + b, h, w] where a in 0:R, b in 0:R }"},
        {"pixel_unshuffle",   "input: tensor, downscale_factor: int", pixel_unshuffle, "(input: f32[C, H*R, W*R], R: size) -> Y: f32[C*R*R, H, W] { Y[(c*R + a)*R + b, h, w] = input[c, h*R + a, w*R + b] where a in 0:R, b in 0:R }"},
        {"channel_shuffle",   "input: tensor, groups: int", channel_shuffle, "(input: f32[B, G*C, N0], G: size) -> Y: f32[B, G*C, N0] { Y[b, c*G + g, i0] = input[b, g*C + c, i0] where g in 0:G, c in 0:C }"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
