// Values between the places of a grid.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <cmath>

namespace halogen::shapes {

namespace {

constexpr std::int64_t most_checked = 4096;  // extents up to which a fraction stands for a floating-point factor

/// The simplest fraction that, times any whole number up to `most_checked`, has the floor that double precision gives.
/// Found by continued fractions; nothing when none does. Example: 2.3 is 23/10.
std::optional<std::pair<std::int64_t, std::int64_t>> fraction_of(double factor) {
    double rest = factor;
    std::int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    for (int depth = 0; depth < 12; ++depth) {
        const double whole = std::floor(rest);
        if (whole > 1e6) return std::nullopt;
        const std::int64_t a = static_cast<std::int64_t>(whole), p = a * p1 + p0, q = a * q1 + q0;
        bool agrees = q < 1'000'000;
        for (std::int64_t n = 1; agrees && n <= most_checked; ++n)
            agrees = static_cast<double>(n * p / q) == std::floor(static_cast<double>(n) * factor);
        if (agrees) return std::pair(p, q);
        if (rest == whole) return std::nullopt;
        rest = 1 / (rest - whole);
        p0 = p1, q0 = q1, p1 = p, q1 = q;
    }
    return std::nullopt;
}

/// floor(extent * factor) in double precision, as the reference computes it; for a size, the same as a fraction.
Formula scaled(Call& call, const Formula& extent, double factor) {
    if (!(factor > 0) || factor > 1e6)
        call.refuse(Refused::not_positive, fmt::format("a factor of {} is not above 0", factor));
    if (const auto n = extent.constant())
        return static_cast<std::int64_t>(std::min(std::floor(static_cast<double>(*n) * factor), 4e18));
    const auto fraction = fraction_of(factor);
    if (!fraction)
        throw Refusal(Refused::undetermined,
                      fmt::format("{}: the factor {} is no simple fraction", call.op().name, factor),
                      "give the extent as a number, or a factor such as 1.5");
    if (fraction->second != 1)
        call.require(at_most(extent, most_checked), Refused::index_out_of_range, [&] {
            return fmt::format("an extent for which {}/{} stands for the factor {}", fraction->first, fraction->second,
                               factor);
        });
    return floor_div(extent * Formula(fraction->first), fraction->second);
}

double number(const Argument& a) {
    const auto* whole = a.as<Formula>();
    return whole ? static_cast<double>(whole->constant().value_or(0)) : *a.as<double>();
}

template<int dims>
Results upsample(Call& call) {
    const Shape& input = call.shape("input");
    require_rank(call, "input", dims + 2);
    if (call.has("output_size") == call.has("scale_factors"))
        call.refuse(Refused::exclusive_args, "one of `output_size` and `scale_factors` is needed, and only one");
    const char* given = call.has("output_size") ? "output_size" : "scale_factors";
    const auto* list = call.argument(given).as<std::vector<Argument>>();
    if (!list || list->size() != dims)
        throw Refusal(Refused::rank, fmt::format("{}: `{}` is {}", call.op().name, given, print(call.argument(given))),
                      fmt::format("give {} of them", dims));
    for (std::size_t d = 1; d < input.size(); ++d)
        call.require(at_least(input[d], 1), d == 1 ? Refused::empty_list : Refused::not_positive,
                     "an input of which only the batch is empty");
    Shape result = first(input, 2);
    for (std::size_t d = 0; d < dims; ++d) {
        const Argument& item = (*list)[d];
        result.push_back(call.has("output_size") ? *item.as<Formula>() : scaled(call, input[d + 2], number(item)));
        call.require(at_least(result.back(), 1), Refused::not_positive, "a result that is not empty");
    }
    return one(std::move(result));
}

/// A value of `input` for each place that `grid` names.
Results grid_sampler(Call& call) {
    const Shape &input = call.shape("input"), &grid = call.shape("grid");
    require_rank(call, "input", 4, 5);
    if (call.rank("grid") != call.rank("input")) call.refuse(Refused::rank, "`grid` and `input` differ in rank");
    call.require(equal(input[0], grid[0]), Refused::size_mismatch, "one batch of `input` and `grid`");
    call.require(equal(grid.back(), call.rank("input") - 2), Refused::size_mismatch,
                 "a coordinate a spatial dim in `grid`");
    for (std::size_t d = 2; d < input.size(); ++d)
        call.require(at_least(input[d], 1), Refused::empty_list, "an input with places");
    if (call.integer("interpolation_mode") == 2 && call.rank("input") == 5)
        call.refuse(Refused::bad_mode, "`interpolation_mode` 2 (bicubic) is for 4 dims");
    return one(first(input, 2) + Shape(grid.begin() + 1, grid.end() - 1));
}

/// A coordinate for each place of an image of shape `size`.
Results affine_grid(Call& call) {
    const Shape size = call.sizes("size");
    if (size.size() != 4 && size.size() != 5)
        call.refuse(Refused::rank, fmt::format("`size` {} has not 4 or 5 numbers", print(size)));
    const std::int64_t dims = static_cast<std::int64_t>(size.size()) - 2;
    require_rank(call, "theta", 3);
    require_same(call, "`theta` of a matrix for each image", call.shape("theta"), {size[0], dims, dims + 1});
    for (const Formula& extent : size) call.require(at_least(extent, 0), Refused::not_positive, "`size` of 0 or more");
    return one(Shape{size[0]} + last(size, static_cast<int>(dims)) + Shape{dims});
}

}  // namespace

// clang-format off
Family resampling_family() {
    const std::string_view nearest = "input: tensor, output_size: ints?, scale_factors: numbers? = null";
    const std::string_view linear = "input: floats, output_size: ints?, align_corners: bool = false, scale_factors: numbers? = null";
    return {"resampling", "Values between the places of a grid", {
        {"upsample_nearest1d",   nearest, upsample<1>, "", "extents are an argument, or a fraction of the input"},
        {"upsample_nearest2d",   nearest, upsample<2>, "", "extents are an argument, or a fraction of the input"},
        {"upsample_linear1d",    linear, upsample<1>, "", "extents are an argument, or a fraction of the input"},
        {"upsample_bilinear2d",  linear, upsample<2>, "", "extents are an argument, or a fraction of the input"},
        {"upsample_bicubic2d",   linear, upsample<2>, "", "extents are an argument, or a fraction of the input"},
        {"upsample_trilinear3d", linear, upsample<3>, "", "extents are an argument, or a fraction of the input"},
        {"grid_sampler",         "input: floats, grid: floats, interpolation_mode: int = 0, padding_mode: int = 0, align_corners: bool = false", grid_sampler, "", "places are data"},
        {"affine_grid",          "theta: floats, size: ints, align_corners: bool = false", affine_grid, "", "the shape is an argument"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
