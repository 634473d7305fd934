#pragma once
// What a search found, kept as text: the schedule of a program on one leg, with the machine and the sizes it was found for.

#include "frontend/notation/program.h"
#include "frontend/solve/solution.h"
#include "schedules/history/history.h"
#include "schedules/machine/knob_values.h"
#include "schedules/machine/machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halogen {

struct Record {
    std::string program;  // `history_key` of its equations
    std::string leg;      // "avx2"
    std::string machine;  // the processor it was found on
    KnobValues sizes;     // those it was timed at
    int threads = 1;
    std::uint64_t seed = 0;
    int tried = 0;         // candidates
    double recipe_ns = 0;  // one call with the recipe's schedule
    double best_ns = 0;    // and with this one, measured in turns
    std::string kernel;    // its text, in whose names the history speaks
    History history;       // its header lists the knobs
    friend bool operator==(const Record&, const Record&) = default;
};

/// A line for each field, the kernel's text indented below `kernel`, an empty line, the history.
std::string print(const Record&);
/// Reads what `print` writes. Errors: syntax, with line and column.
Result<Record> parse_record(const std::string& text);
/// True for a text that begins as a record does.
bool is_record(const std::string& text);
/// `matmul-avx2-K=64-M=64-N=64.txt`
std::string file_name(const Record&);

/// The records of schedules/records, in order of their files' names; put into the program when it is built.
const std::vector<Record>& builtin_records();

/// The history of the first record of the same program, variant and leg whose sizes agree with all `estimates` it has, in the names
/// of `kernel`; nothing without one.
std::optional<History> recorded_history(const std::vector<Record>&, const Kernel& kernel, const Variant&, const Leg&,
                                        const KnobValues& estimates = {});

}  // namespace halogen
