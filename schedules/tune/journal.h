#pragma once
// What a search has tried, as a file that only grows: a search that was stopped goes on from there.

#include "schedules/tune/search.h"

#include <string>
#include <utility>
#include <vector>

namespace halogen {

struct JournalEntry {
    KnobValues knobs;
    TrialOutcome outcome;
    friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};
/// `C_rows=8 C_vectors=2 : 1234.5 ns`, or `: refused WHY` behind the knobs.
std::string print(const JournalEntry&);
/// Errors: Failure(syntax) with the line.
JournalEntry parse_journal_entry(const std::string& text, int line);

/// What the entries are of: program, leg, machine, sizes and the like, by name.
using JournalHeader = std::vector<std::pair<std::string, std::string>>;

class Journal {
public:
    /// Opens the file at `path`, or begins it. An entry that was cut off when the search was stopped is dropped.
    /// Errors: Failure(io), Failure(syntax), Failure(schedule): it was written for another search.
    Journal(std::string path, const JournalHeader& header);

    const std::vector<JournalEntry>& entries() const { return entries_; }
    /// Written through to the file before it returns. Errors: Failure(io).
    void append(const JournalEntry&);

private:
    void write(const std::string& text) const;
    void read(const std::string& text, const JournalHeader&);

    const std::string path_;
    std::vector<JournalEntry> entries_;
};

}  // namespace halogen
