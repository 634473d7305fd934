// Sums of products: matrix products in all their forms, einsum, and what is built of them.

#include "frontend/shapes/einsum.h"
#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// A plain contraction: the row's text, all operands of one type.
Results contraction(Call& call) {
    Type type = Type::f32;
    bool is_first = true;
    for (const Slot& slot : call.signature().slots) {
        if (!is_tensor(slot.sort) || !call.has(slot.name)) continue;
        if (!is_first && call.tensor(slot.name).type != type)
            call.refuse(Refused::dtype, fmt::format("`{}` holds {}, not {}", slot.name,
                                                    to_string(call.tensor(slot.name).type), to_string(type)));
        type = call.tensor(slot.name).type;
        is_first = false;
    }
    return by_equation(call);
}

/// A contraction to which `input` is added, stretched to the result.
Results added_contraction(Call& call) {
    Results results = contraction(call);
    require_expands(call, "`input`", call.shape("input"), results[0].shape);
    return results;
}

/// Vectors lose their axis; leading dims broadcast.
Shape matmul(Call& call, const Shape& a, const Shape& b) {
    if (a.empty() || b.empty()) call.refuse(Refused::rank, "a tensor of rank 0 has nothing to sum over");
    const bool is_row = a.size() == 1, is_column = b.size() == 1;
    const Shape left = is_row ? Shape{1, a[0]} : a, right = is_column ? Shape{b[0], 1} : b;
    const int left_rank = static_cast<int>(left.size()) - 2, right_rank = static_cast<int>(right.size()) - 2;
    const Shape batch = broadcast(call, {first(left, left_rank), first(right, right_rank)});
    const int rank = static_cast<int>(batch.size());
    const std::string n = numbered("N", rank), i = numbered("i", rank);
    const Shape product =
        call.derive(fmt::format("kernel k(input: f32[{}], other: f32[{}]) -> Y: f32 {{ Y[{}] += input[{}]*other[{}] }}",
                                listed({n, "R", "K"}), listed({n, "K", "C"}), listed({i, "r", "c"}),
                                listed({i, "r", "k"}), listed({i, "k", "c"})),
                    {{"input", batch + last(left, 2)}, {"other", batch + last(right, 2)}})[0];
    Shape result = batch;
    if (!is_row) result.push_back(product[product.size() - 2]);
    if (!is_column) result.push_back(product.back());
    return result;
}

Results matmul(Call& call) {
    require_one_type(call, {"input", "other"});
    return one(matmul(call, call.shape("input"), call.shape("other")));
}

/// x times the transposed weight, of one or two dims, plus a bias.
Results linear(Call& call) {
    const Shape& input = call.shape("input");
    Shape weight = call.shape("weight");
    require_rank(call, "input", 1, any_rank);
    require_rank(call, "weight", 1, 2);
    require_one_type(call, {"input", "weight", "bias"});
    if (weight.size() == 2)
        std::swap(weight[0], weight[1]);
    else if (call.has("bias") && input.size() > 1)
        call.refuse(Refused::rank, "a bias needs a weight of 2 dims");
    call.require(equal(input.back(), weight[0]), Refused::size_mismatch,
                 "the last dims of `input` and `weight` to be equal");
    Shape result = matmul(call, input, weight);
    if (call.has("bias")) require_expands(call, "`bias`", call.shape("bias"), result);
    return one(std::move(result));
}

/// y[.., o] = x1[.., i] W[o, i, j] x2[.., j]
Results bilinear(Call& call) {
    const Shape &a = call.shape("input1"), &b = call.shape("input2"), &weight = call.shape("weight");
    require_rank(call, "input1", 1, any_rank);
    require_rank(call, "weight", 3);
    if (a.size() != b.size()) call.refuse(Refused::size_mismatch, "`input1` and `input2` differ in rank");
    const int rank = call.rank("input1") - 1;
    const std::string n = numbered("N", rank), i = numbered("i", rank);
    const Shape result = call.derive(
        fmt::format("kernel k(input1: f32[{}], input2: f32[{}], weight: f32[O, A, B]) -> Y: f32 {{ Y[{}] += "
                    "input1[{}]*weight[o, a, b]*input2[{}] }}",
                    listed({n, "A"}), listed({n, "B"}), listed({i, "o"}), listed({i, "a"}), listed({i, "b"})),
        {{"input1", a}, {"input2", b}, {"weight", weight}})[0];
    if (call.has("bias")) require_same(call, "`bias` with one element an output", call.shape("bias"), {weight[0]});
    return one(result);
}

