#include "frontend/shapes/reshape.h"

#include <fmt/format.h>

#include <functional>

namespace halogen::shapes {

Shape inferred(Call& call, Shape shape, const Formula& count) {
    Formula* open = nullptr;
    Formula rest = 1;
    for (Formula& extent : shape) {
        if (extent == Formula(-1)) {
            if (open) call.refuse(Refused::inferred_dim, fmt::format("{} has -1 twice", print(shape)));
            open = &extent;
            continue;
        }
        call.require(at_least(extent, 0), Refused::rank, "extents of 0 or more, and one -1 at most");
        rest = rest * extent;
    }
    if (!open) {
        call.require(equal(count, rest), Refused::numel_mismatch, "as many elements as there are");
        return shape;
    }
    for (const Formula& extent : shape) {
        if (&extent != open) call.require(at_least(extent, 1), Refused::inferred_dim, "extents of 1 or more beside -1");
    }
    call.require(divides(rest, count), Refused::numel_mismatch, "elements that divide by the other extents");
    *open = floor_div(count, rest);
    return shape;
}

namespace {

using Decide = std::function<bool(const Predicate&)>;

/// Runs of dims whose elements lie at even distances, each matched by dims of the result; nothing where one is cut.
/// Source: the rule PyTorch documents for `view`: a dim may span such a run, not cross its end.
std::optional<Shape> strides_of_view(const Operand& input, const Shape& shape, const Decide& decide) {
    const Shape strides = strides_of(input);
    Shape result(shape.size());
    std::size_t done = shape.size();  // dims of the result from here on have strides
    Formula base = strides.back(), run = 1;
    for (std::size_t d = input.shape.size(); d-- > 0;) {
        run = run * input.shape[d];
        const bool is_end =
            d == 0 || (!decide(equal(input.shape[d - 1], 1)) && !decide(equal(strides[d - 1], run * base)));
        if (!is_end) continue;
        Formula covered = 1;
        while (done > 0 && (decide(at_most(covered + Formula(1), run)) || decide(equal(shape[done - 1], 1)))) {
            --done;
            result[done] = covered * base;
            covered = covered * shape[done];
        }
        if (!decide(equal(covered, run))) return std::nullopt;
        if (d > 0) base = strides[d - 1];
        run = 1;
    }
    return done == 0 ? std::optional(result) : std::nullopt;
}

bool is_empty(const Shape& shape, const Decide& decide) {
    Predicate empty = false;
    for (const Formula& extent : shape) empty = empty || equal(extent, 0);
    return decide(empty);
}

}  // namespace

Shape view_strides(Call& call, const Operand& input, const Shape& shape) {
    if (!input.strides || *input.strides == dense_strides(input.shape)) return dense_strides(shape);
    const Decide decide = [&](const Predicate& p) { return call.decide(p); };
    if (input.shape.empty() || is_empty(input.shape, decide)) return dense_strides(shape);
    const auto strides = strides_of_view(input, shape, decide);
    if (!strides)
        throw Refusal(Refused::stride_incompatible,
                      fmt::format("{}: no view of {} with strides {} has the extents {}", call.op().name,
                                  print(input.shape), print(*input.strides), print(shape)),
                      "use reshape, which copies where it must");
    return *strides;
}

std::optional<Shape> reshaped_strides(Call& call, const Operand& input, const Shape& shape) {
    if (!input.strides || input.shape.empty() || *input.strides == dense_strides(input.shape)) return std::nullopt;
    const Decide decide = [&](const Predicate& p) { return call.prove(p).value_or(false); };
    if (is_empty(input.shape, decide)) return std::nullopt;
    return strides_of_view(input, shape, decide);
}

}  // namespace halogen::shapes
