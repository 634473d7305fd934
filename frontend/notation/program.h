#pragma once
// A program is a list of kernels; a kernel is tensors, parameters and equations. Values: they copy, compare, print
// (`print`) and parse back (`parse`). Positions never take part in a comparison.

#include "frontend/base/error.h"
#include "frontend/notation/expr.h"
#include "frontend/notation/type.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace halogen {

/// What an access outside [0, extent) of a padded dim reads.
struct Boundary {
    enum class Mode { none, constant, lowest, highest, edge, reflect, symmetric, wrap };
    Mode mode = Mode::none;  // none: no dim of the tensor is padded
    Expr constant;           // a signed literal, for Mode::constant
    friend bool operator==(const Boundary&, const Boundary&) = default;
};
/// Elements of the tensor itself stand beyond its edges.
bool repeats(Boundary::Mode);

/// One declared dim: `H/2 pad (P0, P1)`. Absent expressions: undeclared extent, no padding.
struct Dim {
    Expr extent;
    Expr pad_low, pad_high;
    Expr pixel;  // of a dim that two were merged into: so many elements are one to the boundary (no text writes it)
    std::int64_t turns = 0;  // elements lie in so many places, p at p % turns; 0: each in its own (no text writes it)
    friend bool operator==(const Dim&, const Dim&) = default;
};

enum class Role { input, output, intermediate };

/// A tensor of a kernel. The rank and type are always known (found by the checker where they were left out).
struct Tensor {
    std::string name;
    Type type = Type::f32;
    Role role = Role::input;
    int rank = 0;
    std::optional<std::vector<Dim>> dims;  // as declared; `rank` of them; nothing when left out
    Boundary boundary;
    Position at;
    friend bool operator==(const Tensor& a, const Tensor& b) {
        return a.name == b.name && a.type == b.type && a.role == b.role && a.rank == b.rank && a.dims == b.dims &&
               a.boundary == b.boundary;
    }
};

/// Dim `dim` of a tensor is declared with padding.
bool is_padded(const Tensor&, int dim);

/// `T: size = 1`.
struct SizeParam {
    std::string name;
    std::optional<std::int64_t> default_value;
    Position at;
    friend bool operator==(const SizeParam& a, const SizeParam& b) {
        return a.name == b.name && a.default_value == b.default_value;
    }
};

/// `alpha: f32`: a number known at run time.
struct ScalarParam {
    std::string name;
    Type type = Type::f32;
    Position at;
    friend bool operator==(const ScalarParam& a, const ScalarParam& b) { return a.name == b.name && a.type == b.type; }
};

/// The reduction, or `=`.
enum class Op { assign, add, mul, max, min, logical_and, logical_or };
std::string to_string(Op);  // "=", "+=", "*=", "max=", "min=", "and=", "or="

/// `i in a:b`, half open.
struct InRange {
    std::string index;
    Expr begin, end;
    Position at;
    friend bool operator==(const InRange& a, const InRange& b) {
        return a.index == b.index && a.begin == b.begin && a.end == b.end;
    }
};
/// One item behind `where`: a range, or a predicate.
using Where = std::variant<InRange, Expr>;

/// `let s = 1/sqrt(f32(D))`: a value under a name; `let Q = N/4`, with a capital, is a size. Equations hold the value in place of
/// the name (`Expr::let`); a size stands under its name, and the solver knows its formula.
struct Let {
    std::string name;
    Expr value;  // of literals, sizes and scalars, earlier lets written out
    Position at;
    std::string text;  // as written; for messages

    bool is_size() const { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }
    friend bool operator==(const Let& a, const Let& b) { return a.name == b.name && a.value == b.value; }
};

/// What a kernel asks of its sizes: `N % 4 == 0` behind its outputs.
struct SizeCondition {
    Expr relation;  // a comparison of formulas of sizes
    Position at;
    std::string text;  // as written; the reason of its guard
    friend bool operator==(const SizeCondition& a, const SizeCondition& b) { return a.relation == b.relation; }
};

struct Equation {
    Access left;
    Op op = Op::assign;
    Expr right;
    std::vector<Where> where;
    Position at;
    std::string text;  // as written, white space folded; for messages

