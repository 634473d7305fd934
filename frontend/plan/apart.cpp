#include "frontend/plan/apart.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/order.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <bit>

namespace halogen::lowering {

std::optional<Kernel> taken(Kernel kernel) {
    auto checked = check(std::move(kernel));
    return checked ? std::optional(std::move(checked).value()) : std::nullopt;
}

Names indices_in(const Access& access) {
    Names names;
    for (const Expr& place : access.at) names.merge(indices_in(place));
    return names;
}

/// Outside of brackets.
static bool holds_value(const Expr& e, const std::string& index) {
    const auto in = [&](const Expr& part) { return holds_value(part, index); };
    if (const auto name = bare_index(e)) return *name == index;
    if (const auto* call = e.as<Call>()) return std::any_of(call->arguments.begin(), call->arguments.end(), in);
    if (const auto* cast = e.as<Cast>()) return in(*cast->value);
    if (const auto* unary = e.as<Unary>()) return in(*unary->value);
    const auto* binary = e.as<Binary>();
    return binary && (in(*binary->left) || in(*binary->right));
}

bool is_value(const Equation& equation, const std::string& index) {
    const std::vector<const Expr*> predicates = predicates_of(equation);
    return holds_value(equation.right, index) ||
           std::any_of(predicates.begin(), predicates.end(), [&](const Expr* p) { return holds_value(*p, index); });
}

std::optional<Multiple> multiple_in(const Expr& place) {
    const auto* product = place.as<Binary>();
    if (!product || product->op != BinaryOp::mul) return std::nullopt;
    const bool leads = product->left->as<IntegerLiteral>();
    const auto* step = (leads ? *product->left : *product->right).as<IntegerLiteral>();
    const auto index = bare_index(leads ? *product->right : *product->left);
    return step && index ? std::optional(Multiple{*index, step->value}) : std::nullopt;
}

bool is_short(const Formula& extent) { return extent.constant().value_or(5) <= 4; }

bool is_shuffled(std::int64_t step) { return step > 1 && std::has_single_bit(static_cast<std::uint64_t>(step)); }

std::vector<Expr> factors_of(const Expr& e) {
    const auto* product = e.as<Binary>();
    if (!product || product->op != BinaryOp::mul) return {e};
    std::vector<Expr> factors = factors_of(*product->left);
    for (const Expr& factor : factors_of(*product->right)) factors.push_back(factor);
    return factors;
}

Expr product_of(const std::vector<Expr>& factors) {
    Expr product;
    for (const Expr& factor : factors)
        product = product.defined() ? make_binary(BinaryOp::mul, product, factor) : factor;
    return product;
}

std::vector<const Access*> reads_in(const Expr& e) {
    std::vector<const Access*> reads;
    walk(e, [&](const Expr& node) {
        if (const auto* access = node.as<Access>()) reads.push_back(access);
    });
    return reads;
}

bool has_free_loops(const Equation& equation) {
    const auto is_plain = [](const Expr& place) { return bare_index(place).has_value(); };
    const auto is_free = [](const InRange* range) {
        return indices_in(range->begin).empty() && indices_in(range->end).empty();
    };
    return !reads_itself(equation) && predicates_of(equation).empty() &&
           std::ranges::all_of(equation.left.at, is_plain) && std::ranges::all_of(ranges_of(equation), is_free);
}

Expr index_of(const std::string& name) { return Expr(ExprNode{IndexRef{name}}); }

Expr moved_by(const Expr& place, std::int64_t steps) {
    if (steps == 0) return place;
    return make_binary(steps > 0 ? BinaryOp::add : BinaryOp::sub, place, Expr(steps > 0 ? steps : -steps));
}

void count_from_zero(Equation& equation, const std::string& index, const IndexRange& range) {
    if (range.min == Formula(0)) return;
    const auto first = range.min.constant(), count = range.extent.constant();
    for (Where& item : equation.where) {
        auto* own = std::get_if<InRange>(&item);
        if (!own || own->index != index) continue;
        const Expr begin = own->begin;
        own->end = first && count ? Expr(*count) : make_binary(BinaryOp::sub, own->end, begin);
        own->begin = Expr(std::int64_t{0});
        rewrite(equation, [&](const Expr& e) {
            if (bare_index(e) != index) return e;
            return first ? moved_by(e, *first) : make_binary(BinaryOp::add, e, begin);
        });
        return;
    }
}

int count_reads(const Kernel& kernel, const std::string& tensor) {
    int reads = 0;
    for (const Equation& equation : kernel.equations)
        each_read(equation, [&](const Access& read) { reads += read.tensor == tensor ? 1 : 0; });
    return reads;
}

std::optional<std::size_t> only_equation_of(const Kernel& kernel, const std::string& tensor) {
    std::optional<std::size_t> found;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        if (kernel.equations[e].left.tensor != tensor) continue;
        if (found) return std::nullopt;
        found = e;
    }
    return found;
}

