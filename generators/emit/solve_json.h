#pragma once
// `halogen solve --json`.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"

#include <nlohmann/json.hpp>

namespace halogen {

/// {"status": "ok", "sizes": {NAME: F}, "indices": {INDEX: {"min": F, "extent": F, "reduced": bool}},
///  "access": {TENSOR: {"offset": F, "strides": {INDEX: F}}}, "guards": ["A.1 == B.0", …], "reasons": one per guard,
///  "extents": {TENSOR: [F, …]}, "symbols": […], "key": …}
/// F is a number, or a formula as a string. An index, or a tensor, that its uses give several forms has the list of them,
/// each with its "equation" (from 0); an access by data, `/` or `%` is null.
nlohmann::json solution_json(const Kernel&, const Solution&);

/// A number, or the printed formula.
nlohmann::json formula_json(const Formula&);

}  // namespace halogen
