#include "schedules/bind/whole_vectors.h"

#include "schedules/bind/lanes.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// The stride of a caller's buffer: `X.stride.1`.
const Variable* as_stride(const Expr& e) {
    const auto* variable = e.as<Variable>();
    const bool is_stride = variable && variable->name.find(".stride.") != std::string::npos;
    return is_stride ? variable : nullptr;
}

std::string innermost(const std::string& stride) { return stride.substr(0, stride.rfind('.')) + ".0"; }

/// `a <= b` in every lane; undefined where lanes are not evenly spaced. (Between two lines the ends decide.)
Expr in_every_lane(const Expr& a, const Expr& b, bool strict) {
    const Expr a0 = first_lane(a), b0 = first_lane(b);
    if (!a.type().is_vector() || !a0.defined() || !b0.defined()) return Expr();
    const Expr a1 = last_lane(a), b1 = last_lane(b);
    return simplify(strict ? a0 < b0 && a1 < b1 : a0 <= b0 && a1 <= b1);
}

/// When the expression on vectors is one of its operands, or true: the condition, and what it then is.
struct Whole {
    Expr when, then;
};
Whole whole_of(const Expr& e) {
    if (const auto* min = e.as<Min>()) {
        if (min->a.as<Ramp>()) return {in_every_lane(min->a, min->b, false), min->a};
        if (min->b.as<Ramp>()) return {in_every_lane(min->b, min->a, false), min->b};
    } else if (const auto* max = e.as<Max>()) {
        if (max->a.as<Ramp>()) return {in_every_lane(max->b, max->a, false), max->a};
        if (max->b.as<Ramp>()) return {in_every_lane(max->a, max->b, false), max->b};
    } else if (const auto* less = e.as<LT>()) {
        return {in_every_lane(less->a, less->b, true), const_true(e.type().lanes())};
    } else if (const auto* at_most = e.as<LE>()) {
        return {in_every_lane(at_most->a, at_most->b, false), const_true(e.type().lanes())};
    }
    return {};
}

bool contains(const std::vector<Expr>& list, const Expr& e) {
    return std::any_of(list.begin(), list.end(), [&](const Expr& other) { return equal(e, other); });
}

/// What would make the vectors of a statement whole.
struct Questions {
    std::set<std::string> strides;
    std::vector<Expr> lanes;
    bool empty() const { return strides.empty() && lanes.empty(); }
    Expr condition() const {
        Expr all = const_true();
        for (const std::string& stride : strides) all = all && Variable::make(Halide::Int(32), stride) == 1;
        for (const Expr& e : lanes) all = all && e;
        return simplify(all);
    }
};

/// Asks, of what does not change inside of the statement.
class Ask : public IRVisitor {
public:
    /// `rests`: names that differ between the steps of loops whose rests are not apart.
    static Questions of(const Stmt& stmt, const Scope<>& rests) {
        Ask ask(rests);
        stmt.accept(&ask);
        Questions found;
        for (const std::string& stride : ask.found_.strides)
            if (!ask.inside_.contains(stride)) found.strides.insert(stride);
        for (const Expr& e : ask.found_.lanes)
            if (!expr_uses_vars(e, ask.inside_)) found.lanes.push_back(e);
        return found;
    }

private:
    explicit Ask(const Scope<>& rests) : rests_(rests) {}

    using IRVisitor::visit;

    void visit(const Ramp* ramp) override {
        if (const Variable* stride = as_stride(ramp->stride)) found_.strides.insert(stride->name);
        IRVisitor::visit(ramp);
    }
    void visit(const Mul* product) override {
        for (const Expr& factor : {product->a, product->b})
            if (const auto* all = factor.as<Broadcast>())
                if (const Variable* stride = as_stride(all->value)) found_.strides.insert(stride->name);
        IRVisitor::visit(product);
    }
    void visit(const Min* e) override { lanes(e); }
    void visit(const Max* e) override { lanes(e); }
    void visit(const LT* e) override { lanes(e); }
    void visit(const LE* e) override { lanes(e); }

    template<class Node>
    void lanes(const Node* e) {
        const Whole whole = whole_of(e);
        if (whole.when.defined() && expr_uses_vars(whole.when, rests_) && !contains(found_.lanes, whole.when))
            found_.lanes.push_back(whole.when);
        IRVisitor::visit(e);
    }

    void visit(const Let* let) override {
        inside_.push(let->name);
        IRVisitor::visit(let);
    }
    void visit(const LetStmt* let) override {
        inside_.push(let->name);
        IRVisitor::visit(let);
    }
    void visit(const For* loop) override {
        inside_.push(loop->name);
        IRVisitor::visit(loop);
    }

    const Scope<>& rests_;
    Scope<> inside_;
    Questions found_;
};

