// Conditions that the ranges of the loops decide.

#include "schedules/nest/simplify.h"

#include "schedules/nest/places.h"

#include "frontend/formula/sign.h"

#include <optional>

namespace halogen {

namespace {

class Decider {
public:
    Decider(const Nest& nest, const NestPath& path, const NestStatement& s) : nest_(nest), path_(path), s_(s) {}

    std::optional<bool> decide(const Expr& e) const {
        if (auto* u = e.as<Unary>(); u && u->op == UnaryOp::logical_not) {
            const auto inside = decide(*u->value);
            return inside ? std::optional(!*inside) : std::nullopt;
        }
        auto* b = e.as<Binary>();
        if (!b) return std::nullopt;
        if (b->op == BinaryOp::logical_and || b->op == BinaryOp::logical_or) return decide_both(*b);
        if (!is_comparison(b->op)) return std::nullopt;
        const auto left = formula_of(nest_, s_, *b->left), right = formula_of(nest_, s_, *b->right);
        if (!left || !right) return std::nullopt;
        return compare(b->op, range_over(*left - *right, path_));
    }

private:
    std::optional<bool> decide_both(const Binary& b) const {
        const bool ends = b.op == BinaryOp::logical_or;  // one such side decides
        const auto left = decide(*b.left), right = decide(*b.right);
        if ((left && *left == ends) || (right && *right == ends)) return ends;
        return left && right ? std::optional(!ends) : std::nullopt;
    }

    static std::optional<bool> compare(BinaryOp op, const Hull& d) {
        const bool below = is_nonnegative(-d.high - Formula(1)), above = is_nonnegative(d.low - Formula(1));
        const bool at_most = is_nonnegative(-d.high), at_least = is_nonnegative(d.low);
        switch (op) {
        case BinaryOp::lt: return below ? std::optional(true) : at_least ? std::optional(false) : std::nullopt;
        case BinaryOp::le: return at_most ? std::optional(true) : above ? std::optional(false) : std::nullopt;
        case BinaryOp::gt: return above ? std::optional(true) : at_most ? std::optional(false) : std::nullopt;
        case BinaryOp::ge: return at_least ? std::optional(true) : below ? std::optional(false) : std::nullopt;
        case BinaryOp::eq: return below || above ? std::optional(false) : std::nullopt;
        default: return below || above ? std::optional(true) : std::nullopt;
        }
    }

    const Nest& nest_;
    const NestPath& path_;
    const NestStatement& s_;
};

bool holds_select(const Expr& e) {
    bool found = false;
    walk(e, [&](const Expr& x) { found = found || (x.as<Call>() && x.as<Call>()->function == Function::select); });
    return found;
}

}  // namespace

void drop_decided_conditions(Nest& nest) {
    std::vector<Expr> changed;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        Expr right = s.equation.right;
        if (right.defined() && holds_select(right)) {
            const Decider decider(nest, path, s);
            right = rewrite(right, [&](const Expr& e) {
                auto* call = e.as<Call>();
                if (!call || call->function != Function::select) return e;
                const auto holds = decider.decide(call->arguments[0]);
                return holds ? call->arguments[*holds ? 1 : 2] : e;
            });
        }
        changed.push_back(right);
    });
    std::size_t next = 0;
    each_statement(nest.body, [&](NestStatement& s) { s.equation.right = changed[next++]; });
}

}  // namespace halogen
