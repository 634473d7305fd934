#include "frontend/notation/check.h"

#include "frontend/notation/lexer.h"
#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

namespace halogen {

void fail_in(const Equation& equation, ErrorKind kind, std::string what, Position at, std::string fix) {
    throw Failure({kind, std::move(what), at.line > 0 ? at : equation.at, equation.text, std::move(fix)});
}

std::string brief(const Expr& e) {
    std::string text = print(e);
    constexpr std::size_t longest = 60;
    return text.size() > longest ? text.substr(0, longest) + " ..." : text;
}

namespace {

[[noreturn]] void fail(ErrorKind kind, std::string what, Position at, std::string fix) {
    throw Failure({kind, std::move(what), at, "", std::move(fix)});
}

/// Calls `visit(Expr&)` on each expression a kernel holds, in reading order.
template<typename K, typename Visit>
void each_expression_of(K& kernel, Visit&& visit) {
    for (auto& t : kernel.tensors) {
        if (!t.dims) continue;
        for (auto& d : *t.dims) visit(d.extent), visit(d.pad_low), visit(d.pad_high);
        visit(t.boundary.constant);
    }
    for (auto& condition : kernel.conditions) visit(condition.relation);
    for (auto& let : kernel.lets) visit(let.value);
    for (auto& eq : kernel.equations) each_expression(eq, visit);
}

/// One literal in the form the parser gives it: the sign stands in a Unary (the least i64 alone has no such form).
Expr canonical_literal(Expr node) {
    if (auto* n = node.as<IntegerLiteral>()) {
        if (n->value >= 0 || n->value == std::numeric_limits<std::int64_t>::min()) return node;
        return make_unary(UnaryOp::negate, Expr(ExprNode{IntegerLiteral{-n->value}}, node.position()), node.position());
    }
    if (auto* r = node.as<RealLiteral>()) {
        if (!std::isfinite(r->value))
            fail(ErrorKind::syntax, "a literal must be a finite number", node.position(),
                 "use `lowest` or `highest` where a limit is meant");
        if (!std::signbit(r->value)) return node;
        return make_unary(UnaryOp::negate, Expr(ExprNode{RealLiteral{-r->value}}, node.position()), node.position());
    }
    return node;
}

void require_text(std::string& text, const Equation& equation) {
    if (text.empty()) text = print(equation);
}

void normalize_boundary(Tensor& t) {
    bool padded = false;
    for (Dim& d : t.dims ? *t.dims : std::vector<Dim>{}) padded = padded || d.pad_low.defined() || d.pad_high.defined();
    if (t.dims) {
        for (Dim& d : *t.dims) {
            if (d.pad_low.defined() == d.pad_high.defined()) continue;
            (d.pad_low.defined() ? d.pad_high : d.pad_low) = Expr(0);
        }
    }
    const bool none = t.boundary.mode == Boundary::Mode::none;
    if (padded && none) t.boundary = {Boundary::Mode::constant, Expr(0)};
    if (!padded && !none)
        fail(ErrorKind::syntax, fmt::format("`{}` has `else` but no padded dim", t.name), t.at,
             "add `pad` to a dim, or remove the `else`");
    if ((t.boundary.mode == Boundary::Mode::constant) != t.boundary.constant.defined())
        fail(ErrorKind::syntax,
             fmt::format("the `else` of `{}` needs a number exactly when its mode is a constant", t.name), t.at,
             "give a literal, lowest, highest, edge, reflect, symmetric or wrap");
}

}  // namespace

void normalize(Kernel& kernel) {
    for (const Equation& eq : kernel.equations)
        if (!eq.right.defined()) fail_in(eq, ErrorKind::syntax, "an equation has no right side", eq.at, "give it one");
    for (const Let& let : kernel.lets)
        if (!let.value.defined())
            fail(ErrorKind::syntax, fmt::format("`let {}` has no value", let.name), let.at, "give it one");
    for (const SizeCondition& condition : kernel.conditions)
        if (!condition.relation.defined())
            fail(ErrorKind::syntax, "a condition is empty", condition.at, "give it a relation, `N % 4 == 0`");
    each_expression_of(kernel, [](Expr& e) {
        if (e.depth() > Expr::max_depth)
            fail(ErrorKind::too_complex, fmt::format("an expression is more than {} operators deep", Expr::max_depth),
                 e.position(), "name parts of it as intermediate tensors");
        e = rewrite(e, canonical_literal);
    });
    for (Tensor& t : kernel.tensors) normalize_boundary(t);
    for (SizeCondition& condition : kernel.conditions)
        if (condition.text.empty()) condition.text = print(condition.relation);
    for (Let& let : kernel.lets)
        if (let.text.empty()) let.text = fmt::format("let {} = {}", let.name, print(let.value));
    for (Equation& eq : kernel.equations) {
        require_text(eq.text, eq);
        if (eq.left.position.line == 0) eq.left.position = eq.at;
    }
}

// ---- names -----------------------------------------------------------------------------------------------------

namespace {

void require_identifier(const std::string& name, const std::string& role, Position at) {
    if (is_reserved(name))
        fail(ErrorKind::name, fmt::format("`{}` is a reserved word and cannot name {}", name, role), at,
             "choose another name");
    if (!is_identifier(name))
        fail(ErrorKind::name, fmt::format("`{}` cannot name {}", name, role), at,
             "names are a letter followed by letters, digits and `_`");
}

bool is_capital(const std::string& name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

class NameChecker {
public:
    explicit NameChecker(const Kernel& kernel) : kernel_(kernel) {}

    void run() {
        if (!kernel_.name.empty()) require_identifier(kernel_.name, "a kernel", kernel_.at);
        declared();
        for (const Tensor& t : kernel_.tensors)
            for (const Dim& d : t.dims ? *t.dims : std::vector<Dim>{}) dim(t, d);
        for (const SizeCondition& condition : kernel_.conditions)
            sizes_of(condition.relation, condition.at, condition.text, "a condition of the kernel");
        for (const Let& let : kernel_.lets)
            sizes_of(let.value, let.at, let.text, fmt::format("the value of `let {}`", let.name));
        for (const Equation& eq : kernel_.equations) equation(eq);
    }

private:
    void declared() {
        std::map<std::string, std::string> seen;
        const auto add = [&](const std::string& name, const std::string& role, Position at) {
            require_identifier(name, role, at);
            const auto [other, fresh] = seen.emplace(name, role);
            if (!fresh && role != other->second && role != "a tensor" && other->second != "a tensor")
                fail(ErrorKind::name, fmt::format("`{}` names both {} and {}", name, other->second, role), at,
                     "rename one of them");
            if (!fresh) fail(ErrorKind::name, fmt::format("`{}` is declared twice", name), at, "rename one of them");
        };
        // In textual order: parameters, then outputs.
        for (const Parameter& p : kernel_.parameters) {
            if (p.sort == Parameter::Sort::size) {
                add(p.name, "a size", at_of(p));
                const auto value = kernel_.find_size(p.name)->default_value;
                if (value && *value < 0)
                    fail(ErrorKind::negative, fmt::format("the default of size `{}` is negative", p.name), at_of(p),
                         "a size is 0 or more");
            } else {
                add(p.name, p.sort == Parameter::Sort::scalar ? "a scalar" : "a tensor", at_of(p));
            }
        }
        for (const Tensor* t : kernel_.outputs()) add(t->name, "a tensor", t->at);
        for (const Let& let : kernel_.lets) add(let.name, "a let", let.at);
        for (const Tensor& t : kernel_.tensors)
            if (t.role == Role::intermediate && t.dims) add(t.name, "a tensor", t.at);
    }

    Position at_of(const Parameter& p) const {
        // A doubled name finds its first declaration; the second one is the place to show.
        Position last;
        if (p.sort == Parameter::Sort::size)
            for (auto& s : kernel_.sizes) last = s.name == p.name ? s.at : last;
        if (p.sort == Parameter::Sort::scalar)
            for (auto& s : kernel_.scalars) last = s.name == p.name ? s.at : last;
        if (p.sort == Parameter::Sort::tensor)
            for (auto& t : kernel_.tensors) last = t.name == p.name && t.role == Role::input ? t.at : last;
        return last;
    }

    /// The leaves of a condition or of the value of a let.
    void sizes_of(const Expr& e, Position at, const std::string& text, const std::string& where) {
        walk(e, [&](const Expr& node) {
            const auto complain = [&](ErrorKind kind, const std::string& what, const std::string& fix) {
                throw Failure({kind, what, node.position().line ? node.position() : at, text, fix});
            };
            reference(node, complain);
            const auto* index = node.as<IndexRef>();
            if (index)
                complain(ErrorKind::name,
                         fmt::format("`{}` in {} is an index, for its initial is lower case", index->name, where),
                         fmt::format("write a size with a capital, or declare `{}: size`", index->name));
        });
    }

    void dim(const Tensor& t, const Dim& d) {
        for (const Expr& e : {d.extent, d.pad_low, d.pad_high}) {
            walk(e, [&](const Expr& node) {
                const auto* size = node.as<SizeRef>();
                if (size && t.role != Role::intermediate && kernel_.find_let(size->name))
                    fail(ErrorKind::name,
                         fmt::format("`{}` in the dims of `{}` is a let, which begins behind them", size->name, t.name),
                         node.position().line ? node.position() : t.at,
                         "write its formula there, or choose another name");
                reference(node, [&](ErrorKind kind, const std::string& what, const std::string& fix) {
                    fail(kind, what, node.position().line ? node.position() : t.at, fix);
                });
                if (auto* index = node.as<IndexRef>())
                    fail(ErrorKind::name,
                         fmt::format("`{}` in the dims of `{}` is an index, for its initial is lower case", index->name,
                                     t.name),
                         node.position(),
                         fmt::format("write a size with a capital, or declare `{}: size`", index->name));
            });
        }
    }

    void equation(const Equation& eq) {
        require_tensor_name(eq.left.tensor, eq, eq.left.position);
        const auto visit = [&](const Expr& e) {
            walk(e, [&](const Expr& node) {
                reference(node, [&](ErrorKind kind, std::string what, std::string fix) {
                    fail_in(eq, kind, std::move(what), node.position(), std::move(fix));
                });
                if (auto* a = node.as<Access>()) require_tensor_name(a->tensor, eq, a->position);
            });
        };
        for (const InRange* range : ranges_of(eq)) range_index(eq, *range);
        each_expression(eq, visit);
    }

    void require_tensor_name(const std::string& name, const Equation& eq, Position at) {
        if (kernel_.find_let(name))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` is a let, and only tensors take brackets", name), at,
                    "remove the brackets, or rename one of them");
        if (!is_identifier(name) || is_reserved(name))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` cannot name a tensor", name), at,
                    "names are a letter followed by letters, digits and `_`, and not a reserved word");
    }

    void range_index(const Equation& eq, const InRange& range) {
        const std::string& name = range.index;
        if (kernel_.find_scalar(name))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` is a scalar, and `in` gives the range of an index", name),
                    range.at, "rename the index");
        if (kernel_.find_let(name))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` is a let, and `in` gives the range of an index", name),
                    range.at, "rename the index");
        if (kernel_.find_size(name) || is_capital(name))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` is a size, and `in` gives the range of an index", name),
                    range.at, "write the index in lower case, under a name that no parameter has");
        if (!is_identifier(name) || is_reserved(name))
            fail_in(eq, ErrorKind::name, fmt::format("`{}` cannot name an index", name), range.at,
                    "choose another name");
    }

    /// What a leaf says it is must be what its name says: so that the printed text reads back as the same tree.
    template<typename Complain>
    void reference(const Expr& node, Complain&& complain) {
        const auto refuse = [&](const std::string& name, const char* role, const char* fix) {
            complain(ErrorKind::name, fmt::format("`{}` cannot name {}", name, role), fix);
        };
        if (auto* size = node.as<SizeRef>()) {
            if (Symbol::of(size->name).is_dim()) return;
            if (kernel_.find_scalar(size->name))
                complain(ErrorKind::name, fmt::format("`{}` names both a scalar and a size", size->name),
                         "rename one of them");
            if (!is_identifier(size->name) || is_reserved(size->name) ||
                (!is_capital(size->name) && !kernel_.find_size(size->name)))
                refuse(size->name, "a size", "begin the name with a capital, or declare it as a `size` parameter");
        } else if (auto* index = node.as<IndexRef>()) {
            const bool taken = kernel_.find_scalar(index->name) || kernel_.find_size(index->name);
            if (!is_identifier(index->name) || is_reserved(index->name) || is_capital(index->name) || taken)
                refuse(index->name, "an index",
                       "begin the name with a lower-case letter, and use no name that a parameter has");
        } else if (auto* scalar = node.as<ScalarRef>()) {
            if (!kernel_.find_scalar(scalar->name))
                complain(ErrorKind::name, fmt::format("there is no scalar `{}`", scalar->name),
                         "declare it as a parameter");
        }
    }

    const Kernel& kernel_;
};

}  // namespace

void check_names(const Kernel& kernel) { NameChecker(kernel).run(); }

Result<Kernel> check(Kernel kernel) {
    return guarded([&] {
        std::vector<std::string> open_types;
        normalize(kernel);
        write_out_lets(kernel);
        check_names(kernel);
        find_tensors(kernel, open_types);
        check_structure(kernel);
        check_types(kernel, open_types);
        check_recurrences(kernel);
        return std::move(kernel);
    });
}

}  // namespace halogen
