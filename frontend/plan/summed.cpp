#include "frontend/plan/summed.h"

#include "frontend/formula/sign.h"
#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/plan/order.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

/// Sums of fewer are not made apart.
constexpr std::int64_t few_terms = 4;

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The indices of an expression in reading order, each once.
Names indices_in_order(const Expr& e) {
    Names names;
    walk(e, [&](const Expr& node) {
        const auto* index = node.as<IndexRef>();
        if (index && !has(names, index->name)) names.push_back(index->name);
    });
    return names;
}

/// The terms of `a and b and c`.
void add_terms(const Expr& predicate, std::vector<Expr>& terms) {
    const auto* both = predicate.as<Binary>();
    if (both && both->op == BinaryOp::logical_and) {
        add_terms(*both->left, terms);
        add_terms(*both->right, terms);
    } else {
        terms.push_back(predicate);
    }
}

/// The indices of the left side in an order in which the sum is a product of matrices: vectors run along the first index of the
/// last place, rows are what the other operand moves with, and windows are around them.
Names sum_order(const Equation& equation, const Names& kept) {
    Names lead, alone;  // indices that begin a place, and those that are one
    for (const Expr& place : equation.left.at) {
        const Names names = indices_in_order(place);
        if (!names.empty() && !has(lead, names.front())) lead.push_back(names.front());
        if (place.as<IndexRef>()) alone.push_back(names.front());
    }
    const Names last = indices_in_order(equation.left.at.back());
    const std::string vector = last.empty() ? kept.back() : last.front();
    std::string row;
    walk(equation.right, [&](const Expr& node) {
        const auto* access = node.as<Access>();
        if (!access) return;
        Names own;
        for (const Expr& place : access->at)
            for (const std::string& name : indices_in_order(place)) own.push_back(name);
        if (has(own, vector)) return;
        for (const std::string& name : own)
            if (has(lead, name)) row = name;
    });
    Names order;
    const auto add = [&](auto&& wanted) {
        for (const std::string& name : kept)
            if (name != vector && name != row && !has(order, name) && wanted(name)) order.push_back(name);
    };
    add([&](const std::string& name) { return has(alone, name); });
    add([&](const std::string& name) { return !has(lead, name); });
    add([](const std::string&) { return true; });
    if (!row.empty()) order.push_back(row);
    order.push_back(vector);
    return order;
}

/// Two reads that each leave out an index of the result the other one has: register tiles use both again, and lose that where each
/// element asks whether it is wanted.
bool shares_operands(const Equation& equation) {
    Names left;
    for (const Expr& place : equation.left.at)
        for (const std::string& index : indices_in_order(place)) left.push_back(index);
    std::vector<Names> reads;
    walk(equation.right, [&](const Expr& node) {
        const auto* access = node.as<Access>();
        if (!access) return;
        reads.emplace_back();
        for (const Expr& place : access->at)
            for (const std::string& index : indices_in_order(place)) reads.back().push_back(index);
    });
    const auto alone = [&](const Names& a, const Names& b) {
        return std::any_of(left.begin(), left.end(), [&](auto& index) { return has(a, index) && !has(b, index); });
    };
    return std::any_of(reads.begin(), reads.end(), [&](const Names& a) {
        return std::any_of(reads.begin(), reads.end(), [&](const Names& b) { return alone(a, b) && alone(b, a); });
    });
}

/// Ranges of `kept` indices that go over a part of what they stand for: y of `Y[y, x] += … where y in 1:H - 1`. Nothing where a sum may not
/// be told of from the range's begin on.
std::optional<std::vector<InRange>> parts_of(const Equation& equation, const Names& kept,
                                             const std::vector<bool>& plain,
                                             const std::map<std::string, IndexRange>& ranges) {
    std::vector<InRange> parts;
    Names from_zero = kept;
    for (const InRange* range : ranges_of(equation)) {
        if (!has(kept, range->index)) continue;
        const bool moved = ranges.at(range->index).min != Formula(0);
        bool alone = false;
        for (std::size_t d = 0; d < plain.size(); d++)
            alone = alone || (!plain[d] && bare_index(equation.left.at[d]) == range->index);
        if (!moved && !alone) continue;
        const bool by_others = !indices_in_order(range->begin).empty() || !indices_in_order(range->end).empty();
        if (by_others || (moved && lowering::is_value(equation, range->index))) return std::nullopt;
        parts.push_back(*range);
        std::erase(from_zero, range->index);
    }
    const auto moved = [&](const std::string& index) { return ranges.at(index).min != Formula(0); };
    return std::ranges::any_of(from_zero, moved) ? std::nullopt : std::optional(std::move(parts));
}

/// No range goes past its dim: `i in 0:min(P, M)` of P rows of M. Where nothing is summed a call may ask for more of them.
void end_inside(Equation& scatter, const Tensor& tensor, const std::vector<Formula>& extents,
                const std::map<std::string, IndexRange>& ranges) {
    for (Where& item : scatter.where) {
        auto& part = std::get<InRange>(item);
        const IndexRange& range = ranges.at(part.index);
        for (std::size_t d = 0; d < extents.size(); d++) {
            const Expr extent = lowering::extent_text(tensor, d);
            if (bare_index(scatter.left.at[d]) == part.index && range.min == Formula(0) && extent.defined() &&
                !is_nonnegative(extents[d] - range.extent))
                part.end = make_call(Function::min, {part.end, extent});
        }
    }
}