/// The last dims are summed over; a tensor of rank 0 scales the other.
Results inner(Call& call) {
    const Shape &a = call.shape("input"), &b = call.shape("other");
    if (a.empty() || b.empty()) return one(a + b);
    const int m = call.rank("input") - 1, n = call.rank("other") - 1;
    return one(
        call.derive(fmt::format("kernel k(input: f32[{}], other: f32[{}]) -> Y: f32 {{ Y[{}] += input[{}]*other[{}] }}",
                                listed({numbered("A", m), "K"}), listed({numbered("B", n), "K"}),
                                listed({numbered("a", m), numbered("b", n)}), listed({numbered("a", m), "k"}),
                                listed({numbered("b", n), "k"})),
                    {{"input", a}, {"other", b}})[0]);
}

Results einsum(Call& call) {
    std::vector<Shape> operands;
    for (const Operand& o : call.tensors("tensors")) operands.push_back(o.shape);
    return one(einsum(call, call.text("equation"), operands));
}

/// The dims listed are summed over in pairs; an extent of 1 stretches.
Results tensordot(Call& call) {
    const Shape &a = call.shape("input"), &b = call.shape("other");
    const std::vector<int> left = dims_of(call, "dims_self", call.rank("input"));
    const std::vector<int> right = dims_of(call, "dims_other", call.rank("other"));
    if (left.size() != right.size())
        call.refuse(Refused::rank,
                    fmt::format("`dims_self` and `dims_other` differ in length: {} and {}", left.size(), right.size()));
    std::string in_a(a.size(), ' '), in_b(b.size(), ' '), out;
    char letter = 'a';
    for (std::size_t i = 0; i < left.size(); ++i)
        in_a[static_cast<std::size_t>(left[i])] = in_b[static_cast<std::size_t>(right[i])] = letter++;
    for (std::string* in : {&in_a, &in_b}) {
        for (char& c : *in) {
            if (c == ' ') out += c = letter++;
        }
    }
    return one(einsum(call, in_a + "," + in_b + "->" + out, {a, b}));
}

/// Blocks of `other`, one for each element of `input`.
Results kron(Call& call) {
    const int rank = std::max(call.rank("input"), call.rank("other"));
    const auto filled = [&](const Shape& s) { return Shape(static_cast<std::size_t>(rank) - s.size(), 1) + s; };
    std::string places;
    for (int d = 0; d < rank; ++d) places += fmt::format("{}a{}*M{} + b{}", d ? ", " : "", d, d, d);
    return one(call.derive(
        fmt::format("kernel k(input: f32[{}], other: f32[{}]) -> Y: f32 {{ Y[{}] = input[{}]*other[{}] }}",
                    numbered("N", rank), numbered("M", rank), places, numbered("a", rank), numbered("b", rank)),
        {{"input", filled(call.shape("input"))}, {"other", filled(call.shape("other"))}})[0]);
}

/// A product of matrices; the first and the last may be vectors.
Results multi_dot(Call& call) {
    const std::vector<Operand> all = call.tensors("tensors");
    if (all.size() < 2) call.refuse(Refused::rank, "two tensors at least are multiplied");
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_end = i == 0 || i + 1 == all.size();
        if (all[i].rank() != 2 && !(is_end && all[i].rank() == 1))
            call.refuse(Refused::rank, fmt::format("tensor {} has {} dims: {}", i, all[i].rank(), print(all[i].shape)));
    }
    Shape product = all[0].shape;
    for (std::size_t i = 1; i < all.size(); ++i) product = matmul(call, product, all[i].shape);
    return one(std::move(product));
}

/// Two vectors as they are; else broadcast, and summed over one dim.
Results vecdot(Call& call) {
    const Shape &x = call.shape("x"), &y = call.shape("y");
    require_one_type(call, {"x", "y"});
    const bool are_vectors = x.size() == 1 && y.size() == 1;
    const Shape left = are_vectors ? x : broadcast(call, {x, y}), right = are_vectors ? y : left;
    const int rank = static_cast<int>(left.size()), dim = dim_of(call, "dim", rank);
    if (rank == 0) return one({});
    const std::string n = numbered("N", rank), i = numbered("i", rank);
    const std::string rest = listed({numbered("i", dim), numbered("i", rank - dim - 1, dim + 1)});
    return one(call.derive(
        fmt::format("kernel k(x: f32[{0}], y: f32[{0}]) -> Y: f32 {{ Y[{1}] += x[{2}]*y[{2}] }}", n, rest, i),
        {{"x", left}, {"y", right}})[0]);
}

}  // namespace

