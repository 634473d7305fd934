// The class of an equation, from its accesses alone.

#include "schedules/recipes/access.h"

#include "frontend/notation/parts.h"
#include "schedules/recipes/recipe.h"

#include <algorithm>

namespace halogen {

namespace {

bool moves_with_data(const Kernel& kernel, int e) {
    const Equation& equation = kernel.equations[e];
    bool data = false;
    const auto look = [&](const Expr& place) { walk(place, [&](const Expr& x) { data = data || x.as<Access>(); }); };
    for (const Expr& at : equation.left.at) look(at);
    each_read(equation, [&](const Access& read) {
        for (const Expr& at : read.at) look(at);
    });
    return data;
}

bool trails_itself(const Equation& equation) {
    bool trails = false;
    each_self_read(equation, [&](const Access& read) { trails = trails || read.at != equation.left.at; });
    return trails;
}

/// A place that more than one loop moves: a window that slides.
bool slides(const Read& read) {
    return std::any_of(read.at.begin(), read.at.end(),
                       [](const LinearPlace& place) { return place.coefficients.size() > 1; });
}

/// A product of reads that each leave out a loop of the result the other one has.
bool is_product(const Equation& equation, const std::vector<Read>& reads) {
    if (equation.op != Op::add || !equation.right.as<Binary>() || equation.right.as<Binary>()->op != BinaryOp::mul)
        return false;
    for (const Expr& at : equation.left.at) {
        auto* index = at.as<IndexRef>();
        if (!index) continue;
        const auto with =
            std::count_if(reads.begin(), reads.end(), [&](const Read& r) { return r.moves_with(index->name); });
        if (with > 0 && with < static_cast<long>(reads.size())) return true;
    }
    return false;
}

EquationClass class_of_map(const Equation& equation, const std::vector<Read>& reads) {
    const bool copy =
        equation.right.as<Access>() || (equation.right.as<Cast>() && equation.right.as<Cast>()->value->as<Access>());
    if (copy && !(equation.right.as<Access>() && equation.right.as<Access>()->at == equation.left.at))
        return EquationClass::layout_change;
    for (size_t a = 0; a < reads.size(); a++)
        for (size_t b = 0; b < a; b++)
            if (reads[a].tensor == reads[b].tensor) return EquationClass::stencil;
    return EquationClass::map;
}

}  // namespace

EquationClass classify(const Kernel& kernel, const Solution& solution, int e) {
    const Equation& equation = kernel.equations[e];
    if (moves_with_data(kernel, e)) return EquationClass::gather_scatter;
    if (trails_itself(equation)) return EquationClass::scan;
    const std::vector<Read> reads = reads_of(kernel, solution, e);
    const bool plain_left =
        std::all_of(equation.left.at.begin(), equation.left.at.end(), [](const Expr& at) { return at.as<IndexRef>(); });
    if (reduced_indices_of(equation).empty())
        return plain_left ? class_of_map(equation, reads) : EquationClass::layout_change;
    if (!plain_left) return EquationClass::other;
    const bool window = std::any_of(reads.begin(), reads.end(), slides);
    if (is_product(equation, reads)) return window ? EquationClass::convolution : EquationClass::contraction;
    return window ? EquationClass::stencil : EquationClass::reduction;
}

}  // namespace halogen
