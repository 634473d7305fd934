#include "schedules/bind/skipped_sums.h"

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// When the values of an allocation count for what a statement stores: a condition on what is known around the statement, which
/// holds whenever they do.
class Use : public IRVisitor {
public:
    explicit Use(std::string name) : name_(std::move(name)) {}

    Expr of(const Stmt& statement) {
        return within([&] { statement.accept(this); });
    }

private:
    using IRVisitor::visit;

    template<typename Look>
    Expr within(Look look) {
        const Expr around = when_;
        when_ = const_false();
        look();
        const Expr found = simplify(when_);
        when_ = around;
        return found;
    }
    Expr of(const Expr& e) {
        return within([&] { e.accept(this); });
    }
    void add(const Expr& when) { when_ = simplify(when_ || when); }

    /// `condition` in some lane.
    Expr sometimes(const Expr& condition) const {
        return or_condition_over_domain(written_out(condition), Scope<Interval>::empty_scope());
    }

    void choose(const Expr& condition, const Expr& value, const Expr& otherwise) {
        condition.accept(this);
        const Expr first = of(value), second = of(otherwise);
        if (!is_const_zero(first)) add(first && sometimes(condition));
        if (!is_const_zero(second)) add(second && sometimes(!condition));
    }

    void visit(const Load* load) override {
        IRVisitor::visit(load);
        if (load->name == name_) when_ = const_true();
    }
    void visit(const Select* select) override { choose(select->condition, select->true_value, select->false_value); }
    void visit(const Call* call) override {
        if (call->is_intrinsic(Call::if_then_else) && call->args.size() == 3)
            choose(call->args[0], call->args[1], call->args[2]);
        else
            IRVisitor::visit(call);
    }
    void visit(const For* loop) override {
        const Expr inside = of(loop->body);
        if (is_const_zero(inside)) return;
        Scope<Interval> range;
        const Expr least = written_out(loop->min), count = written_out(loop->extent);
        range.push(loop->name, Interval(least, simplify(least + count - 1)));
        add(count > 0 && or_condition_over_domain(inside, range));
    }
    void visit(const Let* let) override { with_value(let); }
    void visit(const LetStmt* let) override { with_value(let); }

    template<class LetNode>
    void with_value(const LetNode* let) {
        let->value.accept(this);
        ScopedBinding<Expr> bind(values_, let->name, written_out(let->value));
        let->body.accept(this);
    }

    /// In terms of what is known around the statement, and of its loops.
    Expr written_out(const Expr& e) const {
        class WriteOut : public IRMutator {
        public:
            explicit WriteOut(const Scope<Expr>& values) : values_(values) {}

        private:
            using IRMutator::visit;
            Expr visit(const Variable* variable) override {
                const Expr* value = values_.find(variable->name);
                return value ? *value : Expr(variable);
            }
            const Scope<Expr>& values_;
        };
        return WriteOut(values_).mutate(e);
    }

    const std::string name_;
    Expr when_ = const_false();
    Scope<Expr> values_;
};

/// The loops that add up, under `when`; values they start from are written all the same.
class UnderCondition : public IRMutator {
public:
    explicit UnderCondition(Expr when) : when_(std::move(when)) {}

    bool any = false;

private:
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        any = true;
        return IfThenElse::make(when_, loop);
    }

    const Expr when_;
};

class SkipUnusedSums : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const Block* block) override {
        const auto* made = block->first.as<ProducerConsumer>();
        if (made && made->is_producer && is_stack_.contains(made->name)) {
            const Expr when = Use(made->name).of(block->rest);
            if (!is_const_one(when)) {
                UnderCondition skip(when);
                const Stmt body = skip.mutate(made->body);
                if (skip.any) return Block::make(ProducerConsumer::make_produce(made->name, body), mutate(block->rest));
            }
        }
        return IRMutator::visit(block);
    }

    Stmt visit(const Allocate* allocate) override {
        ScopedBinding<> bind(allocate->memory_type == Halide::MemoryType::Stack, is_stack_, allocate->name);
        return IRMutator::visit(allocate);
    }

    Scope<> is_stack_;
};

}  // namespace

Stmt without_unused_sums(const Stmt& statement) { return SkipUnusedSums().mutate(statement); }

void skip_unused_sums(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new SkipUnusedSums); }

}  // namespace halogen
