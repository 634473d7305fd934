#pragma once
// Formulas, types and functions of the notation as Halide expressions.

#include "frontend/formula/formula.h"
#include "frontend/notation/expr.h"
#include "frontend/notation/program.h"
#include "frontend/notation/type.h"

#include "Halide.h"

#include <map>
#include <optional>
#include <string>

namespace halogen {

/// f16, bf16 and bool are Halide's float16, bfloat16 and uint1.
Halide::Type halide_type(Type);

/// A formula over int32 symbols; sizes of a legal call fit 31 bits.
Halide::Expr halide_expr(const Formula&, const std::map<std::string, Halide::Expr>& symbols);

/// The notation's cast: float to integer truncates and saturates, NaN gives 0; integers wrap.
Halide::Expr convert(const Halide::Expr& value, Type from, Type to);

/// A function of the notation on operands of one compute type. tanh and sigmoid go through exp.
/// Errors of f32 results: a few ulp (docs/halide.md).
Halide::Expr call_function(Function, Type, const std::vector<Halide::Expr>& arguments);

/// One step of `max=` or `min=`: NaN where an operand is NaN. `held` is what the reduction holds so far.
Halide::Expr extreme(Op, const Halide::Expr& held, const Halide::Expr& value);
/// The reduction of which the expression is a step, or several in a row of it and others; nothing for other expressions. `chosen`, if not
/// null, is set to the last step, NaN aside.
std::optional<Op> extreme_in(const Halide::Expr&, Halide::Expr* chosen = nullptr);
/// The integer that sorts among others as what `extreme` gave does among the like: its NaN last for `max=`, first for `min=`.
Halide::Expr sort_key(const Halide::Expr& held);
/// The number that has the key.
Halide::Expr of_sort_key(const Halide::Expr& key);
/// The last key of what `max=` held, the first of what `min=` held: a call that `bind` makes code of.
Halide::Expr join_keys(Op, const std::vector<Halide::Expr>& held);
/// The reduction whose `join_keys` made the call; nothing for other calls.
std::optional<Op> joins_keys(const Halide::Internal::Call*);
/// What such a call gives, in operations of Halide's own.
Halide::Expr tree_of_keys(Op, const std::vector<Halide::Expr>& held);
/// `value`, of which Halide's simplifier knows nothing.
Halide::Expr opaque(const Halide::Expr& value);
/// A constant that Halide does not compute with: it refuses a kernel where `lowest - 1` of a wide type could be folded,
/// though no call may come to that.
Halide::Expr not_folded(const Halide::Expr& constant);
/// The neutral element of a reduction, as it is computed with.
Halide::Expr identity(Op, Type);
/// Likewise of the type itself, in all lanes of a vector.
Halide::Expr identity(Op, const Halide::Type&);

}  // namespace halogen
