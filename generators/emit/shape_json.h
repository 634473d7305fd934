#pragma once
// Calls and programs of operators as JSON, in the form of cases/shapes.json (its `meta` explains it), and the answers.

#include "frontend/shapes/answer.h"

#include <nlohmann/json.hpp>

#include <string>

namespace halogen {

/// The arguments of one call: `{"input": {"shape": [2, "n"]}, "dim": 1, "size": [{"expr": "2*n"}], "other": {"ref": "y"}}`.
/// A text in a shape and an `expr` are formulas. Errors: Refusal(call) that names `op` and the argument.
shapes::Arguments read_arguments(const nlohmann::json&, const std::string& op);

/// An extent or another integer: a number, a formula as text, `{"expr": "n + 1"}`. `where` is named in errors.
Formula read_formula(const nlohmann::json&, const std::string& where);

/// [[2, "n + 1"], …]: numbers as such, formulas as texts.
nlohmann::json shape_json(const shapes::Shape&);
nlohmann::json shapes_json(const std::vector<shapes::Operand>&);
/// The strides of views; null where no result is one.
nlohmann::json strides_json(const std::vector<shapes::Operand>&);
/// {"error": KIND, "message": …}; the message says what, in which call, and how to mend it.
nlohmann::json refusal_json(const shapes::Refusal&);

/// A program: {"symbols": {"n": {"min": 1, "max": 64}}, "inputs": {"x": {"shape": ["n", 3]}}, "steps": [{"out": "y", "op": "relu",
/// "args": {"input": {"ref": "x"}}}]}; `unknowns` is another word for `symbols`. Errors: Refusal(call).
shapes::StepProgram read_program(const nlohmann::ordered_json&);

/// One answer for each case of {"cases": […], "symbolic_cases": […], "solve_cases": […]}, of a list, or of one case, in order.
/// Whatever cannot be read or answered is an error in its own answer.
nlohmann::json answer_cases(const nlohmann::ordered_json&);

}  // namespace halogen
