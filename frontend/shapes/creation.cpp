// Tensors out of numbers.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

#include <cmath>

namespace halogen::shapes {

namespace {

/// A rule for fractions: the count in double precision.
Results arange_of_reals(Call& call) {
    double ends[3];
    const char* names[] = {"start", "end", "step"};
    for (int i = 0; i < 3; ++i) {
        const auto* whole = call.argument(names[i]).as<Formula>();
        ends[i] = whole ? static_cast<double>(call.integer(names[i])) : *call.argument(names[i]).as<double>();
    }
    const auto [start, end, step] = ends;
    if (step == 0) call.refuse(Refused::not_positive, "`step` is 0");
    if ((end - start) / step < 0) call.refuse(Refused::size_mismatch, "`step` points away from `end`");
    const double count = std::ceil((end - start) / step);
    if (!(count < 4e18)) call.refuse(Refused::size_mismatch, "there are too many elements");
    return one({static_cast<std::int64_t>(count)});
}

/// Numbers from `start`, `step` apart, up to and without `end`.
Results arange(Call& call) {
    for (const char* name : {"start", "end", "step"}) {
        if (call.argument(name).as<double>()) return arange_of_reals(call);
    }
    const Formula &step = call.size("step"), difference = call.size("end") - call.size("start");
    call.require(differ(step, 0), Refused::not_positive, "`step` other than 0");
    const bool goes_up = call.decide(at_least(step, 1));
    const Formula way = goes_up ? difference : -difference, pace = goes_up ? step : -step;
    call.require(at_least(way, 0), Refused::size_mismatch, "a `step` that points from `start` to `end`");
    return one({ceil_div(way, pace)});
}

Results filled(Call& call, const char* name) {
    const Shape shape = call.sizes(name);
    for (const Formula& extent : shape)
        call.require(at_least(extent, 0), Refused::not_positive,
                     [&] { return fmt::format("`{}` of 0 or more", name); });
    return one(shape);
}

Results of_size(Call& call) { return filled(call, "size"); }
Results of_steps(Call& call) { return filled(call, "steps"); }

Results eye(Call& call) {
    for (const char* name : {"n", "m"}) filled(call, name);
    return by_equation(call);
}

/// 1 + 2 + … + n, and 0 below.
Formula triangle(const Formula& n, const LowerBounds& least) {
    const Formula side = larger(n, 0, least);
    return floor_div(side * (side + Formula(1)), 2);
}

/// How many places of a matrix lie on or below the diagonal `offset`: whole triangles, less what juts out of the columns.
Formula places_below(const Formula& rows, const Formula& columns, const Formula& offset, const LowerBounds& least) {
    const auto rows_of = [&](const Formula& above) { return triangle(rows + above, least) - triangle(above, least); };
    return rows_of(offset) - rows_of(offset - columns);
}

template<bool below>
Results triangle_indices(Call& call) {
    const Formula &rows = call.size("row"), &columns = call.size("col"), &offset = call.size("offset");
    for (const char* name : {"row", "col"}) filled(call, name);
    const Formula under = places_below(rows, columns, below ? offset : offset - Formula(1), call.least());
    return one({2, below ? under : rows * columns - under});
}

}  // namespace

// clang-format off
Family creation_family() {
    const std::string_view corner = "row: int, col: int, offset: int = 0 -> i64";
    return {"creation", "Tensors out of numbers", {
        {"arange",       "start: number = 0, end: number, step: number = 1 -> i64", arange, "", "counted from start, end and step, which may be fractions"},
        {"linspace",     "start: number, end: number, steps: int", of_steps, "", "the shape is an argument"},
        {"eye",          "n: int, m: int", eye, "(n: size, m: size) -> Y: f32 { Y[i, j] = select(i == j, 1, 0) where i in 0:n, j in 0:m }"},
        {"zeros",        "size: ints", of_size, "", "the shape is an argument"},
        {"full",         "size: ints, fill_value: number", of_size, "", "the shape is an argument"},
        {"tril_indices", corner, triangle_indices<true>, "", "the places of a triangle are counted"},
        {"triu_indices", corner, triangle_indices<false>, "", "the places of a triangle are counted"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
