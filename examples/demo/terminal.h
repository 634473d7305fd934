#pragma once
// The demo as text, for the terminal.

#include "results.h"
#include "solved.h"
#include "stages.h"

#include <string>

namespace halogen::demo {

/// The heading of a stage.
std::string stage_text(const Stage&, int number);
/// One call: the equations, the solved formulas with their numbers, the comparison.
std::string call_text(const Call&, const Solved&);
/// The closing table.
std::string summary_text(const Results&);

}  // namespace halogen::demo
