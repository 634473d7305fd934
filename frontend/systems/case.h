#pragma once
// Constraint systems as data (docs/solving.md, "Systems as data"): what they say, and their solution by `System`.

#include "frontend/integers/system.h"
#include "frontend/solve/solution.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

struct SystemCase {
    enum class Fit { inside, tight, onto, partition, cover, data };
    /// 'axis = expression of indices', or several for a partition.
    struct Relation {
        std::vector<std::string> axes;               // the left sides
        std::vector<Formula> expressions;            // indices are "#n", sizes and parameters by name
        std::vector<std::set<std::string>> indices;  // per expression, also those that cancel: m*0
        Formula pad_low, pad_high;
        Fit fit = Fit::inside;
        std::string text;
    };
    struct SizeRelation {
        Formula left, right;
        std::string relation;
        std::string text;
    };

    std::string name;
    std::vector<std::pair<std::string, std::vector<std::string>>> tensors;
    std::vector<Relation> relations;
    std::vector<SizeRelation> sizes;
    std::vector<SizeRelation> where;
    std::vector<std::string> maximal, params, choose;
    Bindings mins, known;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> block;

    std::int64_t min_of(const std::string& axis) const;
    /// Axes and indices that are no left side of a relation: the loops.
    std::vector<std::string> loops() const;
    /// All sizes, in order of first appearance (parameters aside).
    std::vector<std::string> axes() const;
};

struct CaseAnswer {
    SystemAnswer system;
    std::map<std::string, AccessForm> access;                                          // per tensor, affine ones
    std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> ranges;  // of the block, per tensor
    std::map<std::string, std::int64_t> cells;
    std::optional<std::int64_t> points;
    std::string message;  // of an error, with the relations used
    std::string key;
};

/// The facts of a case as a System. Sources number relations, then sizes, then maximal names.
System system_of(const SystemCase&);
std::string source_text(const SystemCase&, int source);

/// Errors: Failure(too_complex), Failure(overflow), Failure(name).
CaseAnswer solve_case(const SystemCase&);

/// Canonical: the same for any order of relations and any names, different for different programs.
std::string canonical_key(const SystemCase&);

/// Half-open bounding ranges per axis of each tensor when the loops are restricted to the block; and how many distinct
/// elements are touched (absent where that is too much to count).
void project_block(const SystemCase&, const Bindings& sizes, CaseAnswer&);
/// Index points that the predicates keep; nothing when there are too many to count.
std::optional<std::int64_t> count_points(const SystemCase&, const Bindings& sizes);

}  // namespace halogen
