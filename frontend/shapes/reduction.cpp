// Reductions: the dims named are combined; with `keepdim` they stay with extent 1.

#include "frontend/shapes/families.h"
#include "frontend/shapes/reduce.h"

namespace halogen::shapes {

namespace {

/// Null and the empty list name all dims.
std::vector<int> named_dims(Call& call) {
    const int rank = call.rank("input");
    if (!call.has("dim")) return all_dims(rank);
    const std::vector<int> dims = dims_of(call, "dim", rank);
    return dims.empty() ? all_dims(rank) : dims;
}

bool keeps(Call& call) { return call.signature().find("keepdim") && call.flag("keepdim"); }

/// Sums, products and the like: over nothing they give the identity.
Results over_dims(Call& call) { return one(reduced(call, named_dims(call), keeps(call))); }

/// Like over_dims, but the empty list names no dim.
Results over_listed_dims(Call& call) {
    const bool is_all = !call.has("dim");
    const int rank = call.rank("input");
    return one(reduced(call, is_all ? all_dims(rank) : dims_of(call, "dim", rank), keeps(call)));
}

/// Extremes and places: there must be something to choose from.
Results of_something(Call& call) {
    const std::vector<int> dims = named_dims(call);
    require_elements(call, dims);
    return one(reduced(call, dims, keeps(call)));
}

template<ShapeFunction function>
Results twice(Call& call) {
    Results results = function(call);
    results.push_back(results[0]);
    return results;
}

Results norm(Call& call) {
    const auto* whole = call.argument("ord").as<Formula>();
    const auto* real = call.argument("ord").as<double>();
    const bool has_identity = real ? *real >= 0 : call.decide(at_least(*whole, 0));
    return has_identity ? over_dims(call) : of_something(call);
}

/// The k-th smallest along a dim.
Results kth(Call& call) {
    const int dim = dim_of(call, "dim", call.rank("input"));
    const Formula extent = call.rank("input") == 0 ? Formula(1) : call.shape("input")[dim];
    call.require(at_least(call.size("k"), 1) && at_most(call.size("k"), extent), Refused::index_out_of_range,
                 "`k` from 1 to the extent of the dim");
    return twice<of_something>(call);
}

}  // namespace

// clang-format off
Family reduction_family() {
    const std::string_view dims = "input: tensor, dim: ints? = null, keepdim: bool = false";
    const std::string_view real_dims = "input: floats, dim: ints? = null, keepdim: bool = false";
    const std::string_view spread = "input: floats, dim: ints? = null, correction: number? = null, keepdim: bool = false";
    const std::string_view test_dims = "input: tensor, dim: ints? = null, keepdim: bool = false -> bool";
    const std::string_view test_dim = "input: tensor, dim: int, keepdim: bool = false -> bool";
    const std::string_view place = "input: tensor, dim: int? = null, keepdim: bool = false -> i64";
    const std::string_view value_place = "input: tensor, dim: int, keepdim: bool = false -> same, i64";
    return {"reduction", "Dims combined into one value each", {
        {"sum",           dims, over_dims, "+= input"},
        {"sum_all",       "input: tensor", over_dims, "+= input"},
        {"mean",          real_dims, over_dims, "+= input"},
        {"amax",          "input: tensor, dim: ints = [], keepdim: bool = false", of_something, "max= input"},
        {"amin",          "input: tensor, dim: ints = [], keepdim: bool = false", of_something, "min= input"},
        {"aminmax",       "input: tensor, dim: int? = null, keepdim: bool = false", twice<of_something>, "max= input"},
        {"var",           spread, over_dims, "+= input*input"},
        {"std",           spread, over_dims, "+= input*input"},
        {"var_mean",      spread, twice<over_dims>, "+= input*input"},
        {"logsumexp",     real_dims, over_dims, "+= exp(input)"},
        {"vector_norm",   "input: floats, ord: number = 2, dim: ints? = null, keepdim: bool = false", norm, "+= input*input"},
        {"any_dims",      test_dims, over_listed_dims, "or= input != 0"},
        {"any_dim",       test_dim, over_dims, "or= input != 0"},
        {"all_dim",       test_dim, over_dims, "and= input != 0"},
        {"prod",          "input: tensor, dim: int, keepdim: bool = false", over_dims, "*= input"},
        {"count_nonzero", "input: tensor, dim: ints? = null -> i64", over_dims, "+= select(input != 0, 1, 0)"},
        {"argmax",        place, of_something, "max= input"},
        {"argmin",        place, of_something, "min= input"},
        {"max_dim",       value_place, twice<of_something>, "max= input"},
        {"min_dim",       value_place, twice<of_something>, "min= input"},
        {"median_dim",    value_place, twice<of_something>, "", "an order among elements"},
        {"kthvalue",      "input: tensor, k: int, dim: int = -1, keepdim: bool = false -> same, i64", kth, "", "an order among elements"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