    friend bool operator==(const Equation&, const Equation&);  // left, op, right, where
};

/// A parameter of the kernel in the order it was declared: the position is an index into the list of its sort.
struct Parameter {
    enum class Sort { tensor, size, scalar };
    Sort sort;
    std::string name;
    friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Kernel {
    std::string name;                   // "" for a bare equation (printed as the equations alone)
    std::vector<Parameter> parameters;  // inputs, sizes and scalars in declared order
    std::vector<Tensor>
        tensors;  // inputs, outputs and those of `tmp` in declared order, other intermediates by first use
    std::vector<SizeParam> sizes;
    std::vector<ScalarParam> scalars;
    std::vector<SizeCondition> conditions;
    std::vector<Let> lets;
    std::vector<Equation> equations;
    Position at;

    const Tensor* find_tensor(const std::string& name) const;  // null when there is none
    const Tensor& tensor(const std::string& name) const;       // must exist
    const SizeParam* find_size(const std::string& name) const;
    const ScalarParam* find_scalar(const std::string& name) const;
    const Let* find_let(const std::string& name) const;
    std::vector<const Tensor*> inputs() const;
    std::vector<const Tensor*> outputs() const;

    friend bool operator==(const Kernel& a, const Kernel& b) {
        return a.name == b.name && a.parameters == b.parameters && a.tensors == b.tensors && a.sizes == b.sizes &&
               a.scalars == b.scalars && a.conditions == b.conditions && a.lets == b.lets && a.equations == b.equations;
    }
};

struct Program {
    std::vector<Kernel> kernels;
    friend bool operator==(const Program&, const Program&) = default;
};

/// Reads the notation, resolves names, finds the rank and type of every tensor and checks them.
/// Errors: syntax, name, rank, type, each with line and column.
Result<Program> parse(const std::string& text);

/// The canonical text; `parse(print(p)) == p` for every Program that parse or the builder makes.
std::string print(const Program&);
std::string print(const Kernel&);
std::string print(const Equation&);

/// Checks a kernel made by hand (the builder) as `parse` does, and fills in ranks, types and intermediates.
Result<Kernel> check(Kernel);

/// The type in which a node gives its value before its reader converts it, and the one in which it meets its operands: `X[i] < 2`
/// of a u8 tensor gives bool and compares u8, a cast meets what is inside in its type.
/// An access, a scalar, a cast and what is built of them has its own type; for f16 and bf16 compute in `compute_type`.
/// Literals, sizes and indices, and what is built of them alone, take the type of the other operand, or of the tensor
/// stored to: beside an f64 tensor `0.1` is f64 and `i/2` is a division of f64. Alone (both sides of a comparison,
/// behind a cast) whole numbers are i64, and reals, or functions that give reals, f32.
/// In brackets all arithmetic is i64, whatever the types of the tensors read there. Comparisons, `and`, `or`, `not`
/// give bool. So: evaluate the children in `operands` of this node (a condition in bool), apply the operator.
struct NodeTypes {
    Type own, operands;
};
/// The types of the node `e` of a checked equation whose reader works in `wanted`: the tensor stored to for the right side,
/// bool for a predicate, `operands` of the node above else.
NodeTypes types_in(const Kernel&, const Equation&, const Expr& e, Type wanted);

/// Calls `visit` on every node of a checked equation: the left side's places, the right side, `where`, parents first.
void each_type(const Kernel&, const Equation&, const std::function<void(const Expr&, NodeTypes)>& visit);

/// The indices along which an equation that reads the tensor it defines elsewhere than at the element it writes must
/// run in order, outermost first (each ascending); empty for every other equation. Other indices may run in any order.
std::vector<std::string> recurrence_order(const Kernel&, const Equation&);

/// The names of indices in order of first appearance: left side first, then right side, then where.
std::vector<std::string> indices_of(const Equation&);
/// Those of them that do not stand on the left.
std::vector<std::string> reduced_indices_of(const Equation&);

/// The views, intermediates and outputs defined by one equation that is a single plain read, with the number of that equation.
std::map<std::string, int> views_of(const Kernel&);
/// True when `tensor` is one of them.
bool is_view(const Kernel&, const std::string& tensor);

}  // namespace halogen
