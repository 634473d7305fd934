#include "schedules/history/print_step.h"

#include "frontend/base/error.h"
#include "schedules/history/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

void print_part(std::string& text, const Step& step, StepPart part) {
    switch (part) {
    case StepPart::tensor: text += " " + step.tensor; break;
    case StepPart::loops:
    case StepPart::list:
        if (!step.loops.empty()) text += fmt::format(" {}", fmt::join(step.loops, ", "));
        break;
    case StepPart::made:
        if (!step.made.empty()) text += fmt::format(" -> {}", fmt::join(step.made, ", "));
        break;
    case StepPart::factor: text += " " + print(step.factor); break;
    case StepPart::by: text += " by " + print(step.factor); break;
    case StepPart::by_two: text += fmt::format(" by {}, {}", print(step.factor), print(step.second)); break;
    case StepPart::by_tile:
        text += fmt::format(" by {}, {}", print(step.factor), print(step.second));
        for (const Formula& extent : step.extents) text += ", " + print(extent);
        break;
    case StepPart::cut:
        if (step.made.empty()) break;
        for (const StepPart inside :
             {step.second == Formula(0) ? StepPart::by : StepPart::by_two, StepPart::made, StepPart::tail})
            print_part(text, step, inside);
        break;
    case StepPart::tail: text += " tail " + to_string(step.tail); break;
    case StepPart::rest:
        if (step.tail != Tail::exact) print_part(text, step, StepPart::tail);
        break;
    case StepPart::dims: text += fmt::format(" dim {}", fmt::join(step.dims, ", ")); break;
    case StepPart::panel:
        if (step.dim < 0) break;
        text += fmt::format(" dim {} in panels of {}", step.dim, print(step.factor));
        if (step.second != Formula(0)) text += " by " + print(step.second);
        break;
    case StepPart::level:
        if (step.at_loop.empty()) break;
        text += " at " + (step.at_func.empty() ? "" : step.at_func + ".") + step.at_loop;
        break;
    case StepPart::at: text += " " + step.at_func + "." + step.at_loop; break;
    case StepPart::with: text += fmt::format(" with {}.{}.{}", step.at_func, step.at_stage, step.at_loop); break;
    case StepPart::when: text += " when " + print(step.when); break;
    }
}

}  // namespace

std::string print(const Step& step) {
    std::string text = step.id ? fmt::format("{}: ", step.id) : "";
    text += fmt::format("{}.{} {}", step.func, step.stage, to_string(step.kind));
    for (const StepPart part : kind_row(step.kind).parts) print_part(text, step, part);
    if (!step.knob.empty()) text += " knob " + step.knob;
    if (!step.origin.empty()) text += " from " + step.origin;
    if (!step.note.empty()) text += "  # " + step.note;
    return text;
}

std::string written(const Step& step) { return step.whole.empty() ? print(step) : step.whole; }

void refuse_step(const Step& step, const std::string& why, const std::string& fix) {
    throw Failure({ErrorKind::schedule, fmt::format("step `{}`: {}", written(step), why), {}, {}, fix});
}

}  // namespace halogen
