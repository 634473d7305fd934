#pragma once
// Histories read from text.

#include "frontend/base/error.h"
#include "schedules/history/history.h"

#include <string>

namespace halogen {

/// Reads what `print` writes; `print(parse_history(t).value()) == t` for every text that it wrote.
/// Errors: syntax, with line and column.
Result<History> parse_history(const std::string& text);
/// Reads one step, without its nested ones. Errors: syntax.
Result<Step> parse_step(const std::string& line);

}  // namespace halogen
