// Element types: inference from the leaves up (`infer`), then the type each node is computed in, from the root down
// (`assign`). The rules stand in docs/notation.md, "Types", and at `NodeTypes` in program.h.

#include "frontend/notation/check.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <set>

namespace halogen {
namespace {

/// What the leaves below say: nothing yet (an intermediate still open), whole numbers or reals that take any fitting
/// type, or one type.
struct Inferred {
    enum class Kind { open, whole, real, typed } kind = Kind::whole;
    Type type = Type::i64;

    bool is(Type t) const { return kind == Kind::typed && type == t; }
    bool is_bool() const { return is(Type::boolean); }
    bool is_open() const { return kind == Kind::open; }
    /// The type where nothing else decides.
    Type alone() const { return kind == Kind::typed ? type : kind == Kind::real ? Type::f32 : Type::i64; }
};
constexpr Inferred whole{Inferred::Kind::whole, Type::i64};
constexpr Inferred real{Inferred::Kind::real, Type::f32};
constexpr Inferred open_type{Inferred::Kind::open, Type::f32};
Inferred typed(Type t) { return {Inferred::Kind::typed, t}; }

bool takes_floats_only(Function f) { return f >= Function::floor; }

bool is_leaf_number(const Expr& e) {
    return e.as<IntegerLiteral>() || e.as<RealLiteral>() || e.as<SizeRef>() || e.as<IndexRef>();
}
/// A literal with a minus counts as one literal.
bool is_negated_literal(const Expr& e) {
    auto* u = e.as<Unary>();
    return u && u->op == UnaryOp::negate && (u->value->as<IntegerLiteral>() || u->value->as<RealLiteral>());
}

/// The least and greatest value of an integer type.
std::pair<std::int64_t, std::int64_t> limits(Type t) {
    const int bits = 8 * bytes_of(t);
    if (bits == 64) return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    if (is_signed(t)) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
    return {0, (std::int64_t{1} << bits) - 1};
}

double greatest(Type t) {
    if (t == Type::f64) return std::numeric_limits<double>::max();
    if (t == Type::f16) return 65504.0;
    if (t == Type::bf16) return 0x1.FEp127;
    return std::numeric_limits<float>::max();
}

/// Why the literal `e` (signed or not) does not fit `t`, or "".
std::string misfit(const Expr& e, Type t) {
    const bool negative = is_negated_literal(e);
    const Expr& digits = negative ? *e.as<Unary>()->value : e;
    if (auto* r = digits.as<RealLiteral>()) {
        if (!is_float(t)) return fmt::format("the real literal `{}` does not fit {}", print(e), to_string(t));
        // Half a step past the greatest value still rounds to it.
        if (r->value <= greatest(t) * (1 + 0x1p-25)) return "";
        return fmt::format("the literal `{}` is outside the range of {}", print(e), to_string(t));
    }
    if (t == Type::boolean) return fmt::format("the literal `{}` is no bool", print(e));
    auto* n = digits.as<IntegerLiteral>();
    if (is_float(t)) {
        if (static_cast<double>(n->value) <= greatest(t)) return "";
        return fmt::format("the literal `{}` is outside the range of {}", print(e), to_string(t));
    }
    const std::int64_t value = negative ? -n->value : n->value;
    const auto [least, most] = limits(t);
    if (value >= least && value <= most) return "";
    return fmt::format("the literal `{}` is outside the range of {}, which is {} to {}", print(e), to_string(t), least,
                       most);
}

/// Which of two types a message proposes to cast to: the float, then the wider.
int rank_of(Type t) { return (is_float(t) ? 200 : is_integer(t) ? 100 : 0) + bytes_of(t); }

std::string describe(const Inferred& t) {
    switch (t.kind) {
    case Inferred::Kind::typed: return to_string(t.type);
    case Inferred::Kind::real: return "a real";
    default: return "a whole number";
    }
}

/// The types within one equation.
class Typing {
public:
    using Sink = std::function<void(const Expr&, NodeTypes)>;

    /// `open`: tensors whose type is still to be found.
    Typing(const Kernel& kernel, const Equation& equation, const std::set<std::string>& open = none)
        : kernel_(kernel), eq_(equation), open_(open) {}

