#include "schedules/bind/masked_loops.h"

#include "schedules/bind/constant_difference.h"
#include "schedules/bind/let_names.h"

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// How many iterations of a loop store anything: undefined where masks do not tell, or where the body does more than to store.
class Reach : public IRVisitor {
public:
    static Expr of(const For* loop) {
        Reach reach(loop);
        loop->body.accept(&reach);
        return reach.told_ && reach.count_.defined() ? simplify(reach.count_) : Expr();
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
        const Expr count = iterations_of(choice->condition);
        {
            ScopedValue<Expr> bind(around_, count.defined() ? count : around_);
            choice->then_case.accept(this);
        }
        if (choice->else_case.defined()) choice->else_case.accept(this);
    }
    void visit(const Store* store) override {
        if (!told_) return;
        Expr count = iterations_of(store->predicate);
        if (!count.defined()) count = around_;
        told_ = count.defined() && !expr_uses_vars(count, inside_);
        if (told_) count_ = count_.defined() && !equal(count_, count) ? Expr(max(count_, count)) : count;
    }

    template<class LetNode>
    void named(const LetNode* let) {
        names_.within(let, [&] { let->body.accept(this); });
    }

    /// Up to the last one in which the condition holds in some lane.
    Expr iterations_of(const Expr& condition) const {
        if (const auto* both = condition.as<And>()) {
            const Expr a = iterations_of(both->a);
            return a.defined() ? a : iterations_of(both->b);
        }
        if (const auto* less = condition.as<LT>()) return iterations_up_to(less->a, less->b, 1);
        if (const auto* at_most = condition.as<LE>()) return iterations_up_to(at_most->a, at_most->b, 0);
        return Expr();
    }

    /// `places + below <= end`, of which the first lane is the least and grows from one iteration to the next.
    Expr iterations_up_to(const Expr& places, const Expr& end, int below) const {
        const auto* ramp = places.as<Ramp>();
        const auto* all = end.as<Broadcast>();
        if (places.type().is_vector() && (!ramp || !all || !is_positive_const(ramp->stride))) return Expr();
        const Expr first = names_.resolved(ramp ? ramp->base : places), last = names_.resolved(all ? all->value : end);
        if (first.type() != Halide::Int(32)) return Expr();
        const Expr next = substitute(loop_->name, Variable::make(Halide::Int(32), loop_->name) + 1, first);
        const auto step = constant_difference(simplify(next), first);
        if (!step || *step <= 0 || expr_uses_var(last, loop_->name)) return Expr();
        const Expr start = substitute(loop_->name, loop_->min, first);
        return (last - below - start + static_cast<int>(*step)) / static_cast<int>(*step);
    }

    const For* loop_;
    bool told_ = true;
    Expr count_, around_;  // of all stores so far; what a condition around the statement allows
    Scope<> inside_;
    LetNames names_;
};

class EndLoops : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For* loop) override {
        const Expr count = loop->for_type == ForType::Serial ? Reach::of(loop) : Expr();
        if (!count.defined()) return IRMutator::visit(loop);
        return For::make(loop->name, loop->min, simplify(max(min(loop->extent, count), 0)), loop->for_type,
                         loop->partition_policy, loop->device_api, loop->body);
    }
};

}  // namespace

Stmt with_loops_ended(const Stmt& s) { return EndLoops().mutate(s); }

void end_loops_with_masks(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new EndLoops); }

}  // namespace halogen
