#pragma once
// The Funcs that `lower` makes of a kernel's tensors, known without Halide.

#include "frontend/notation/program.h"
#include "frontend/plan/emission.h"
#include "frontend/solve/solution.h"

#include <string>
#include <vector>

namespace halogen {

/// What `lower` makes of a tensor, known without Halide. `name` computes the values: per stage its equation, -1 for a plain
/// start value. `stored` is a plain copy of it that all others read: an output, or an intermediate with more than one
/// stage; an intermediate of one pure stage is stored by itself (`stored == name`), as is what a step computes in place.
/// A tensor has several where another tensor's equation reads it between two of its own.
struct ValueFunc {
    std::string name;
    std::string stored;
    std::string tensor;
    std::vector<std::string> dims;  // names of the pure loops
    std::vector<int> equations;
};
std::vector<ValueFunc> value_funcs(const Kernel&, const Solution&, const std::set<std::string>& in_place = {});
/// Likewise after steps on equations, with the computations that parts of stored Funcs have to themselves.
std::vector<ValueFunc> value_funcs(const Kernel&, const Solution&, const Emission&);
/// The Func of a padded input over its padded places: "X_pad".
std::string padded_name(const Kernel&, const std::string& tensor);

/// A size that only an output's buffer tells is an int32 argument of its own, after the kernel's parameters.
struct ExtentArgument {
    std::string name;    // of the argument
    std::string symbol;  // of the size
    SymbolSource source;
};
std::vector<ExtentArgument> extent_arguments(const Kernel&, const Solution&);
/// The names of a lowered kernel's arguments, as its text has them: parameters in declared order, then extent arguments.
std::vector<std::string> argument_names(const Kernel&, const Solution&);

}  // namespace halogen
