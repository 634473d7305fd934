// Along one dim: running sums, orders, differences.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// All elements up to each place combined, by the row's equation; the extents stay.
Results running(Call& call) {
    const Shape& input = call.shape("input");
    const int rank = call.rank("input"), dim = dim_of(call, "dim", rank);
    if (rank == 0) return one({});
    const std::string before = numbered("i", dim), after = numbered("i", rank - dim - 1, dim + 1);
    const std::string read = fmt::format("input[{}]", listed({before, "k", after}));
    return one(call.derive(
        fmt::format("kernel k(input: f32[{0}]) -> Y: f32[{0}] {{ Y[{1}] {2} where k <= i{3} }}", numbered("N", rank),
                    numbered("i", rank), fmt::format(fmt::runtime(call.op().equation), read), dim),
        {{"input", input}})[0]);
}

Results same(Call& call) {
    dim_of(call, "dim", call.rank("input"));
    return one(call.shape("input"));
}

Results same_twice(Call& call) {
    dim_of(call, "dim", call.rank("input"));
    return {{call.shape("input")}, {call.shape("input")}};
}

/// Differences of neighbours, `n` times over; each time one element less, down to none.
Results diff(Call& call) {
    require_rank(call, "input", 1, any_rank);
    const Shape& input = call.shape("input");
    const int dim = dim_of(call, "dim", call.rank("input"));
    const Formula& times = call.size("n");
    call.require(at_least(times, 0), Refused::not_positive, "`n` of 0 or more");
    Formula extent = input[dim];
    for (const char* name : {"prepend", "append"}) {
        if (!call.has(name)) continue;
        if (call.rank(name) != call.rank("input"))
            call.refuse(Refused::rank, fmt::format("`{}` and `input` differ in rank", name));
        require_same(call, fmt::format("`{}` like `input` but for the dim", name), with(call.shape(name), dim, 0),
                     with(input, dim, 0));
        extent = extent + call.shape(name)[dim];
    }
    if (call.decide(equal(times, 0))) return one(input);
    return one(with(input, dim, larger(extent - times, 0, call.least())));
}

/// The k largest along a dim.
Results topk(Call& call) {
    const int rank = call.rank("input"), dim = dim_of(call, "dim", rank);
    const Formula extent = rank == 0 ? Formula(1) : call.shape("input")[dim];
    const Formula& k = call.size("k");
    call.require(at_least(k, 0), Refused::index_out_of_range, "`k` of 0 or more");
    call.require(at_most(k, extent), Refused::index_out_of_range, "`k` of at most the extent of the dim");
    const Shape result = rank == 0 ? Shape{} : with(call.shape("input"), dim, k);
    return {{result}, {result}};
}

}  // namespace

// clang-format off
Family scan_family() {
    const std::string_view along = "input: tensor, dim: int";
    return {"scan", "Along one dim, in order", {
        {"cumsum",       along, running, "+= {}"},
        {"cumprod",      along, running, "*= {}"},
        {"logcumsumexp", along, running, "+= exp({})"},
        {"cummax",       "input: tensor, dim: int -> same, i64", same_twice, "", "a place beside a value"},
        {"sort",         "input: tensor, dim: int = -1, descending: bool = false -> same, i64", same_twice, "", "an order among elements"},
        {"argsort",      "input: tensor, dim: int = -1, descending: bool = false -> i64", same, "", "an order among elements"},
        {"diff",         "input: tensor, n: int = 1, dim: int = -1, prepend: tensor? = null, append: tensor? = null", diff, "", "as often as an argument says, down to nothing"},
        {"topk",         "input: tensor, k: int, dim: int = -1, largest: bool = true, sorted: bool = true -> same, i64", topk, "", "an order among elements"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
