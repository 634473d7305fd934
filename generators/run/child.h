#pragma once
// Work in a process of its own.

#include <functional>
#include <string>

namespace halogen {

/// What a process of its own made of a task: its result, or why there is none.
struct Answer {
    bool done = false;
    std::string text;
};

/// Runs `body` in a copy of this process; it is ended after `seconds`. A Failure that `body` throws is the reason told, without
/// its place. What it prints goes nowhere. Errors: Failure(io): no process could be started.
Answer in_child(const std::function<std::string()>& body, double seconds);

}  // namespace halogen
