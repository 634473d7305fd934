#include "schedules/tune/tune.h"

#include "frontend/base/error.h"

#include <cmath>

namespace halogen {

namespace {

/// Less than this is noise.
constexpr double gain_that_counts = 0.99;

TrialOutcome try_out(Workbench& bench, const Candidate& candidate, double best_ns) {
    TrialOutcome outcome = bench.measure(candidate.history, best_ns);
    if (!outcome.refused.empty()) return outcome;
    outcome.ns = std::max(std::round(outcome.ns * 10) / 10, 0.1);  // what the journal holds
    if (best_ns > 0 && outcome.ns >= best_ns * gain_that_counts) {
        outcome.ns = std::max(outcome.ns, best_ns);  // it was not verified, so it cannot become the best
        return outcome;
    }
    const std::string wrong = bench.verify(candidate.history);
    if (!wrong.empty()) outcome = {0, "wrong values: " + wrong};
    return outcome;
}

}  // namespace

Tuned tune(const Search::Make& make, std::uint64_t seed, Workbench& bench, Journal& journal,
           const std::function<bool()>& stop, const std::function<void(const SearchProgress&)>& report) {
    Search search(make, seed);
    const std::vector<JournalEntry> before = journal.entries();
    SearchProgress progress;
    bool exhausted = false;
    for (std::size_t i = 0; i < before.size() || !stop(); i++) {
        const auto candidate = search.next();
        if (!candidate) {
            exhausted = true;
            break;
        }
        JournalEntry entry{candidate->knobs, {}};
        if (i < before.size()) {
            if (before[i].knobs != entry.knobs)
                throw Failure({ErrorKind::schedule,
                               "the journal is of another search: its entry `" + print(before[i]) +
                                   "` stands where this one tries `" + print(entry) + "`",
                               {},
                               {},
                               "remove it to begin anew, or keep records elsewhere with --records"});
            entry = before[i];
        } else {
            entry.outcome = try_out(bench, *candidate, search.best_ns());
            entry = parse_journal_entry(print(entry), 0);
            journal.append(entry);
        }
        search.tell(entry.outcome);
        if (i == 0) progress.first_ns = entry.outcome.ns;
        progress.replayed = static_cast<int>(std::min(i + 1, before.size()));
        progress.tried = search.tried();
        progress.best_ns = search.best_ns();
        progress.last = entry.outcome;
        if (i >= before.size()) report(progress);
    }
    Tuned tuned;
    tuned.found = search.best() && search.best_ns() > 0;
    if (tuned.found) tuned.best = *search.best();
    tuned.first_ns = progress.first_ns;
    tuned.best_ns = search.best_ns();
    tuned.tried = search.tried();
    tuned.exhausted = exhausted;
    return tuned;
}

}  // namespace halogen
