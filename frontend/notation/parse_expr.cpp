#include "frontend/notation/parse_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace halogen {

std::string describe(const Token& token) {
    switch (token.kind) {
    case Token::Kind::keyword: return "the reserved word `" + token.text + "`";
    case Token::Kind::newline: return "the end of the line";
    case Token::Kind::end: return "the end of the text";
    default: return "`" + token.text + "`";
    }
}

void TokenStream::fail(ErrorKind kind, std::string what, Position at, std::string fix) const {
    throw Failure({kind, std::move(what), at, line_at(source_, at), std::move(fix)});
}

void TokenStream::fail_expected(const std::string& expected, const std::string& fix) const {
    fail(ErrorKind::syntax, "expected " + expected + ", found " + describe(peek()), peek().at, fix);
}

const Token& TokenStream::expect(std::string_view symbol, const std::string& fix) {
    if (!peek().is_symbol(symbol)) fail_expected(fmt::format("`{}`", symbol), fix);
    return take();
}

const Token& TokenStream::expect_name(const std::string& role) {
    if (peek().kind == Token::Kind::keyword)
        fail(ErrorKind::syntax, fmt::format("`{}` is a reserved word and cannot name {}", peek().text, role), peek().at,
             "choose another name");
    if (peek().kind != Token::Kind::name) fail_expected("the name of " + role, "names begin with a letter");
    return take();
}

