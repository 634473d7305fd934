// Elements added at the ends of dims, or, for negative amounts, cut off.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::shapes {

namespace {

/// What stands in the padding, and with it how far it may reach.
enum class Filling { constant, reflect, replicate, circular };

/// `input` with the pairs of `amounts` added, from the last dim on; the text reads all inside the padding.
Shape padded(Call& call, const Shape& input, const Shape& amounts) {
    const int rank = static_cast<int>(input.size()), pairs = static_cast<int>(amounts.size()) / 2;
    std::string dims, extents, places, parameters;
    std::map<std::string, Formula> sizes;
    for (int d = 0; d < rank; ++d) {
        const int pair = rank - 1 - d;
        const bool is_padded = pair < pairs;
        const char* comma = d ? ", " : "";
        dims += fmt::format(fmt::runtime(is_padded ? "{1}N{0} pad (L{0}, R{0})" : "{1}N{0}"), d, comma);
        extents += fmt::format(fmt::runtime(is_padded ? "{1}N{0} + L{0} + R{0}" : "{1}N{0}"), d, comma);
        places += fmt::format(fmt::runtime(is_padded ? "{1}i{0} - L{0}" : "{1}i{0}"), d, comma);
        if (!is_padded) continue;
        parameters += fmt::format(", L{0}: size, R{0}: size", d);
        sizes.emplace(fmt::format("L{}", d), amounts[2 * pair]);
        sizes.emplace(fmt::format("R{}", d), amounts[2 * pair + 1]);
    }
    return call.derive(fmt::format("kernel k(input: f32[{}]{}) -> Y: f32[{}] {{ Y[{}] = input[{}] }}", dims, parameters,
                                   extents, numbered("i", rank), places),
                       {{"input", input}}, sizes)[0];
}

/// The same where an amount may be negative, which a text does not say.
Shape cropped(Shape input, const Shape& amounts) {
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        Formula& extent = input[input.size() - 1 - i / 2];
        extent = extent + amounts[i];
    }
    return input;
}

/// The rule of each filling on its dims.
void check_amounts(Call& call, const Shape& input, const Shape& amounts, Filling filling) {
    const std::size_t pairs = amounts.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
        const Formula& extent = input[input.size() - 1 - i];
        for (const Formula& amount : {amounts[2 * i], amounts[2 * i + 1]}) {
            if (filling == Filling::reflect)
                call.require(at_most(amount + Formula(1), extent), Refused::padding_rule,
                             "reflections shorter than the dim");
            if (filling == Filling::circular)
                call.require(at_most(amount, extent), Refused::padding_rule, "turns no longer than the dim");
        }
        const Formula result = extent + amounts[2 * i] + amounts[2 * i + 1];
        const int least = filling == Filling::reflect || filling == Filling::replicate ? 1 : 0;
        call.require(at_least(result, least), Refused::not_positive,
                     [&] { return fmt::format("a result of {} or more elements", least); });
    }
}

/// One or two leading dims; of them the first is a batch, which alone may be empty.
void check_leading_dims(Call& call, const Shape& input, std::size_t pairs, Filling filling) {
    if (pairs < 1 || pairs > 3)
        call.refuse(Refused::padding_rule, "other fillings than constant go with 1, 2 or 3 dims");
    if (input.size() != pairs + 1 && input.size() != pairs + 2)
        call.refuse(Refused::not_positive,
                    fmt::format("`input` {} has not {} or {} dims", print(input), pairs + 1, pairs + 2));
    if (filling == Filling::circular) return;
    for (std::size_t d = input.size() - pairs - 1; d < input.size(); ++d)
        call.require(at_least(input[d], 1), Refused::not_positive, "an input of which only the batch is empty");
}

Results pad_with(Call& call, const Shape& amounts, Filling filling) {
    const Shape& input = call.shape("input");
    if (amounts.size() % 2 != 0)
        call.refuse(Refused::not_divisible, fmt::format("{} is no list of pairs", print(amounts)));
    if (amounts.size() / 2 > input.size())
        call.refuse(Refused::padding_rule,
                    fmt::format("{} pads more dims than `input` {} has", print(amounts), print(input)));
    if (filling != Filling::constant) check_leading_dims(call, input, amounts.size() / 2, filling);
    check_amounts(call, input, amounts, filling);
    const bool are_sizes =
        std::all_of(amounts.begin(), amounts.end(), [&](const Formula& f) { return is_nonnegative(f, call.least()); });
    return one(are_sizes ? padded(call, input, amounts) : cropped(input, amounts));
}

Results pad(Call& call) {
    const std::string& mode = call.text("mode");
    const Filling filling = mode == "constant"    ? Filling::constant
                            : mode == "reflect"   ? Filling::reflect
                            : mode == "replicate" ? Filling::replicate
                                                  : Filling::circular;
    if (filling == Filling::circular && mode != "circular")
        throw Refusal(Refused::bad_mode, fmt::format("{}: `mode` is \"{}\"", call.op().name, mode),
                      "give \"constant\", \"reflect\", \"replicate\" or \"circular\"");
    if (filling != Filling::constant && call.has("value"))
        call.refuse(Refused::bad_mode, fmt::format("mode \"{}\" takes no `value`", mode));
    return pad_with(call, call.sizes("pad"), filling);
}

Results constant_pad(Call& call) { return pad_with(call, call.sizes("pad"), Filling::constant); }

template<Filling filling, std::size_t dims>
Results pad_dims(Call& call) {
    const Shape amounts = call.sizes("padding");
    if (amounts.size() != 2 * dims)
        call.refuse(Refused::padding_rule,
                    fmt::format("`padding` {} should hold {} numbers", print(amounts), 2 * dims));
    return pad_with(call, amounts, filling);
}

}  // namespace

// clang-format off
Family padding_family() {
    const std::string_view around = "input: tensor, padding: ints";
    const std::string_view text = "(input: f32[N0, N1 pad (L1, R1)], L1: size, R1: size) -> Y: f32[N0, N1 + L1 + R1] { Y[i0, i1] = input[i0, i1 - L1] }";
    return {"padding", "Elements added at the ends of dims", {
        {"pad",               "input: tensor, pad: ints, mode: text = constant, value: number? = null", pad, text},
        {"constant_pad",      "input: tensor, pad: ints, value: number = 0", constant_pad, text},
        {"reflection_pad1d",  around, pad_dims<Filling::reflect, 1>, text},
        {"reflection_pad2d",  around, pad_dims<Filling::reflect, 2>, text},
        {"replication_pad2d", around, pad_dims<Filling::replicate, 2>, text},
    }};
}
// clang-format on

}  // namespace halogen::shapes
