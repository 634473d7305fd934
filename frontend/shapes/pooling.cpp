// Pools: windows that slide over each channel, and pools with a given number of windows.

#include "frontend/shapes/families.h"
#include "frontend/shapes/windows.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

namespace {

/// Windows rounded up, without a last one that would begin in the padding behind the input.
Formula rounded_up(const Formula& input, const Formula& kernel, const Formula& stride, const Formula& dilation,
                   const Formula& padding, const LowerBounds& least) {
    const Formula reach = dilation * (kernel - Formula(1)) + Formula(1);
    return smaller(ceil_div(input + Formula(2) * padding - reach, stride) + Formula(1),
                   ceil_div(input + padding, stride), least);
}

enum class Pool { largest, mean };

template<int dims, Pool pool>
Shape pooled(Call& call) {
    const Shape input = batched(call, "input", dims + 2), kernel = sizes_for(call, "kernel_size", dims);
    for (const Formula& k : kernel) call.require(at_least(k, 1), Refused::not_positive, "`kernel_size` of 1 or more");
    const Windows w = windows_of(call, dims);
    for (std::size_t d = 0; d < dims; ++d)
        call.require(at_most(Formula(2) * w.low[d], kernel[d]), Refused::padding_rule,
                     "`padding` of at most half the window");
    require_filled(call, input, call.rank("input") == dims + 2 ? 1 : 0);
    Shape result = first(input, 2);
    if (call.flag("ceil_mode")) {
        for (std::size_t d = 0; d < dims; ++d) {
            result.push_back(rounded_up(input[d + 2], kernel[d], w.stride[d], w.dilation[d], w.low[d], call.least()));
            call.require(at_least(result.back(), 1), Refused::kernel_too_large, "a window that fits");
        }
    } else {
        std::map<std::string, Formula> sizes = window_sizes(w);
        std::string parameters, ranges;
        for (std::size_t d = 0; d < dims; ++d) {
            sizes.emplace(fmt::format("K{}", d), kernel[d]);
            parameters += fmt::format("K{}: size, ", d);
            ranges += fmt::format("{}k{} in 0:K{}", d ? ", " : "", d, d);
        }
        const std::string text = fmt::format(
            "kernel k(input: f32[N, C, {}] else {}, {}{}) -> Y: f32 {{ Y[n, c, {}] {} input[n, c, {}] where {} }}",
            padded_dims(dims), pool == Pool::mean ? "0" : "lowest", parameters, window_parameters(dims),
            numbered("y", dims), pool == Pool::mean ? "+=" : "max=", window_places(dims), ranges);
        result = call.derive(text, {{"input", input}}, sizes, "a window no longer than the padded input")[0];
    }
    return unbatched(call, "input", dims + 2, result);
}

template<int dims>
Results largest(Call& call) {
    return one(pooled<dims, Pool::largest>(call));
}

template<int dims>
Results mean(Call& call) {
    if (call.signature().find("divisor_override") && call.has("divisor_override"))
        call.require(differ(call.size("divisor_override"), 0), Refused::not_positive,
                     "`divisor_override` other than 0");
    return one(pooled<dims, Pool::mean>(call));
}

/// Values and their places.
template<int dims>
Results pool_with_places(Call& call) {
    Results results = largest<dims>(call);
    results.push_back(results[0]);
    return results;
}

Shape output_size(Call& call, int dims) {
    const Shape size = exact_sizes_for(call, "output_size", dims);
    for (const Formula& extent : size)
        call.require(at_least(extent, 0), Refused::not_positive, "`output_size` of 0 or more");
    return size;
}

/// The mean of as many parts as `output_size` says. A single part is a plain mean, of any rank and over nothing too.
template<int dims>
Results adaptive_average(Call& call) {
    const Shape size = output_size(call, dims), &input = call.shape("input");
    const bool fits = call.rank("input") == dims + 1 || call.rank("input") == dims + 2;
    const Shape filled = !fits ? Shape{} : dims == 3 ? without(input, 0) : last(input, dims);
    // Parts of one element each are a mean of all, which asks for less: open sizes are asked where it matters.
    const bool matters = !fits || !std::all_of(filled.begin(), filled.end(), [&](const Formula& extent) {
        return call.prove(at_least(extent, 1)).value_or(false);
    });
    const bool is_mean =
        matters && std::all_of(size.begin(), size.end(), [&](const Formula& f) { return call.decide(equal(f, 1)); });
    require_rank(call, "input", is_mean && dims > 1 ? dims : dims + 1, is_mean && dims > 1 ? any_rank : dims + 2);
    if (!is_mean) require_filled(call, filled, 0);
    return one(first(input, call.rank("input") - dims) + size);
}

template<int dims>
Results adaptive_maximum(Call& call) {
    const Shape size = output_size(call, dims), &input = call.shape("input");
    require_rank(call, "input", dims + 1, dims + 2);
    require_filled(call, input, 1);
    const Operand result{first(input, call.rank("input") - dims) + size};
    return {result, result};
}

Results max_unpool2d(Call& call) {
    const Shape &input = call.shape("input"), size = exact_sizes_for(call, "output_size", 2);
    require_rank(call, "input", 3, 4);
    require_same(call, "`input` and `indices` of one shape", input, call.shape("indices"));
    require_filled(call, input, 1);
    for (const Formula& extent : size)
        call.require(at_least(extent, 1), Refused::not_positive, "`output_size` of 1 or more");
    return one(first(input, call.rank("input") - 2) + size);
}

}  // namespace