namespace {

/// The fewest letters put in, left out, replaced or swapped with their neighbour that make `a` into `b`.
std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            std::size_t& cell = least[i][j] = std::max(i, j);
            if (i == 0 || j == 0) continue;
            cell = std::min(
                {least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), least[i - 1][j] + 1, least[i][j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cell = std::min(cell, least[i - 2][j - 2] + 1);
        }
    }
    return least[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t least =
        std::min(word.size(), std::max<std::size_t>(1, word.size() / 3) + 1);  // no letter is no likeness
    if (word.size() > 40) return best;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edits(word, candidate);
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

namespace {

/// One method a level of binding, loosest first.
class ExpressionParser {
public:
    explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

    Expr disjunction() {
        const Nested nested(*this);
        Expr left = conjunction();
        while (tokens_.peek().is_keyword("or")) {
            const Position at = tokens_.take().at;
            left = checked(make_binary(BinaryOp::logical_or, left, conjunction(), at));
        }
        return left;
    }

    Expr sum() {
        Expr left = product();
        while (tokens_.peek().is_symbol("+") || tokens_.peek().is_symbol("-")) {
            const Token op = tokens_.take();
            left = checked(make_binary(op.text == "+" ? BinaryOp::add : BinaryOp::sub, left, product(), op.at));
        }
        return left;
    }

    Access access() {
        const Token name = tokens_.expect_name("a tensor");
        tokens_.expect("[", "write the tensor's places in brackets, `" + name.text + "[i, j]`, or `" + name.text +
                                "[]` for rank 0");
        return {name.text, list("]"), name.at};
    }

    Expr signed_literal() {
        const Position at = tokens_.peek().at;
        const bool negative = tokens_.peek().is_symbol("-");
        if (negative || tokens_.peek().is_symbol("+")) tokens_.take();
        if (tokens_.peek().kind != Token::Kind::integer && tokens_.peek().kind != Token::Kind::real)
            tokens_.fail_expected("a number", "write a literal such as `0`, `-1` or `0.5`");
        return number(negative, at);
    }

private:
    /// Bounds the recursion: every way down passes through one of these.
    struct Nested {
        explicit Nested(ExpressionParser& parser) : parser_(parser) {
            constexpr int deepest = 200;
            if (++parser_.nesting_ > deepest)
                parser_.tokens_.fail(ErrorKind::too_complex,
                                     fmt::format("the expression is nested more than {} deep", deepest),
                                     parser_.tokens_.peek().at, "name parts of it as intermediate tensors");
        }
        ~Nested() { --parser_.nesting_; }
        ExpressionParser& parser_;
    };

    Expr checked(Expr e) const {
        if (e.depth() > Expr::max_depth)
            tokens_.fail(ErrorKind::too_complex,
                         fmt::format("the expression has more than {} operators in a chain", Expr::max_depth),
                         e.position(), "name parts of it as intermediate tensors");
        return e;
    }

    Expr conjunction() {
        Expr left = negation();
        while (tokens_.peek().is_keyword("and")) {
            const Position at = tokens_.take().at;
            left = checked(make_binary(BinaryOp::logical_and, left, negation(), at));
        }
        return left;
    }

    Expr negation() {
        if (!tokens_.peek().is_keyword("not")) return comparison();
        const Nested nested(*this);
        const Position at = tokens_.take().at;
        return checked(make_unary(UnaryOp::logical_not, negation(), at));
    }

    static std::optional<BinaryOp> comparison_op(const Token& token) {
        if (token.kind != Token::Kind::symbol) return std::nullopt;
        for (BinaryOp op : {BinaryOp::eq, BinaryOp::ne, BinaryOp::lt, BinaryOp::le, BinaryOp::gt, BinaryOp::ge})
            if (token.text == to_string(op)) return op;
        return std::nullopt;
    }

    Expr comparison() {
        Expr left = sum();
        const auto op = comparison_op(tokens_.peek());
        if (!op) return left;
        const Position at = tokens_.take().at;
        const Expr right = sum();
        if (comparison_op(tokens_.peek()))
            tokens_.fail(ErrorKind::syntax, "comparisons do not chain", tokens_.peek().at,
                         "write `a < b and b < c`, or use brackets");
        return checked(make_binary(*op, left, right, at));
    }

    Expr product() {
        Expr left = unary();
        for (;;) {
            const Token& op = tokens_.peek();
            const bool mul = op.is_symbol("*"), div = op.is_symbol("/"), mod = op.is_symbol("%");
            if (!mul && !div && !mod) return left;
            const Position at = tokens_.take().at;
            left = checked(make_binary(mul ? BinaryOp::mul : div ? BinaryOp::div : BinaryOp::mod, left, unary(), at));
        }
    }

    Expr unary() {
        if (tokens_.peek().is_symbol("+"))
            tokens_.fail_expected("an operand", "there is no sign `+` in the notation; remove it");
        if (!tokens_.peek().is_symbol("-")) return primary();
        const Nested nested(*this);
        const Position at = tokens_.take().at;
        const Token& next = tokens_.peek();
        if (next.kind == Token::Kind::integer && next.integer == 1ull << 63) return number(true, at);
        return checked(make_unary(UnaryOp::negate, unary(), at));
    }

    /// The literal under the cursor, negated at the tree's root if asked.
    Expr number(bool negative, Position at) {
        const Token& token = tokens_.take();
        if (token.kind == Token::Kind::real) {
            const Expr value(ExprNode{RealLiteral{token.real}}, token.at);
            return negative ? make_unary(UnaryOp::negate, value, at) : value;
        }
        if (token.integer == 1ull << 63) {
            if (!negative)
                tokens_.fail(ErrorKind::syntax, "the integer is outside the range of i64", token.at,
                             "use at most 9223372036854775807, or a real such as `1e19`");
            return Expr(ExprNode{IntegerLiteral{std::numeric_limits<std::int64_t>::min()}}, at);
        }
        const Expr value(ExprNode{IntegerLiteral{static_cast<std::int64_t>(token.integer)}}, token.at);
        return negative ? make_unary(UnaryOp::negate, value, at) : value;
    }

    Expr primary() {
        const Token& token = tokens_.peek();
        switch (token.kind) {
        case Token::Kind::integer:
        case Token::Kind::real: return number(false, token.at);
        case Token::Kind::dim_name: return Expr(ExprNode{SizeRef{token.text}}, tokens_.take().at);
        case Token::Kind::name: return named();
        default: break;
        }
        if (tokens_.take_symbol("(")) {
            const Expr inner = disjunction();
            refuse_in();
            tokens_.expect(")", "close the bracket");
            return inner;
        }
        refuse_in();
        if (tokens_.peek().is_symbol("<") || tokens_.peek().is_symbol(">"))
            tokens_.fail_expected("an operand", "there are no shifts: `a*8` shifts by 3 bits, and `a/8` back");
        tokens_.fail_expected("an operand", "write a number, a name, `T[i, j]`, `f(x)` or an expression in brackets");
    }

    void refuse_in() const {
        if (tokens_.peek().is_keyword("in"))
            tokens_.fail(ErrorKind::syntax, "`in` stands only in an item behind `where`, as `i in a:b`",
                         tokens_.peek().at,
                         "write the range as an item of its own, or a comparison such as `0 <= i and i < N`");
    }

    Expr named() {
        if (tokens_.peek(1).is_symbol("[")) {
            const Position at = tokens_.peek().at;
            return checked(Expr(ExprNode{access()}, at));
        }
        if (tokens_.peek(1).is_symbol("(")) return call();
        const Token& name = tokens_.take();
        const bool capital = name.text[0] >= 'A' && name.text[0] <= 'Z';
        return capital ? Expr(ExprNode{SizeRef{name.text}}, name.at) : Expr(ExprNode{IndexRef{name.text}}, name.at);
    }

    Expr call() {
        const Token name = tokens_.take();
        const auto type = parse_type(name.text);
        const auto function = parse_function(name.text);
        if (!type && !function) fail_unknown_function(name);
        tokens_.take();
        std::vector<Expr> arguments = list(")");
        const std::size_t wanted = type ? 1 : static_cast<std::size_t>(arity(*function));
        if (arguments.size() != wanted)
            tokens_.fail(ErrorKind::rank,
                         fmt::format("`{}` takes {} argument{}, not {}", name.text, wanted, wanted == 1 ? "" : "s",
                                     arguments.size()),
                         name.at,
                         wanted == 1   ? fmt::format("write `{}(a)`", name.text)
                         : wanted == 2 ? fmt::format("write `{}(a, b)`", name.text)
                                       : "write `select(condition, if_true, if_false)`");
        return checked(type ? make_cast(*type, arguments[0], name.at)
                            : make_call(*function, std::move(arguments), name.at));
    }

    /// What is written here for a function that other languages have; "" for others.
    static std::string written_instead(const std::string& function) {
        static const std::pair<std::string_view, std::string_view> known[] = {
            {"all", "an equation with `and=`: what its left side does not have is reduced"},
            {"any", "an equation with `or=`: what its left side does not have is reduced"},
            {"clamp", "`min(max(a, low), high)`"},
            {"clip", "`min(max(a, low), high)`"},
            {"mod", "`a % b`"},
            {"prod", "an equation with `*=`: what its left side does not have is reduced"},
            {"relu", "`max(a, 0)`"},
            {"square", "`a*a`"},
            {"sum", "an equation with `+=`: what its left side does not have is reduced"},
            {"tan", "`sin(a)/cos(a)`"},
            {"where", "`select(condition, if_true, if_false)`"}};
        for (const auto& [name, text] : known)
            if (name == function) return std::string(text);
        return "";
    }

    [[noreturn]] void fail_unknown_function(const Token& name) const {
        std::vector<std::string> known;
        for (int f = 0; f <= static_cast<int>(Function::pow); ++f) known.push_back(to_string(static_cast<Function>(f)));
        for (int t = 0; t <= static_cast<int>(Type::boolean); ++t) known.push_back(to_string(static_cast<Type>(t)));
        const std::string close = nearest(name.text, known);
        const std::string instead = written_instead(name.text);
        const bool capital = name.text[0] >= 'A' && name.text[0] <= 'Z';
        tokens_.fail(
            ErrorKind::name, fmt::format("there is no function `{}`", name.text), name.at,
            !instead.empty() ? fmt::format("write {}", instead)
            : !close.empty() ? fmt::format("did you mean `{}`?", close)
            : capital
                ? fmt::format("a tensor is read with square brackets, `{}[i]`; a product needs its `*`", name.text)
                : "use select, min, max, abs, floor, ceil, round, sqrt, rsqrt, exp, log, sin, cos, tanh, erf, sigmoid, "
                  "pow, or a type's name to cast");
    }

    std::vector<Expr> list(std::string_view closing) {
        std::vector<Expr> items;
        if (tokens_.take_symbol(closing)) return items;
        do {
            items.push_back(disjunction());
        } while (tokens_.take_symbol(","));
        refuse_in();
        if (tokens_.peek().is_symbol("="))
            tokens_.fail_expected(fmt::format("`,` or `{}`", closing), "equality is `==`");
        if (!tokens_.peek().is_symbol(closing))
            tokens_.fail_expected(fmt::format("an operator, `,` or `{}`", closing),
                                  "separate items by commas, and write `*` between factors");
        tokens_.take();
        return items;
    }

    TokenStream& tokens_;
    int nesting_ = 0;
};

}  // namespace

Expr parse_expression(TokenStream& tokens) { return ExpressionParser(tokens).disjunction(); }
Expr parse_sum(TokenStream& tokens) { return ExpressionParser(tokens).sum(); }
Access parse_access(TokenStream& tokens) { return ExpressionParser(tokens).access(); }
Expr parse_signed_literal(TokenStream& tokens) { return ExpressionParser(tokens).signed_literal(); }

}  // namespace halogen
