#include "frontend/solve/solve.h"

#include "frontend/solve/explain.h"
#include "frontend/solve/passes.h"

namespace halogen {

Result<Solution> solve(const Kernel& kernel, const Settings& known) { return refine(kernel, known, {}); }

Result<Solution> refine(const Kernel& kernel, const Settings& known, const std::vector<SizeEquality>& equal) {
    try {
        return solve_sizes(kernel, known, equal);
    } catch (const Failure& failure) {
        return guarded([&]() -> Solution { throw Failure(explained(failure, kernel, known, equal)); });
    }
}

}  // namespace halogen
