// Convolutions, plain and transposed, and the windows of images laid out as columns.

#include "frontend/shapes/families.h"
#include "frontend/shapes/windows.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// What every convolution needs of its channels: `outputs` divide into groups, the bias has one element each.
void check_channels(Call& call, const Formula& divided, const Formula& outputs) {
    const Formula& groups = call.size("groups");
    call.require(at_least(groups, 1), Refused::not_positive, "`groups` of 1 or more");
    call.require(at_least(divided, 1), Refused::not_positive, "`weight` of 1 or more channels");
    call.require(divides(groups, divided), Refused::not_divisible, "channels of `weight` that divide into `groups`");
    if (call.has("bias"))
        require_same(call, "`bias` with one element an output channel", call.shape("bias"), {outputs});
    require_one_type(call, {"input", "weight", "bias"});
}

void check_extents(Call& call, const Shape& input, const Shape& weight) {
    for (std::size_t d = 2; d < input.size(); ++d) {
        call.require(at_least(input[d], 1), Refused::not_positive, "an input that is not empty");
        call.require(at_least(weight[d], 1), Refused::not_positive, "a window that is not empty");
    }
}

/// Channels in groups, windows that slide over padding: both halves of the result, channels and extents, from one text.
template<int dims>
Shape convolved(Call& call, const Windows& windows) {
    static const std::string text = fmt::format(
        "kernel k(input: f32[N, G, C, {0}], weight: f32[G, O, C, {1}], {2}) -> Y: f32 {{ Y[n, g, o, {3}] += "
        "input[n, g, c, {4}]*weight[g, o, c, {5}] }}",
        padded_dims(dims), numbered("K", dims), window_parameters(dims), numbered("y", dims), window_places(dims),
        numbered("k", dims));
    const Shape input = batched(call, "input", dims + 2);
    const Shape& weight = call.shape("weight");
    require_rank(call, "weight", dims + 2);
    check_channels(call, weight[0], weight[0]);
    check_extents(call, input, weight);
    const Formula& groups = call.size("groups");
    call.require(equal(input[1], weight[1] * groups), Refused::size_mismatch,
                 "as many input channels as `weight` has, times `groups`");
    const Shape y = call.derive(text,
                                {{"input", Shape{input[0], groups, weight[1]} + last(input, dims)},
                                 {"weight", Shape{groups, floor_div(weight[0], groups)} + last(weight, dims + 1)}},
                                window_sizes(windows), "a window no longer than the padded input")[0];
    return unbatched(call, "input", dims + 2, Shape{y[0], weight[0]} + last(y, dims));
}

template<int dims>
Results convolution(Call& call) {
    return one(convolved<dims>(call, windows_of(call, dims)));
}

/// Padding "valid" is none; "same" is what keeps the extents.
template<int dims>
Results named_padding(Call& call) {
    Windows w = windows_of(call, dims);
    const std::string& padding = call.text("padding");
    if (padding != "same" && padding != "valid")
        throw Refusal(Refused::bad_mode, fmt::format("{}: `padding` is \"{}\"", call.op().name, padding),
                      "give \"same\" or \"valid\"");
    require_rank(call, "weight", dims + 2);
    w.low = w.high = Shape(dims);
    for (std::size_t d = 0; padding == "same" && d < dims; ++d) {
        call.require(equal(w.stride[d], 1), Refused::bad_mode, "`stride` of 1 for padding \"same\"");
        const Formula total = w.dilation[d] * (call.shape("weight")[d + 2] - Formula(1));
        w.low[d] = floor_div(total, 2);
        w.high[d] = total - w.low[d];
    }
    return one(convolved<dims>(call, w));
}

