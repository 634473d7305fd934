// Sizes of inputs from what is known of outputs.

#include "frontend/kernel_solver.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

/// A dim of an input read at a compound place is chosen, the least that will do; windows and parameters are not.
bool KernelSolver::is_read_at_compound(const std::string& symbol) const {
    if (kernel_.find_size(symbol)) return false;
    return std::any_of(model_.uses.begin(), model_.uses.end(), [&](const Use& use) {
        if (use.is_left) return false;
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            const DimModel& dim = model_.dim(use, d);
            const Place& p = use.places[d];
            if (!dim.name || sizes_.root(*dim.name) != symbol || !p.formula || p.formula->is_constant()) continue;
            if (!p.bare || is_stencil_read(use, d, *p.bare)) return true;
        }
        return false;
    });
}

void KernelSolver::substitute(const std::string& symbol, const Formula& value) {
    const std::map<std::string, Formula> values{{symbol, value}};
    sizes_.substitute(values);
    for (Formula& f : positive_) f = f.substitute(values);
    for (Guard& g : guards_) {
        g.left = g.left.substitute(values);
        g.right = g.right.substitute(values);
    }
    symbols_.erase(std::find(symbols_.begin(), symbols_.end(), symbol));
    sources_.erase(symbol);
}

/// Solves one equality for the first open input size read at a compound place, taking the least value.
bool KernelSolver::invert(const Equality& e) {
    const Formula difference = sizes_.resolve(e.left) - sizes_.resolve(e.right);
    for (const auto& symbol : symbols_) {
        if (!mentions(difference, symbol) || !is_read_at_compound(symbol)) continue;
        std::vector<Formula> positive;
        auto least = least_with_nonnegative(difference, symbol, positive);
        if (!least) least = least_with_nonnegative(-difference, symbol, positive);
        if (!least || mentions(*least, symbol)) continue;
        if (const auto c = least->constant(); c && *c < 1)
            throw Failure(error_at(ErrorKind::negative, fmt::format("`{}` would be {}: {}", symbol, *c, e.why.text), e.why.equation,
                                   "give larger sizes"));
        positive_.insert(positive_.end(), positive.begin(), positive.end());
        const Formula value = *least;
        substitute(std::string(symbol), value);
        return true;
    }
    return false;
}

void KernelSolver::solve_backward() {
    if (known_.empty()) return;
    for (std::size_t i = 0; i < equalities_.size(); ++i) {
        if (equalities_[i].done) continue;
        const Formula difference = sizes_.resolve(equalities_[i].left) - sizes_.resolve(equalities_[i].right);
        if (!difference.is_constant()) invert(equalities_[i]);
    }
}

}  // namespace halogen
