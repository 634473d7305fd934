#include "schedules/bind/masked_loops.h"

#include "frontend/lower/number.h"
#include "schedules/bind/constant_difference.h"
#include "schedules/bind/lanes.h"
#include "schedules/bind/let_names.h"
#include "schedules/bind/loaded.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Internal::Call;
using Halide::Internal::Cast;
using Halide::Internal::Let;

/// Iterations of a loop, counted in i64 from its first: those before `from` and those from `to` on do nothing. Undefined: not told.
struct Span {
    Expr from, to;
    bool is_told() const { return from.defined() || to.defined(); }
};

/// The iterations of a loop in which anything is changed: not told where masks do not tell, or where the body does more than to store.
class Reach : public IRVisitor {
public:
    static Span of(const For* loop) {
        Reach reach(loop);
        loop->body.accept(&reach);
        if (!reach.told_ || !reach.span_) return {};
        Span span = *reach.span_;
        const auto is_stored = [&](const std::string& name) { return reach.stored_.count(name) > 0; };
        for (Expr* end : {&span.from, &span.to})
            if (end->defined() && std::ranges::any_of(loaded_in(*end), is_stored)) *end = Expr();
        return span;
    }

private:
    explicit Reach(const For* loop) : loop_(loop) {}

    using IRVisitor::visit;
    void visit(const Atomic*) override { told_ = false; }
    void visit(const Fork*) override { told_ = false; }
    void visit(const Acquire*) override { told_ = false; }
    void visit(const Evaluate*) override { told_ = false; }
    void visit(const AssertStmt*) override { told_ = false; }
    void visit(const Let* let) override { named(let); }
    void visit(const LetStmt* let) override { named(let); }
    void visit(const For* inner) override {
        ScopedBinding<> bind(inside_, inner->name);
        told_ = told_ && inner->for_type == ForType::Serial;
        IRVisitor::visit(inner);
    }
    void visit(const IfThenElse* choice) override {
        {
            ScopedValue<Span> bind(around_, both(where_is(true, choice->condition), around_));
            choice->then_case.accept(this);
        }
        if (choice->else_case.defined()) choice->else_case.accept(this);
    }
    void visit(const Store* store) override {
        stored_.insert(store->name);
        if (!told_) return;
        Span where = both(both(where_is(true, store->predicate), where_it_takes_in(store)), around_);
        for (Expr* end : {&where.from, &where.to})
            if (end->defined() && expr_uses_vars(*end, inside_)) *end = Expr();
        told_ = where.is_told();
        span_ = span_ ? either(*span_, where) : where;
    }

    template<class LetNode>
    void named(const LetNode* let) {
        names_.within(let, [&] { let->body.accept(this); });
    }

    static Span either(const Span& a, const Span& b) {
        const auto joined = [](const Expr& x, const Expr& y, auto join) {
            if (!x.defined() || !y.defined()) return Expr();
            return equal(x, y) ? x : join(x, y);
        };
        return {joined(a.from, b.from, [](const Expr& x, const Expr& y) { return min(x, y); }),
                joined(a.to, b.to, [](const Expr& x, const Expr& y) { return max(x, y); })};
    }
    static Span both(const Span& a, const Span& b) {
        return {a.from.defined() ? a.from : b.from, a.to.defined() ? a.to : b.to};
    }

    /// Where the condition holds in some lane, or where it fails in some.
    Span where_is(bool wanted, const Expr& condition) const {
        if (const auto* lanes = condition.as<Broadcast>()) return where_is(wanted, lanes->value);
        if (const auto* negated = condition.as<Not>()) return where_is(!wanted, negated->a);
        const auto joined = [&](const auto* two, bool needs_both) {
            const Span a = where_is(wanted, two->a), b = where_is(wanted, two->b);
            return needs_both ? both(a, b) : either(a, b);
        };
        if (const auto* all = condition.as<And>()) return joined(all, wanted);
        if (const auto* any = condition.as<Or>()) return joined(any, !wanted);
        const auto ordered = [&](const auto* two, int below) {
            return wanted ? where_at_most(two->a, two->b, below) : where_at_most(two->b, two->a, 1 - below);
        };
        if (const auto* bits = condition.as<Cast>()) return where_arithmetic_is(wanted, bits->value);
        if (const auto* less = condition.as<LT>()) return ordered(less, 1);
        if (const auto* at_most = condition.as<LE>()) return ordered(at_most, 0);
        return {};
    }

