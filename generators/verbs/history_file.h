#pragma once
// Histories in files.

#include "generators/run/executor.h"
#include "generators/verbs/cli.h"
#include "schedules/history/history.h"
#include "schedules/machine/machine.h"
#include "schedules/variants/variants.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

/// A schedule as text, as JSON or in a record, whichever the file holds. Errors: Failure(io, syntax), the file named.
Schedule read_schedule(const std::string& path);

/// Text, or JSON where the name ends in `.json`. Errors: Failure(io).
void write_schedule(const Schedule&, const std::string& path);

/// What --for, --variants and --only ask for. Errors: Failure(syntax), naming the option.
VariantWishes wishes_of(const Options&);

/// What --history, --rebind and --knob ask for on a kernel; empty without them. --knob alone has the recipe of --variant for
/// `leg` decide otherwise, and beside --history it changes one variant. Errors: Failure(io, syntax, schedule, usage).
Schedule load_schedule(const Options&, const Kernel&, const Leg* leg);
/// Likewise, of one variant: that of --variant, or the only one. Errors: also name, schedule (there are several).
std::optional<History> load_history(const Options&, const Kernel&, const Leg* leg);
/// The variant that --variant names; the one that serves every call without it. Errors: name.
Variant chosen_variant(const Kernel&, const Solution& open, const Leg&, const Options&);

/// What is compiled: all of a variant, or of a recipe's only what one call takes.
enum class Compiles { variant, one_call };

/// The variant of a kernel, or of --history, that serves a call on so many threads, ready to be called. Errors: as load_schedule and
/// `Executor`; name and contradictory, as `serving`.
std::unique_ptr<Executor> serving_executor(const Kernel&, const Leg&, const Settings&, const CallData&, const Options&,
                                           int threads, Compiles);

}  // namespace halogen
