#include "frontend/lower/running_counts.h"

#include "frontend/notation/parts.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

/// An expression whose indices stand for formulas.
struct Term {
    Expr e;
    std::map<std::string, Formula> indices;
};

bool is_number(const Expr& e, std::int64_t number) {
    const auto* literal = e.as<IntegerLiteral>();
    return literal && literal->value == number;
}

class Counts {
public:
    Counts(const Kernel& kernel, const Solution& solution) : kernel_(kernel), solution_(solution) {}

    bool look(int equation, int dim, bool& lies_inside) const {
        const Equation& written = kernel_.equations[static_cast<std::size_t>(equation)];
        const auto [count, with_itself] = count_of(written.left.at[static_cast<std::size_t>(dim)]);
        if (!count) return false;
        const auto counted = counted_by(*count->as<Access>(), written);
        if (!counted) return false;
        const auto& [scanned, index] = *counted;
        const Access& read = *count->as<Access>();
        // The condition at a point of the equation, and one further where the point itself is not counted.
        std::vector<Formula> element;
        for (const Expr& at : read.at) element.push_back(Formula::symbol(*bare_index(at)));
        if (!with_itself) element[scanned] = element[scanned] + 1;
        const auto selected = condition_at(read.tensor, scanned, element, with_itself);
        if (!selected) return false;
        const auto predicates = predicates_of(written);
        const bool selects = std::ranges::any_of(
            predicates, [&](const Expr* predicate) { return same(condition_of({*predicate, {}}), *selected); });
        const IndexRange& range = solution_.indices[static_cast<std::size_t>(equation)].at(index);
        const Formula& extent = solution_.extents.at(written.left.tensor)[static_cast<std::size_t>(dim)];
        lies_inside = (extent - range.min - range.extent).constant().value_or(-1) >= 0;
        return selects && range.min.constant().value_or(-1) >= 0;
    }

private:
    /// The count, and whether the place is one less.
    static std::pair<std::optional<Expr>, bool> count_of(const Expr& place) {
        const auto* less = place.as<Binary>();
        const bool is_less = less && less->op == BinaryOp::sub && is_number(*less->right, 1);
        const Expr& count = is_less ? *less->left : place;
        const auto* read = count.as<Access>();
        if (!read || !std::ranges::all_of(read->at, [](const Expr& at) { return bare_index(at).has_value(); }))
            return {std::nullopt, false};
        return {count, is_less};
    }

    /// The dim along which the tensor counts, and the equation's index in it. The others tell its points apart by themselves.
    std::optional<std::pair<std::size_t, std::string>> counted_by(const Access& read, const Equation& written) const {
        std::optional<std::pair<std::size_t, std::string>> found;
        for (std::size_t d = 0; d < read.at.size(); d++) {
            const bool stands_alone = std::ranges::any_of(written.left.at, [&](const Expr& at) {
                return bare_index(at) && bare_index(at) == bare_index(read.at[d]);
            });
            if (stands_alone) continue;
            if (found) return std::nullopt;
            found.emplace(d, *bare_index(read.at[d]));
        }
        return found;
    }

    /// What the count adds up, at an element of it; nothing if it is no count from its first element on.
    std::optional<Term> condition_at(const std::string& tensor, std::size_t scanned,
                                     const std::vector<Formula>& element, bool with_itself) const {
        const Type type = kernel_.tensor(tensor).type;
        if (type != Type::i32 && type != Type::i64) return std::nullopt;
        std::vector<int> equations;
        for (std::size_t e = 0; e < kernel_.equations.size(); e++)
            if (kernel_.equations[e].left.tensor == tensor) equations.push_back(static_cast<int>(e));
        if (equations.size() != 2) return std::nullopt;
        const Equation &start = kernel_.equations[static_cast<std::size_t>(equations[0])],
                       &step = kernel_.equations[static_cast<std::size_t>(equations[1])];
        for (const Equation* each : {&start, &step})
            if (each->op != Op::assign || !predicates_of(*each).empty()) return std::nullopt;
        const auto added = addend(step, equations[1], tensor, scanned);
        if (!added) return std::nullopt;
        const auto at = [&](const Equation& equation, const std::vector<Formula>& place) {
            Term term{equation.right, {}};
            for (std::size_t d = 0; d < place.size(); d++)
                if (const auto index = bare_index(equation.left.at[d])) term.indices.insert_or_assign(*index, place[d]);
            return term;
        };
        std::vector<Formula> first = element;
        first[scanned] = 0;
        const auto added_at = [&](const std::vector<Formula>& place) {
            Term term = at(step, place);
            term.e = added->first;
            term.indices.insert_or_assign(added->second.first, place[scanned] - added->second.second);
            return condition_of(term);
        };
        // The start: nothing, or whether the first point is selected.
        const auto begin = solved_formula(start.left.at[scanned], solution_);
        const auto first_added = added_at(first);
        if (!begin || begin->constant() != 0 || !first_added) return std::nullopt;
        const bool begins =
            with_itself ? same(condition_of(at(start, first)), *first_added) : is_number(start.right, 0);
        return begins ? added_at(element) : std::nullopt;
    }