    /// From the leaves up. Errors: type.
    Inferred infer(const Expr& e) {
        const auto known = known_.find(e.identity());
        if (known != known_.end()) return known->second;
        const Inferred result = std::visit([&](const auto& node) { return infer_node(node, e); }, e.node());
        if (!result.is_open()) known_.emplace(e.identity(), result);
        return result;
    }

    /// From the root down: `wanted` is the type the reader of `e` works in. Reports every node to the sink.
    void assign(const Expr& e, Type wanted, const Sink& sink) {
        if (is_leaf_number(e) || is_negated_literal(e)) return assign_number(e, infer(e), wanted, sink);
        const auto [own, operands] = types_in(e, wanted);
        sink(e, {own, operands});
        if (auto* a = e.as<Access>()) {
            for (const Expr& place : a->at) assign_place(place, sink);
        } else if (auto* c = e.as<Call>()) {
            for (const Expr& x : c->arguments) assign(x, infer(x).is_bool() ? Type::boolean : operands, sink);
        } else if (auto* cast = e.as<Cast>()) {
            assign(*cast->value, operands, sink);
        } else if (auto* u = e.as<Unary>()) {
            assign(*u->value, operands, sink);
        } else if (auto* b = e.as<Binary>()) {
            assign(*b->left, operands, sink);
            assign(*b->right, operands, sink);
        }
    }

    /// The type of `e` and that in which it meets its operands, where its reader works in `wanted`.
    NodeTypes types_in(const Expr& e, Type wanted) {
        const Inferred t = infer(e);
        const bool takes_wanted = wanted != Type::boolean && (t.kind == Inferred::Kind::whole || is_float(wanted));
        const Type own = t.kind == Inferred::Kind::typed ? t.type : takes_wanted ? wanted : t.alone();
        return {own, operand_type(e, own)};
    }

    /// In brackets everything is i64, except that tensors and casts give their own type.
    void assign_place(const Expr& e, const Sink& sink) {
        if (e.as<Access>() || e.as<Cast>()) return assign(e, Type::i64, sink);
        sink(e, {Type::i64, Type::i64});
        if (auto* c = e.as<Call>())
            for (const Expr& x : c->arguments) assign_place(x, sink);
        if (auto* u = e.as<Unary>()) assign_place(*u->value, sink);
        if (auto* b = e.as<Binary>()) assign_place(*b->left, sink), assign_place(*b->right, sink);
    }

    /// Every expression of the equation, checked and reported.
    void assign_all(const Sink& sink) {
        const Tensor& left = kernel_.tensor(eq_.left.tensor);
        for (const Expr& place : eq_.left.at) {
            infer_place(place);
            assign_place(place, sink);
        }
        const Inferred right = infer(eq_.right);
        assign(eq_.right, right.kind == Inferred::Kind::typed ? right.type : left.type, sink);
        for (const Where& w : eq_.where) {
            if (auto* range = std::get_if<InRange>(&w)) {
                assign_place(range->begin, sink);
                assign_place(range->end, sink);
            } else {
                require_bool(std::get<Expr>(w), "a predicate behind `where`");
                assign(std::get<Expr>(w), Type::boolean, sink);
            }
        }
    }

    /// The store: what `op` takes, and that the right side has the type of the left.
    void check_store() {
        const Tensor& left = kernel_.tensor(eq_.left.tensor);
        const Inferred right = infer(eq_.right);
        const bool logical = eq_.op == Op::logical_and || eq_.op == Op::logical_or;
        const bool is_bool = left.type == Type::boolean;
        if (logical != is_bool && eq_.op != Op::assign)
            fail(fmt::format("`{}` reduces {}, and `{}` is {}", to_string(eq_.op), logical ? "bool" : "numbers",
                             left.name, to_string(left.type)),
                 eq_.at,
                 is_bool ? "use `and=`, `or=` or `=`" : "use `+=`, `*=`, `max=` or `min=`, or declare the tensor bool");
        if (right.kind == Inferred::Kind::typed && right.type != left.type)
            fail(fmt::format("the right side is {}, and `{}` is {}", to_string(right.type), left.name,
                             to_string(left.type)),
                 eq_.right.position(), fmt::format("cast it: `{}({})`", to_string(left.type), brief(eq_.right)));
        if (right.kind == Inferred::Kind::typed) return;
        if (is_bool)
            fail(fmt::format("the right side is {}, and `{}` is bool", describe(right), left.name),
                 eq_.right.position(), "write a comparison such as `1 == 1`, or cast with `bool(...)`");
        if (right.kind == Inferred::Kind::real && !is_float(left.type))
            fail(fmt::format("the right side is a real, and `{}` is {}", left.name, to_string(left.type)),
                 eq_.right.position(), fmt::format("cast it: `{}({})`", to_string(left.type), brief(eq_.right)));
    }

private:
    [[noreturn]] void fail(std::string what, Position at, std::string fix) const {
        fail_in(eq_, ErrorKind::type, std::move(what), at, std::move(fix));
    }

