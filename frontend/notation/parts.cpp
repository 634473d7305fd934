#include "frontend/notation/parts.h"

namespace halogen {

bool reads_itself(const Equation& equation) {
    bool found = false;
    each_self_read(equation, [&](const Access&) { found = true; });
    return found;
}

std::set<std::string> indices_in(const Expr& e) {
    std::set<std::string> names;
    walk(e, [&](const Expr& node) {
        if (const auto* index = node.as<IndexRef>()) names.insert(index->name);
    });
    return names;
}

std::vector<const InRange*> ranges_of(const Equation& equation) {
    std::vector<const InRange*> ranges;
    for (const Where& item : equation.where)
        if (auto* range = std::get_if<InRange>(&item)) ranges.push_back(range);
    return ranges;
}

std::vector<const Expr*> predicates_of(const Equation& equation) {
    std::vector<const Expr*> predicates;
    for (const Where& item : equation.where)
        if (auto* predicate = std::get_if<Expr>(&item)) predicates.push_back(predicate);
    return predicates;
}

}  // namespace halogen