/// What must hold for an index to have points, and suffices: `X.1 > 0`. Nothing where no text says it.
std::optional<Expr> has_points(const Kernel& kernel, const Solution& solution, std::size_t e,
                               const std::string& index) {
    for (const InRange* range : ranges_of(kernel.equations[e])) {
        if (range->index != index) continue;
        if (!indices_in_order(range->begin).empty() || !indices_in_order(range->end).empty()) return std::nullopt;
        return make_binary(BinaryOp::lt, range->begin, range->end);
    }
    const Expr extent = lowering::extent_over(kernel, solution, e, index);
    return extent.defined() ? std::optional(make_binary(BinaryOp::gt, extent, Expr(0))) : std::nullopt;
}

/// Of places that data tell, those of sums without a point are not looked at, and need not lie inside: they are left out. False where no
/// condition on sizes says which those are.
bool leave_out_empty_sums(Equation& scatter, const Kernel& kernel, const Solution& solution, std::size_t e) {
    const Equation& equation = kernel.equations[e];
    if (std::ranges::all_of(equation.left.at, [](const Expr& place) { return has_formula(place); })) return true;
    for (const std::string& index : reduced_indices_of(equation)) {
        if (is_nonnegative(solution.indices[e].at(index).extent - Formula(1))) continue;
        auto some = has_points(kernel, solution, e, index);
        if (!some) return false;
        scatter.where.emplace_back(*std::move(some));
    }
    return true;
}

/// The two equations that stand for one; nothing where it scatters no reduction and chooses no element of a product, or may not be
/// taken apart.
std::optional<std::pair<Equation, Equation>> apart(const Kernel& kernel, const Solution& solution, int e,
                                                   const std::string& name) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(equation.left.tensor).type;
    if (equation.op == Op::assign || equation.left.at.empty() || reads_itself(equation) || compute_type(type) != type)
        return std::nullopt;
    const std::vector<bool> plain = pure_left_positions(kernel, solution, e);
    const bool scatters = std::any_of(plain.begin(), plain.end(), [](bool p) { return !p; });
    if (!scatters && !shares_operands(equation)) return std::nullopt;
    Names kept;
    for (const Expr& place : equation.left.at)
        for (const std::string& index : indices_in_order(place))
            if (!has(kept, index)) kept.push_back(index);
    const auto& ranges = solution.indices[static_cast<std::size_t>(e)];
    const auto parts = parts_of(equation, kept, plain, ranges);
    std::int64_t count = 1;
    for (const std::string& index : reduced_indices_of(equation))
        count *= std::clamp<std::int64_t>(ranges.at(index).extent.constant().value_or(few_terms), 1, few_terms);
    if (!parts || count < few_terms) return std::nullopt;

    Equation sum = equation, scatter = equation;
    for (const InRange& part : *parts) lowering::count_from_zero(sum, part.index, ranges.at(part.index));
    sum.left.tensor = name;
    sum.left.at.clear();
    for (const std::string& index : scatters && !kept.empty() ? sum_order(equation, kept) : kept)
        sum.left.at.push_back(lowering::index_of(index));
    Access read = sum.left;
    for (const InRange& part : *parts)
        for (Expr& place : read.at)
            if (bare_index(place) == part.index) {
                const auto first = ranges.at(part.index).min.constant();
                place = first ? lowering::moved_by(place, -*first) : make_binary(BinaryOp::sub, place, part.begin);
            }
    scatter.right = Expr(ExprNode{std::move(read)});
    scatter.where.assign(parts->begin(), parts->end());
    const std::string& tensor = equation.left.tensor;
    end_inside(scatter, kernel.tensor(tensor), solution.extents.at(tensor), ranges);
    if (!scatters) std::erase_if(sum.where, [](const Where& item) { return std::holds_alternative<Expr>(item); });
    for (const Expr* predicate : predicates_of(equation)) {
        std::vector<Expr> terms;
        add_terms(*predicate, terms);
        for (const Expr& term : terms) {
            const Names names = indices_in_order(term);
            const auto stays = std::count_if(names.begin(), names.end(), [&](auto& n) { return has(kept, n); });
            if (stays && stays < std::ssize(names)) return std::nullopt;  // it may be what keeps a place inside
            if (!stays && std::ranges::any_of(equation.left.at, depends_on_data)) return std::nullopt;  // likewise
            if (stays == std::ssize(names))
                scatter.where.push_back(term);
            else if (!scatters)
                sum.where.push_back(term);
        }
    }
    if (!scatters && scatter.where.empty()) return std::nullopt;
    if (!leave_out_empty_sums(scatter, kernel, solution, static_cast<std::size_t>(e))) return std::nullopt;
    return std::pair{std::move(sum), std::move(scatter)};
}

}  // namespace

std::optional<Kernel> summed(const Kernel& kernel, const Solution& solution) {
    return lowering::taken_apart(kernel, "_sum",
                                 [&](int e, const std::string& made) { return apart(kernel, solution, e, made); });
}

}  // namespace halogen