    /// What each element has more than the one before it, and the index of which its place is a number further.
    std::optional<std::pair<Expr, std::pair<std::string, Formula>>> addend(const Equation& step, int equation,
                                                                           const std::string& tensor,
                                                                           std::size_t scanned) const {
        const auto* sum = step.right.as<Binary>();
        if (!sum || sum->op != BinaryOp::add) return std::nullopt;
        const auto own = [&](const Expr& e) {
            const auto* read = e.as<Access>();
            return read && read->tensor == tensor ? read : nullptr;
        };
        const Access* before = own(*sum->left) ? own(*sum->left) : own(*sum->right);
        if (!before) return std::nullopt;
        const Expr& other = before == own(*sum->left) ? *sum->right : *sum->left;
        for (std::size_t d = 0; d < before->at.size(); d++)
            if (d != scanned &&
                (!bare_index(before->at[d]) || bare_index(before->at[d]) != bare_index(step.left.at[d])))
                return std::nullopt;
        const auto place = solved_formula(step.left.at[scanned], solution_),
                   earlier = solved_formula(before->at[scanned], solution_);
        if (!place || !earlier || (*place - *earlier).constant() != 1) return std::nullopt;
        for (const auto& [index, range] : solution_.indices[static_cast<std::size_t>(equation)]) {
            const Formula further = *place - Formula::symbol(index);
            if (!further.constant()) continue;
            const Formula& extent = solution_.extents.at(tensor)[scanned];
            const bool is_whole =
                (range.min + further).constant() == 1 && (range.min + range.extent + further - extent).constant() == 0;
            if (is_whole) return std::pair{other, std::pair{index, further}};
        }
        return std::nullopt;
    }

    /// The definition of an intermediate that one equation gives.
    std::optional<Term> defined(const Term& term) const {
        const auto* read = term.e.as<Access>();
        if (!read || kernel_.tensor(read->tensor).role == Role::input) return std::nullopt;
        const Equation* only = nullptr;
        for (const Equation& equation : kernel_.equations)
            if (equation.left.tensor == read->tensor) {
                if (only) return std::nullopt;
                only = &equation;
            }
        if (!only || only->op != Op::assign || !only->where.empty()) return std::nullopt;
        Term value{only->right, {}};
        for (std::size_t d = 0; d < read->at.size(); d++) {
            const auto index = bare_index(only->left.at[d]);
            const auto place = formula({read->at[d], term.indices});
            if (!index || !place || value.indices.count(*index)) return std::nullopt;
            value.indices.emplace(*index, *place);
        }
        return value;
    }

    std::optional<Formula> formula(const Term& term) const {
        const auto value = has_formula(term.e) ? solved_formula(term.e, solution_) : std::nullopt;
        return value ? std::optional(value->substitute(term.indices)) : std::nullopt;
    }

    bool is_condition(const Expr& e) const {
        const auto* binary = e.as<Binary>();
        const auto* read = e.as<Access>();
        const auto* unary = e.as<Unary>();
        return (binary && binary->op >= BinaryOp::eq) || (unary && unary->op == UnaryOp::logical_not) ||
               (read && kernel_.tensor(read->tensor).type == Type::boolean);
    }

    /// The condition under which the term is 1, and 0 else, or that it is itself.
    std::optional<Term> condition_of(const Term& term) const {
        if (const auto value = defined(term)) return condition_of(*value);
        const auto inside = [&](const Expr& e) { return condition_of({e, term.indices}); };
        if (const auto* cast = term.e.as<Cast>()) return is_integer(cast->to) ? inside(*cast->value) : std::nullopt;
        const auto* call = term.e.as<Call>();
        if (call && call->function == Function::select && is_number(call->arguments[1], 1) &&
            is_number(call->arguments[2], 0))
            return inside(call->arguments[0]);
        if (const auto* compared = term.e.as<Binary>()) {
            const Expr& limit = *compared->right;
            const bool from_0 = compared->op == BinaryOp::gt || compared->op == BinaryOp::ne;
            const bool from_1 = compared->op == BinaryOp::ge || compared->op == BinaryOp::eq;
            if ((from_0 && is_number(limit, 0)) || (from_1 && is_number(limit, 1)))
                if (const auto* number = compared->left->as<Access>();
                    number && kernel_.tensor(number->tensor).role != Role::input)
                    if (const auto counted = inside(*compared->left)) return counted;
        }
        return is_condition(term.e) ? std::optional(term) : std::nullopt;
    }

    bool same(const std::optional<Term>& a, const Term& b) const {
        if (!a) return false;
        if (const auto value = defined(*a)) return same(value, b);
        if (const auto value = defined(b)) return same(a, *value);
        if (has_formula(a->e) || has_formula(b.e)) return formula(*a) && formula(*a) == formula(b);
        const auto parts = [&](const Expr& first, const Expr& second) {
            return same(Term{first, a->indices}, Term{second, b.indices});
        };
        const auto all = [&](const std::vector<Expr>& first, const std::vector<Expr>& second) {
            return std::ranges::equal(first, second, parts);
        };
        if (a->e.node().index() != b.e.node().index()) return false;
        if (const auto* read = a->e.as<Access>())
            return read->tensor == b.e.as<Access>()->tensor && all(read->at, b.e.as<Access>()->at);
        if (const auto* call = a->e.as<Call>())
            return call->function == b.e.as<Call>()->function && all(call->arguments, b.e.as<Call>()->arguments);
        if (const auto* cast = a->e.as<Cast>())
            return cast->to == b.e.as<Cast>()->to && parts(*cast->value, *b.e.as<Cast>()->value);
        if (const auto* unary = a->e.as<Unary>())
            return unary->op == b.e.as<Unary>()->op && parts(*unary->value, *b.e.as<Unary>()->value);
        if (const auto* binary = a->e.as<Binary>()) {
            const auto* other = b.e.as<Binary>();
            return binary->op == other->op && parts(*binary->left, *other->left) &&
                   parts(*binary->right, *other->right);
        }
        return a->e == b.e;
    }

    const Kernel& kernel_;
    const Solution& solution_;
};

}  // namespace

bool is_running_count(const Kernel& kernel, const Solution& solution, int equation, int dim, bool& lies_inside) {
    return Counts(kernel, solution).look(equation, dim, lies_inside);
}

}  // namespace halogen
