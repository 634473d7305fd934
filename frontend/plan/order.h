#pragma once
// Equations run in textual order; Halide computes a Func whole before anyone reads it. Versions bring the two together:
// `Y[n] = X[n]; Q[n] = 2*Y[n]; Y[n] += 1` gives Y two versions, and Q reads the first.

#include "frontend/notation/program.h"
#include "frontend/notation/versions.h"
#include "frontend/solve/solution.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// The loops of an update that are no pure ones, in the order of the equation, outermost first.
std::vector<std::string> serial_loops(const Kernel&, const Solution&, int equation);
/// The loops of an equation whose iterations know nothing of each other while the loops of its recurrence (`recurrence_order`), which stay
/// outside of them, stand still: each writes elements of its own, and reads none that another one writes.
std::set<std::string> unordered_loops(const Kernel&, const Solution&, int equation);
/// Per dim of an equation's left side: a loop of its own, free of any order (see lowering::pure_positions).
std::vector<bool> pure_left_positions(const Kernel&, const Solution&, int equation);

namespace lowering {

/// A version of a tensor and the Funcs that hold it.
struct Version : halogen::Version {
    std::string name = {};    // of the Func with its values
    std::string stored = {};  // of the Func that others read
};

/// `versions_of`, each with its Funcs.
struct Order {
    std::vector<Version> versions;
    std::vector<int> written;                      // per equation
    std::vector<std::map<std::string, int>> read;  // per equation: tensor -> version
    std::map<std::string, int> last;               // tensor -> its final version
};
/// `in_place`: stored Funcs that hold their values themselves.
Order order_equations(const Kernel&, const Solution&, const std::set<std::string>& in_place = {});

/// Positions of the left side whose loop can be a pure Var: a plain index, used once there, over the whole dim, and at
/// the same place in every read of the tensor itself.
std::vector<bool> pure_positions(const Kernel&, const Solution&, int equation);
/// True when an equation gives every element a value that does not depend on what was there.
bool defines_whole(const Kernel&, const Solution&, int equation);
/// The loops of a tensor's Func, named as the first equation of `version` names them, where it does.
std::vector<std::string> loop_names(const Kernel&, const Version&);

/// The unique name of a helper Func: `base`, with underscores added while it names a tensor of the kernel.
std::string free_name(const Kernel&, std::string base);

}  // namespace lowering

}  // namespace halogen
