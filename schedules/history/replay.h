#pragma once
// Histories made ready for a kernel: titled, cut, given other decisions, matched with equations they were not written for.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/knob_values.h"
#include "schedules/machine/machine.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace halogen {

/// FNV-1a, 64 bits.
std::uint64_t text_hash(const std::string& text);
/// The key of a kernel's equations that histories carry: 16 hexadecimal digits, equal under renaming.
std::string history_key(const Kernel&);

/// The history with a header for this kernel and leg; steps without a number get the next free ones.
History titled(History, const Kernel&, const Leg&);

/// The steps in the order of the text, those of specialisations counted.
int count_steps(const History&);
/// The first `count` steps: undoing is taking a shorter prefix.
History prefix(const History&, int count);

/// The knob `name`, which may be `value`. Errors: Failure(schedule): no such knob, a value outside its domain.
Knob& find_knob(History&, const std::string& name, std::int64_t value);
/// The same steps with other decisions. Errors: schedule (no such knob, a value outside its domain, a knob that no
/// step follows).
Result<History> with_knobs(History, const KnobValues& values);

/// How a history and a kernel are brought together.
enum class ReplayMode {
    strict,  // the key must be the kernel's
    rebind   // Funcs and loops are matched by their places in the equations
};

/// The history in the names of `kernel`. `renamed` lists what was rebound: "A -> X".
struct Rebound {
    History history;
    std::vector<std::string> renamed;
};
/// `from` is the kernel it was written for, needed to rebind between kernels that name things differently.
/// Errors: schedule (another key; a kernel of another structure).
Result<Rebound> prepare(const History&, const Kernel& kernel, ReplayMode, const Kernel* from = nullptr);

}  // namespace halogen
