#pragma once
// Formulas read from text.

#include "frontend/formula/formula.h"

#include <optional>
#include <string_view>

namespace halogen {

/// A reader of formulas such as `2*H + max(W - 1, 0)/T`: sums of products of operands, from the left, each with its minus. A
/// kind of text derives from it and says what its signs, numbers and names look like.
class FormulaReader {
public:
    virtual ~FormulaReader() = default;
    Formula sum();

protected:
    using Function = Formula (*)(const Formula&, const Formula&);

    /// Takes `sign` when it comes next: one of `+ - * / % ( ) ,`.
    virtual bool take(std::string_view sign) = 0;
    /// Takes `sign`, or fails.
    virtual void expect(std::string_view sign) = 0;
    /// Takes a function's name and the bracket behind it when they come next.
    virtual std::optional<Function> take_function() = 0;
    /// A number or a name.
    virtual Formula leaf() = 0;
    /// Fails: operands stand within each other 200 times.
    [[noreturn]] virtual void fail_nested() = 0;

private:
    Formula product();
    Formula operand();
    Formula primary();

    int depth_ = 0;
};

}  // namespace halogen
