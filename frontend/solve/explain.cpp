#include "frontend/solve/explain.h"

#include "frontend/solve/nearest.h"

namespace halogen {

Error explained(const Failure& failure, const Kernel& kernel, const Settings& known,
                const std::vector<SizeEquality>& equal) {
    Error error = failure.error();
    if (error.kind != ErrorKind::contradictory && error.kind != ErrorKind::non_integer &&
        error.kind != ErrorKind::negative)
        return error;
    for (const auto& clause : nearest_sizes(kernel, known, equal)) error.fix += "\n  near " + clause;
    if (const auto* of_sizes = dynamic_cast<const SizeFailure*>(&failure))
        for (const auto& reason : of_sizes->reasons()) error.fix += "\n  from " + reason;
    return error;
}

}  // namespace halogen