/// The text writes all products; padding then crops both ends, and `output_padding` adds to the last.
template<int dims>
Results transposed(Call& call) {
    const Windows w = windows_of(call, dims);
    const Shape extra = sizes_for(call, "output_padding", dims), input = batched(call, "input", dims + 2);
    const Shape& weight = call.shape("weight");
    require_rank(call, "weight", dims + 2);
    const Formula& groups = call.size("groups");
    check_channels(call, weight[0], weight[1] * groups);
    call.require(at_least(weight[1], 1), Refused::not_positive, "`weight` of 1 or more output channels");
    check_extents(call, input, weight);
    call.require(equal(input[1], weight[0]), Refused::size_mismatch, "as many input channels as `weight` has");
    std::string places;
    for (int d = 0; d < dims; ++d) places += fmt::format(", S{0}*y{0} + D{0}*k{0}", d);
    const std::string text = fmt::format(
        "kernel k(input: f32[N, G, C, {0}], weight: f32[G, C, O, {1}], {2}) -> Y: f32 {{ Y[n, g, o{3}] += input[n, g, "
        "c, "
        "{4}]*weight[g, c, o, {5}] }}",
        numbered("H", dims), numbered("K", dims), window_parameters(dims), places, numbered("y", dims),
        numbered("k", dims));
    const Formula share = floor_div(weight[0], groups);
    const Shape y = call.derive(text,
                                {{"input", Shape{input[0], groups, share} + last(input, dims)},
                                 {"weight", Shape{groups, share, weight[1]} + last(weight, dims)}},
                                window_sizes(w))[0];
    Shape result{y[0], weight[1] * groups};
    for (std::size_t d = 0; d < dims; ++d) {
        call.require(at_least(extra[d], 0), Refused::not_positive, "`output_padding` of 0 or more");
        call.require(at_most(extra[d] + Formula(1), w.stride[d]) || at_most(extra[d] + Formula(1), w.dilation[d]),
                     Refused::kernel_too_large, "`output_padding` below the stride or the dilation");
        result.push_back(y[d + 3] - w.low[d] - w.high[d] + extra[d]);
        call.require(at_least(result.back(), 1), Refused::not_positive, "a result that is not empty");
    }
    return one(unbatched(call, "input", dims + 2, result));
}

/// How many windows of `kernel_size` lie in `extents`, by the text of a window alone.
Shape blocks(Call& call, const Shape& extents) {
    const int dims = static_cast<int>(extents.size());
    for (const char* name : {"dilation", "padding", "stride"}) exact_sizes_for(call, name, dims);
    const Windows w = windows_of(call, dims);
    const Shape kernel = exact_sizes_for(call, "kernel_size", dims);
    std::map<std::string, Formula> sizes = window_sizes(w);
    std::string parameters, ranges;
    for (int d = 0; d < dims; ++d) {
        call.require(at_least(kernel[d], 1), Refused::not_positive, "`kernel_size` of 1 or more");
        sizes.emplace(fmt::format("K{}", d), kernel[d]);
        parameters += fmt::format("K{}: size, ", d);
        ranges += fmt::format("{}k{} in 0:K{}", d ? ", " : "", d, d);
    }
    return call.derive(fmt::format("kernel k(input: f32[{}], {}{}) -> Y: f32 {{ Y[{}, {}] = input[{}] where {} }}",
                                   padded_dims(dims), parameters, window_parameters(dims), numbered("k", dims),
                                   numbered("y", dims), window_places(dims), ranges),
                       {{"input", extents}}, sizes, "a window no longer than the padded input")[0];
}

/// A column for each window: [n, c*k0*k1, windows].
Results im2col(Call& call) {
    const Shape input = batched(call, "input", 4);
    require_filled(call, input, 1);
    const Shape y = blocks(call, last(input, 2));
    return one(unbatched(call, "input", 4, {input[0], input[1] * y[0] * y[1], y[2] * y[3]}));
}

