#pragma once
// Random steps on nests: legal ones, found by trying, and ones that must be refused.

#include "schedules/nest/apply.h"
#include "tests/solve/seed.h"

#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A step of any kind on the loops, Funcs and tensors of a nest; it may be legal or not.
Step random_step(const Nest&, test::Dice&);
/// A step that no nest may take: a name that is not there, a factor below 1, a name that is taken, a loop named twice.
Step random_illegal_step(const Nest&, test::Dice&);

/// Steps that were accepted, and those that were refused, in order.
struct RandomHistory {
    History accepted;
    std::vector<std::string> refused;
    Nest nest;
};
/// Up to `steps` random steps; nests that grow past some hundred statements grow no more.
RandomHistory random_history(const Nest&, int steps, test::Dice&);

}  // namespace halogen
