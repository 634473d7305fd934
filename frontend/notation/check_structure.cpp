// What may stand where: indices under `=`, ranges, brackets, dims.

#include "frontend/notation/check.h"

#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <set>

namespace halogen {
namespace {

using Complain = std::function<void(ErrorKind, std::string, Position, std::string)>;

bool is_arithmetic(BinaryOp op) { return op <= BinaryOp::mod; }

/// The value of a literal with or without a minus.
std::optional<std::int64_t> literal(const Expr& e) {
    if (auto* n = e.as<IntegerLiteral>()) return n->value;
    auto* u = e.as<Unary>();
    if (!u || u->op != UnaryOp::negate) return std::nullopt;
    if (auto* n = u->value->as<IntegerLiteral>()) return -n->value;
    return std::nullopt;
}

void check_divisor(const Binary& b, const Expr& e, const Complain& complain) {
    if (b.op != BinaryOp::div && b.op != BinaryOp::mod) return;
    const auto divisor = literal(*b.right);
    if (divisor && *divisor <= 0)
        complain(ErrorKind::contradictory, fmt::format("the divisor of `{}` is not positive", brief(e)), e.position(),
                 "divide by 1 or more");
}

/// Whole-number formulas of sizes: extents, pads, the ends of `a:b`. `place` names the place: "an extent".
void check_formula(const Expr& e, const std::string& place, const Complain& complain) {
    walk(e, [&](const Expr& node) {
        if (node.as<IntegerLiteral>() || node.as<SizeRef>()) return;
        if (auto* u = node.as<Unary>(); u && u->op == UnaryOp::negate) return;
        if (auto* b = node.as<Binary>(); b && is_arithmetic(b->op)) return check_divisor(*b, node, complain);
        if (auto* c = node.as<Call>(); c && (c->function == Function::min || c->function == Function::max)) return;
        if (auto* s = node.as<ScalarRef>())
            complain(ErrorKind::name, fmt::format("`{}` is a scalar and cannot be a size in {}", s->name, place),
                     node.position(), fmt::format("declare `{}: size`, or rename one of them", s->name));
        std::string fix = "use whole numbers, sizes, + - * / %, min and max";
        if (node.as<IndexRef>()) fix = "use a size, or a predicate such as `where k <= i`";
        complain(ErrorKind::type, fmt::format("`{}` cannot stand in {}", brief(node), place), node.position(), fix);
    });
}

/// Integer expressions of indices, sizes and integer tensors; what a cast holds is a value like any other.
void check_place(const Expr& e, const std::string& tensor, const Complain& complain) {
    const auto refuse = [&](const std::string& fix) {
        complain(ErrorKind::type, fmt::format("`{}` cannot stand in the brackets of `{}`", brief(e), tensor),
                 e.position(), fix);
    };
    if (e.as<RealLiteral>()) return refuse("positions are whole numbers; cast with `i32(...)`");
    if (auto* s = e.as<ScalarRef>()) return refuse(fmt::format("declare `{}: size` instead of a scalar", s->name));
    if (auto* u = e.as<Unary>()) {
        if (u->op == UnaryOp::logical_not) return refuse("positions are whole numbers");
        return check_place(*u->value, tensor, complain);
    }
    if (auto* b = e.as<Binary>()) {
        if (!is_arithmetic(b->op)) return refuse("positions are whole numbers; put the condition behind `where`");
        check_divisor(*b, e, complain);
        check_place(*b->left, tensor, complain);
        return check_place(*b->right, tensor, complain);
    }
    if (auto* c = e.as<Call>()) {
        if (c->function == Function::select || c->function > Function::abs)
            return refuse("use + - * / %, min, max, abs, or an intermediate tensor of integers");
        for (const Expr& argument : c->arguments) check_place(argument, tensor, complain);
    }
    if (auto* c = e.as<Cast>()) {
        if (!is_integer(c->to)) return refuse("positions are whole numbers; cast to an integer type");
        walk(*c->value, [&](const Expr& node) {
            if (auto* s = node.as<ScalarRef>())
                complain(ErrorKind::type,
                         fmt::format("the scalar `{}` cannot stand in the brackets of `{}`", s->name, tensor),
                         node.position(), "compute the position in an intermediate tensor of integers");
        });
    }
}

class StructureChecker {
public:
    explicit StructureChecker(const Kernel& kernel) : kernel_(kernel) {}

