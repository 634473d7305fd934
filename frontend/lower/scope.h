#pragma once
// The inside of lowering: what is known while the equations of one kernel are emitted.

#include "frontend/lower/lower.h"
#include "frontend/lower/number.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen::lowering {

/// A tensor's Func between two of its readers: equations that run without another tensor reading in between.
struct Version {
    std::string tensor;
    int previous = -1;  // the version whose values it starts from
    std::vector<int> equations;
    bool read = false;        // by another tensor's equation
    std::string name = {};    // of the Func with its values
    std::string stored = {};  // of the Func that others read
};

/// Which version each equation writes, and which version of each other tensor it reads.
struct Order {
    std::vector<Version> versions;
    std::vector<int> written;                      // per equation
    std::vector<std::map<std::string, int>> read;  // per equation: tensor -> version
    std::map<std::string, int> last;               // tensor -> its final version
};
Order order_equations(const Kernel&, const Solution&);

/// Positions of the left side whose loop can be a pure Var: a plain index, used once there, over the whole dim, and at
/// the same place in every read of the tensor itself.
std::vector<bool> pure_positions(const Kernel&, const Solution&, int equation);
/// True when an equation gives every element a value that does not depend on what was there.
bool defines_whole(const Kernel&, const Solution&, int equation);
/// The loops of a tensor's Func, named as the first equation of `version` names them, where it does.
std::vector<std::string> loop_names(const Kernel&, const Version&);

/// The unique name of a helper Func: `base`, with underscores added while it names a tensor of the kernel.
std::string free_name(const Kernel&, std::string base);

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
    bool clamped = true;                            // clamp those where they enter a place
    bool wide = false;                              // indices from data keep 64 bits (before they are checked)

    /// The value of `e`, in the compute type of its element type.
    Halide::Expr value(const Expr& e);
    /// An int32 expression in brackets.
    Halide::Expr place(const Expr& e);
    std::vector<Halide::Expr> places(const Access&);
    /// All predicates of the equation's `where` together; undefined without one.
    Halide::Expr predicates();
};

}  // namespace halogen::lowering