/// The image whose windows the columns are.
Results col2im(Call& call) {
    const Shape input = batched(call, "input", 3), output = exact_sizes_for(call, "output_size", 2);
    require_filled(call, input, 1);
    for (const Formula& extent : output)
        call.require(at_least(extent, 1), Refused::not_positive, "`output_size` of 1 or more");
    const Shape y = blocks(call, output);
    const Formula window = y[0] * y[1];
    call.require(divides(window, input[1]), Refused::not_divisible, "rows that divide into windows");
    call.require(equal(input[2], y[2] * y[3]), Refused::size_mismatch, "as many columns as there are windows");
    return one(unbatched(call, "input", 3, Shape{input[0], floor_div(input[1], window)} + output));
}

/// Time first, channels last.
Results conv_tbc(Call& call) {
    require_rank(call, "input", 3);
    require_rank(call, "weight", 3);
    const Shape &input = call.shape("input"), &weight = call.shape("weight");
    call.require(equal(input[2], weight[1]), Refused::size_mismatch, "as many input channels as `weight` has");
    require_same(call, "`bias` with one element an output channel", call.shape("bias"), {weight[2]});
    const Formula steps = input[0] + Formula(2) * call.size("pad") - weight[0] + Formula(1);
    call.require(at_least(steps, 0), Refused::kernel_too_large, "a window no longer than the padded input");
    return one({steps, input[1], weight[2]});
}

}  // namespace

// clang-format off
Family convolution_family() {
    const std::string_view plain = "input: tensor, weight: tensor, bias: tensor? = null, stride: ints = 1, padding: ints = 0, dilation: ints = 1, groups: int = 1";
    const std::string_view named = "input: tensor, weight: tensor, bias: tensor? = null, stride: ints = 1, padding: text = valid, dilation: ints = 1, groups: int = 1";
    const std::string_view turned = "input: tensor, weight: tensor, bias: tensor? = null, stride: ints = 1, padding: ints = 0, output_padding: ints = 0, groups: int = 1, dilation: ints = 1";
    const std::string_view slides = "(input: f32[N, G, C, H0 pad (L0, R0)], weight: f32[G, O, C, K0], S0: size, D0: size, L0: size, R0: size) -> Y: f32 { Y[n, g, o, y0] += input[n, g, c, S0*y0 + D0*k0 - L0]*weight[g, o, c, k0] }";
    const std::string_view writes = "(input: f32[N, G, C, H0], weight: f32[G, C, O, K0], S0: size, D0: size) -> Y: f32 { Y[n, g, o, S0*y0 + D0*k0] += input[n, g, c, y0]*weight[g, c, o, k0] }";
    const std::string_view window = "(input: f32[H0 pad (L0, R0)], K0: size, S0: size, D0: size, L0: size, R0: size) -> Y: f32 { Y[k0, y0] = input[S0*y0 + D0*k0 - L0] where k0 in 0:K0 }";
    return {"convolution", "Windows that slide over channels", {
        {"conv1d",           plain,  convolution<1>,   slides},
        {"conv2d",           plain,  convolution<2>,   slides},
        {"conv3d",           plain,  convolution<3>,   slides},
        {"conv1d_padmode",   named,  named_padding<1>, slides},
        {"conv2d_padmode",   named,  named_padding<2>, slides},
        {"conv3d_padmode",   named,  named_padding<3>, slides},
        {"conv_transpose1d", turned, transposed<1>,    writes},
        {"conv_transpose2d", turned, transposed<2>,    writes},
        {"conv_transpose3d", turned, transposed<3>,    writes},
        {"im2col",           "input: tensor, kernel_size: ints, dilation: ints = 1, padding: ints = 0, stride: ints = 1", im2col, window},
        {"col2im",           "input: tensor, output_size: ints, kernel_size: ints, dilation: ints = 1, padding: ints = 0, stride: ints = 1", col2im, window},
        {"conv_tbc",         "input: tensor, weight: tensor, bias: tensor, pad: int = 0", conv_tbc, "", "an empty result is legal, which the text of a window refuses"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
