#include "frontend/plan/separated.h"

#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

namespace {

using lowering::indices_in;
using lowering::Names;
using lowering::product_of;

/// Windows of known extents up to this are read once for several results: 3x3 of f32.
constexpr std::int64_t small = 3;

/// A result's index and the reduced one that slides beside it: y and i of `X[y + 2*i]`.
struct Slide {
    std::string result, reduced;
    Formula apart = 0;  // 2
};

/// How far a place moves with an index, where the place is linear in it.
std::optional<Formula> motion(const Formula& place, const std::string& index) {
    const Formula step = place.substitute({{index, Formula::symbol(index) + 1}}) - place;
    return step.symbols().count(index) ? std::nullopt : std::optional(step);
}

class Windows {
public:
    Windows(const Kernel& kernel, const Solution& solution, int e)
        : kernel_(kernel),
          equation_(kernel.equations[static_cast<std::size_t>(e)]),
          ranges_(solution.indices[static_cast<std::size_t>(e)]),
          solution_(solution),
          reduced_(reduced_indices_of(equation_)),
          factors_(equation_.op == Op::add ? lowering::factors_of(equation_.right) : std::vector{equation_.right}) {}

    /// The slide along the first dim of the result that has one.
    std::optional<Slide> find() const {
        for (const Expr& place : equation_.left.at)
            for (const std::string& reduced : reduced_) {
                const auto slide = slide_of(*bare_index(place), reduced);
                if (slide && is_worth_it(*slide)) return slide;
            }
        return std::nullopt;
    }

    /// Rows, and the windows that are made of them.
    std::pair<Equation, Equation> apart(const Slide& slide, const std::string& name) const {
        std::vector<Expr> inner, outer;
        for (const Expr& factor : factors_) (belongs_inside(factor, slide) ? inner : outer).push_back(factor);
        Equation rows = equation_, windows = equation_;
        rows.left.tensor = name;
        std::erase_if(rows.left.at, [&](const Expr& place) {
            return std::none_of(inner.begin(), inner.end(),
                                [&](const Expr& factor) { return indices_in(factor).count(*bare_index(place)) > 0; });
        });
        rows.right = rewrite(product_of(inner), [&](const Expr& node) { return without(node, slide.reduced); });
        Access read = rows.left;
        const Expr moved = lowering::index_of(slide.reduced);
        for (Expr& place : read.at)
            if (bare_index(place) == slide.result) place = make_binary(BinaryOp::add, place, steps(slide, moved));
        outer.insert(outer.begin(), Expr(ExprNode{read}));
        windows.right = product_of(outer);
        const auto keep = [](Equation& equation, const auto& wanted) {
            std::erase_if(equation.where, [&](const Where& item) { return !wanted(std::get<InRange>(item).index); });
        };
        const auto stands_in_rows = [&](const std::string& index) {
            return is_reduced(index) || std::any_of(rows.left.at.begin(), rows.left.at.end(),
                                                    [&](const Expr& place) { return bare_index(place) == index; });
        };
        keep(rows, [&](const std::string& index) {
            return index != slide.reduced && index != slide.result && stands_in_rows(index);
        });
        keep(windows, [&](const std::string& index) { return index == slide.reduced || !is_reduced(index); });
        return {std::move(rows), std::move(windows)};
    }

private:
    bool is_reduced(const std::string& index) const {
        return std::find(reduced_.begin(), reduced_.end(), index) != reduced_.end();
    }

