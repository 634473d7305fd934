#include "frontend/plan/written_out.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/plan/order.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

/// How many terms are written out at most: windows of one read, and of two, where a filter's elements or colours stand; of those along
/// the last dim, which lie beside each other in memory, four are still read by whole vectors.
constexpr std::int64_t most_of_one = 25, most_of_two = 9, most_in_last = 4;

/// What it steps by are numbers: not T of `X[T*y + r]`.
bool steps_by_numbers(const Access& read) {
    bool by_size = false;
    const auto look_for_size = [&](const Expr& part) { by_size = by_size || part.as<SizeRef>(); };
    for (const Expr& place : read.at)
        walk(place, [&](const Expr& part) {
            if (const auto* binary = part.as<Binary>(); binary && binary->op == BinaryOp::mul)
                walk(part, look_for_size);
        });
    return !by_size;
}

/// How many terms the reduction has, where that is a number of at most `most_of_one`.
std::optional<std::int64_t> terms_in(const Equation& equation, const std::map<std::string, IndexRange>& ranges) {
    std::int64_t terms = 1;
    for (const std::string& index : reduced_indices_of(equation)) {
        const auto first = ranges.at(index).min.constant(), count = ranges.at(index).extent.constant();
        if (!first || !count || *count < 1 || *count > most_of_one) return std::nullopt;
        terms *= *count;
        if (terms > most_of_one) return std::nullopt;
    }
    return terms;
}

/// The extents of the reduced indices are numbers, and make few enough terms for what each reads. What only they move along, the weights
/// of a filter, is the same for all results, however it lies; T of `V[T[n, k], c]` is a place, and no factor.
bool are_few(const Equation& equation, const std::map<std::string, IndexRange>& ranges) {
    const auto terms = terms_in(equation, ranges);
    int reads = 0;
    bool by_numbers = true;
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    std::set<std::string> in_last;
    std::set<const Access*> places;
    each_read(equation, [&](const Access& read) {
        for (const Expr& place : read.at)
            walk(place, [&](const Expr& part) {
                if (const auto* inner = part.as<Access>()) places.insert(inner);
            });
        if (!places.count(&read)) reads++;
        by_numbers = by_numbers && steps_by_numbers(read);
        const lowering::Names moving = lowering::indices_in(read);
        const bool shared = std::all_of(moving.begin(), moving.end(), [&](const std::string& index) {
            return std::find(reduced.begin(), reduced.end(), index) != reduced.end();
        });
        if (!shared) in_last.merge(lowering::indices_in(read.at.back()));
    });
    std::int64_t last = 1;
    if (terms)
        for (const std::string& index : reduced)
            if (in_last.count(index)) last *= *ranges.at(index).extent.constant();
    return terms && by_numbers && (reads == 1 || (reads == 2 && *terms <= most_of_two && last <= most_in_last));
}

/// Sums along rows of up to four elements, each read once: c of `Y[y, x] += X[y, x, c]*w[c]`. Not of products of matrices, where rows are
/// read again: k of `C[i, j] += A[i, k]*B[j, k]`.
bool sums_short_rows(const Equation& equation, const std::map<std::string, IndexRange>& ranges) {
    const auto terms = terms_in(equation, ranges);
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    const auto along = equation.left.at.empty() ? std::nullopt : bare_index(equation.left.at.back());
    if (!terms || *terms > most_in_last || reduced.size() != 1 || !along) return false;
    bool rows = false, other = false;
    each_read(equation, [&](const Access& read) {
        const lowering::Names moving = lowering::indices_in(read);
        if (!moving.count(reduced.front())) return;
        const auto by_it = std::count_if(read.at.begin(), read.at.end(), [&](const Expr& place) {
            return lowering::indices_in(place).count(reduced.front()) > 0;
        });
        const bool last = by_it == 1 && bare_index(read.at.back()) == reduced.front();
        rows = rows || moving.count(*along);
        other = other || !last || (moving.size() > 1 && !moving.count(*along));
    });
    return rows && !other;
}

/// Another reduction reads each element of the tensor once, and nothing else does: D of `Y[n] min= D[n, k]`.
bool is_reduced_next(const Kernel& kernel, int e) {
    const std::string& tensor = kernel.equations[static_cast<std::size_t>(e)].left.tensor;
    if (kernel.tensor(tensor).role == Role::output) return false;
    int reads = 0;
    bool reduced = false;
    for (int other = 0; other < static_cast<int>(kernel.equations.size()); other++) {
        const Equation& equation = kernel.equations[static_cast<std::size_t>(other)];
        if (other != e && equation.left.tensor == tensor) return false;
        each_read(equation, [&](const Access& read) {
            if (read.tensor != tensor) return;
            reads++;
            const std::vector<std::string> loops = indices_of(equation);
            reduced = !reduced_indices_of(equation).empty() && loops.size() == read.at.size() &&
                      std::all_of(loops.begin(), loops.end(), [&](const std::string& loop) {
                          return std::any_of(read.at.begin(), read.at.end(),
                                             [&](const Expr& place) { return bare_index(place) == loop; });
                      });
        });
    }
    return reads == 1 && reduced;
}

