#include "frontend/plan/unpadded.h"

#include "frontend/plan/apart.h"
#include "frontend/solve/place.h"

#include <utility>

namespace halogen {

std::optional<Kernel> unpadded(const Kernel& kernel, const Solution& solution) {
    const auto is_none = [&](const Expr& pad) {
        return !pad.defined() || solved_formula(pad, solution) == std::optional(Formula(0));
    };
    Kernel result = kernel;
    bool any = false;
    for (Tensor& tensor : result.tensors) {
        bool keeps = false;
        for (int d = 0; tensor.dims && d < tensor.rank; d++) {
            if (!is_padded(tensor, d)) continue;
            Dim& dim = (*tensor.dims)[static_cast<std::size_t>(d)];
            if (!is_none(dim.pad_low) || !is_none(dim.pad_high)) {
                keeps = true;
                continue;
            }
            dim.pad_low = dim.pad_high = Expr();
            any = true;
        }
        if (!keeps) tensor.boundary = {};
    }
    if (!any) return std::nullopt;
    return lowering::taken(std::move(result));
}

}  // namespace halogen
