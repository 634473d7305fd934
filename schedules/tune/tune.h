#pragma once
// The search for a faster schedule: proposes, has measured, has verified, keeps a journal.

#include "schedules/tune/journal.h"
#include "schedules/tune/search.h"

#include <functional>

namespace halogen {

/// Where candidates run.
class Workbench {
public:
    virtual ~Workbench() = default;
    /// The time of one call; not exact where it is far above `best_ns` (0: none yet).
    virtual TrialOutcome measure(const History&, double best_ns) = 0;
    /// Why its values are not the interpreter's; "" when they are.
    virtual std::string verify(const History&) = 0;
};

/// How far a search is.
struct SearchProgress {
    int tried = 0, replayed = 0;  // those of the journal
    double first_ns = 0, best_ns = 0;
    TrialOutcome last;
};

struct Tuned {
    Candidate best;
    double first_ns = 0, best_ns = 0;  // of the history as it is by itself, and of the best
    int tried = 0;
    bool found = false;      // something counts at all
    bool exhausted = false;  // nothing is left to try
};

/// Goes through the journal's entries without measuring, then on until `stop` says so (asked before each candidate).
/// A candidate is accepted as the best only once it is verified: one whose values are wrong is refused, however fast.
/// Errors: Failure(schedule): the journal is of another search; Failure(io).
Tuned tune(const Search::Make&, std::uint64_t seed, Workbench&, Journal&, const std::function<bool()>& stop,
           const std::function<void(const SearchProgress&)>& report);

}  // namespace halogen