    bool belongs_inside(const Expr& factor, const Slide& slide) const {
        const Names names = indices_in(factor);
        if (names.count(slide.result) && names.count(slide.reduced)) return true;
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return name != slide.reduced && is_reduced(name); });
    }

    /// How far apart the places of a factor lie along the window, all of them alike; nothing where some move otherwise.
    std::optional<Formula> distance_in(const Expr& factor, const std::string& result,
                                       const std::string& reduced) const {
        std::optional<Formula> distance;
        for (const Access* read : lowering::reads_in(factor))
            for (const Expr& place : read->at) {
                const Names names = indices_in(place);
                if (!names.count(result) && !names.count(reduced)) continue;
                const auto formula = solved_formula(place, solution_);
                const auto step = formula ? motion(*formula, result) : std::nullopt;
                const auto apart = formula ? motion(*formula, reduced) : std::nullopt;
                if (step != Formula(1) || !apart || distance.value_or(*apart) != *apart) return std::nullopt;
                distance = apart;
            }
        return distance;
    }

    std::optional<Slide> slide_of(const std::string& result, const std::string& reduced) const {
        std::optional<Formula> distance;
        if (lowering::is_value(equation_, result) || lowering::is_value(equation_, reduced)) return std::nullopt;
        for (const Expr& factor : factors_) {
            const Names names = indices_in(factor);
            if (names.count(result) && names.count(reduced)) {
                const auto own = distance_in(factor, result, reduced);
                if (!own || distance.value_or(*own) != *own) return std::nullopt;
                distance = own;
            } else if (names.count(result) || names.count(reduced)) {
                // A weight of the window's row or of the result's: no other reduced index may stand beside it.
                for (const std::string& name : names)
                    if (is_reduced(name) && name != reduced) return std::nullopt;
            }
        }
        if (!distance || (distance->constant().value_or(0) <= 0 && !parameter(*distance))) return std::nullopt;
        return Slide{result, reduced, *distance};
    }

    /// The window is no small one.
    bool is_worth_it(const Slide& slide) const {
        return ranges_.at(slide.result).min == Formula(0) && ranges_.at(slide.reduced).min == Formula(0) &&
               std::any_of(reduced_.begin(), reduced_.end(), [&](const std::string& index) {
                   return ranges_.at(index).extent.constant().value_or(small + 1) > small;
               });
    }

    /// The size parameter that a formula is.
    std::optional<std::string> parameter(const Formula& f) const {
        const auto name = f.as_symbol();
        return name && kernel_.find_size(*name) ? name : std::nullopt;
    }

    /// `2*i` of i.
    Expr steps(const Slide& slide, const Expr& index) const {
        const auto number = slide.apart.constant();
        if (number == 1) return index;
        const Expr by = number ? Expr(*number) : Expr(ExprNode{SizeRef{*parameter(slide.apart)}});
        return make_binary(BinaryOp::mul, by, index);
    }

    /// A node of a place whose index `gone` is 0: `y + i - R` is `y - R`.
    static Expr without(const Expr& node, const std::string& gone) {
        const auto is_zero = [](const Expr& e) {
            const auto* number = e.as<IntegerLiteral>();
            return number && number->value == 0;
        };
        if (bare_index(node) == gone) return Expr(0);
        const auto* two = node.as<Binary>();
        if (!two) return node;
        if (two->op == BinaryOp::mul && (is_zero(*two->left) || is_zero(*two->right))) return Expr(0);
        if ((two->op == BinaryOp::add || two->op == BinaryOp::sub) && is_zero(*two->right)) return *two->left;
        const auto* inner = two->op == BinaryOp::add ? two->right->as<Binary>() : nullptr;
        if (inner && inner->op == BinaryOp::sub && is_zero(*inner->left))
            return make_binary(BinaryOp::sub, *two->left, *inner->right);
        return two->op == BinaryOp::add && is_zero(*two->left) ? *two->right : node;
    }

    const Kernel& kernel_;
    const Equation& equation_;
    const std::map<std::string, IndexRange>& ranges_;
    const Solution& solution_;
    const std::vector<std::string> reduced_;
    const std::vector<Expr> factors_;
};

/// The two equations; nothing where there are no such windows.
std::optional<std::pair<Equation, Equation>> apart(const Kernel& kernel, const Solution& solution, int e,
                                                   const std::string& name) {
    const Equation& equation = kernel.equations[static_cast<std::size_t>(e)];
    const Type type = kernel.tensor(equation.left.tensor).type;
    const bool reduces = equation.op == Op::add || equation.op == Op::max || equation.op == Op::min;
    if (!reduces || reduced_indices_of(equation).size() < 2 || compute_type(type) != type || type == Type::boolean ||
        !lowering::has_free_loops(equation))
        return std::nullopt;
    const Windows windows(kernel, solution, e);
    const auto slide = windows.find();
    return slide ? std::optional(windows.apart(*slide, name)) : std::nullopt;
}

}  // namespace

std::optional<Kernel> separated(const Kernel& kernel, const Solution& solution) {
    Kernel counted = kernel;
    Solution from_zero = solution;
    for (std::size_t e = 0; e < counted.equations.size(); e++)
        for (const std::string& index : reduced_indices_of(kernel.equations[e])) {
            IndexRange& range = from_zero.indices[e].at(index);
            if (range.min.constant().value_or(0) == 0 || lowering::is_value(kernel.equations[e], index)) continue;
            lowering::count_from_zero(counted.equations[e], index, range);
            counted.equations[e].text = print(counted.equations[e]);
            range.min = 0;
        }
    return lowering::taken_apart(counted, "_rows",
                                 [&](int e, const std::string& made) { return apart(counted, from_zero, e, made); });
}

}  // namespace halogen
