// From text to Program: headers, equations, and which bare name is what. `check` does the rest.

#include "frontend/notation/parse.h"

#include "frontend/notation/parse_expr.h"
#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace halogen {
namespace {

/// Turns bare names that the header declares into what they are: a scalar, or a `size` in lower case.
Expr resolve(const Expr& e, const Kernel& k) {
    return rewrite(e, [&](Expr node) {
        const auto* size = node.as<SizeRef>();
        const auto* index = node.as<IndexRef>();
        if (!size && !index) return node;
        const std::string& name = size ? size->name : index->name;
        if (k.find_scalar(name)) return Expr(ExprNode{ScalarRef{name}}, node.position());
        if (index && k.find_size(name)) return Expr(ExprNode{SizeRef{name}}, node.position());
        return node;
    });
}

void resolve_names(Kernel& k) {
    for (Tensor& t : k.tensors) {
        if (!t.dims) continue;
        for (Dim& d : *t.dims) {
            d.extent = resolve(d.extent, k);
            d.pad_low = resolve(d.pad_low, k);
            d.pad_high = resolve(d.pad_high, k);
        }
    }
    for (SizeCondition& c : k.conditions) c.relation = resolve(c.relation, k);
    for (Let& let : k.lets) let.value = resolve(let.value, k);
    for (Equation& eq : k.equations) change_expressions(eq, [&](const Expr& e) { return resolve(e, k); });
}

class Parser {
public:
    explicit Parser(const std::string& text) : tokens_(text) {}

    /// Stops at mistake number `most`.
    Reading reading(std::size_t most) {
        Reading reading;
        for (skip_separators(); !at_end() && reading.errors.size() < most; skip_separators()) {
            try {
                item(reading);
            } catch (const Failure& failure) {
                reading.errors.push_back(failure.error());
                skip_to_kernel();
            }
        }
        return reading;
    }

private:
    bool at_end() const { return tokens_.peek().kind == Token::Kind::end; }
    void skip_separators() {
        while (tokens_.peek().kind == Token::Kind::newline || tokens_.peek().is_symbol(";")) tokens_.take();
    }

    /// The next kernel, or the bare equations.
    void item(Reading& reading) {
        std::vector<Kernel>& kernels = reading.program.kernels;
        const Token first = tokens_.peek();
        const bool has_header = first.is_keyword("kernel");
        if (!has_header && (!kernels.empty() || !reading.errors.empty()))
            tokens_.fail(ErrorKind::syntax, "expected `kernel`, found " + describe(first), first.at,
                         "put the equation inside a kernel's `{ }`; bare equations stand alone in a text");
        Kernel next = has_header ? kernel() : bare();
        for (const Kernel& other : kernels)
            if (other.name == next.name)
                tokens_.fail(ErrorKind::name, fmt::format("there are two kernels `{}`", next.name), next.at,
                             "rename one of them");
        kernels.push_back(std::move(next));
    }

    /// To the next word `kernel`; one that has been taken already begins the kernel that failed.
    void skip_to_kernel() {
        while (!at_end() && !tokens_.peek().is_keyword("kernel")) tokens_.take();
    }

    /// Equations without a header, up to the end of the text.
    Kernel bare() {
        Kernel k;
        k.at = tokens_.peek().at;
        for (skip_separators(); !at_end(); skip_separators()) {
            if (tokens_.peek().is_keyword("kernel"))
                tokens_.fail(ErrorKind::syntax, "a kernel follows bare equations", tokens_.peek().at,
                             "put the equations into a kernel of their own, or into another file");
            body_item(k);
        }
        resolve_names(k);
        return check(std::move(k)).value();
    }

    Kernel kernel() {
        Kernel k;
        tokens_.take();
        const Token& name = tokens_.expect_name("a kernel");
        k.name = name.text;
        k.at = name.at;
        tokens_.skip_newlines();
        tokens_.expect("(", "write `kernel " + k.name + "(X: f32[N]) -> Y: f32[N] { ... }`");
        if (!tokens_.take_symbol(")")) {
            do {
                parameter(k);
            } while (tokens_.take_symbol(","));
            if (!tokens_.peek().is_symbol(")")) tokens_.fail_expected("`,` or `)`", "separate parameters by commas");
            tokens_.take();
        }
        tokens_.skip_newlines();
        tokens_.expect("->", "name the outputs: `-> Y: f32`");
        outputs(k);
        conditions(k);
        body(k);
        resolve_names(k);
        return check(std::move(k)).value();
    }