    /// Conditions of data are `c*3`, and `c + 255` of `not c` (frontend/lower/value.cpp).
    Span where_arithmetic_is(bool wanted, const Expr& bits) const {
        const auto of = [&](bool expected, const auto* two, int number) {
            const auto* condition = two->a.template as<Cast>();
            const bool is_condition = condition && condition->value.type().is_bool() && is_const(two->b, number);
            return is_condition ? where_is(expected, condition->value) : Span();
        };
        if (const auto* product = bits.as<Mul>()) return of(wanted, product, 3);
        if (const auto* sum = bits.as<Add>()) return of(!wanted, sum, 255);
        return {};
    }

    /// `a + below <= b` of whole numbers whose distance grows or falls from one iteration to the next. It is taken in i64, and does not
    /// overflow there: data may be any number.
    Span where_at_most(const Expr& a, const Expr& b, int below) const {
        if (const Expr x = without_sign(a); x.defined() && x.type() == b.type())
            return both(where_at_most(x, b, below), where_at_most(simplify(-b), x, below));
        const Expr least = lane(shown(names_.resolved(a)), false), greatest = lane(shown(names_.resolved(b)), true);
        if (!least.defined() || !greatest.defined()) return {};
        const std::string iteration = loop_->name + ".wide";
        const Expr i = Variable::make(Halide::Int(64), iteration);
        const Expr from = side(least, i), to = side(greatest, i);
        if (!from.defined() || !to.defined()) return {};
        const Expr distance = simplify(to - from - below);
        if (expr_uses_var(distance, loop_->name)) return {};
        const auto found = constant_difference(simplify(substitute(iteration, i + 1, distance)), distance);
        if (!found || *found == 0) return {};
        const Expr first = substitute(iteration, Halide::cast(i.type(), loop_->min), distance);
        const Expr step = make_const(i.type(), std::abs(*found));
        if (*found < 0) return {{}, simplify(first / step + 1)};
        return {simplify((step - 1 - first) / step), {}};
    }

    /// x of `|x|`.
    static Expr without_sign(const Expr& e) {
        const auto* cast = e.as<Cast>();
        const Call* abs = cast ? Call::as_intrinsic(cast->value, {Call::abs}) : nullptr;
        return abs ? abs->args[0] : Expr();
    }

    /// What Halide's simplifier was not shown.
    static Expr shown(const Expr& e) {
        const auto* call = Call::as_intrinsic(e, {Call::return_second});
        return call ? call->args[1] : e;
    }

    /// The least or greatest of all lanes of i32 or i64, which those of data are reduced to; undefined for other numbers.
    static Expr lane(const Expr& e, bool greatest) {
        const Halide::Type type = e.type().element_of();
        if (type != Halide::Int(32) && type != Halide::Int(64)) return {};
        if (e.type().is_scalar()) return e;
        const auto* ramp = ramp_of(e);
        const bool is_last = ramp && is_positive_const(ramp->stride) == greatest;
        const Expr found = is_last ? last_lane(e) : first_lane(e);
        return found.defined() ? found : VectorReduce::make(greatest ? VectorReduce::Max : VectorReduce::Min, e, 1);
    }

    /// One side of a comparison. Any number of i64 is compared with sums and products of i32 as the nearest one that can be subtracted.
    Expr side(const Expr& e, const Expr& iteration) const {
        Expr wide = widened(e, iteration);
        if (wide.defined() || expr_uses_var(e, loop_->name)) return wide;
        const Expr most = make_const(Halide::Int(64), std::int64_t{1} << 62);
        return clamp(e, -most, most);
    }

