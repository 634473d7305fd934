#pragma once
// The inside of lowering: what is known while the equations of one kernel are emitted.

#include "frontend/lower/lowered.h"
#include "frontend/lower/number.h"
#include "frontend/plan/order.h"

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen::lowering {

struct Emitter;

/// Reads tensors for the expression emitter.
class Source {
public:
    virtual ~Source() = default;
    /// The value of an access of the emitter's equation, in the tensor's storage or compute type.
    virtual Halide::Expr load(const Access&, Emitter&) = 0;
};

/// Emits the expressions of one equation.
struct Emitter {
    const Kernel& kernel;
    const Equation& equation;
    const std::map<std::string, Halide::Expr>& symbols;  // open sizes
    const std::map<std::string, Formula>& sizes;         // every size name
    std::map<std::string, Halide::Expr> indices;         // loop variables by name
    const std::map<std::string, Halide::Expr>& scalars;
    Source& source;
    std::map<std::string, Halide::Expr> ends = {};  // index -> end of its range, where its loop may overrun
    bool clamped = true;                            // hold those back where they enter a place
    bool wide = false;                              // indices from data keep 64 bits (before they are checked)

    /// The value of `e`, which has the compute type of its own type, where its reader works in `wanted`.
    Halide::Expr value(const Expr& e, Type wanted);
    /// A comparison of an index or size with another one or with a number, in 32 bits, in which Halide reasons about loops;
    /// undefined of every other.
    Halide::Expr compared_places(const Binary&);
    /// What decides: the condition of a `select`, a predicate.
    Halide::Expr condition(const Expr& e);
    /// The value of the equation's right side.
    Halide::Expr right();
    Halide::Expr running_extreme(Type wanted);  // undefined where the right side is none
    /// An int32 expression in brackets.
    Halide::Expr place(const Expr& e);
    /// The same where there is room for what is overcomputed; what is read in the place is held back nevertheless.
    Halide::Expr open_place(const Expr& e);
    Halide::Expr cast_place(const Expr& e, const Cast& c);
    Halide::Expr operation(const Expr& e, Type wanted);
    std::vector<Halide::Expr> places(const Access&);
    std::vector<Halide::Expr> open_places(const Access&);
    /// The predicates of the equation's `where` together, at most the first `most` of them; undefined without one.
    Halide::Expr predicates(std::size_t most = std::numeric_limits<std::size_t>::max());
};

}  // namespace halogen::lowering
