#pragma once
// Histories read from text.

#include "frontend/base/error.h"
#include "schedules/history/history.h"

#include <string>

namespace halogen {

/// Reads what `print` writes; `print(parse_schedule(t).value()) == t` for every text that it wrote.
/// Errors: syntax, with line and column.
Result<Schedule> parse_schedule(const std::string& text);
/// Likewise, of a text that holds one variant. Errors: also schedule (it holds several).
Result<History> parse_history(const std::string& text);
/// Reads one step, without its nested ones. Errors: syntax.
Result<Step> parse_step(const std::string& line);

}  // namespace halogen