/// A statement as it is when all answers are yes.
class Answer : public IRMutator {
public:
    static Stmt in(const Stmt& stmt, const Questions& questions) { return simplify(Answer(questions).mutate(stmt)); }

private:
    explicit Answer(const Questions& questions) : questions_(questions) {}

    using IRMutator::visit;

    Expr visit(const Variable* variable) override {
        return questions_.strides.count(variable->name) ? make_one(variable->type) : Expr(variable);
    }
    /// Sums as Halide writes them for instructions, which a place has no use for, hide ramps from `simplify`.
    Expr visit(const Call* call) override {
        const bool sum = call->is_intrinsic(Call::widen_right_add) && call->type.element_of() == Halide::Int(32);
        return sum ? mutate(call->args[0] + cast(call->type, call->args[1])) : IRMutator::visit(call);
    }
    Expr visit(const Min* e) override { return whole(e); }
    Expr visit(const Max* e) override { return whole(e); }
    Expr visit(const LT* e) override { return whole(e); }
    Expr visit(const LE* e) override { return whole(e); }

    template<class Node>
    Expr whole(const Node* e) {
        const Whole found = whole_of(e);
        if (found.when.defined() && contains(questions_.lanes, found.when)) return mutate(found.then);
        return IRMutator::visit(e);
    }

    const Questions& questions_;
};

/// What cannot be written twice: several innermost loops, and where memory begins and ends.
class IsLarge : public IRVisitor {
public:
    static bool in(const Stmt& stmt) {
        IsLarge found;
        stmt.accept(&found);
        return found.large_ || found.innermost_ > 1;
    }

private:
    using IRVisitor::visit;
    void visit(const For* loop) override {
        const int before = innermost_;
        IRVisitor::visit(loop);
        innermost_ += innermost_ == before;
        large_ = large_ || loop->for_type != ForType::Serial;
    }
    void visit(const Allocate*) override { large_ = true; }
    void visit(const Free*) override { large_ = true; }
    void visit(const Acquire*) override { large_ = true; }
    void visit(const Fork*) override { large_ = true; }

    int innermost_ = 0;
    bool large_ = false;
};

class WholeVectors : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        if (!IsLarge::in(loop)) {
            if (const Stmt asked = ask(loop); asked.defined()) return asked;
        }
        const bool rests = loop->partition_policy == Halide::Partition::Never;
        ScopedBinding<> bind(rests, rests_, loop->name);
        return IRMutator::visit(loop);
    }

    Stmt visit(const LetStmt* let) override {
        ScopedBinding<> bind(expr_uses_vars(let->value, rests_), rests_, let->name);
        return IRMutator::visit(let);
    }

    /// Statements that stand together are asked together.
    Stmt visit(const Block* block) override {
        std::vector<Stmt> all, together;
        const auto close = [&] {
            if (together.empty()) return;
            const Stmt group = Block::make(together), asked = together.size() > 1 ? ask(group) : Stmt();
            if (asked.defined())
                all.push_back(asked);
            else
                for (const Stmt& stmt : together) all.push_back(mutate(stmt));
            together.clear();
        };
        Stmt rest = block;
        while (rest.defined()) {
            const auto* more = rest.as<Block>();
            const Stmt first = more ? more->first : rest;
            rest = more ? more->rest : Stmt();
            if (IsLarge::in(first)) {
                close();
                all.push_back(mutate(first));
            } else {
                together.push_back(first);
            }
        }
        close();
        return Block::make(all);
    }

    Stmt visit(const Store* store) override {
        const Stmt asked = ask(store);
        return asked.defined() ? asked : Stmt(store);
    }

    /// The statement under its questions; undefined where it has none.
    Stmt ask(const Stmt& stmt) {
        const Questions all = Ask::of(stmt, rests_);
        if (all.empty()) return Stmt();
        Questions dense, turned, lanes;
        lanes.lanes = all.lanes;
        for (const std::string& stride : all.strides) {
            // Vectors across rows: where the rows are dense, the steps from vector to vector are.
            const bool across = stride != innermost(stride);
            if (across) turned.strides.insert(stride);
            if (!across || stmt_uses_var(stmt, innermost(stride))) dense.strides.insert(innermost(stride));
        }
        const Stmt other = turned.empty() ? stmt : either(turned, Answer::in(stmt, turned), stmt);
        if (dense.empty()) return lanes.empty() ? other : either(lanes, Answer::in(other, lanes), other);
        const Stmt whole = Answer::in(stmt, dense);
        return either(dense, lanes.empty() ? mutate(whole) : either(lanes, Answer::in(whole, lanes), whole), other);
    }

    static Stmt either(const Questions& questions, const Stmt& yes, const Stmt& no) {
        return IfThenElse::make(questions.condition(), yes, no);
    }

    Scope<> rests_;
};

}  // namespace

void write_whole_vectors(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new WholeVectors); }

}  // namespace halogen
