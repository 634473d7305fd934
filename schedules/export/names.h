#pragma once
// C++ identifiers of an exported generator.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace halogen::exporting {

/// Gives each thing one identifier: its own name where that is free and no word of C++ or Halide.
class Names {
public:
    /// A new identifier as close to `wanted` as can be.
    std::string fresh(const std::string& wanted);
    /// The identifier of the Var `name`; always the same for one name.
    std::string var(const std::string& name);
    /// The identifier of a reduced loop that a split or fusion makes.
    std::string rvar(const std::string& name);

    /// `Var i("i"), j("j");` and `RVar k("k");` for all that were asked for, in the order asked.
    std::string declarations() const;

private:
    std::set<std::string> used_;
    std::map<std::string, std::string> vars_, rvars_;
    std::vector<std::string> var_order_, rvar_order_;
};

/// `conv2d` as the name of a class: "Conv2d".
std::string class_name(const std::string& name);

}  // namespace halogen::exporting
