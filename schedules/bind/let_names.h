#pragma once
// Names that stand around an expression.

#include "Halide.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// Names and what they stand for, the outermost first.
using Lets = std::vector<std::pair<std::string, Halide::Expr>>;

/// The lets around a statement, which becomes what they stand around.
inline Lets take_lets(Halide::Internal::Stmt& s) {
    Lets lets;
    while (const auto* let = s.as<Halide::Internal::LetStmt>()) {
        lets.emplace_back(let->name, let->value);
        const Halide::Internal::Stmt body = let->body;
        s = body;
    }
    return lets;
}

inline Halide::Internal::Stmt under(const Lets& lets, Halide::Internal::Stmt s) {
    for (auto let = lets.rbegin(); let != lets.rend(); ++let)
        s = Halide::Internal::LetStmt::make(let->first, let->second, s);
    return s;
}

/// The expression with what they stand for in place of the names.
inline Halide::Expr without(const Lets& lets, Halide::Expr e) {
    for (auto let = lets.rbegin(); let != lets.rend(); ++let)
        if (Halide::Internal::expr_uses_var(e, let->first))
            e = Halide::Internal::substitute(let->first, let->second, e);
    return e;
}

/// What the lets around an expression call by name.
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
    Halide::Expr resolved(const Halide::Expr& e) const { return Halide::Internal::simplify(without(names_, e)); }

private:
    Lets names_;
};

}  // namespace halogen
