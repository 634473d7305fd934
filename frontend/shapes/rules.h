#pragma once
// Rules that many operators share: broadcasting, dims by number, ranks, types. Each states its conditions on the call.

#include "frontend/shapes/call.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace halogen::shapes {

using Results = std::vector<Operand>;

/// Shapes joined, shortened, changed in one place. Example: with({2, 3}, 1, n) is [2, n].
Shape operator+(Shape, const Shape&);
Shape first(const Shape&, int count);
Shape last(const Shape&, int count);
Shape without(Shape, int dim);
Shape with(Shape, int dim, const Formula& extent);
Shape inserted(Shape, int before, const Formula& extent);
Formula sum(const Shape&);

/// Two extents under broadcasting: equal, or one of them 1, which gives way. With both unknown, one formula:
/// max(n, m)*min(n, m, 1), which is n or m, and 0 for 1 against 0.
Formula broadcast(Call&, const Formula& a, const Formula& b);
/// Shapes aligned at their last dims.
Shape broadcast(Call&, const std::vector<Shape>& shapes);
/// The condition that `from` stretches to `to`: aligned at the last dims, equal or 1. `what` is named in messages.
void require_expands(Call&, const std::string& what, const Shape& from, const Shape& to);
void require_same(Call&, const std::string& what, const Shape& a, const Shape& b);

/// The dim a number names: negative ones count from the end, and rank 0 has the dims 0 and -1.
int wrap(Call&, std::string_view name, std::int64_t dim, int rank);
/// The dim that argument `name` names.
int dim_of(Call&, std::string_view name, int rank);
/// Several dims, each once.
std::vector<int> dims_of(Call&, std::string_view name, int rank);

void require_rank(Call&, std::string_view name, int least, int most);
/// For `most`: no limit.
inline constexpr int any_rank = 1 << 16;
inline void require_rank(Call& call, std::string_view name, int rank) { require_rank(call, name, rank, rank); }
/// All tensors named hold one type; null ones do not count.
void require_one_type(Call&, std::initializer_list<std::string_view> names);
/// The list that argument `name` gives, for `count` dims; an integer stands for all, and so does a list of one.
Shape sizes_for(Call&, std::string_view name, int count);
/// Likewise, but a list has as many numbers as there are dims.
Shape exact_sizes_for(Call&, std::string_view name, int count);
/// The number that argument `name` gives is `least` or more; for `strictly`, more.
void require_number(Call&, std::string_view name, std::int64_t least, bool strictly = false);

/// "i0, i1, i2".
std::string numbered(std::string_view letter, int count, int begin = 0);
/// "a, b" with empty parts left out.
std::string listed(std::initializer_list<std::string> parts);

/// The shapes of the operator's own kernel text, its tensors and sizes bound to the arguments of the same names.
Results by_equation(Call&);

/// One result.
inline Results one(Shape shape) { return {Operand{std::move(shape)}}; }
inline Results view(Shape shape, Shape strides) { return {Operand{std::move(shape), Type::f32, std::move(strides)}}; }

}  // namespace halogen::shapes
