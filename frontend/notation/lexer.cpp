#include "frontend/notation/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace halogen {
namespace {

constexpr std::array reserved_words{"kernel", "size", "where", "in", "pad", "else", "and", "or", "not"};
/// Longest first, so that `<=` is not read as `<`.
constexpr std::array<std::string_view, 26> symbols{"->", "==", "!=", "<=", ">=", "+=", "*=", "+", "-",
                                                   "*",  "/",  "%",  "<",  ">",  "=",  ",",  ":", ";",
                                                   "(",  ")",  "[",  "]",  "{",  "}",  "_",  ""};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Printable ASCII as it is, anything else as its code: messages stay valid text whatever the input held.
std::string show_byte(char c) {
    if (c >= ' ' && c <= '~') return fmt::format("`{}`", c);
    return fmt::format("byte 0x{:02X}", static_cast<unsigned char>(c));
}

constexpr const char* power_fix = "write `pow(a, b)` for floats, and `a*a` for integers";

constexpr const char* bits_fix = "there are no operators on bits: `a % 8` keeps the last 3, `a/8` drops them";

/// What a newcomer from another language may have meant by a character we do not have.
std::string fix_for(std::string_view rest) {
    if (rest.starts_with("&&")) return "write `and`";
    if (rest.starts_with("||")) return "write `or`";
    if (rest.starts_with("!")) return "write `not`, or `!=`";
    if (rest.starts_with("^")) return power_fix;
    if (rest.starts_with("&") || rest.starts_with("|") || rest.starts_with("~")) return bits_fix;
    if (rest.starts_with("?")) return "write `select(condition, if_true, if_false)`";
    if (rest.starts_with("//") || rest.starts_with("/*")) return "a comment begins with `#`";
    return "remove it; names are made of letters, digits and `_`, comments begin with `#`";
}

class Lexer {
public:
    explicit Lexer(const std::string& source) : source_(source) {
        if (source_.compare(0, 3, "\xEF\xBB\xBF") == 0) next_ = line_start_ = 3;  // a byte order mark is no text
    }

    std::vector<Token> run() {
        while (next_ < source_.size()) step();
        if (!open_.empty()) fail_unclosed();
        begin(Token::Kind::end);
        tokens_.back().end = next_;
        return std::move(tokens_);
    }

private:
    Position here() const { return {line_, static_cast<int>(next_ - line_start_) + 1}; }
    char peek(std::size_t ahead = 0) const { return next_ + ahead < source_.size() ? source_[next_ + ahead] : '\0'; }

    [[noreturn]] void fail(std::string what, Position at, std::string fix) const {
        throw Failure({ErrorKind::syntax, std::move(what), at, line_at(source_, at), std::move(fix)});
    }

    void begin(Token::Kind kind) {
        Token token;
        token.kind = kind;
        token.at = here();
        token.begin = token.end = next_;
        tokens_.push_back(std::move(token));
    }
    void finish(std::size_t length) {
        tokens_.back().text = source_.substr(next_, length);
        next_ += length;
        tokens_.back().end = next_;
    }

    void step() {
        const char c = peek();
        if (c == '\n') {
            new_line();
        } else if (is_space(c)) {
            ++next_;
        } else if (c == '#') {
            while (next_ < source_.size() && peek() != '\n') ++next_;
        } else if (is_letter(c)) {
            word();
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            number();
        } else {
            symbol();
        }
    }

    /// A new line ends an equation unless a bracket is open or the last token asks for more.
    void new_line() {
        if (open_.empty() && !tokens_.empty() && !wants_more(tokens_.back())) {
            begin(Token::Kind::newline);
            tokens_.back().end = next_ + 1;
        }
        ++next_;
        ++line_;
        line_start_ = next_;
    }

    static bool wants_more(const Token& last) {
        if (last.kind == Token::Kind::newline) return true;  // one is enough
        if (last.kind == Token::Kind::keyword) return last.text != "size";
        if (last.kind != Token::Kind::symbol) return false;
        static constexpr std::array<std::string_view, 6> closing{")", "]", "}", "{", ";", "_"};
        return std::find(closing.begin(), closing.end(), last.text) == closing.end();
    }

    void word() {
        std::size_t length = 1;
        while (is_word(peek(length))) ++length;
        const std::string_view text = std::string_view(source_).substr(next_, length);
        const bool reduction = text == "max" || text == "min" || text == "and" || text == "or";
        if (reduction && peek(length) == '=' && peek(length + 1) != '=') {
            begin(Token::Kind::symbol);
            return finish(length + 1);
        }
        if (peek(length) == '.' && is_digit(peek(length + 1))) return dim_name(length);
        begin(is_reserved(text) ? Token::Kind::keyword : Token::Kind::name);
        finish(length);
    }

    void dim_name(std::size_t length) {
        std::size_t end = length + 1;
        while (is_digit(peek(end))) ++end;
        const bool leading_zero = peek(length + 1) == '0' && end > length + 2;
        if (is_word(peek(end)) || peek(end) == '.' || leading_zero || end - length > 4)
            fail("a dim of a tensor as a size is written as its number behind a dot", here(),
                 "write `X.0` for dim 0 of `X`");
        begin(Token::Kind::dim_name);
        finish(end);
    }

