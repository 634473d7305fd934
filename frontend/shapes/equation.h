#pragma once
// Kernel texts solved once: extents of the outputs and conditions, as formulas over the extents of the inputs.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace halogen::shapes {

/// A kernel and its sizes, all inputs left open.
struct SolvedKernel {
    Kernel kernel;
    Solution solution;
    /// A dim of an input whose extent the other sizes give: `K` of the second operand of a product.
    struct Tied {
        const Tensor* tensor;
        std::size_t dim;
        Formula extent;
    };
    std::vector<Tied> tied;
};

/// Kernels by their text, each solved when it is first asked for.
class Equations {
public:
    /// `text` is the library's own: one that does not solve is a defect. Errors: Refusal(rank) for more dims than a kernel may
    /// have; std::logic_error.
    const SolvedKernel& operator()(const std::string& text);

private:
    std::unordered_map<std::string, std::unique_ptr<const SolvedKernel>> solved_;
};

}  // namespace halogen::shapes
