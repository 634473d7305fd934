#pragma once
// The expressions of constraint systems: `x = xo*2 + k - lo`, `|xo| = ceildiv(|x|, 2)`, `t <= q`.

#include "frontend/formula/formula.h"

#include <set>
#include <string>
#include <vector>

namespace halogen {

/// Inside brackets of this parser an index n is the symbol "#n"; a size |n| and a parameter p are "n" and "p".
inline std::string index_symbol(const std::string& name) { return "#" + name; }

/// The names of the indices in an expression, sorted, each once.
std::vector<std::string> indices_in(const Formula&);

/// One comparison, or an expression alone (`relation` empty).
struct SystemRelation {
    Formula left;
    std::string relation;  // "=", "!=", "<=", ">=", "<", ">"
    Formula right;
    std::set<std::string> indices;  // all that stand in the text, also those that cancel: m*0
};

/// Names that are no parameters are indices when `names_are_indices`, else sizes.
/// Errors: Failure(syntax) with the column within `text`.
SystemRelation parse_system_relation(const std::string& text, const std::set<std::string>& parameters,
                                     bool names_are_indices);
/// An expression without comparison.
Formula parse_system_expression(const std::string& text, const std::set<std::string>& parameters,
                                bool names_are_indices);

}  // namespace halogen
