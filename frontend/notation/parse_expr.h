#pragma once
// Reading of expressions, the inner half of the parser. Bare names come out by their initial alone (capital: SizeRef,
// lower case: IndexRef); `parse.cpp` then resolves those that a header declares.

#include "frontend/notation/expr.h"
#include "frontend/notation/lexer.h"

#include <string>
#include <vector>

namespace halogen {

/// A cursor over tokens, with what both halves of the parser need to complain well.
class TokenStream {
public:
    explicit TokenStream(const std::string& source) : source_(source), tokens_(tokenize(source)) {}

    const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
    const Token& take() {
        const Token& token = peek();
        if (next_ + 1 < tokens_.size()) ++next_;
        return token;
    }
    const Token& last() const { return tokens_[next_ > 0 ? next_ - 1 : 0]; }
    bool take_symbol(std::string_view text) { return peek().is_symbol(text) && (take(), true); }
    bool take_keyword(std::string_view text) { return peek().is_keyword(text) && (take(), true); }
    void skip_newlines() {
        while (peek().kind == Token::Kind::newline) take();
    }

    /// Takes the symbol, or fails: "expected `]`, found `)`".
    const Token& expect(std::string_view symbol, const std::string& fix);
    /// Takes a name that is not reserved; `role` says what it would name: "a parameter".
    const Token& expect_name(const std::string& role);
    [[noreturn]] void fail_expected(const std::string& expected, const std::string& fix) const;
    [[noreturn]] void fail(ErrorKind, std::string what, Position, std::string fix) const;
    const std::string& source() const { return source_; }

private:
    const std::string& source_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
};

/// "`+`", "the reserved word `pad`", "the end of the line": for messages.
std::string describe(const Token&);

/// `or` and everything above it: what may stand on a right side, in a call, in brackets, as a predicate.
/// Errors: Failure of kind syntax, name (unknown function), rank (number of arguments), too_complex (nesting).
Expr parse_expression(TokenStream&);
/// Sums and everything above: extents, pads and the ends of `a:b`.
Expr parse_sum(TokenStream&);
/// `T[places]`; the next token is the tensor's name.
Access parse_access(TokenStream&);
/// A number with an optional sign.
Expr parse_signed_literal(TokenStream&);

/// The candidate nearest to `word` by edit distance, or "" when none is close enough to be what was meant.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace halogen
