#include "frontend/plan/pairwise.h"

#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::indices_in;
using lowering::Names;
using lowering::product_of;

/// Factors that are summed along an index that no others have.
struct Pair {
    std::vector<Expr> inside, outside;
    Names known;    // indices of the factors inside
    double steps;   // of both sums
    bool has_rows;  // the last index of the result is one of them: rows of the sum lie as those of the result do
};

class Product {
public:
    Product(const Kernel& kernel, const Solution& solution, int e)
        : kernel_(kernel),
          equation_(kernel.equations[static_cast<std::size_t>(e)]),
          ranges_(solution.indices[static_cast<std::size_t>(e)]),
          solution_(solution),
          indices_(indices_of(equation_)),
          reduced_(reduced_indices_of(equation_)),
          factors_(lowering::factors_of(equation_.right)) {}

    /// The factors to begin with.
    std::optional<Pair> find() const {
        std::optional<Pair> best;
        for (const std::string& index : reduced_) {
            auto pair = along(index);
            if (!pair || 2 * pair->steps > steps(indices_)) continue;
            const bool better =
                !best || pair->steps < best->steps || (pair->steps == best->steps && pair->has_rows && !best->has_rows);
            if (better) best = std::move(pair);
        }
        return best;
    }

    /// The sum of the factors inside, and that of all.
    std::pair<Equation, Equation> apart(const Pair& pair, const std::string& name) const {
        Equation sum = equation_, all = equation_;
        sum.left.tensor = name;
        sum.left.at.clear();
        for (const std::string& index : kept(pair)) sum.left.at.push_back(lowering::index_of(index));
        sum.right = product_of(pair.inside);
        std::vector<Expr> factors = pair.outside;
        factors.insert(factors.begin(), Expr(ExprNode{Access{sum.left}}));
        all.right = product_of(factors);
        const auto keep = [](Equation& equation) {
            Names names = indices_in(equation.right);
            names.merge(indices_in(equation.left));
            std::erase_if(equation.where,
                          [&](const Where& item) { return !names.count(std::get<InRange>(item).index); });
        };
        keep(sum);
        keep(all);
        for (const std::string& index : indices_)
            if (pair.known.count(index) && !runs_over_a_dim(index, pair.inside))
                sum.where.emplace_back(InRange{index, Expr(0), *end_of(index)});
        return {std::move(sum), std::move(all)};
    }

private:
    bool is_reduced(const std::string& index) const { return std::ranges::find(reduced_, index) != reduced_.end(); }

    double steps(const std::vector<std::string>& loops) const {
        constexpr double unknown = 64;
        double product = 1;
        for (const std::string& loop : loops) {
            const auto extent = ranges_.at(loop).extent.constant();
            product *= extent ? static_cast<double>(*extent) : unknown;
        }
        return product;
    }

    /// Indices of the factors inside that something else has too: the result's, its last one at the end, behind the reduced ones.
    std::vector<std::string> kept(const Pair& pair) const {
        Names others;
        for (const Expr& factor : pair.outside) others.merge(indices_in(factor));
        std::vector<std::string> kept, last;
        for (const std::string& index : indices_) {
            if (!pair.known.count(index) || (is_reduced(index) && !others.count(index))) continue;
            (!is_reduced(index) && bare_index(equation_.left.at.back()) == index ? last : kept).push_back(index);
        }
        kept.insert(kept.end(), last.begin(), last.end());
        return kept;
    }

    /// The index runs from 0 over just a dim of what some factor reads: the sum has the same range of it.
    bool runs_over_a_dim(const std::string& index, const std::vector<Expr>& factors) const {
        if (ranges_.at(index).min != Formula(0)) return false;
        return std::ranges::any_of(factors, [&](const Expr& factor) {
            return std::ranges::any_of(lowering::reads_in(factor), [&](const Access* read) {
                const std::vector<Formula>& extents = solution_.extents.at(read->tensor);
                for (std::size_t d = 0; d < read->at.size(); d++)
                    if (bare_index(read->at[d]) == index && extents[d] == ranges_.at(index).extent) return true;
                return false;
            });
        });
    }

    /// Where the index of a dim of the result ends, which a sum of windows has to be told.
    std::optional<Expr> end_of(const std::string& index) const {
        const Tensor& result = kernel_.tensor(equation_.left.tensor);
        const auto tells = [&](const Where& item) { return std::get<InRange>(item).index == index; };
        if (ranges_.at(index).min != Formula(0) || std::ranges::any_of(equation_.where, tells)) return std::nullopt;
        for (std::size_t d = 0; d < equation_.left.at.size(); d++) {
            if (bare_index(equation_.left.at[d]) != index) continue;
            Expr end = lowering::extent_text(result, d);
            if (end.defined() && solution_.extents.at(result.name)[d] == ranges_.at(index).extent) return end;
        }
        return std::nullopt;
    }

    std::optional<Pair> along(const std::string& index) const {
        Pair pair{};
        for (const Expr& factor : factors_) {
            const bool has = indices_in(factor).count(index) > 0;
            (has ? pair.inside : pair.outside).push_back(factor);
            if (has) pair.known.merge(indices_in(factor));
        }
        if (pair.outside.empty()) return std::nullopt;
        if (!std::ranges::all_of(pair.known,
                                 [&](const auto& one) { return runs_over_a_dim(one, pair.inside) || end_of(one); }))
            return std::nullopt;
        std::vector<std::string> all = kept(pair);
        for (const std::string& other : indices_)
            if (!pair.known.count(other)) all.push_back(other);
        pair.steps = steps({pair.known.begin(), pair.known.end()}) + steps(all);
        pair.has_rows = pair.known.count(*bare_index(equation_.left.at.back())) > 0;
        return pair;
    }

    const Kernel& kernel_;
    const Equation& equation_;
    const std::map<std::string, IndexRange>& ranges_;
    const Solution& solution_;
    const std::vector<std::string> indices_, reduced_;
    const std::vector<Expr> factors_;
};

/// The two equations; nothing where one sum is as good.
std::optional<std::pair<Equation, Equation>> apart(const Kernel& kernel, const Solution& solution, int e,
                                                   const std::string& name) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(equation.left.tensor).type;
    if (equation.op != Op::add || !is_float(type) || compute_type(type) != type || equation.left.at.empty() ||
        !lowering::has_free_loops(equation))
        return std::nullopt;
    Names moving = indices_in(equation.right);
    moving.merge(indices_in(equation.left));
    if (moving.size() != indices_of(equation).size()) return std::nullopt;  // one that only counts
    const Product product(kernel, solution, e);
    const auto pair = product.find();
    return pair ? std::optional(product.apart(*pair, name)) : std::nullopt;
}

}  // namespace

std::optional<Kernel> pairwise(const Kernel& kernel, const Solution& solution) {
    return lowering::taken_apart(kernel, "_pair",
                                 [&](int e, const std::string& made) { return apart(kernel, solution, e, made); });
}

}  // namespace halogen
