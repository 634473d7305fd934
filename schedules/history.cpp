#include "schedules/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

const char* name_of(Tail tail) {
    switch (tail) {
    case Tail::exact: return "exact";
    case Tail::guard: return "guard";
    case Tail::predicate: return "predicate";
    case Tail::round_up: return "round_up";
    default: return "shift_inwards";
    }
}

void print_into(std::string& text, const Step& step, int depth) {
    text += std::string(2 * depth, ' ') + print(step) + "\n";
    for (const Step& nested : step.nested) print_into(text, nested, depth + 1);
}

}  // namespace

std::string to_string(StepKind kind) {
    static const char* const names[] = {
        "copy_in",         "twin",    "overcompute", "compute_root", "compute_at", "store_in_stack", "bound_extent",
        "reorder_storage", "split",   "fuse",        "reorder",      "vectorize",  "unroll",         "parallel",
        "never_partition", "rfactor", "atomic",      "specialize"};
    return names[static_cast<int>(kind)];
}

std::string print(const Step& step) {
    std::string text = fmt::format("{}.{} {}", step.func, step.stage, to_string(step.kind));
    if (!step.tensor.empty()) text += " " + step.tensor;
    if (!step.loops.empty()) text += " " + fmt::format("{}", fmt::join(step.loops, ", "));
    if (!step.made.empty()) text += " -> " + fmt::format("{}", fmt::join(step.made, ", "));
    if (step.kind == StepKind::split) text += fmt::format(" by {} tail {}", print(step.factor), name_of(step.tail));
    if (step.kind == StepKind::bound_extent) text += " " + print(step.factor);
    if (step.dim >= 0) text += fmt::format(" dim {} in panels of {}", step.dim, print(step.factor));
    if (!step.at_func.empty()) text += " " + step.at_func + "." + step.at_loop;
    if (!step.when.all.empty()) text += " when " + print(step.when);
    return text;
}

std::string print(const History& history) {
    std::string text;
    for (const Step& step : history.steps) print_into(text, step, 0);
    return text;
}

}  // namespace halogen
