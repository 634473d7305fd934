#include "frontend/formula/relation.h"

namespace halogen {

std::pair<Formula, Formula> sides_of(const Formula& slack) {
    Formula left, right;
    for (const auto& [m, c] : slack.terms()) {
        Formula& side = c < 0 ? left : right;
        side = side + Formula::term(m, c < 0 ? -c : c);
    }
    return {left, right};
}

}  // namespace halogen
