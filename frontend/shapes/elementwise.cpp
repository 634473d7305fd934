// Operators that work element by element, on operands that broadcast: one text for all of them, with the value put in.

#include "frontend/shapes/families.h"
#include "frontend/shapes/pointwise.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// All tensors broadcast; the row's value is computed at each place.
Results pointwise(Call& call) { return one(pointwise(call, std::string(call.op().equation))); }

/// The tensors hold one type.
Results one_typed(Call& call) {
    for (const Slot& slot : call.signature().slots) {
        if (is_tensor(slot.sort)) require_one_type(call, {call.signature().slots[0].name, slot.name});
    }
    return pointwise(call);
}

/// Numbers, not truth values.
Results of_numbers(Call& call) {
    for (const Slot& slot : call.signature().slots) {
        if (is_tensor(slot.sort) && call.tensor(slot.name).type == Type::boolean)
            throw Refusal(Refused::dtype, fmt::format("{}: `{}` holds bool", call.op().name, slot.name),
                          "give numbers");
    }
    return call.op().equation.empty() ? broadcast_only(call) : pointwise(call);
}

/// A quotient of integers is none of theirs.
Results addcdiv(Call& call) {
    if (!is_float(call.tensor("tensor1").type) && !is_float(call.tensor("tensor2").type))
        throw Refusal(Refused::dtype, "addcdiv: `tensor1` and `tensor2` hold integers", "give floats for one of them");
    return pointwise(call);
}

Results gelu(Call& call) {
    const std::string& kind = call.text("approximate");
    if (kind != "none" && kind != "tanh")
        throw Refusal(Refused::bad_mode, fmt::format("gelu: `approximate` is \"{}\"", kind),
                      "give \"none\" or \"tanh\"");
    return pointwise(call);
}

/// `min` or `max` may be left out, not both.
Results clamp(Call& call) {
    const bool low = call.has("min"), high = call.has("max");
    if (!low && !high) call.refuse(Refused::exclusive_args, "neither `min` nor `max` is given");
    return one(pointwise(call, low && high ? "min(max(input, min), max)"
                               : low       ? "max(input, min)"
                                           : "min(input, max)"));
}

/// One weight, or one for each channel (dim 1).
Results prelu(Call& call) {
    const Shape &input = call.shape("input"), &weight = call.shape("weight");
    require_rank(call, "weight", 0, 1);
    require_one_type(call, {"input", "weight"});
    const Formula channels = input.size() >= 2 ? input[1] : Formula(1);
    call.require(equal(numel(weight), 1) || equal(numel(weight), channels), Refused::size_mismatch,
                 "one weight, or as many as there are channels");
    const int rank = call.rank("input");
    const std::string at = numbered("i", rank);
    const std::string text = fmt::format(
        "kernel k(input: f32[{}], slope: f32) -> Y: f32 {{ Y[{}] = select(input[{}] > 0, "
        "input[{}], slope*input[{}]) }}",
        numbered("N", rank), at, at, at, at);
    return one(call.derive(text, {{"input", input}})[0]);
}

/// The first half of a dim times the sigmoid of the second half.
Results glu(Call& call) {
    const Shape& input = call.shape("input");
    require_rank(call, "input", 1, any_rank);
    const int dim = dim_of(call, "dim", call.rank("input")), rank = call.rank("input");
    const std::string before = numbered("N", dim), after = numbered("N", rank - dim - 1, dim + 1);
    const std::string i = numbered("i", dim), j = numbered("i", rank - dim - 1, dim + 1);
    const std::string at = listed({i, "h", j}), second = listed({i, "h + H", j});
    call.require(divides(2, input[dim]), Refused::not_divisible, "an even extent to cut in two");
    return one(
        call.derive(fmt::format("kernel k(input: f32[{}]) -> Y: f32[{}] {{ Y[{}] = input[{}]*sigmoid(input[{}]) }}",
                                listed({before, "2*H", after}), listed({before, "H", after}), at, at, second),
                    {{"input", input}})[0]);
}

}  // namespace