    void assign_number(const Expr& e, const Inferred& t, Type wanted, const Sink& sink) {
        const Type own = wanted == Type::boolean ? t.alone() : wanted;
        auto* negated = e.as<Unary>();
        if (negated || e.as<IntegerLiteral>() || e.as<RealLiteral>()) {
            const std::string problem = misfit(e, compute_type(own));
            if (!problem.empty())
                fail(problem, e.position(),
                     is_float(own) ? "use a smaller number"
                                   : "cast the other side to a wider type, or use another number");
        }
        sink(e, {own, own});
        if (negated) sink(*negated->value, {own, own});
    }

    /// The type in which `e` meets its operands, when it gives `own` itself.
    Type operand_type(const Expr& e, Type own) {
        if (auto* b = e.as<Binary>())
            return is_comparison(b->op)
                       ? join(infer(*b->left), infer(*b->right), *b->left, *b->right, to_string(b->op), e.position())
                             .alone()
                       : own;
        if (auto* c = e.as<Cast>()) return infer(*c->value).alone();
        return own;
    }

    Inferred infer_node(const IntegerLiteral&, const Expr&) { return whole; }
    Inferred infer_node(const RealLiteral&, const Expr&) { return real; }
    Inferred infer_node(const SizeRef&, const Expr&) { return whole; }
    Inferred infer_node(const IndexRef&, const Expr&) { return whole; }
    Inferred infer_node(const ScalarRef& s, const Expr&) { return typed(kernel_.find_scalar(s.name)->type); }
    Inferred infer_node(const Access& a, const Expr&) {
        for (const Expr& place : a.at) infer_place(place);
        return open_.count(a.tensor) ? open_type : typed(kernel_.tensor(a.tensor).type);
    }
    Inferred infer_node(const Cast& c, const Expr&) {
        infer(*c.value);
        return typed(c.to);
    }
    Inferred infer_node(const Unary& u, const Expr& e) {
        const Inferred inner = infer(*u.value);
        if (u.op == UnaryOp::logical_not) {
            if (!inner.is_open()) require_bool(*u.value, "the operand of `not`");
            return typed(Type::boolean);
        }
        require_number(inner, *u.value, "-", e.position());
        return inner;
    }
    Inferred infer_node(const Binary& b, const Expr& e) {
        const std::string op = to_string(b.op);
        if (b.op == BinaryOp::logical_and || b.op == BinaryOp::logical_or) {
            if (!infer(*b.left).is_open()) require_bool(*b.left, fmt::format("the left side of `{}`", op));
            if (!infer(*b.right).is_open()) require_bool(*b.right, fmt::format("the right side of `{}`", op));
            return typed(Type::boolean);
        }
        const Inferred left = infer(*b.left), right = infer(*b.right);
        const bool equality = b.op == BinaryOp::eq || b.op == BinaryOp::ne;
        if (!equality) {
            require_number(left, *b.left, op, e.position());
            require_number(right, *b.right, op, e.position());
        }
        const Inferred both = join(left, right, *b.left, *b.right, op, e.position());
        return is_comparison(b.op) ? typed(Type::boolean) : both;
    }
    Inferred infer_node(const Call& c, const Expr& e) {
        const std::string name = to_string(c.function);
        if (c.function == Function::select) {
            if (!infer(c.arguments[0]).is_open()) require_bool(c.arguments[0], "the condition of `select`");
            return join(infer(c.arguments[1]), infer(c.arguments[2]), c.arguments[1], c.arguments[2], name,
                        e.position());
        }
        Inferred all = infer(c.arguments[0]);
        require_number(all, c.arguments[0], name, e.position());
        if (c.arguments.size() == 2) {
            const Inferred second = infer(c.arguments[1]);
            require_number(second, c.arguments[1], name, e.position());
            all = join(all, second, c.arguments[0], c.arguments[1], name, e.position());
        }
        if (!takes_floats_only(c.function)) return all;
        if (all.kind == Inferred::Kind::typed && !is_float(all.type))
            fail(fmt::format("`{}` takes floats, and `{}` is {}", name, brief(c.arguments[0]), to_string(all.type)),
                 e.position(), fmt::format("cast the argument: `f32({})`", brief(c.arguments[0])));
        return all.kind == Inferred::Kind::whole ? real : all;
    }

