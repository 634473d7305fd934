#pragma once
// A cursor over one line of text, and formulas and conditions read from it.

#include "frontend/base/error.h"
#include "frontend/formula/formula.h"
#include "frontend/plan/condition.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace halogen {

/// Reads words, numbers and signs; white space between them does not count. Every failure is of kind syntax and names
/// line and column, both from 1.
class TextCursor {
public:
    /// The text must outlive the cursor. `column` is where in its line the text begins.
    TextCursor(std::string_view text, int line, int column = 1) : text_(text), line_(line), column_(column) {}

    bool at_end();
    /// Takes `sign` when it comes next: punctuation, or a whole word.
    bool take(std::string_view sign);
    bool next_is(std::string_view sign);
    /// The next word is a name and `sign` follows it.
    bool name_then(std::string_view sign);
    void expect(std::string_view sign);
    /// A letter or `_`, then letters, digits and `_`; `role` says what it would name.
    std::string name(std::string_view role);
    std::int64_t integer(std::string_view role);
    /// All that is left, without outer white space.
    std::string rest();
    [[noreturn]] void fail(const std::string& what,
                           const std::string& fix = "compare with what `halogen schedule` prints");
    Position position() const { return {line_, column_ + static_cast<int>(next_)}; }

private:
    void skip();
    std::string found();

    std::string_view text_;
    int line_, column_;
    std::size_t next_ = 0;
};

/// Reads what `print(Formula)` writes: sums, products, `/`, `%`, `min`, `max`, symbols such as `N` and `X.0`.
Formula parse_formula(TextCursor&);
/// Reads what `print(Condition::Term)` writes.
Condition::Term parse_term(TextCursor&);
/// Reads what `print(Condition)` writes.
Condition parse_condition(TextCursor&);

}  // namespace halogen