// clang-format off
Family pooling_family() {
    const std::string_view maximum = "input: tensor, kernel_size: ints, stride: ints? = null, padding: ints = 0, dilation: ints = 1, ceil_mode: bool = false";
    const std::string_view places = "input: tensor, kernel_size: ints, stride: ints? = null, padding: ints = 0, dilation: ints = 1, ceil_mode: bool = false -> same, i64";
    const std::string_view line = "input: floats, kernel_size: ints, stride: ints? = null, padding: ints = 0, ceil_mode: bool = false, count_include_pad: bool = true";
    const std::string_view average = "input: floats, kernel_size: ints, stride: ints? = null, padding: ints = 0, ceil_mode: bool = false, count_include_pad: bool = true, divisor_override: int? = null";
    const std::string_view parts = "input: floats, output_size: ints";
    const std::string_view part_places = "input: tensor, output_size: ints -> same, i64";
    const std::string_view window = "(input: f32[N, C, H0 pad (L0, R0)] else lowest, K0: size, S0: size, D0: size, L0: size, R0: size) -> Y: f32 { Y[n, c, y0] max= input[n, c, S0*y0 + D0*k0 - L0] where k0 in 0:K0 }";
    const std::string_view sums = "(input: f32[N, C, H0 pad (L0, R0)], K0: size, S0: size, D0: size, L0: size, R0: size) -> Y: f32 { Y[n, c, y0] += input[n, c, S0*y0 + D0*k0 - L0] where k0 in 0:K0 }";
    return {"pooling", "Windows that slide over each channel", {
        {"max_pool1d", maximum, largest<1>, window},
        {"max_pool2d", maximum, largest<2>, window},
        {"max_pool3d", maximum, largest<3>, window},
        {"max_pool2d_with_indices", places, pool_with_places<2>, window},
        {"avg_pool1d", line, mean<1>, sums},
        {"avg_pool2d", average, mean<2>, sums},
        {"avg_pool3d", average, mean<3>, sums},
        {"adaptive_avg_pool1d", parts, adaptive_average<1>, "", "the extents are an argument"},
        {"adaptive_avg_pool2d", parts, adaptive_average<2>, "", "the extents are an argument"},
        {"adaptive_avg_pool3d", parts, adaptive_average<3>, "", "the extents are an argument"},
        {"adaptive_max_pool1d", part_places, adaptive_maximum<1>, "", "the extents are an argument"},
        {"adaptive_max_pool2d", part_places, adaptive_maximum<2>, "", "the extents are an argument"},
        {"adaptive_max_pool3d", part_places, adaptive_maximum<3>, "", "the extents are an argument"},
        {"max_unpool2d", "input: tensor, indices: index, output_size: ints", max_unpool2d, "", "the extents are an argument"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
