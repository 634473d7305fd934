#include "frontend/solve/solution.h"

#include <fmt/format.h>

namespace halogen {

std::string print(const Guard& g) {
    const char* relation = g.relation == Relation::equal ? "==" : g.relation == Relation::at_most ? "<=" : "divides";
    return fmt::format("{} {} {}", print(g.left), relation, print(g.right));
}

bool holds(const Guard& g, const Bindings& values) {
    for (const Formula& extent : g.over) {
        if (evaluate(extent, values) == 0) return true;
    }
    const std::int64_t left = evaluate(g.left, values), right = evaluate(g.right, values);
    switch (g.relation) {
    case Relation::equal: return left == right;
    case Relation::at_most: return left <= right;
    default: return left != 0 && right % left == 0;
    }
}

}  // namespace halogen