    void run() {
        for (const Tensor& t : kernel_.tensors) dims(t);
        for (const SizeCondition& c : kernel_.conditions) condition(c);
        for (const Let& let : kernel_.lets)
            if (let.is_size())
                check_formula(let.value, fmt::format("the value of `let {}`, a size", let.name),
                              complain_about(let.at, let.text));
        for (const Equation& eq : kernel_.equations) equation(eq);
    }

private:
    static Complain complain_about(Position at, const std::string& text) {
        return [at, text](ErrorKind kind, std::string what, Position here, std::string fix) {
            throw Failure({kind, std::move(what), here.line > 0 ? here : at, text, std::move(fix)});
        };
    }

    static void condition(const SizeCondition& c) {
        const Complain complain = complain_about(c.at, c.text);
        const auto* b = c.relation.as<Binary>();
        if (!b || !is_comparison(b->op))
            complain(ErrorKind::type, fmt::format("the condition `{}` is no relation of sizes", c.text), c.at,
                     "compare formulas of sizes by == != < <= > >=, and separate conditions by commas");
        for (const Expr& side : {*b->left, *b->right}) check_formula(side, "a condition of the kernel", complain);
    }

    void dims(const Tensor& t) {
        if (!t.dims) return;
        const Complain complain = [&](ErrorKind kind, std::string what, Position at, std::string fix) {
            throw Failure({kind, std::move(what), at.line > 0 ? at : t.at, "", std::move(fix)});
        };
        for (std::size_t d = 0; d < t.dims->size(); ++d) {
            const Dim& dim = (*t.dims)[d];
            const std::string of = fmt::format("dim {} of `{}`", d, t.name);
            const auto check = [&](const Expr& e, const char* part) {
                if (!e.defined()) return;
                check_formula(e, fmt::format("{} of {}", part, of), complain);
                if (const auto value = literal(e); value && *value < 0)
                    complain(ErrorKind::negative, fmt::format("{} of {} is {}", part, of, *value), e.position(),
                             "give 0 or more");
            };
            check(dim.extent, "the extent");
            check(dim.pad_low, "the pad");
            check(dim.pad_high, "the pad");
        }
    }

    void equation(const Equation& eq) {
        const Complain complain = [&](ErrorKind kind, std::string what, Position at, std::string fix) {
            fail_in(eq, kind, std::move(what), at, std::move(fix));
        };
        const auto places = [&](const Expr& e) {
            walk(e, [&](const Expr& node) {
                if (auto* a = node.as<Access>())
                    for (const Expr& place : a->at) check_place(place, a->tensor, complain);
            });
        };
        for (const Expr& place : eq.left.at) {
            check_place(place, eq.left.tensor, complain);
            places(place);
        }
        places(eq.right);
        ranges(eq, complain);
        for (const Expr* predicate : predicates_of(eq)) places(*predicate);
        if (eq.op == Op::assign) require_no_reduction(eq);
    }

    void ranges(const Equation& eq, const Complain& complain) {
        std::set<std::string> seen;
        for (const InRange* range : ranges_of(eq)) {
            if (!seen.insert(range->index).second)
                fail_in(eq, ErrorKind::name, fmt::format("index `{}` has two ranges", range->index), range->at,
                        "keep one `in`, and make the other a predicate");
            if (!range->begin.defined() || !range->end.defined())
                fail_in(eq, ErrorKind::syntax, fmt::format("the range of index `{}` lacks an end", range->index),
                        range->at, "write `i in a:b`");
            check_formula(range->begin, fmt::format("the range of index `{}`", range->index), complain);
            check_formula(range->end, fmt::format("the range of index `{}`", range->index), complain);
        }
    }

    void require_no_reduction(const Equation& eq) {
        const auto reduced = reduced_indices_of(eq);
        if (reduced.empty()) return;
        Position at;
        const auto find = [&](const Expr& e) {
            walk(e, [&](const Expr& node) {
                auto* index = node.as<IndexRef>();
                if (index && index->name == reduced[0] && at.line == 0) at = node.position();
            });
        };
        find(eq.right);
        for (const Where& w : eq.where) {
            if (auto* range = std::get_if<InRange>(&w)) {
                if (range->index == reduced[0] && at.line == 0) at = range->at;
            } else {
                find(std::get<Expr>(w));
            }
        }
        const std::string pi = reduced[0] == "pi" ? ", or write 3.141592653589793" : "";
        fail_in(eq, ErrorKind::name,
                fmt::format("index `{}` is missing on the left, and `=` reduces nothing", reduced[0]), at,
                fmt::format(
                    "reduce with `+=`, put `{0}` on the left, or declare `{0}` if it is meant as a scalar or size{1}",
                    reduced[0], pi));
    }

    const Kernel& kernel_;
};

}  // namespace

void check_structure(const Kernel& kernel) { StructureChecker(kernel).run(); }

}  // namespace halogen
