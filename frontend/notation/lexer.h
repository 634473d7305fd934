#pragma once
// Cuts the text of a program into tokens; new lines that do not count are already gone.

#include "frontend/base/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halogen {

struct Token {
    enum class Kind {
        name,      // conv2d, X, alpha
        dim_name,  // X.0: dim 0 of X as a size
        keyword,   // kernel size where in pad else and or not
        integer,   // 12
        real,      // 0.5, 1e-3
        symbol,    // operators and punctuation, also `max=` and its like
        newline,   // the end of a line that ends an equation
        end,
    };
    Kind kind = Kind::end;
    std::string text;
    Position at;
    std::size_t begin = 0, end = 0;  // bytes in the source
    std::uint64_t integer = 0;       // of an integer: its value
    double real = 0;                 // of a real: its value

    bool is(Kind k, std::string_view t) const { return kind == k && text == t; }
    bool is_symbol(std::string_view t) const { return is(Kind::symbol, t); }
    bool is_keyword(std::string_view t) const { return is(Kind::keyword, t); }
};

/// The words that may name nothing: kernel size where in pad else and or not.
bool is_reserved(std::string_view word);
/// True for a letter followed by letters, digits and `_`.
bool is_identifier(std::string_view word);

/// All tokens of `source`, the last being `end`. Takes any bytes.
/// Errors: Failure(syntax) for a stray character, a bracket that does not match, a number out of range.
std::vector<Token> tokenize(const std::string& source);

/// The line of `source` at `at`, without comment and outer white space, bytes that are no text shown as `?`; for messages.
std::string line_at(const std::string& source, Position at);
/// `source` from byte `begin` to byte `end`, comments left out and white space folded.
std::string folded(const std::string& source, std::size_t begin, std::size_t end);

}  // namespace halogen