    void outputs(Kernel& k) {
        if (!tokens_.take_symbol("(")) {
            k.tensors.push_back(output());
            return;
        }
        do {
            k.tensors.push_back(output());
        } while (tokens_.take_symbol(","));
        if (!tokens_.peek().is_symbol(")")) tokens_.fail_expected("`,` or `)`", "separate outputs by commas");
        tokens_.take();
    }

    /// `where N % 4 == 0, 1 <= R`, behind the outputs.
    void conditions(Kernel& k) {
        std::size_t ahead = 0;
        while (tokens_.peek(ahead).kind == Token::Kind::newline) ++ahead;
        if (!tokens_.peek(ahead).is_keyword("where")) return;
        tokens_.skip_newlines();
        tokens_.take();
        do {
            const Token first = tokens_.peek();
            if (first.kind == Token::Kind::name && tokens_.peek(1).is_keyword("in"))
                tokens_.fail(ErrorKind::syntax, "a condition of a kernel is a relation of sizes, not a range", first.at,
                             fmt::format("write `where 1 <= {0}, {0} <= 8`, with a size or parameter", first.text));
            SizeCondition condition{parse_expression(tokens_), first.at, ""};
            condition.text = folded(tokens_.source(), first.begin, tokens_.last().end);
            if (tokens_.peek().is_symbol("=")) tokens_.fail_expected("an operator, `,` or `{`", "equality is `==`");
            k.conditions.push_back(std::move(condition));
        } while (tokens_.take_symbol(","));
    }

    /// An equation, or what begins with the word `let` or `tmp` and another word.
    void body_item(Kernel& k) {
        const Token& first = tokens_.peek();
        const Token& second = tokens_.peek(1);
        const bool named = first.kind == Token::Kind::name &&
                           (second.kind == Token::Kind::name || second.kind == Token::Kind::keyword);
        if (named && first.text == "let") return let(k);
        if (named && first.text == "tmp") return declaration(k);
        k.equations.push_back(equation());
    }

    /// What an item names must be new to the equations before it.
    void require_new(const Kernel& k, const Token& name, const std::string& word) {
        const auto taken = [&](const std::string& other) { return other == name.text; };
        for (const Equation& eq : k.equations) {
            bool found = taken(eq.left.tensor);
            for (const InRange* range : ranges_of(eq)) found = found || taken(range->index);
            each_node(eq, [&](const Expr& e) {
                const auto* size = e.as<SizeRef>();
                const auto* index = e.as<IndexRef>();
                const auto* access = e.as<Access>();
                found = found || (size && taken(size->name)) || (index && taken(index->name)) ||
                        (access && taken(access->tensor));
            });
            if (found)
                tokens_.fail(ErrorKind::name, fmt::format("`{}` stands in the kernel before its `{}`", name.text, word),
                             name.at, fmt::format("move the `{}` up, or choose another name", word));
        }
    }

    void let(Kernel& k) {
        const std::size_t begin = tokens_.take().begin;
        const Token name = tokens_.expect_name("a `let`");
        require_new(k, name, "let");
        tokens_.expect("=", fmt::format("write `let {} = VALUE`", name.text));
        Let let{name.text, parse_expression(tokens_), name.at, ""};
        let.text = folded(tokens_.source(), begin, tokens_.last().end);
        k.lets.push_back(std::move(let));
        end_of_item("`let`", "a `let` is a name and its value, `let s = 1/sqrt(f32(D))`");
    }