    /// What may stand in brackets was checked by structure; here: tensors of integers, of one type per place.
    Inferred infer_place(const Expr& e) {
        if (e.as<Access>()) {
            const Inferred t = infer(e);
            if (t.kind == Inferred::Kind::typed && !is_integer(t.type))
                fail(fmt::format("`{}` is {} and cannot be a position", brief(e), to_string(t.type)), e.position(),
                     t.is_bool() ? "use a tensor of integers"
                                 : fmt::format("use a tensor of integers, or cast: `i32({})`", brief(e)));
            return t;
        }
        if (e.as<Cast>()) {
            infer(e);
            return whole;  // places are whole numbers: a cast takes a value into its type's range and gives no type on
        }
        if (auto* u = e.as<Unary>()) return infer_place(*u->value);
        if (auto* b = e.as<Binary>())
            return join(infer_place(*b->left), infer_place(*b->right), *b->left, *b->right, to_string(b->op),
                        e.position());
        if (auto* c = e.as<Call>()) {
            const Inferred first = infer_place(c->arguments[0]);
            if (c->arguments.size() == 1) return first;
            return join(first, infer_place(c->arguments[1]), c->arguments[0], c->arguments[1], to_string(c->function),
                        e.position());
        }
        return whole;
    }

    void require_bool(const Expr& e, const std::string& role) {
        const Inferred t = infer(e);
        if (t.is_bool()) return;
        fail(fmt::format("{} must be bool, and `{}` is {}", role, brief(e), describe(t)), e.position(),
             fmt::format("compare it: `{} != 0`", brief(e)));
    }

    void require_number(const Inferred& t, const Expr& e, const std::string& op, Position at) const {
        if (t.is_bool())
            fail(fmt::format("`{}` takes numbers, and `{}` is bool", op, brief(e)), at,
                 fmt::format("cast it: `i32({})`", brief(e)));
    }

    /// The common type of two operands.
    Inferred join(const Inferred& a, const Inferred& b, const Expr& left, const Expr& right, const std::string& op,
                  Position at) const {
        using Kind = Inferred::Kind;
        if (a.is_open() || b.is_open()) return a.kind == Kind::typed ? a : b.kind == Kind::typed ? b : open_type;
        if (a.kind == Kind::typed && b.kind == Kind::typed) {
            if (a.type == b.type) return a;
            const bool cast_left = rank_of(a.type) < rank_of(b.type);
            fail(fmt::format("`{}` joins {} `{}` and {} `{}`", op, to_string(a.type), brief(left), to_string(b.type),
                             brief(right)),
                 at,
                 fmt::format("cast one of them: `{}({})`", to_string(cast_left ? b.type : a.type),
                             brief(cast_left ? left : right)));
        }
        if (a.kind != Kind::typed && b.kind != Kind::typed) return a.kind == Kind::real ? a : b;
        const bool left_typed = a.kind == Kind::typed;
        const Inferred& fixed = left_typed ? a : b;
        const Inferred& loose = left_typed ? b : a;
        const bool fits = loose.kind == Kind::real ? is_float(fixed.type) : !fixed.is_bool();
        if (fits) return fixed;
        const Expr& typed_side = left_typed ? left : right;
        const Expr& loose_side = left_typed ? right : left;
        fail(fmt::format("`{}` joins {} `{}` and {} `{}`", op, to_string(fixed.type), brief(typed_side),
                         describe(loose), brief(loose_side)),
             at,
             fixed.is_bool() ? fmt::format("cast: `bool({})`", brief(loose_side))
                             : fmt::format("cast: `f32({})`", brief(typed_side)));
    }

