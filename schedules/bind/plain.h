#pragma once
// What stands in for a schedule that does not fit.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"

#include "Halide.h"

#include <stdexcept>
#include <string>

namespace halogen {

/// The simplest schedule: every tensor computed whole, in plain loops, before what reads it. Right for every kernel, and slow.
History plain_schedule(const Kernel&, const Solution&);

/// A line for people: `kernel` was given the plain schedule on `legs` ("avx2, zen4"); "" for no legs.
std::string plain_note(const Kernel& kernel, const std::string& legs);

/// Why a recipe's schedule does not fit, for people who change recipes: on standard error where the environment has
/// `HALOGEN_DEBUG=schedule`, since it speaks of steps that no user wrote.
void tell_refusal(const std::string& why, const History& refused);

/// Gives `use` the schedule that `wanted` makes and, where that is refused, the plain one; `plain` tells which. Errors: what
/// `use` gives for the plain schedule.
template<typename Wanted, typename Use>
auto with_fitting_schedule(const Kernel& kernel, const Solution& solution, Wanted&& wanted, bool& plain, Use&& use) {
    plain = false;
    History fast;
    try {
        fast = wanted();
        return use(fast);
    } catch (const Failure& failure) {
        tell_refusal(failure.error().what, fast);
    } catch (const Halide::Error& error) {
        tell_refusal(error.what(), fast);
    } catch (const std::logic_error& error) {  // a recipe's mistake
        tell_refusal(error.what(), fast);
    }
    plain = true;
    return use(plain_schedule(kernel, solution));
}

}  // namespace halogen
