#include "frontend/shapes/equation.h"

#include "frontend/shapes/refusal.h"

#include <stdexcept>

namespace halogen::shapes {

const SolvedKernel& Equations::operator()(const std::string& text) {
    auto& entry = solved_[text];
    if (entry) return *entry;
    try {
        Kernel kernel = parse(text).value().kernels.at(0);
        Solution solution = solve(kernel).value();
        entry = std::make_unique<const SolvedKernel>(SolvedKernel{std::move(kernel), std::move(solution)});
    } catch (const Failure& failure) {
        if (failure.error().kind == ErrorKind::rank)
            throw Refusal(Refused::rank, failure.error().what, "use fewer dims");
        throw std::logic_error("the equation of an operator does not solve: " + text + ": " + failure.error().what);
    }
    return *entry;
}

}  // namespace halogen::shapes
