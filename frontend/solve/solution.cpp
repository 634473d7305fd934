#include "frontend/solve/solution.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

bool is_zero(const Formula& extent, const Bindings& values) {
    try {
        return evaluate(extent, values) == 0;
    } catch (const Failure&) {
        return false;  // no number, so not this one
    }
}

}  // namespace

std::string print(const Guard& g) {
    const char* relation = g.relation == Relation::equal ? "==" : g.relation == Relation::at_most ? "<=" : "divides";
    return fmt::format("{} {} {}", print(g.left), relation, print(g.right));
}

bool holds(const Guard& g, const Bindings& values) {
    if (std::any_of(g.over.begin(), g.over.end(), [&](const Formula& extent) { return is_zero(extent, values); }))
        return true;
    const std::int64_t left = evaluate(g.left, values), right = evaluate(g.right, values);
    switch (g.relation) {
    case Relation::equal: return left == right;
    case Relation::at_most: return left <= right;
    default: return left > 0 && right % left == 0;
    }
}

}  // namespace halogen