    /// A number of i32 as one of i64, and so are those that are added and multiplied in it; undefined where some may be any i64. The loop is
    /// called `iteration` there.
    Expr widened(const Expr& e, const Expr& iteration) const {
        if (const Expr inner = shown(e); !inner.same_as(e)) return widened(inner, iteration);
        const auto joined = [&](const auto* two, const auto& join) {
            const Expr a = widened(two->a, iteration), b = widened(two->b, iteration);
            return a.defined() && b.defined() ? Expr(join(a, b)) : Expr();
        };
        if (const auto* sum = e.as<Add>()) return joined(sum, std::plus<>());
        if (const auto* difference = e.as<Sub>()) return joined(difference, std::minus<>());
        if (const auto* product = e.as<Mul>()) return joined(product, std::multiplies<>());
        if (const auto* cast = e.as<Cast>(); cast && cast->value.type() == Halide::Int(32))
            return widened(cast->value, iteration);
        const auto* variable = e.as<Variable>();
        if (variable && variable->name == loop_->name) return iteration;
        const auto number = as_const_int(e);
        const bool is_narrow = e.type() == Halide::Int(32) || (number && *number == static_cast<std::int32_t>(*number));
        return is_narrow ? Halide::cast(Halide::Int(64), e) : Expr();
    }

    /// Where a reduction takes in more than nothing: of `S[p] = S[p] + select(j <= i, x, 0)`, and of the greatest and the least likewise, where
    /// the condition holds.
    Span where_it_takes_in(const Store* store) const {
        Expr value = store->value;
        const auto extreme = extreme_in(value, &value);
        const Op op = extreme ? *extreme : value.as<Max>() ? Op::max : value.as<Min>() ? Op::min : Op::add;
        std::vector<Expr> operands = extreme ? value.as<Call>()->args : operands_of(value);
        const auto held = std::ranges::find_if(operands, [&](const Expr& operand) {
            const auto* load = operand.as<Load>();
            return load && load->name == store->name && equal(load->index, store->index);
        });
        if (held == operands.end()) return {};
        operands.erase(held);
        const Expr nothing = identity(op, value.type());
        std::optional<Span> all;
        for (const Expr& operand : operands) {
            const Expr named = operand.as<Variable>() ? names_.resolved(operand) : operand;
            const auto* choice = named.as<Select>();
            const bool otherwise = choice && equal(choice->false_value, nothing);
            if (!otherwise && !(choice && equal(choice->true_value, nothing))) return {};
            const Span some = where_is(otherwise, choice->condition);
            all = all ? either(*all, some) : some;
        }
        return all.value_or(Span());
    }
    /// What is added up, or both of which the greatest or least is taken.
    static std::vector<Expr> operands_of(const Expr& e) {
        if (const auto* most = e.as<Max>()) return {most->a, most->b};
        if (const auto* least = e.as<Min>()) return {least->a, least->b};
        std::vector<Expr> terms;
        const std::function<void(const Expr&)> add = [&](const Expr& part) {
            const auto* sum = part.as<Add>();
            if (!sum) return terms.push_back(part);
            add(sum->a);
            add(sum->b);
        };
        add(e);
        return terms;
    }

    const For* loop_;
    bool told_ = true;
    std::optional<Span> span_;  // of all stores so far
    Span around_;               // what a condition around the statement allows
    Scope<> inside_;
    std::set<std::string> stored_;
    LetNames names_;
};

class EndLoops : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For* loop) override {
        const Span span = loop->for_type == ForType::Serial ? Reach::of(loop) : Span();
        if (!span.is_told()) return IRMutator::visit(loop);
        const auto within = [&](const Expr& end, const Expr& otherwise) {
            if (!end.defined()) return otherwise;
            const Expr most = Halide::cast(end.type(), max(loop->extent, 0));
            return simplify(Halide::cast(Halide::Int(32), clamp(end, 0, most)));
        };
        const Expr from = within(span.from, 0), to = within(span.to, loop->extent);
        const Stmt ended = For::make(loop->name, simplify(loop->min + from), simplify(max(to - from, 0)),
                                     loop->for_type, loop->partition_policy, loop->device_api, mutate(loop->body));
        const bool has_data = !loaded_in(from).empty() || !loaded_in(to).empty();
        return has_data ? IfThenElse::make(loop->extent > 0, ended) : ended;  // data may be empty where the loop is
    }
};

}  // namespace

Stmt with_loops_ended(const Stmt& s) { return EndLoops().mutate(s); }

void end_loops_with_masks(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new EndLoops); }

}  // namespace halogen
