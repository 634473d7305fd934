// Matrices: diagonals, triangles, squares and what is solved with them. Batches come first.

#include "frontend/shapes/families.h"
#include "frontend/shapes/pointwise.h"

#include <fmt/format.h>

#include <cstdlib>

namespace halogen::shapes {

namespace {

void require_square(Call& call, std::string_view name) {
    require_rank(call, name, 2, any_rank);
    const Shape& a = call.shape(name);
    call.require(equal(a[a.size() - 2], a.back()), Refused::rank,
                 [&] { return fmt::format("square matrices in `{}`", name); });
}

Results square(Call& call) {
    const std::string_view name = call.signature().slots[0].name;
    require_square(call, name);
    return one(call.shape(name));
}

Results triangle(Call& call) {
    require_rank(call, "input", 2, any_rank);
    return one(pointwise(call, "input", call.shape("input")));
}

/// The product of vectors of 3 along a dim.
Results cross(Call& call) {
    if (call.rank("input") != call.rank("other")) call.refuse(Refused::rank, "`input` and `other` differ in rank");
    require_rank(call, "input", 1, any_rank);
    const int dim = dim_of(call, "dim", call.rank("input"));
    for (const char* name : {"input", "other"})
        call.require(equal(call.shape(name)[dim], 3), Refused::size_mismatch, "extent 3 along the dim");
    return one(broadcast(call, {call.shape("input"), call.shape("other")}));
}

/// Rows and columns of `offset` above (or, negative, below) the main diagonal that a matrix has; none where it lies outside.
Formula diagonal_extent(Call& call, const Formula& rows, const Formula& columns, const Formula& offset) {
    const bool is_above = call.decide(at_least(offset, 0));
    const Formula n = is_above ? rows : rows + offset, m = is_above ? columns - offset : columns;
    return larger(smaller(n, m, call.least()), 0, call.least());
}

Formula magnitude(Call& call, const Formula& offset) { return call.decide(at_least(offset, 0)) ? offset : -offset; }

Results diag(Call& call) {
    require_rank(call, "input", 1, 2);
    const Shape& input = call.shape("input");
    const Formula& offset = call.size("diagonal");
    if (input.size() == 2) return one({diagonal_extent(call, input[0], input[1], offset)});
    const Formula side = input[0] + magnitude(call, offset);
    return one({side, side});
}

/// Two dims that the arguments `dim1` and `dim2` name, of `rank` dims.
std::pair<int, int> two_dims(Call& call, int rank) {
    const int a = dim_of(call, "dim1", rank), b = dim_of(call, "dim2", rank);
    if (a == b) call.refuse(Refused::duplicate_dim, fmt::format("`dim1` and `dim2` are both dim {}", a));
    return {a, b};
}

/// A view along a diagonal, as the last dim.
Results diagonal(Call& call) {
    const auto [a, b] = two_dims(call, call.rank("input"));
    const Shape &input = call.shape("input"), strides = strides_of(call.tensor("input"));
    const auto rest = [&, a = a, b = b](const Shape& s) { return without(without(s, std::max(a, b)), std::min(a, b)); };
    return view(rest(input) + Shape{diagonal_extent(call, input[a], input[b], call.size("offset"))},
                rest(strides) + Shape{strides[a] + strides[b]});
}

Results diag_embed(Call& call) {
    const auto [a, b] = two_dims(call, call.rank("input") + 1);
    const Shape& input = call.shape("input");
    const Formula side = input.back() + magnitude(call, call.size("offset"));
    return one(inserted(inserted(first(input, call.rank("input") - 1), std::min(a, b), side), std::max(a, b), side));
}

/// Distances of all pairs of points.
Results cdist(Call& call) {
    require_number(call, "p", 0);
    require_rank(call, "x1", 2, any_rank);
    require_rank(call, "x2", 2, any_rank);
    const Shape &x1 = call.shape("x1"), &x2 = call.shape("x2");
    const Shape batch = broadcast(call, {first(x1, call.rank("x1") - 2), first(x2, call.rank("x2") - 2)});
    const int rank = static_cast<int>(batch.size());
    const std::string n = numbered("N", rank), i = numbered("i", rank);
    return one(
        call.derive(fmt::format("kernel k(x1: f32[{}], x2: f32[{}]) -> Y: f32 {{ Y[{}] += abs(x1[{}] - x2[{}]) }}",
                                listed({n, "P", "K"}), listed({n, "R", "K"}), listed({i, "p", "r"}),
                                listed({i, "p", "k"}), listed({i, "r", "k"})),
                    {{"x1", batch + last(x1, 2)}, {"x2", batch + last(x2, 2)}})[0]);
}

/// A X = B (X A = B with `left` false), where B is one vector, one for each matrix, or matrices.
Results solve_linear(Call& call) {
    require_square(call, "A");
    require_one_type(call, {"A", "B"});
    const Shape &a = call.shape("A"), &b = call.shape("B");
    require_rank(call, "B", 1, any_rank);
    bool is_vector = b.size() == 1;
    if (b.size() + 1 == a.size() && !is_vector) {
        Predicate same = true;
        for (std::size_t d = 0; d < b.size(); ++d) same = same && equal(a[d], b[d]);
        is_vector = call.decide(same);
    }
    const bool is_left = call.flag("left");
    if (is_vector && !is_left) call.refuse(Refused::rank, "with `left` false, `B` holds matrices");
    const Shape right = is_vector ? b + Shape{1} : b;
    const int rank = static_cast<int>(right.size());
    call.require(equal(right[right.size() - (is_left ? 2 : 1)], a.back()), Refused::size_mismatch,
                 is_left ? "as many rows in `B` as in `A`" : "as many columns in `B` as in `A`");
    Shape x = broadcast(call, {first(a, call.rank("A") - 2), first(right, rank - 2)}) + last(right, 2);
    if (is_vector) x.pop_back();
    return one(std::move(x));
}

}  // namespace

// clang-format off
Family matrix_family() {
    const std::string_view map = "input";
    return {"matrix", "Diagonals, triangles and squares", {
        {"trace",               "input: tensor", by_equation, "(input: f32[N, M]) -> Y: f32 { Y[] += select(i == j, input[i, j], 0) }"},
        {"linalg_cross",        "input: tensor, other: tensor, dim: int = -1", cross, "", "three components are written one by one"},
        {"linalg_matrix_power", "input: tensor, n: int", square, "", "a whole algorithm"},
        {"linalg_inv",          "A: floats", square, "", "a whole algorithm"},
        {"cholesky",            "input: floats, upper: bool = false", square, "", "a whole algorithm"},
        {"linalg_solve",        "A: floats, B: floats, left: bool = true", solve_linear, "", "a whole algorithm"},
        {"triu",                "input: tensor, diagonal: int = 0", triangle, map},
        {"tril",                "input: tensor, diagonal: int = 0", triangle, map},
        {"diag",                "input: tensor, diagonal: int = 0", diag, "", "a diagonal outside the matrix is empty, which a text refuses"},
        {"diagonal",            "input: tensor, offset: int = 0, dim1: int = 0, dim2: int = 1", diagonal, "", "a diagonal outside the matrix is empty, which a text refuses"},
        {"diag_embed",          "input: tensor, offset: int = 0, dim1: int = -2, dim2: int = -1", diag_embed, "", "zeros around a diagonal"},
        {"cdist",               "x1: floats, x2: floats, p: number = 2, compute_mode: int? = null", cdist, "(x1: f32[N0, P, K], x2: f32[N0, R, K]) -> Y: f32 { Y[i0, p, r] += abs(x1[i0, p, k] - x2[i0, r, k]) }"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
