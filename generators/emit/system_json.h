#pragma once
// `halogen solve --system`: systems in the form of docs/solving.md, "Systems as data".

#include <nlohmann/json.hpp>

namespace halogen {

/// Solves {"cases": […]}, a list of cases, or one case. Gives an array: per case {"name", "key"} and the keys of its
/// `expect`, all that is known where it has none. A case that cannot be read or solved carries {"status": "error",
/// "error": KIND, "message": …}, never an exception.
/// The order of `choose` counts: an ordered document keeps it, another has its names sorted.
nlohmann::json solve_system(const nlohmann::ordered_json&);
nlohmann::json solve_system(const nlohmann::json&);

}  // namespace halogen