    void declaration(Kernel& k) {
        tokens_.take();
        const Token name = tokens_.expect_name("a tensor");
        require_new(k, name, "tmp");
        tokens_.expect(":", fmt::format("give its type and dims: `tmp {}: f32[N]`", name.text));
        Tensor t = typed(name);
        if (!t.dims)
            tokens_.fail(ErrorKind::syntax, fmt::format("`tmp {}` has no dims", name.text), name.at,
                         fmt::format("give it dims, `tmp {0}: {1}[N]`; a single number is `tmp {0}: {1}[]`", name.text,
                                     to_string(t.type)));
        t.role = Role::intermediate;
        k.tensors.push_back(std::move(t));
        end_of_item("`tmp`", "a `tmp` is a tensor as a parameter list declares it, `tmp V: f32[H, W pad 1] else 0`");
    }

    void body(Kernel& k) {
        tokens_.skip_newlines();
        if (tokens_.peek().is_symbol(","))
            tokens_.fail_expected("`{`", "put several outputs in brackets: `-> (V: f32, I: i32)`");
        const Position open = tokens_.expect("{", "put the equations between `{` and `}`").at;
        for (skip_separators(); !tokens_.peek().is_symbol("}"); skip_separators()) {
            if (at_end() || tokens_.peek().is_keyword("kernel"))
                tokens_.fail(ErrorKind::syntax, fmt::format("the `{{` of kernel `{}` is never closed", k.name), open,
                             "add the `}`");
            body_item(k);
        }
        tokens_.take();
    }

    void parameter(Kernel& k) {
        const Token name = tokens_.expect_name("a parameter");
        tokens_.expect(":", "give the parameter's type: `X: f32[N]`, `alpha: f32` or `T: size`");
        if (tokens_.take_keyword("size")) {
            k.parameters.push_back({Parameter::Sort::size, name.text});
            k.sizes.push_back({name.text, size_default(name.text), name.at});
            return;
        }
        Tensor t = typed(name);
        if (t.dims) {
            k.parameters.push_back({Parameter::Sort::tensor, name.text});
            k.tensors.push_back(std::move(t));
        } else {
            if (t.boundary.mode != Boundary::Mode::none)
                tokens_.fail(ErrorKind::syntax, fmt::format("`{}` is a scalar and has no `else`", name.text), name.at,
                             "give it dims in brackets if it is a tensor, or remove the `else`");
            k.parameters.push_back({Parameter::Sort::scalar, name.text});
            k.scalars.push_back({name.text, t.type, name.at});
        }
    }

    std::optional<std::int64_t> size_default(const std::string& name) {
        if (!tokens_.take_symbol("=")) return std::nullopt;
        const Token& token = tokens_.peek();
        const bool negative = token.is_symbol("-");
        if (negative)
            tokens_.fail(ErrorKind::negative, fmt::format("the default of size `{}` is negative", name), token.at,
                         "a size is 0 or more");
        if (token.kind != Token::Kind::integer || token.integer > std::numeric_limits<std::int64_t>::max())
            tokens_.fail_expected("a whole number", fmt::format("write `{}: size = 1`", name));
        return static_cast<std::int64_t>(tokens_.take().integer);
    }

    Tensor output() {
        const Token name = tokens_.expect_name("an output");
        tokens_.expect(":", "give the output's type: `Y: f32`");
        Tensor t = typed(name);
        t.role = Role::output;
        return t;
    }

    /// The part behind the colon: `f32[N, H pad P] else edge`.
    Tensor typed(const Token& name) {
        const Token& word = tokens_.peek();
        const auto type = word.kind == Token::Kind::name ? parse_type(word.text) : std::nullopt;
        if (!type) {
            static const std::vector<std::string> types{"f64", "f32", "f16", "bf16", "i8",  "i16",
                                                        "i32", "i64", "u8",  "u16",  "u32", "bool"};
            static const std::map<std::string, std::string> elsewhere{
                {"float", "f32"}, {"double", "f64"}, {"half", "f16"}, {"int", "i32"},
                {"uint", "u32"},  {"uint8", "u8"},   {"byte", "u8"}};
            const auto other = elsewhere.find(word.text);
            const std::string close = other != elsewhere.end() ? other->second : nearest(word.text, types);
            tokens_.fail(ErrorKind::type, fmt::format("expected the type of `{}`, found {}", name.text, describe(word)),
                         word.at,
                         (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) +
                             "the types are f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 bool");
        }
        tokens_.take();
        Tensor t;
        t.name = name.text;
        t.type = *type;
        t.at = name.at;
        if (tokens_.take_symbol("[")) {
            t.dims = dims();
            t.rank = static_cast<int>(t.dims->size());
        }
        boundary(t);
        return t;
    }

