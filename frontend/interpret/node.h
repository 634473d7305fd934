#pragma once
// The inside of the interpreter: tensors under evaluation and the typed trees of one equation.

#include "frontend/interpret/cells.h"
#include "frontend/interpret/tensors.h"
#include "frontend/notation/expr.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace halogen::interpreting {

struct Node {
    enum class Kind { constant, index, access, cast, negate, logical_not, arithmetic, compare, logic, call, select };
    Kind kind = Kind::constant;
    Type type = Type::i64;
    Value constant;
    int slot = 0;  // of an index
    BinaryOp op = BinaryOp::add;
    Function function = Function::min;
    const Cells* cells = nullptr;  // of an access
    const Access* access = nullptr;
    std::vector<Node> operands;  // of an access: its places
};

/// What one equation is built from; a point is an array of index values by slot.
struct Scope {
    const Kernel& kernel;
    const Equation& equation;
    const Solution& solution;
    const Scalars& scalars;
    const std::map<std::string, Cells>& cells;
    std::vector<std::string> indices;  // by slot
    bool bounds = false;               // follow rounding errors
};

/// The tree of a value; literals, sizes and indices that nothing else types take `want`.
Node build_value(const Scope&, const Expr&, Type want);
/// The tree of an integer expression in brackets, computed in i64.
Node build_place(const Scope&, const Expr&);
/// The tree of an access of any tensor of the scope.
Node build_access(const Scope&, const Access&);

/// The value of a tree at a point. Errors: Failure(index, overflow).
Value evaluate(const Node&, const std::vector<std::int64_t>& point, const Scope&);

/// The places of an access: one per dim, checked against the padded range. Errors: Failure(index).
void places_of(const Node& access, const std::vector<std::int64_t>& point, const Scope&,
               std::vector<std::int64_t>& places);

/// "n = 3, m = 0": the indices of the scope that occur in `e` (all of them when `e` is absent) with their values.
std::string describe_point(const Scope&, const std::vector<std::int64_t>& point, const Expr& e = {});

/// The error of an operation's result: what its operands' errors make of it, and how far its own rounding may differ
/// where a compiler fuses, reorders or approximates. First order, by evaluation at the ends of the operands' intervals.
double propagate_error(const Node&, const Value* operands, const Value& result);
/// The result of an operation on evaluated operands.
Value apply(const Node&, const Value* operands);
/// Half the distance of 1 and the next value of the type: 2^-24 for f32, 2^-11 for f16.
double unit_roundoff(Type);

/// True when the tree of `e` reads a tensor.
bool reads_data(const Expr& e);

}  // namespace halogen::interpreting
