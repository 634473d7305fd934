#pragma once
// Names that stand around an expression.

#include "Halide.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// What the lets around an expression call by name, the outermost first.
class LetNames {
public:
    /// Does `inside` within a Let or a LetStmt.
    template<class LetNode, class Inside>
    void within(const LetNode* let, Inside inside) {
        names_.emplace_back(let->name, let->value);
        inside();
        names_.pop_back();
    }
    /// The expression without them, simplified.
    Halide::Expr resolved(Halide::Expr e) const {
        for (auto name = names_.rbegin(); name != names_.rend(); ++name)
            e = Halide::Internal::substitute(name->first, name->second, e);
        return Halide::Internal::simplify(e);
    }

private:
    std::vector<std::pair<std::string, Halide::Expr>> names_;
};

}  // namespace halogen