/// Sums of up to four terms that are reduced at once: distances of points in space. Stored, they would be a product of matrices.
bool sums_for_the_next(const Kernel& kernel, const std::map<std::string, IndexRange>& ranges, int e) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const auto terms = terms_in(equation, ranges);
    bool by_numbers = true;
    each_read(equation, [&](const Access& read) { by_numbers = by_numbers && steps_by_numbers(read); });
    return terms && *terms <= most_in_last && by_numbers && is_reduced_next(kernel, e);
}

Expr combined(Op op, const Expr& a, const Expr& b) {
    switch (op) {
    case Op::add: return make_binary(BinaryOp::add, a, b);
    case Op::mul: return make_binary(BinaryOp::mul, a, b);
    case Op::max: return make_call(Function::max, {a, b});
    default: return make_call(Function::min, {a, b});
    }
}

/// The equation is the first of its tensor.
bool is_first(const Kernel& kernel, int e) {
    const std::string& tensor = kernel.equations[static_cast<std::size_t>(e)].left.tensor;
    return std::none_of(kernel.equations.begin(), kernel.equations.begin() + e,
                        [&](const Equation& other) { return other.left.tensor == tensor; });
}

/// The equation with its terms; `may_be_written_out` holds.
Equation in_terms(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(equation.left.tensor).type;
    const bool converts = types_in(kernel, equation, equation.right, type).own != type;
    const std::vector<std::string> reduced = reduced_indices_of(equation);
    Equation all = equation;
    if (is_first(kernel, e)) all.op = Op::assign;
    all.right = in_terms(equation.op, converts ? make_cast(type, equation.right) : equation.right, reduced,
                         solution.indices[static_cast<std::size_t>(e)]);
    std::erase_if(all.where, [&](const Where& item) {
        const auto* range = std::get_if<InRange>(&item);
        return range && std::find(reduced.begin(), reduced.end(), range->index) != reduced.end();
    });
    all.text = print(all);
    return all;
}

}  // namespace

Expr in_terms(Op op, const Expr& term, const std::vector<std::string>& reduced,
              const std::map<std::string, IndexRange>& ranges) {
    std::vector<Expr> terms{term};
    for (const std::string& index : reduced) {
        const std::int64_t first = *ranges.at(index).min.constant(), count = *ranges.at(index).extent.constant();
        std::vector<Expr> more;
        for (const Expr& before : terms)
            for (std::int64_t i = first; i < first + count; i++)
                more.push_back(rewrite(before, [&](const Expr& e) {
                    const auto* name = e.as<IndexRef>();
                    return name && name->name == index ? Expr(i) : e;
                }));
        terms = std::move(more);
    }
    Expr all;
    for (const Expr& one : terms) all = all.defined() ? combined(op, all, one) : one;
    return all;
}

bool may_be_written_out(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(equation.left.tensor).type;
    const bool takes =
        equation.op == Op::add || equation.op == Op::mul || equation.op == Op::max || equation.op == Op::min;
    if (!takes || compute_type(type) != type || type == Type::boolean || reads_itself(equation) ||
        reduced_indices_of(equation).empty() || !predicates_of(equation).empty())
        return false;
    const std::vector<bool> whole = pure_left_positions(kernel, solution, e);
    return std::all_of(whole.begin(), whole.end(), [](bool pure) { return pure; });
}

bool can_be_written_out(const Kernel& kernel, const Solution& solution, int e) {
    return may_be_written_out(kernel, solution, e) &&
           are_few(kernel.equations[static_cast<std::size_t>(e)], solution.indices[static_cast<std::size_t>(e)]);
}

std::optional<Kernel> written_out(const Kernel& kernel, const Solution& solution) {
    const auto is_narrow = [&](const std::string& tensor) {
        const std::vector<Formula>& extents = solution.extents.at(tensor);
        return extents.size() > 1 && lowering::is_short(extents.back());
    };
    Kernel result = kernel;
    bool any = false;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++) {
        Equation& equation = result.equations[static_cast<std::size_t>(e)];
        const auto& ranges = solution.indices[static_cast<std::size_t>(e)];
        const bool few = (is_narrow(equation.left.tensor) && are_few(equation, ranges)) ||
                         sums_short_rows(equation, ranges) || sums_for_the_next(kernel, ranges, e);
        if (!few || !may_be_written_out(kernel, solution, e)) continue;
        equation = in_terms(kernel, solution, e);
        any = true;
    }
    if (!any) return std::nullopt;
    return lowering::taken(std::move(result));
}

}  // namespace halogen
