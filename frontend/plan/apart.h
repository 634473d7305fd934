#pragma once
// Equations that are two.

#include "frontend/notation/parts.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen::lowering {

/// A rewritten kernel as the checker takes it; nothing where it does not.
std::optional<Kernel> taken(Kernel);

using Names = std::set<std::string>;
using halogen::indices_in;
/// Those of all its places.
Names indices_in(const Access&);
/// The index stands outside of brackets too: as a value, whose arithmetic is that of the tensor's type (`i/2` of f32 does not floor).
bool is_value(const Equation&, const std::string& index);

/// `4*i` or `i*4`.
struct Multiple {
    std::string index;
    std::int64_t step = 0;
};
std::optional<Multiple> multiple_in(const Expr& place);
/// Vectors along the last dim that take every so many elements are shuffled from whole ones; of other steps they would be gathered,
/// element by element (threes of bytes take 5 times as long).
bool is_shuffled(std::int64_t step);
/// An extent that is a number up to 4: of colours, of coordinates. No vector is that short, and loops over it are written out.
bool is_short(const Formula& extent);

std::vector<const Access*> reads_in(const Expr&);
/// A, B and C of `A*B*C`, which is their product.
std::vector<Expr> factors_of(const Expr&);
Expr product_of(const std::vector<Expr>& factors);
/// The equation writes its tensor at plain indices, under no condition, over ranges that no other index bounds, and does not read it.
bool has_free_loops(const Equation&);
/// The index of that name.
Expr index_of(const std::string& name);
/// `place` so much further: `y + 1`, or `y - 1` for -1.
Expr moved_by(const Expr& place, std::int64_t steps);
/// The equation counts one of its indices, whose range stands behind `where`, from 0: `X[y + r] where r in -1:2` as `X[y + r - 1] where r in 0:3`.
void count_from_zero(Equation&, const std::string& index, const IndexRange&);
/// How often the equations of a kernel read a tensor.
int count_reads(const Kernel&, const std::string& tensor);
/// The number of the equation that alone writes a tensor; nothing where there is none, or more.
std::optional<std::size_t> only_equation_of(const Kernel&, const std::string& tensor);
/// The equation assigns every element of its tensor, under no condition; along dim `but` it may do anything.
bool writes_all(const Kernel&, const Solution&, std::size_t e, std::optional<std::size_t> but = {});
/// The extent of a tensor's dim as text: as it is declared, or `X.2` of an input; absent of others.
Expr extent_text(const Tensor&, std::size_t dim);
/// The extent of an input's dim over all of which an index of equation `e` runs, as text; absent where there is none.
Expr extent_over(const Kernel&, const Solution&, std::size_t e, const std::string& index);
/// A dim of a tensor that has zeros around it from now on.
Dim& zero_padded(Kernel&, const std::string& tensor, std::size_t dim);
/// Adds an intermediate and gives its name, which begins with `base`.
std::string add_intermediate(Kernel&, const std::string& base, Type, std::size_t rank);

/// The read of `part` that stands at all of `names`, its indices, so that a tensor of its values is no larger than what it is made
/// from; null where there is none, or some read does not stand at plain indices.
const Access* largest_read(const Expr& part, const Names& names);

/// `NAME[i, k] = part`, for a part of equation `e` that has a largest read; nothing where it would be rounded, or where its indices
/// do not begin at 0 in ranges of their own.
std::optional<Equation> value_of(const Kernel&, const Solution&, int e, const Expr& part, const std::string& name);

/// The equation of a new intermediate `name`, and the one that reads it; nothing where equation `e` stays as it is.
using Apart = std::function<std::optional<std::pair<Equation, Equation>>(int e, const std::string& name)>;

/// The kernel with each equation that `apart` takes apart as those two. The intermediate has the type of the tensor that the
/// equation writes, and its name with `suffix`. Nothing where no equation is taken apart, or where the checker does not
/// take what comes out. No errors.
std::optional<Kernel> taken_apart(const Kernel&, const std::string& suffix, const Apart& apart);

}  // namespace halogen::lowering