    std::vector<Dim> dims() {
        std::vector<Dim> dims;
        if (tokens_.take_symbol("]")) return dims;
        do {
            dims.push_back(dim());
        } while (tokens_.take_symbol(","));
        if (!tokens_.peek().is_symbol("]"))
            tokens_.fail_expected("an operator, `pad`, `,` or `]`",
                                  "separate dims by commas; a dim is `N`, `H/2` or `H pad P`");
        tokens_.take();
        return dims;
    }

    Dim dim() {
        Dim d;
        if (!tokens_.take_symbol("_")) d.extent = parse_sum(tokens_);
        if (!tokens_.take_keyword("pad")) return d;
        if (pair_ahead()) {
            tokens_.take();
            d.pad_low = parse_sum(tokens_);
            tokens_.expect(",", "a pair of pads is `pad (LOW, HIGH)`");
            d.pad_high = parse_sum(tokens_);
            tokens_.expect(")", "a pair of pads is `pad (LOW, HIGH)`");
        } else {
            d.pad_low = d.pad_high = parse_sum(tokens_);
        }
        return d;
    }

    /// `(P0, P1)` is a pair, `(P0 + 1)*2` is not: only a pair has a comma right inside its brackets.
    bool pair_ahead() const {
        if (!tokens_.peek().is_symbol("(")) return false;
        int depth = 0;
        for (std::size_t ahead = 0;; ++ahead) {
            const Token& token = tokens_.peek(ahead);
            if (token.kind == Token::Kind::end) return false;
            if (token.is_symbol("(") || token.is_symbol("[")) ++depth;
            if (token.is_symbol(")") || token.is_symbol("]")) --depth;
            if (depth == 0) return false;
            if (depth == 1 && token.is_symbol(",")) return true;
        }
    }

    void boundary(Tensor& t) {
        const bool padded =
            t.dims && std::any_of(t.dims->begin(), t.dims->end(), [](const Dim& d) { return d.pad_low.defined(); });
        if (padded) t.boundary = {Boundary::Mode::constant, Expr(0)};
        std::size_t ahead = 0;
        while (tokens_.peek(ahead).kind == Token::Kind::newline) ++ahead;
        if (!tokens_.peek(ahead).is_keyword("else")) return;
        tokens_.skip_newlines();
        const Position at = tokens_.take().at;
        if (!padded && t.dims)
            tokens_.fail(ErrorKind::syntax, fmt::format("`{}` has `else` but no padded dim", t.name), at,
                         "add `pad` to a dim, or remove the `else`");
        t.boundary = boundary_value();
    }

    Boundary boundary_value() {
        using Mode = Boundary::Mode;
        static const std::vector<std::pair<std::string, Mode>> modes{
            {"lowest", Mode::lowest},   {"highest", Mode::highest},     {"edge", Mode::edge},
            {"reflect", Mode::reflect}, {"symmetric", Mode::symmetric}, {"wrap", Mode::wrap}};
        const Token& token = tokens_.peek();
        if (token.kind == Token::Kind::name) {
            std::vector<std::string> names;
            for (const auto& [name, mode] : modes) {
                if (token.text == name) return tokens_.take(), Boundary{mode, {}};
                names.push_back(name);
            }
            const std::string close = nearest(token.text, names);
            tokens_.fail_expected("what stands outside",
                                  (close.empty() ? "" : fmt::format("did you mean `{}`? ", close)) +
                                      "`else` takes a number, lowest, highest, edge, reflect, symmetric or wrap");
        }
        return {Mode::constant, parse_signed_literal(tokens_)};
    }

