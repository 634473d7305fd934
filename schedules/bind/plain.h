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

/// Gives `use` the schedule that `wanted` makes and, where that is refused, the plain one; `plain` tells which. Errors: what
/// `use` gives for the plain schedule.
template<typename Wanted, typename Use>
auto with_fitting_schedule(const Kernel& kernel, const Solution& solution, Wanted&& wanted, bool& plain, Use&& use) {
    plain = false;
    try {
        return use(wanted());
    } catch (const Failure&) {
        plain = true;
    } catch (const Halide::Error&) {
        plain = true;
    } catch (const std::logic_error&) {  // a recipe's mistake
        plain = true;
    }
    return use(plain_schedule(kernel, solution));
}

}  // namespace halogen
