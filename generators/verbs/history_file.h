#pragma once
// Histories in files.

#include "generators/verbs/cli.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"

#include <optional>
#include <string>

namespace halogen {

/// A history as text, as JSON or in a record, whichever the file holds. Errors: Failure(io, syntax), the file named.
History read_history(const std::string& path);

/// Text, or JSON where the name ends in `.json`. Errors: Failure(io).
void write_history(const History&, const std::string& path);

/// What --history, --rebind and --knob ask for on a kernel; nothing without them. --knob alone has the recipe for `leg`
/// decide otherwise. Errors: Failure(io, syntax, schedule, usage).
std::optional<History> load_history(const Options&, const Kernel&, const Leg* leg);

}  // namespace halogen
