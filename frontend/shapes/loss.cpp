// Losses: what is wanted against what is there; `reduction` 0 keeps one value a place, 1 and 2 give their mean and sum.

#include "frontend/shapes/families.h"
#include "frontend/shapes/indexed.h"
#include "frontend/shapes/pointwise.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

Results reduced_loss(Call& call, Shape shape) {
    const std::int64_t reduction = call.integer("reduction");
    if (reduction < 0 || reduction > 2)
        throw Refusal(Refused::bad_mode, fmt::format("{}: `reduction` is {}", call.op().name, reduction),
                      "give 0 (none), 1 (mean) or 2 (sum)");
    return one(reduction == 0 ? std::move(shape) : Shape{});
}

Results pairwise(Call& call) { return reduced_loss(call, pointwise(call, std::string(call.op().equation))); }

void check_classes(Call& call, const Formula& classes, const Shape& target) {
    if (call.has("weight")) require_same(call, "`weight` with one element a class", call.shape("weight"), {classes});
    require_place(call, classes, numel(target));
}

/// One class for each row of scores.
Shape class_loss(Call& call) {
    const Shape &input = call.shape("input"), &target = call.shape("target");
    require_rank(call, "input", 1, 2);
    require_rank(call, "target", 0, 1);
    if (input.size() == 2 || !target.empty())
        require_same(call, "one class in `target` for each row of `input`", target, {input[0]});
    check_classes(call, input.back(), target);
    return input.size() == 2 ? target : Shape{};
}

Results nll_loss(Call& call) { return reduced_loss(call, class_loss(call)); }

/// Classes as numbers, or a probability for each of them.
Results cross_entropy(Call& call) {
    require_number(call, "label_smoothing", 0);
    const Shape &input = call.shape("input"), &target = call.shape("target");
    require_rank(call, "input", 1, any_rank);
    const std::size_t class_dim = input.size() == 1 ? 0 : 1;
    if (is_float(call.tensor("target").type)) {
        require_same(call, "probabilities in `target` for each score of `input`", target, input);
        if (call.has("weight"))
            require_same(call, "`weight` with one element a class", call.shape("weight"), {input[class_dim]});
        return reduced_loss(call, without(input, static_cast<int>(class_dim)));
    }
    const Shape wanted = without(input, static_cast<int>(class_dim));
    require_same(call, "a class in `target` for each place of `input`", target, wanted);
    check_classes(call, input[class_dim], target);
    return reduced_loss(call, target);
}

}  // namespace

// clang-format off
Family loss_family() {
    const std::string_view pair = "input: floats, target: tensor, reduction: int = 1";
    return {"loss", "What is wanted against what is there", {
        {"mse_loss",      pair, pairwise, "(input - target)*(input - target)"},
        {"l1_loss",       pair, pairwise, "abs(input - target)"},
        {"kl_div",        "input: floats, target: tensor, reduction: int = 1, log_target: bool = false", pairwise, "target*(log(target) - input)"},
        {"nll_loss",      "input: floats, target: index, weight: tensor? = null, reduction: int = 1, ignore_index: int = -100", nll_loss, "", "classes are data"},
        {"cross_entropy", "input: floats, target: tensor, weight: tensor? = null, reduction: int = 1, ignore_index: int = -100, label_smoothing: number = 0", cross_entropy, "", "classes are data"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
