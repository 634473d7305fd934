#include "schedules/bind/unfused_loops.h"

#include "schedules/bind/constant_difference.h"
#include "schedules/bind/let_names.h"

#include <optional>
#include <string>
#include <utility>

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// `(base + i)` divided by `by`, of a loop i.
struct Division {
    Expr base, by;
};

std::optional<Division> division_of(const Expr& sum, const Expr& by, const std::string& loop, const LetNames& names) {
    if (by.type() != Halide::Int(32) || Halide::Internal::is_const(by)) return std::nullopt;
    const Expr dividend = names.resolved(sum);
    if (!expr_uses_var(dividend, loop)) return std::nullopt;
    Division found{simplify(substitute(loop, 0, dividend)), names.resolved(by)};
    const Expr whole = found.base + Variable::make(Halide::Int(32), loop);
    return constant_difference(dividend, whole) == 0 ? std::optional(found) : std::nullopt;
}

/// The first division of a loop by what stays the same in it.
class FindDivision : public IRVisitor {
public:
    static std::optional<Division> in(const For* loop) {
        FindDivision find(loop->name);
        loop->body.accept(&find);
        return find.found_;
    }

private:
    explicit FindDivision(std::string loop) : loop_(std::move(loop)) { inside_.push(loop_); }

    using IRVisitor::visit;
    void visit(const Div* e) override { of(e); }
    void visit(const Mod* e) override { of(e); }
    void visit(const Let* let) override { named(let); }
    void visit(const LetStmt* let) override { named(let); }
    void visit(const For* loop) override {
        ScopedBinding<> bind(inside_, loop->name);
        IRVisitor::visit(loop);
    }

    template<class Node>
    void of(const Node* e) {
        IRVisitor::visit(e);
        if (found_) return;
        const auto division = division_of(e->a, e->b, loop_, names_);
        if (division && !expr_uses_vars(division->base, inside_) && !expr_uses_vars(division->by, inside_))
            found_ = division;
    }
    template<class LetNode>
    void named(const LetNode* let) {
        let->value.accept(this);
        names_.within(let, [&] { let->body.accept(this); });
    }

    const std::string loop_;
    std::optional<Division> found_;
    LetNames names_;
    Scope<> inside_;
};

/// A body that is given quotient and remainder.
class Divided : public IRMutator {
public:
    Divided(std::string loop, Division division, Expr quotient, Expr remainder)
        : loop_(std::move(loop)),
          division_(std::move(division)),
          quotient_(std::move(quotient)),
          remainder_(std::move(remainder)) {}

private:
    using IRMutator::visit;
    Expr visit(const Div* e) override { return is_it(e->a, e->b) ? quotient_ : IRMutator::visit(e); }
    Expr visit(const Mod* e) override { return is_it(e->a, e->b) ? remainder_ : IRMutator::visit(e); }
    Expr visit(const Let* let) override {
        const Expr value = mutate(let->value);
        Expr body;
        names_.within(let, [&] { body = mutate(let->body); });
        return Let::make(let->name, value, body);
    }
    Stmt visit(const LetStmt* let) override {
        const Expr value = mutate(let->value);
        Stmt body;
        names_.within(let, [&] { body = mutate(let->body); });
        return LetStmt::make(let->name, value, body);
    }

    bool is_it(const Expr& a, const Expr& b) const {
        const auto other = division_of(a, b, loop_, names_);
        return other && equal(other->by, division_.by) && constant_difference(other->base, division_.base) == 0;
    }

    const std::string loop_;
    const Division division_;
    const Expr quotient_, remainder_;
    LetNames names_;
};

/// Loops without loops in them.
class InnermostLoops : public IRVisitor {
public:
    static int in(const Stmt& stmt) {
        InnermostLoops found;
        stmt.accept(&found);
        return found.count_;
    }

private:
    using IRVisitor::visit;
    void visit(const For* loop) override {
        const int before = count_;
        IRVisitor::visit(loop);
        count_ += count_ == before;
    }
    int count_ = 0;
};

class UnfuseLoops : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const For* loop) override {
        const auto division = is_short(loop) ? FindDivision::in(loop) : std::nullopt;
        if (!division) return IRMutator::visit(loop);
        const auto variable = [](const std::string& name) { return Variable::make(Halide::Int(32), name); };
        const std::string q = unique_name('q'), r = unique_name('r');
        const Expr n = division->by, first = simplify(division->base + loop->min), end = simplify(first + loop->extent);
        const auto again = [&](const std::string& name, const Expr& least, const Expr& beyond, const Stmt& body) {
            const Expr start = variable(name + ".start");
            const Stmt over =
                For::make(name, start, beyond - start, ForType::Serial, loop->partition_policy, loop->device_api, body);
            return LetStmt::make(name + ".start", least, over);
        };
        Stmt body = Divided(loop->name, *division, variable(q), variable(r)).mutate(loop->body);
        body = LetStmt::make(loop->name, variable(q) * n + variable(r) - division->base, body);
        body = again(r, max(first - variable(q) * n, 0), min(end - variable(q) * n, n), body);
        body = again(q, first / n, (end - 1) / n + 1, body);
        return mutate(IfThenElse::make(loop->extent > 0, body));
    }

    /// What is the same for a whole quotient is computed before its remainders: of a long body, more than a division costs. (Sums along the
    /// middle of 1000x8x8: 28 us and 125.)
    static bool is_short(const For* loop) {
        return loop->for_type == ForType::Serial && InnermostLoops::in(loop->body) <= 2;
    }
};

}  // namespace

Stmt with_unfused_loops(const Stmt& s) { return UnfuseLoops().mutate(s); }

void unfuse_loops(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new UnfuseLoops); }

}  // namespace halogen
