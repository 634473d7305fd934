#include "frontend/shapes/equation.h"

#include "frontend/shapes/refusal.h"
#include "frontend/solve/solve.h"

#include <algorithm>
#include <stdexcept>

namespace halogen::shapes {

namespace {

std::vector<SolvedKernel::Tied> tied_dims(const Kernel& kernel, const Solution& solution) {
    std::vector<SolvedKernel::Tied> tied;
    for (const Tensor* tensor : kernel.inputs()) {
        const auto& extents = solution.extents.at(tensor->name);
        for (std::size_t d = 0; d < extents.size(); ++d) {
            const SymbolSource own{tensor->name, static_cast<int>(d)};
            const auto is_own = [&](const Formula& f) {
                const auto source = solution.sources.find(f.as_symbol().value_or(""));
                return source != solution.sources.end() && source->second == own;
            };
            const bool is_multiple = std::any_of(solution.guards.begin(), solution.guards.end(), [&](const Guard& g) {
                return g.relation == Relation::divides && is_own(g.right) &&
                       extents[d] == g.left * floor_div(g.right, g.left);
            });
            if (!is_own(extents[d]) && !is_multiple) tied.push_back({tensor, d, extents[d]});
        }
    }
    return tied;
}

}  // namespace

const SolvedKernel& Equations::operator()(const std::string& text) {
    auto& entry = solved_[text];
    if (entry) return *entry;
    try {
        Kernel kernel = parse(text).value().kernels.at(0);
        Solution solution = solve(kernel).value();
        auto solved = std::make_unique<SolvedKernel>(SolvedKernel{std::move(kernel), std::move(solution), {}});
        solved->tied = tied_dims(solved->kernel, solved->solution);
        entry = std::move(solved);
    } catch (const Failure& failure) {
        if (failure.error().kind == ErrorKind::rank)
            throw Refusal(Refused::rank, failure.error().what, "use fewer dims");
        throw std::logic_error("the equation of an operator does not solve: " + text + ": " + failure.error().what);
    }
    return *entry;
}

}  // namespace halogen::shapes