    Equation equation() {
        const Token first = tokens_.peek();
        if (first.kind != Token::Kind::name) {
            std::string fix = "an equation begins with the tensor it defines: `Y[i] = ...`";
            if (first.is_keyword("where")) fix = "keep `where` on the line on which its equation ends";
            if (first.text == "+" || first.text == "-" || first.text == "*" || first.text == "and" ||
                first.text == "or")
                fix = "to go on over several lines, end a line with the operator, or use brackets";
            tokens_.fail_expected("an equation", fix);
        }
        Equation eq;
        eq.at = first.at;
        eq.left = parse_access(tokens_);
        eq.op = op();
        eq.right = parse_expression(tokens_);
        if (tokens_.take_keyword("where")) {
            do {
                eq.where.push_back(where());
            } while (tokens_.take_symbol(","));
        }
        const std::size_t end = tokens_.last().end;
        eq.text = folded(tokens_.source(), first.begin, end);
        end_of_equation();
        return eq;
    }

    bool at_end_of_item() const {
        const Token& token = tokens_.peek();
        return token.kind == Token::Kind::newline || token.kind == Token::Kind::end || token.is_symbol(";") ||
               token.is_symbol("}");
    }

    void end_of_item(const std::string& what, const std::string& fix) {
        if (!at_end_of_item()) tokens_.fail_expected("the end of the " + what, fix);
    }

    void end_of_equation() {
        if (at_end_of_item()) return;
        const Token& token = tokens_.peek();
        std::string fix = "end the equation with a new line or `;`, and write `*` between factors";
        if (token.is_keyword("in")) fix = "write `where i in a:b`";
        if (token.is_symbol("=")) fix = "equality is `==`; one equation has one `=`";
        if (token.is_keyword("pad") || token.is_keyword("else"))
            fix = "`pad` and `else` stand where a tensor is declared";
        tokens_.fail_expected("an operator or the end of the equation", fix);
    }

    Op op() {
        const Token& token = tokens_.peek();
        for (Op op : {Op::assign, Op::add, Op::mul, Op::max, Op::min, Op::logical_and, Op::logical_or})
            if (token.is_symbol(to_string(op))) return tokens_.take(), op;
        std::string fix = "`T[i] = ...` defines, `T[i] += ...` reduces";
        if (token.is_symbol("-") || token.is_symbol("/"))
            fix = fmt::format("there is no `{0}=`; negate or invert the right side", token.text);
        if (token.is_symbol("==")) fix = "an equation is written with `=`; `==` compares";
        if (token.text == "max" || token.text == "min" || token.text == "and" || token.text == "or")
            fix = fmt::format("write `{}=` as one word", token.text);
        tokens_.fail_expected("`=`, `+=`, `*=`, `max=`, `min=`, `and=` or `or=`", fix);
    }

    Where where() {
        const Token name = tokens_.peek();
        if (name.kind != Token::Kind::name || !tokens_.peek(1).is_keyword("in")) {
            Expr predicate = parse_expression(tokens_);
            if (tokens_.peek().is_symbol("="))
                tokens_.fail_expected("an operator, `,` or the end of the equation", "equality is `==`");
            return predicate;
        }
        tokens_.take();
        tokens_.take();
        InRange range{name.text, parse_sum(tokens_), {}, name.at};
        if (!tokens_.peek().is_symbol(":"))
            tokens_.fail_expected("`:`", fmt::format("a range is half open, `{} in 0:N`", name.text));
        tokens_.take();
        range.end = parse_sum(tokens_);
        return range;
    }

    TokenStream tokens_;
};

}  // namespace

namespace {

Reading read(const std::string& text, std::size_t most) {
    try {
        Reading reading = Parser(text).reading(most);
        if (reading.program.kernels.empty() && reading.errors.empty())
            reading.errors.push_back({ErrorKind::syntax,
                                      "the text holds no kernel and no equation",
                                      {1, 1},
                                      line_at(text, {1, 1}),
                                      "write an equation such as `C[i, j] += A[i, k] * B[k, j]`"});
        return reading;
    } catch (const Failure& failure) {
        return {{}, {failure.error()}};
    }
}

}  // namespace

Reading parse_each(const std::string& text) { return read(text, 100); }

Result<Program> parse(const std::string& text) {
    Reading reading = read(text, 1);
    if (!reading.errors.empty()) return reading.errors.front();
    return std::move(reading.program);
}

}  // namespace halogen