bool writes_all(const Kernel& kernel, const Solution& solution, std::size_t e, std::optional<std::size_t> but) {
    const Equation& equation = kernel.equations[e];
    if (equation.op != Op::assign || !predicates_of(equation).empty()) return false;
    Names met;
    for (std::size_t d = 0; d < equation.left.at.size(); d++) {
        if (d == but) continue;
        const auto index = bare_index(equation.left.at[d]);
        if (!index || !met.insert(*index).second) return false;  // `J[m, m]` are few
        if (!solution.indices[e].at(*index).covers(solution.extents.at(equation.left.tensor)[d])) return false;
    }
    return true;
}

Expr extent_text(const Tensor& tensor, std::size_t dim) {
    if (tensor.dims && (*tensor.dims)[dim].extent.defined()) return (*tensor.dims)[dim].extent;
    return tensor.role == Role::input ? Expr(ExprNode{SizeRef{tensor.name + "." + std::to_string(dim)}}) : Expr();
}

Expr extent_over(const Kernel& kernel, const Solution& solution, std::size_t e, const std::string& index) {
    Expr extent;
    const IndexRange& range = solution.indices[e].at(index);
    each_read(kernel.equations[e], [&](const Access& read) {
        const Tensor& tensor = kernel.tensor(read.tensor);
        for (std::size_t d = 0; d < read.at.size(); d++)
            if (tensor.role == Role::input && bare_index(read.at[d]) == index &&
                range.covers(solution.extents.at(read.tensor)[d]))
                extent = extent_text(tensor, d);
    });
    return extent;
}

Dim& zero_padded(Kernel& kernel, const std::string& name, std::size_t dim) {
    Tensor& tensor = *std::ranges::find(kernel.tensors, name, &Tensor::name);
    if (!tensor.dims) tensor.dims.emplace(static_cast<std::size_t>(tensor.rank));
    tensor.boundary = {Boundary::Mode::constant, Expr(0)};
    return (*tensor.dims)[dim];
}

std::string add_intermediate(Kernel& kernel, const std::string& base, Type type, std::size_t rank) {
    Tensor made;
    made.name = free_name(kernel, base);
    made.type = type;
    made.role = Role::intermediate;
    made.rank = static_cast<int>(rank);
    kernel.tensors.push_back(made);
    return made.name;
}

const Access* largest_read(const Expr& part, const Names& names) {
    const Access* largest = nullptr;
    for (const Access* read : reads_in(part)) {
        Names own;
        for (const Expr& place : read->at) {
            const auto* index = place.as<IndexRef>();
            if (!index) return nullptr;
            own.insert(index->name);
        }
        if (!largest && own == names && own.size() == read->at.size()) largest = read;
    }
    return largest;
}

std::optional<Equation> value_of(const Kernel& kernel, const Solution& solution, int e, const Expr& part,
                                 const std::string& name) {
    Equation value = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(value.left.tensor).type;
    const Names names = indices_in(part);
    const Access* largest = largest_read(part, names);
    if (!largest || compute_type(type) != type) return std::nullopt;
    value.op = Op::assign;
    value.left = {name, largest->at};
    value.right = part;
    value.where.clear();
    for (const std::string& index : names)
        if (solution.indices[static_cast<std::size_t>(e)].at(index).min != Formula(0)) return std::nullopt;
    for (const InRange* range : ranges_of(kernel.equations[static_cast<std::size_t>(e)])) {
        if (!names.count(range->index)) continue;
        if (!indices_in(range->begin).empty() || !indices_in(range->end).empty()) return std::nullopt;
        value.where.emplace_back(*range);
    }
    return value;
}

std::optional<Kernel> taken_apart(const Kernel& kernel, const std::string& suffix, const Apart& apart) {
    Kernel result = kernel;
    std::size_t at = 0;
    for (std::size_t e = 0; e < kernel.equations.size(); e++, at++) {
        const std::string& tensor = kernel.equations[e].left.tensor;
        const std::string name = free_name(result, tensor + suffix);
        auto two = apart(static_cast<int>(e), name);
        if (!two) continue;
        add_intermediate(result, name, kernel.tensor(tensor).type, two->first.left.at.size());
        for (Equation* equation : {&two->first, &two->second}) equation->text = print(*equation);
        result.equations[at] = std::move(two->second);
        result.equations.insert(result.equations.begin() + static_cast<std::ptrdiff_t>(at), std::move(two->first));
        at++;
    }
    if (result.equations.size() == kernel.equations.size()) return std::nullopt;
    return taken(std::move(result));
}

}  // namespace halogen::lowering