    const Kernel& kernel_;
    const Equation& eq_;
    inline static const std::set<std::string> none;
    const std::set<std::string>& open_;
    std::map<const void*, Inferred> known_;
};

/// Finds the types of tensors that no header declares.
class TypeFinder {
public:
    TypeFinder(Kernel& kernel, const std::vector<std::string>& open)
        : kernel_(kernel), order_(open), open_(open.begin(), open.end()) {}

    void run() {
        settle();
        for (const std::string& name : order_) {
            if (!open_.count(name)) continue;
            // Nothing but literals, sizes and indices: whole numbers alone are i64, reals alone f32.
            fix(name, has_real(name) ? Type::f32 : Type::i64);
            settle();
        }
    }

private:
    /// `Z[i] = 0.5*Z[i]` is open as a whole, but its literal tells, and so would a function of floats.
    bool has_real(const std::string& name) const {
        bool found = false;
        for (const Equation& eq : kernel_.equations) {
            if (eq.left.tensor != name) continue;
            walk(eq.right, [&](const Expr& e) {
                auto* call = e.as<Call>();
                found = found || e.as<RealLiteral>() || (call && takes_floats_only(call->function));
            });
        }
        return found;
    }

    void settle() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const Equation& eq : kernel_.equations) {
                if (!open_.count(eq.left.tensor)) continue;
                const Inferred right = Typing(kernel_, eq, open_).infer(eq.right);
                if (right.kind != Inferred::Kind::typed) continue;
                fix(eq.left.tensor, right.type);
                changed = true;
            }
        }
    }

    void fix(const std::string& name, Type type) {
        open_.erase(name);
        if (const Tensor* t = kernel_.find_tensor(name)) kernel_.tensors[t - kernel_.tensors.data()].type = type;
    }

    Kernel& kernel_;
    const std::vector<std::string>& order_;
    std::set<std::string> open_;
};

/// The value by itself; where it is used, it is typed with what stands there.
void check_let(const Kernel& kernel, const Let& let) {
    Equation alone;
    alone.right = let.value;
    alone.at = let.at;
    alone.text = let.text;
    Typing typing(kernel, alone);
    typing.assign(let.value, typing.infer(let.value).alone(), [](const Expr&, NodeTypes) {});
}

void check_boundary(const Tensor& t) {
    if (t.boundary.mode != Boundary::Mode::constant) return;
    const Expr& value = t.boundary.constant;
    auto* n = value.as<IntegerLiteral>();
    if (t.type == Type::boolean && n && (n->value == 0 || n->value == 1)) return;
    auto* u = value.as<Unary>();
    const Expr& digits = u && u->op == UnaryOp::negate ? *u->value : value;
    const bool is_literal = digits.as<IntegerLiteral>() || digits.as<RealLiteral>();
    const std::string problem = is_literal ? misfit(value, t.type) : fmt::format("`{}` is no literal", brief(value));
    if (problem.empty()) return;
    throw Failure({ErrorKind::type, fmt::format("the `else` of `{}` does not fit its type: {}", t.name, problem),
                   value.position().line > 0 ? value.position() : t.at, "",
                   t.type == Type::boolean
                       ? "use 0 or 1"
                       : fmt::format("use a literal of {}, or lowest, highest or a mode", to_string(t.type))});
}

}  // namespace

void check_types(Kernel& kernel, const std::vector<std::string>& open_types) {
    TypeFinder(kernel, open_types).run();
    for (const Tensor& t : kernel.tensors) check_boundary(t);
    for (const Let& let : kernel.lets) check_let(kernel, let);
    for (const Equation& eq : kernel.equations) {
        Typing typing(kernel, eq);
        typing.infer(eq.right);
        typing.check_store();
        typing.assign_all([](const Expr&, NodeTypes) {});
    }
}

NodeTypes types_in(const Kernel& kernel, const Equation& equation, const Expr& e, Type wanted) {
    return Typing(kernel, equation).types_in(e, wanted);
}

void each_type(const Kernel& kernel, const Equation& equation,
               const std::function<void(const Expr&, NodeTypes)>& visit) {
    Typing(kernel, equation).assign_all(visit);
}

}  // namespace halogen