    void number() {
        std::size_t end = 0;
        while (is_digit(peek(end))) ++end;
        bool real = false;
        if (peek(end) == '.') {
            real = true;
            ++end;
            while (is_digit(peek(end))) ++end;
        }
        const std::size_t sign = peek(end + 1) == '+' || peek(end + 1) == '-' ? 1 : 0;
        if ((peek(end) == 'e' || peek(end) == 'E') && is_digit(peek(end + 1 + sign))) {
            real = true;
            end += 1 + sign;
            while (is_digit(peek(end))) ++end;
        }
        if (is_word(peek(end)) || peek(end) == '.')
            fail("a number runs into what follows it", here(),
                 "write numbers as `12`, `0.5` or `1e-3`, and `*` between factors");
        begin(real ? Token::Kind::real : Token::Kind::integer);
        finish(end);
        read_value(tokens_.back());
    }

    /// Integers up to 2^63 pass: behind a minus that is the least i64; elsewhere the parser refuses it.
    void read_value(Token& token) const {
        const char* first = token.text.data();
        const char* last = first + token.text.size();
        if (token.kind == Token::Kind::real) {
            if (std::from_chars(first, last, token.real).ec != std::errc())
                fail("the number is outside the range of f64", token.at,
                     "use a number of magnitude 1e-307 to 1e308, or 0");
        } else if (std::from_chars(first, last, token.integer).ec != std::errc() || token.integer > (1ull << 63)) {
            fail("the integer is outside the range of i64", token.at,
                 "use at most 9223372036854775807, or a real such as `1e19`");
        }
    }

    void symbol() {
        const std::string_view rest = std::string_view(source_).substr(next_);
        const auto known = std::find_if(symbols.begin(), symbols.end(), [&](auto s) { return rest.starts_with(s); });
        if (known->empty()) fail("there is no " + show_byte(peek()) + " in the notation", here(), fix_for(rest));
        if (*known == "_" && is_word(peek(1))) fail("a name begins with a letter", here(), "drop the leading `_`");
        if (rest.starts_with("//") || rest.starts_with("/*"))
            fail("there is no comment of this kind in the notation", here(), fix_for(rest));
        if (rest.starts_with("**")) fail("there is no `**` in the notation", here(), power_fix);
        begin(Token::Kind::symbol);
        finish(known->size());
        bracket(tokens_.back());
    }

    void bracket(const Token& token) {
        const char c = token.text[0];
        if (c == '(' || c == '[') open_.push_back(token);
        if (c == '{' || c == '}')
            if (!open_.empty()) fail_unclosed();
        if (c != ')' && c != ']') return;
        if (open_.empty())
            fail(fmt::format("`{}` closes nothing", c), token.at, fmt::format("remove the `{}`, or open it before", c));
        const char wanted = open_.back().text[0] == '(' ? ')' : ']';
        if (c != wanted)
            fail(fmt::format("`{}` does not close the `{}` of line {}, column {}", c, open_.back().text,
                             open_.back().at.line, open_.back().at.column),
                 token.at, fmt::format("close it with `{}` first", wanted));
        open_.pop_back();
    }

    [[noreturn]] void fail_unclosed() const {
        const Token& open = open_.back();
        fail(fmt::format("`{}` is never closed", open.text), open.at,
             fmt::format("add the `{}`", open.text == "(" ? ")" : "]"));
    }

    const std::string& source_;
    std::vector<Token> tokens_;
    std::vector<Token> open_;  // the brackets ( and [ not yet closed
    std::size_t next_ = 0, line_start_ = 0;
    int line_ = 1;
};

}  // namespace

bool is_reserved(std::string_view word) {
    return std::find(reserved_words.begin(), reserved_words.end(), word) != reserved_words.end();
}

bool is_identifier(std::string_view word) {
    return !word.empty() && is_letter(word[0]) && std::all_of(word.begin(), word.end(), is_word);
}

std::vector<Token> tokenize(const std::string& source) { return Lexer(source).run(); }

std::string folded(const std::string& source, std::size_t begin, std::size_t end) {
    std::string text;
    bool gap = false;
    for (std::size_t i = begin; i < end && i < source.size(); ++i) {
        if (source[i] == '#') {
            while (i + 1 < end && i + 1 < source.size() && source[i + 1] != '\n') ++i;
            gap = true;
        } else if (is_space(source[i]) || source[i] == '\n') {
            gap = true;
        } else {
            if (gap && !text.empty()) text += ' ';
            gap = false;
            text += source[i] > ' ' && source[i] <= '~' ? source[i] : '?';
        }
    }
    return text;
}

std::string line_at(const std::string& source, Position at) {
    std::size_t begin = 0;
    for (int line = 1; line < at.line; ++line) {
        const std::size_t end = source.find('\n', begin);
        if (end == std::string::npos) return "";
        begin = end + 1;
    }
    std::string text = folded(source, begin, std::min(source.find('\n', begin), source.size()));
    constexpr std::size_t longest = 200;
    if (text.size() > longest) text = text.substr(0, longest) + " ...";
    return text;
}

}  // namespace halogen