// clang-format off
Family contraction_family() {
    return {"contraction", "Sums of products", {
        {"matmul",     "input: tensor, other: tensor", matmul, "(input: f32[N0, R, K], other: f32[N0, K, C]) -> Y: f32 { Y[i0, r, c] += input[i0, r, k]*other[i0, k, c] }"},
        {"mm",         "input: tensor, mat2: tensor", contraction, "(input: f32[N, K], mat2: f32[K, M]) -> Y: f32 { Y[n, m] += input[n, k]*mat2[k, m] }"},
        {"bmm",        "input: tensor, mat2: tensor", contraction, "(input: f32[B, N, K], mat2: f32[B, K, M]) -> Y: f32 { Y[b, n, m] += input[b, n, k]*mat2[b, k, m] }"},
        {"mv",         "input: tensor, vec: tensor", contraction, "(input: f32[N, K], vec: f32[K]) -> Y: f32 { Y[n] += input[n, k]*vec[k] }"},
        {"dot",        "input: tensor, tensor: tensor", contraction, "(input: f32[K], tensor: f32[K]) -> Y: f32 { Y[] += input[k]*tensor[k] }"},
        {"outer",      "input: tensor, vec2: tensor -> promote", by_equation, "(input: f32[N], vec2: f32[M]) -> Y: f32 { Y[n, m] = input[n]*vec2[m] }"},
        {"inner",      "input: tensor, other: tensor", inner, "(input: f32[A0, K], other: f32[B0, K]) -> Y: f32 { Y[a0, b0] += input[a0, k]*other[b0, k] }"},
        {"addmm",      "input: tensor, mat1: tensor, mat2: tensor, beta: number = 1, alpha: number = 1", added_contraction, "(mat1: f32[N, K], mat2: f32[K, M]) -> Y: f32 { Y[n, m] += mat1[n, k]*mat2[k, m] }"},
        {"addmv",      "input: tensor, mat: tensor, vec: tensor, beta: number = 1, alpha: number = 1", added_contraction, "(mat: f32[N, K], vec: f32[K]) -> Y: f32 { Y[n] += mat[n, k]*vec[k] }"},
        {"addbmm",     "input: tensor, batch1: tensor, batch2: tensor, beta: number = 1, alpha: number = 1", added_contraction, "(batch1: f32[B, N, K], batch2: f32[B, K, M]) -> Y: f32 { Y[n, m] += batch1[b, n, k]*batch2[b, k, m] }"},
        {"baddbmm",    "input: tensor, batch1: tensor, batch2: tensor, beta: number = 1, alpha: number = 1", added_contraction, "(batch1: f32[B, N, K], batch2: f32[B, K, M]) -> Y: f32 { Y[b, n, m] += batch1[b, n, k]*batch2[b, k, m] }"},
        {"linear",     "input: tensor, weight: tensor, bias: tensor? = null", linear, "(input: f32[N0, K], weight: f32[O, K]) -> Y: f32 { Y[i0, o] += input[i0, k]*weight[o, k] }"},
        {"bilinear",   "input1: tensor, input2: tensor, weight: tensor, bias: tensor? = null", bilinear, "(input1: f32[N0, A], input2: f32[N0, B], weight: f32[O, A, B]) -> Y: f32 { Y[i0, o] += input1[i0, a]*weight[o, a, b]*input2[i0, b] }"},
        {"einsum",     "equation: text, tensors: tensors", einsum, "(a: f32[I, J], b: f32[J, K]) -> Y: f32 { Y[i, k] += a[i, j]*b[j, k] }"},
        {"tensordot",  "input: tensor, other: tensor, dims_self: ints, dims_other: ints", tensordot, "(a: f32[I, J], b: f32[J, K]) -> Y: f32 { Y[i, k] += a[i, j]*b[j, k] }"},
        {"kron",       "input: tensor, other: tensor -> promote", kron, "(input: f32[N0, N1], other: f32[M0, M1]) -> Y: f32 { Y[a0*M0 + b0, a1*M1 + b1] = input[a0, a1]*other[b0, b1] }"},
        {"linalg_multi_dot", "tensors: tensors", multi_dot, "(input: f32[R, K], other: f32[K, C]) -> Y: f32 { Y[r, c] += input[r, k]*other[k, c] }"},
        {"linalg_vecdot", "x: tensor, y: tensor, dim: int = -1", vecdot, "(x: f32[N0, K], y: f32[N0, K]) -> Y: f32 { Y[i0] += x[i0, k]*y[i0, k] }"},
    }};
}
// clang-format on

}  // namespace halogen::shapes
