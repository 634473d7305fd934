#include "frontend/lower/running_counts.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
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

    std::optional<RunningCount> at(int equation, int dim) const {
        const Equation& written = kernel_.equations[static_cast<std::size_t>(equation)];
        for (std::size_t d = 0; d < written.left.at.size(); d++)
            if (static_cast<int>(d) != dim && !bare_index(written.left.at[d])) return std::nullopt;
        const Expr& place = written.left.at[static_cast<std::size_t>(dim)];
        const auto* less = place.as<Binary>();
        const bool with_itself = less && less->op == BinaryOp::sub && is_number(*less->right, 1);
        const auto* count = (with_itself ? *less->left : place).as<Access>();
        if (!count || !std::ranges::all_of(count->at, [](const Expr& at) { return bare_index(at).has_value(); }))
            return std::nullopt;
        const auto counted = counted_by(*count, written);
        if (!counted) return std::nullopt;
        const auto& [scanned, index] = *counted;
        // The condition at a point of the equation, and one further where the point itself is not counted.
        std::vector<Formula> element;
        for (const Expr& at : count->at) element.push_back(Formula::symbol(*bare_index(at)));
        if (!with_itself) element[scanned] = element[scanned] + 1;
        const auto selected = condition_at(count->tensor, scanned, element, with_itself);
        if (!selected) return std::nullopt;
        const auto predicates = predicates_of(written);
        const bool selects = std::ranges::any_of(
            predicates, [&](const Expr* predicate) { return same(condition_of({*predicate, {}}), *selected); });
        const IndexRange& range = solution_.indices[static_cast<std::size_t>(equation)].at(index);
        const Formula& extent = solution_.extents.at(written.left.tensor)[static_cast<std::size_t>(dim)];
        if (!selects || range.min.constant().value_or(-1) < 0) return std::nullopt;
        return RunningCount{(extent - range.min - range.extent).constant().value_or(-1) >= 0};
    }

private:
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
        for (const int e : equations)
            if (!lowering::writes_all(kernel_, solution_, static_cast<std::size_t>(e), scanned)) return std::nullopt;
        const auto added = added_by(step, equations[1], tensor, scanned);
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
            term.e = added->e;
            term.indices.insert_or_assign(added->index, place[scanned] - added->further);
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

    /// What each element has more than the one before it, and the index of which its place is so much further.
    struct Added {
        Expr e;
        std::string index;
        Formula further;
    };
    std::optional<Added> added_by(const Equation& step, int equation, const std::string& tensor,
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
            if (is_whole) return Added{other, index, further};
        }
        return std::nullopt;
    }

    /// The definition of an intermediate that one equation gives.
    std::optional<Term> defined(const Term& term) const {
        const auto* read = term.e.as<Access>();
        if (!read || kernel_.tensor(read->tensor).role == Role::input) return std::nullopt;
        const auto only = lowering::only_equation_of(kernel_, read->tensor);
        if (!only) return std::nullopt;
        const Equation& equation = kernel_.equations[*only];
        if (equation.op != Op::assign || !equation.where.empty()) return std::nullopt;
        Term value{equation.right, {}};
        for (std::size_t d = 0; d < read->at.size(); d++) {
            const auto index = bare_index(equation.left.at[d]);
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

    /// No equation stands between two reads of an element and gives it another value.
    bool is_the_same_everywhere(const std::string& tensor) const {
        return kernel_.tensor(tensor).role == Role::input || lowering::only_equation_of(kernel_, tensor);
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
            return is_the_same_everywhere(read->tensor) && read->tensor == b.e.as<Access>()->tensor &&
                   all(read->at, b.e.as<Access>()->at);
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

std::optional<RunningCount> running_count(const Kernel& kernel, const Solution& solution, int equation, int dim) {
    return Counts(kernel, solution).at(equation, dim);
}

}  // namespace halogen
