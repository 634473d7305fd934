#pragma once
// What differs between two histories, step by step.

#include "schedules/history/history.h"

#include <string>
#include <vector>

namespace halogen {

/// True when two neighbouring steps give the same state in either order.
bool commute(const Step&, const Step&);

/// A history without what does not count: comments, notes, origins and numbers gone, commuting steps in one order, overwritten
/// setters and swaps that undo each other dropped. Equal normal forms are equal schedules.
History normal_form(const History&);

struct StepChange {
    enum class Kind { added, removed, moved, changed };
    Kind kind;
    std::string before, after;  // the steps as text; equal for `moved`
    friend bool operator==(const StepChange&, const StepChange&) = default;
};
/// From `a` to `b`, in order of the text. Steps are matched by content, then by number; one that only changed places with
/// steps it commutes with is not moved.
std::vector<StepChange> diff(const History& a, const History& b);

/// Line by line: "- " those of `a` alone, "+ " those of `b` alone, "  " those of both; "" for equal texts.
std::string line_diff(const std::string& a, const std::string& b);

/// "- removed", "+ added", "> moved", "~ before => after", one per line.
std::string print(const std::vector<StepChange>&);

}  // namespace halogen
