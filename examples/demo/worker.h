#pragma once
// Starts the worker made for this processor's instruction set and listens to it.

#include "results.h"

#include <functional>
#include <string>

namespace halogen::demo {

/// Errors: Failure(target): unknown leg, or not for this processor; Failure(io): no worker for it beside this program. "" is right.
void check_leg(const std::string& leg);

/// Runs all stages on the photograph. `leg`: "sse41", "avx2", "avx512", "zen4", or "" for the best this processor can run.
/// `on_ready` hears of the instruction set, `on_call` of each call as soon as it is measured.
/// Errors: as check_leg; Failure(target): none of the legs fits; Failure(too_complex): what a kernel refused; std::runtime_error: the worker broke down.
Results run_worker(const Picture& photo, const std::string& leg, const std::function<void(const Setup&)>& on_ready,
                   const std::function<void(const Call&)>& on_call);

}  // namespace halogen::demo
