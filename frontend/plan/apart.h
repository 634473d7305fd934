#pragma once
// Equations that are two.

#include "frontend/notation/program.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace halogen::lowering {

/// The equation of a new intermediate `name`, and the one that reads it; nothing where equation `e` stays as it is.
using Apart = std::function<std::optional<std::pair<Equation, Equation>>(int e, const std::string& name)>;

/// The kernel with each equation that `apart` takes apart as those two. The intermediate has the type of the tensor that the
/// equation writes, and its name with `suffix`. Nothing where no equation is taken apart, or where the checker does not
/// take what comes out. No errors.
std::optional<Kernel> taken_apart(const Kernel&, const std::string& suffix, const Apart& apart);

}  // namespace halogen::lowering
