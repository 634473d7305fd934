#include "schedules/bind/masked_loops.h"

#include "schedules/bind/constant_difference.h"
#include "schedules/bind/let_names.h"

#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// Iterations of a loop, counted from its first: those before `from` and those from `to` on do nothing. Undefined: not told.
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
        return reach.told_ && reach.span_ ? *reach.span_ : Span();
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
            ScopedValue<Span> bind(around_, both(where_holds(choice->condition), around_));
            choice->then_case.accept(this);
        }
        if (choice->else_case.defined()) choice->else_case.accept(this);
    }
    void visit(const Store* store) override {
        if (!told_) return;
        Span where = both(both(where_holds(store->predicate), where_it_adds(store)), around_);
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

    /// Where the condition holds in some lane.
    Span where_holds(const Expr& condition) const {
        if (const auto* lanes = condition.as<Broadcast>()) return where_holds(lanes->value);
        if (const auto* all = condition.as<And>()) return both(where_holds(all->a), where_holds(all->b));
        if (const auto* any = condition.as<Or>()) return either(where_holds(any->a), where_holds(any->b));
        if (const auto* negated = condition.as<Not>()) return where_fails(negated->a);
        if (const auto* less = condition.as<LT>()) return where_at_most(less->a, less->b, 1);
        if (const auto* at_most = condition.as<LE>()) return where_at_most(at_most->a, at_most->b, 0);
        return {};
    }
    Span where_fails(const Expr& condition) const {
        if (const auto* lanes = condition.as<Broadcast>()) return where_fails(lanes->value);
        if (const auto* all = condition.as<And>()) return either(where_fails(all->a), where_fails(all->b));
        if (const auto* any = condition.as<Or>()) return both(where_fails(any->a), where_fails(any->b));
        if (const auto* negated = condition.as<Not>()) return where_holds(negated->a);
        if (const auto* less = condition.as<LT>()) return where_at_most(less->b, less->a, 0);
        if (const auto* at_most = condition.as<LE>()) return where_at_most(at_most->b, at_most->a, 1);
        return {};
    }

    /// `a + below <= b`, of which the distance grows or falls from one iteration to the next.
    Span where_at_most(const Expr& a, const Expr& b, int below) const {
        if (const Expr x = without_sign(a); x.defined() && x.type() == b.type())
            return both(where_at_most(x, b, below), where_at_most(simplify(-b), x, below));
        const Expr least = lane(a, false), greatest = lane(b, true);
        if (!least.defined() || !greatest.defined()) return {};
        const bool is_wide = least.type() == Halide::Int(64);
        const std::string counter = is_wide ? loop_->name + ".wide" : loop_->name;
        const Expr i = Variable::make(least.type(), counter);
        Expr distance = simplify(names_.resolved(greatest) - names_.resolved(least) - below);
        if (is_wide) distance = widened(distance, i);
        if (is_wide && expr_uses_var(distance, loop_->name)) return {};
        const auto found = constant_difference(simplify(substitute(counter, i + 1, distance)), distance);
        if (!found || *found == 0) return {};
        const Expr first = substitute(counter, Halide::cast(i.type(), loop_->min), distance);
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

    /// The least or greatest of all lanes; undefined if that is not known.
    static Expr lane(const Expr& e, bool greatest) {
        const auto* all = e.as<Broadcast>();
        const auto* ramp = e.as<Ramp>();
        const Halide::Type type = e.type().element_of();
        if ((type != Halide::Int(32) && type != Halide::Int(64)) || (e.type().is_vector() && !all && !ramp)) return {};
        if (all) return all->value.type().is_scalar() ? all->value : Expr();
        if (!ramp) return e;
        const auto stride = as_const_int(ramp->stride);
        if (!stride || ramp->base.type().is_vector()) return {};
        return (*stride > 0) == greatest ? ramp->base + ramp->stride * (ramp->lanes - 1) : ramp->base;
    }

    /// An i64 whose numbers of i32 are made i64 before anything is done with them. The loop is called `counter` there.
    Expr widened(const Expr& e, const Expr& counter) const {
        class Widen : public IRMutator {
        public:
            Widen(const std::string& loop, const Expr& counter) : loop_(loop), counter_(counter) {}

        private:
            using IRMutator::visit;
            Expr visit(const Cast* cast) override {
                const bool widens = cast->type == Halide::Int(64) && cast->value.type() == Halide::Int(32);
                return widens ? wide(cast->value) : IRMutator::visit(cast);
            }
            Expr wide(const Expr& x) {
                if (const auto* sum = x.as<Add>()) return wide(sum->a) + wide(sum->b);
                if (const auto* difference = x.as<Sub>()) return wide(difference->a) - wide(difference->b);
                if (const auto* product = x.as<Mul>()) return wide(product->a) * wide(product->b);
                const auto* variable = x.as<Variable>();
                return variable && variable->name == loop_ ? counter_ : Halide::cast(Halide::Int(64), x);
            }
            const std::string& loop_;
            const Expr& counter_;
        };
        return Widen(loop_->name, counter).mutate(e);
    }

    /// Where a sum takes in more than zeros, of `S[p] = S[p] + select(j <= i, x, 0)` where the condition holds, and the greatest or least more
    /// than what is less or greater than all.
    Span where_it_adds(const Store* store) const {
        bool is_read = false;
        std::optional<Span> where;
        if (adds(store->value, store, is_read, where) && is_read && where) return *where;
        return where_it_joins(store);
    }
    Span where_it_joins(const Store* store) const {
        const Expr value = unless_nan(store->value);
        const auto* call = value.as<Call>();
        const auto* most = value.as<Max>();
        const auto* least = value.as<Min>();
        const bool greatest = most || (call && call->is_intrinsic(Call::strict_max));
        if (!greatest && !least && !(call && call->is_intrinsic(Call::strict_min))) return {};
        const Expr a = call   ? call->args[0]
                       : most ? most->a
                              : least->a,
                   b = call   ? call->args[1]
                       : most ? most->b
                              : least->b;
        const auto chosen = [&](const Expr& read, const Expr& other) {
            return is_again(read, store) ? where_chosen(names_.resolved(other), limit(value.type(), greatest)) : Span();
        };
        return both(chosen(a, b), chosen(b, a));
    }
    /// What is stored of numbers; NaN is looked at first.
    static Expr unless_nan(const Expr& value) {
        if (const auto* bits = value.as<Reinterpret>()) return unless_nan(bits->value);
        const auto* choice = value.as<Select>();
        const bool looks = choice && is_nan_of(choice->condition);
        return looks ? unless_nan(choice->false_value) : value;
    }
    static bool is_nan_of(const Expr& condition) {
        const auto* call = condition.as<Call>();
        return call && (call->name == "is_nan_f32" || call->name == "is_nan_f64" || call->name == "is_nan_f16");
    }
    /// What the greatest or least of nothing is.
    static Expr limit(const Halide::Type& type, bool greatest) {
        const double infinity = std::numeric_limits<double>::infinity();
        if (type.is_float()) return make_const(type, greatest ? -infinity : infinity);
        return greatest ? type.min() : type.max();
    }
    /// Where a choice between `nothing` and something else is the latter.
    Span where_chosen(const Expr& e, const Expr& nothing) const {
        const auto* choice = e.as<Select>();
        if (choice && equal(choice->false_value, nothing)) return where_holds(choice->condition);
        return choice && equal(choice->true_value, nothing) ? where_fails(choice->condition) : Span();
    }
    static bool is_again(const Expr& e, const Store* store) {
        const auto* load = e.as<Load>();
        return load && load->name == store->name && equal(load->index, store->index);
    }
    bool adds(const Expr& value, const Store* store, bool& is_read, std::optional<Span>& where) const {
        if (const auto* sum = value.as<Add>())
            return adds(sum->a, store, is_read, where) && adds(sum->b, store, is_read, where);
        if (value.as<Load>()) return !std::exchange(is_read, true) && is_again(value, store);
        const auto* choice = value.as<Select>();
        const Expr nothing = make_zero(value.type());
        if (!choice || !(equal(choice->true_value, nothing) || equal(choice->false_value, nothing))) return false;
        const Span span = where_chosen(value, nothing);
        where = where ? either(*where, span) : span;
        return true;
    }

    const For* loop_;
    bool told_ = true;
    std::optional<Span> span_;  // of all stores so far
    Span around_;               // what a condition around the statement allows
    Scope<> inside_;
    LetNames names_;
};

class EndLoops : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For* loop) override {
        const Span span = loop->for_type == ForType::Serial ? Reach::of(loop) : Span();
        if (!span.is_told()) return IRMutator::visit(loop);
        const auto within = [&](const Expr& end, const Expr& otherwise) {
            if (!end.defined()) return otherwise;
            return simplify(
                Halide::cast(Halide::Int(32), clamp(end, 0, Halide::cast(end.type(), max(loop->extent, 0)))));
        };
        const Expr from = within(span.from, 0), to = within(span.to, loop->extent);
        return For::make(loop->name, simplify(loop->min + from), simplify(max(to - from, 0)), loop->for_type,
                         loop->partition_policy, loop->device_api, mutate(loop->body));
    }
};

}  // namespace

Stmt with_loops_ended(const Stmt& s) { return EndLoops().mutate(s); }

void end_loops_with_masks(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new EndLoops); }

}  // namespace halogen
