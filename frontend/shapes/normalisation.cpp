// Norms: the shape stays, statistics and weights have to fit.

#include "frontend/shapes/families.h"
#include "frontend/shapes/pointwise.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// Along one dim: exponentials by their sum.
Results softmax(Call& call) {
    dim_of(call, "dim", call.rank("input"));
    return one(pointwise(call, std::string(call.op().equation)));
}

/// The last dims of `input` are `normalized_shape`, and so are the weights.
int normalised_dims(Call& call) {
    const Shape& input = call.shape("input");
    const Shape last_dims = call.sizes("normalized_shape");
    const int count = static_cast<int>(last_dims.size());
    if (count == 0) call.refuse(Refused::rank, "`normalized_shape` is empty");
    if (count > call.rank("input"))
        call.refuse(Refused::rank,
                    fmt::format("`normalized_shape` {} has more dims than `input` {}", print(last_dims), print(input)));
    require_same(call, "`normalized_shape` to be the last dims of `input`", last(input, count), last_dims);
    for (const char* name : {"weight", "bias"}) {
        if (call.signature().find(name) && call.has(name))
            require_same(call, fmt::format("`{}` of shape `normalized_shape`", name), call.shape(name), last_dims);
    }
    return count;
}

Results layer_norm(Call& call) {
    normalised_dims(call);
    return one(pointwise(call, "input", call.shape("input")));
}

/// The result, and mean and deviation with an extent of 1 for each dim normalised.
Results layer_norm_with_statistics(Call& call) {
    const int count = normalised_dims(call), rank = call.rank("input");
    const Shape statistics = first(call.shape("input"), rank - count) + Shape(static_cast<std::size_t>(count), 1);
    return {{pointwise(call, "input", call.shape("input"))}, {statistics}, {statistics}};
}

/// One number a channel, for each of `names` that is given.
void require_per_channel(Call& call, const Formula& channels, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (call.has(name))
            require_same(call, fmt::format("`{}` with one element a channel", name), call.shape(name), {channels});
    }
}

Results channel_norm(Call& call) {
    if (call.rank("input") < 2)
        call.refuse(Refused::size_mismatch, "`input` has no channels: 2 dims at least are needed");
    require_per_channel(call, call.shape("input")[1], {"weight", "bias", "running_mean", "running_var"});
    const bool is_training = call.flag(call.signature().find("training") ? "training" : "use_input_stats");
    if (!is_training && !(call.has("running_mean") && call.has("running_var")))
        call.refuse(Refused::exclusive_args, "without training, `running_mean` and `running_var` are needed");
    return one(pointwise(call, "input", call.shape("input")));
}

Results group_norm(Call& call) {
    require_rank(call, "input", 2, any_rank);
    const Formula &channels = call.shape("input")[1], &groups = call.size("num_groups");
    call.require(at_least(groups, 1), Refused::not_positive, "`num_groups` of 1 or more");
    call.require(divides(groups, channels), Refused::not_divisible, "channels that divide into `num_groups`");
    require_per_channel(call, channels, {"weight", "bias"});
    return one(pointwise(call, "input", call.shape("input")));
}

Results renorm(Call& call) {
    require_number(call, "p", 0, true);
    require_number(call, "maxnorm", 0);
    require_rank(call, "input", 2, any_rank);
    dim_of(call, "dim", call.rank("input"));
    return one(pointwise(call, "input", call.shape("input")));
}

/// Two tensors broadcast, then summed over one dim.
Results similarity(Call& call) {
    Shape both = broadcast(call, {call.shape("x1"), call.shape("x2")});
    const int dim = dim_of(call, "dim", static_cast<int>(both.size()));
    return one(both.empty() ? both : without(std::move(both), dim));
}

Results distance(Call& call) {
    Shape both = broadcast(call, {call.shape("x1"), call.shape("x2")});
    if (both.empty()) return one(both);
    const int dim = static_cast<int>(both.size()) - 1;
    return one(call.flag("keepdim") ? with(both, dim, 1) : without(both, dim));
}

}  // namespace

// clang-format off
Family normalisation_family() {
    const std::string_view same = "(input: f32[N0, N1]) -> Y: f32 { Y[i0, i1] = input[i0, i1] }";
    return {"normalisation", "Values scaled by their statistics", {
        {"softmax",           "input: floats, dim: int", softmax, "exp(input)"},
        {"log_softmax",       "input: floats, dim: int", softmax, "log(exp(input))"},
        {"layer_norm",        "input: floats, normalized_shape: ints, weight: tensor? = null, bias: tensor? = null, eps: number = 1e-05, cudnn_enable: bool = true", layer_norm, same},
        {"rms_norm",          "input: floats, normalized_shape: ints, weight: tensor? = null, eps: number? = null", layer_norm, same},
        {"native_layer_norm", "input: floats, normalized_shape: ints, weight: tensor? = null, bias: tensor? = null, eps: number = 1e-05", layer_norm_with_statistics, same},
        {"batch_norm",        "input: floats, weight: tensor? = null, bias: tensor? = null, running_mean: tensor? = null, running_var: tensor? = null, training: bool = false, momentum: number = 0.1, eps: number = 1e-05, cudnn_enabled: bool = true", channel_norm, same},
        {"instance_norm",     "input: floats, weight: tensor? = null, bias: tensor? = null, running_mean: tensor? = null, running_var: tensor? = null, use_input_stats: bool = true, momentum: number = 0.1, eps: number = 1e-05, cudnn_enabled: bool = true", channel_norm, same},
        {"group_norm",        "input: floats, num_groups: int, weight: tensor? = null, bias: tensor? = null, eps: number = 1e-05, cudnn_enabled: bool = true", group_norm, same},
        {"renorm",            "input: floats, p: number, dim: int, maxnorm: number", renorm, same},
        {"cosine_similarity", "x1: floats, x2: floats, dim: int = 1, eps: number = 1e-08", similarity, "", "broadcasts, then reduces what it broadcast"},
        {"pairwise_distance", "x1: floats, x2: floats, p: number = 2, eps: number = 1e-06, keepdim: bool = false", distance, "", "broadcasts, then reduces what it broadcast"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
