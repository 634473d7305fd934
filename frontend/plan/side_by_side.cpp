#include "frontend/plan/side_by_side.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::Names;

constexpr std::size_t most = 4;  // reductions side by side: their partial results stay in registers

class Reductions {
public:
    Reductions(const Kernel& kernel, const Solution& solution) : kernel_(kernel), solution_(solution) {}

    /// Equations that can be made in the place of the first one, which is `first`, if there are others.
    std::vector<std::size_t> with(std::size_t first) const {
        std::vector<std::size_t> group{first};
        if (!fits(first)) return group;
        for (std::size_t e = first + 1; e < kernel_.equations.size() && group.size() < most; e++) {
            const auto shares = [&](std::size_t other) { return share_rows(other, e); };
            if (fits(e) && is_alike(first, e) && std::ranges::any_of(group, shares) && is_ready(e, first))
                group.push_back(e);
        }
        return group;
    }

private:
    const Equation& at(std::size_t e) const { return kernel_.equations[e]; }

    /// A reduction of numbers that alone makes a tensor, at plain indices and without conditions.
    bool fits(std::size_t e) const {
        const Equation& equation = at(e);
        const Type type = kernel_.tensor(equation.left.tensor).type;
        return equation.op != Op::assign && lowering::only_equation_of(kernel_, equation.left.tensor) == e &&
               !reduced_indices_of(equation).empty() && predicates_of(equation).empty() && type != Type::boolean &&
               compute_type(type) == type && !reads_itself(equation) &&
               std::ranges::all_of(equation.left.at, [](const Expr& place) { return bare_index(place).has_value(); });
    }

    /// Both read the same element of rows along which they reduce, at all of their indices.
    bool share_rows(std::size_t a, std::size_t b) const {
        Names all;
        for (const std::string& index : indices_of(at(a))) all.insert(index);
        const std::vector<std::string> reduced = reduced_indices_of(at(a));
        return std::ranges::any_of(lowering::reads_in(at(a).right), [&](const Access* read) {
            const auto along = read->at.empty() ? std::nullopt : bare_index(read->at.back());
            return along && lowering::indices_in(*read) == all && std::ranges::count(reduced, *along) > 0 &&
                   std::ranges::any_of(lowering::reads_in(at(b).right), [&](const Access* other) {
                       return other->tensor == read->tensor && other->at == read->at;
                   });
        });
    }

    /// They run over the same points and make numbers of one type.
    bool is_alike(std::size_t a, std::size_t b) const {
        const auto same_ranges = [&] {
            const auto &one = solution_.indices[a], &other = solution_.indices[b];
            return std::ranges::equal(one, other, [](const auto& x, const auto& y) {
                return x.first == y.first && x.second.min == y.second.min && x.second.extent == y.second.extent;
            });
        };
        return at(a).op == at(b).op && at(a).left.at == at(b).left.at && same_ranges() &&
               kernel_.tensor(at(a).left.tensor).type == kernel_.tensor(at(b).left.tensor).type;
    }

    /// All that it reads is there before equation `first`.
    bool is_ready(std::size_t e, std::size_t first) const {
        return std::ranges::all_of(lowering::reads_in(at(e).right), [&](const Access* read) {
            return std::none_of(kernel_.equations.begin() + static_cast<std::ptrdiff_t>(first), kernel_.equations.end(),
                                [&](const Equation& other) { return other.left.tensor == read->tensor; });
        });
    }

    const Kernel& kernel_;
    const Solution& solution_;
};

/// One reduction for all of the group, and then what each of them made.
std::vector<Equation> together(Kernel& kernel, const std::vector<std::size_t>& group) {
    const Equation first = kernel.equations[group.front()];
    std::string part = "part";
    while (std::ranges::count(indices_of(first), part) > 0) part += "_";
    const Expr index = lowering::index_of(part);
    const auto number = [&](std::size_t i) { return Expr(static_cast<std::int64_t>(i)); };
    Equation all = first;
    all.left.tensor = lowering::add_intermediate(kernel, first.left.tensor + "_both",
                                                 kernel.tensor(first.left.tensor).type, first.left.at.size() + 1);
    all.left.at.push_back(index);
    all.where.emplace_back(InRange{part, Expr(0), number(group.size())});
    all.right = kernel.equations[group.back()].right;
    for (std::size_t i = group.size() - 1; i-- > 0;)
        all.right = make_call(Function::select, {make_binary(BinaryOp::eq, index, number(i)),
                                                 kernel.equations[group[i]].right, all.right});
    const std::vector<std::string> reduced = reduced_indices_of(first);
    std::vector<Equation> made{all};
    for (std::size_t i = 0; i < group.size(); i++) {
        Equation own = kernel.equations[group[i]];
        Access read{all.left.tensor, own.left.at, {}};
        read.at.push_back(number(i));
        own.op = Op::assign;
        own.right = Expr(ExprNode{read});
        std::erase_if(own.where, [&](const Where& item) {
            return std::ranges::count(reduced, std::get<InRange>(item).index) > 0;
        });
        made.push_back(std::move(own));
    }
    for (Equation& equation : made) equation.text = print(equation);
    return made;
}

}  // namespace

std::optional<Kernel> side_by_side(const Kernel& kernel, const Solution& solution) {
    const Reductions reductions(kernel, solution);
    Kernel result = kernel;
    std::vector<Equation> equations;
    std::vector<std::size_t> done;
    for (std::size_t e = 0; e < kernel.equations.size(); e++) {
        if (std::ranges::count(done, e) > 0) continue;
        const std::vector<std::size_t> group = reductions.with(e);
        if (group.size() == 1) {
            equations.push_back(kernel.equations[e]);
            continue;
        }
        std::vector<Equation> made = together(result, group);
        std::ranges::move(made, std::back_inserter(equations));
        done.insert(done.end(), group.begin(), group.end());
    }
    if (done.empty()) return std::nullopt;
    result.equations = std::move(equations);
    return lowering::taken(std::move(result));
}

}  // namespace halogen