// clang-format off
Family elementwise_family() {
    const std::string_view two = "input: tensor, other: tensor -> promote";
    const std::string_view test = "input: tensor, other: tensor -> bool";
    return {"elementwise", "Element by element; operands broadcast", {
        {"add",           "input: tensor, other: tensor, alpha: number = 1 -> promote", pointwise, "input + alpha*other"},
        {"sub",           "input: tensor, other: tensor, alpha: number = 1 -> promote", of_numbers, "input - alpha*other"},
        {"mul",           two, pointwise, "input*other"},
        {"div",           two, pointwise, "input/other"},
        {"pow",           "input: tensor, exponent: tensor -> promote", pointwise, "pow(input, exponent)"},
        {"maximum",       two, pointwise, "max(input, other)"},
        {"minimum",       two, pointwise, "min(input, other)"},
        {"fmod",          two, pointwise, "input - other*select(input/other < 0, ceil(input/other), floor(input/other))"},
        {"remainder",     two, pointwise, "input - other*floor(input/other)"},
        {"atan2",         two, broadcast_only, "", "its value is no expression of the notation"},
        {"floor_divide",  two, pointwise, "floor(input/other)"},
        {"logaddexp",     two, pointwise, "log(exp(input) + exp(other))"},
        {"hypot",         two, pointwise, "sqrt(input*input + other*other)"},
        {"copysign",      two, pointwise, "select(other < 0, -abs(input), abs(input))"},
        {"eq",            test, pointwise, "input == other"},
        {"lt",            test, pointwise, "input < other"},
        {"isclose",       "input: tensor, other: tensor, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: bool = false -> bool", one_typed, "abs(input - other) <= atol + rtol*abs(other)"},
        {"heaviside",     "input: tensor, values: tensor -> same", one_typed, "select(input == 0, values, select(input < 0, 0, 1))"},
        {"logical_and",   test, pointwise, "input != 0 and other != 0"},
        {"bitwise_and",   "input: wholes, other: wholes -> promote", broadcast_only, "", "its value is no expression of the notation"},
        {"left_shift",    "input: wholes, other: wholes -> promote", of_numbers, "", "its value is no expression of the notation"},
        {"where",         "condition: mask, input: tensor, other: tensor -> promote", pointwise, "select(condition, input, other)"},
        {"addcmul",       "input: tensor, tensor1: tensor, tensor2: tensor, value: number = 1 -> promote", pointwise, "input + value*tensor1*tensor2"},
        {"addcdiv",       "input: tensor, tensor1: tensor, tensor2: tensor, value: number = 1 -> promote", addcdiv, "input + value*tensor1/tensor2"},
        {"lerp",          "input: tensor, end: tensor, weight: tensor", one_typed, "input + weight*(end - input)"},
        {"clamp",         "input: tensor, min: tensor? = null, max: tensor? = null -> promote", clamp, "min(max(input, min), max)"},
        {"clamp_min",     "input: tensor, min: tensor -> promote", pointwise, "max(input, min)"},
        {"masked_fill",   "input: tensor, mask: mask, value: number", pointwise, "select(mask, value, input)"},
        {"prelu",         "input: tensor, weight: tensor", prelu, "select(input > 0, input, slope*input)"},
        {"glu",           "input: floats, dim: int = -1", glu, "(input: f32[N0, 2*H]) -> Y: f32[N0, H] { Y[i0, h] = input[i0, h]*sigmoid(input[i0, h + H]) }"},
        {"relu",          "input: tensor", of_numbers, "max(input, 0)"},
        {"gelu",          "input: floats, approximate: text = none", gelu, "0.5*input*(1 + erf(input*0.70710678))"},
        {"exp",           "input: tensor", pointwise, "exp(input)"},
        {"threshold",     "input: tensor, threshold: number, value: number", pointwise, "select(input > threshold, input, value)"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
