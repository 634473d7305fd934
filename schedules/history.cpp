#include "schedules/history.h"

#include "schedules/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

void print_part(std::string& text, const Step& step, StepPart part) {
    switch (part) {
    case StepPart::tensor: text += " " + step.tensor; break;
    case StepPart::loops:
        if (!step.loops.empty()) text += fmt::format(" {}", fmt::join(step.loops, ", "));
        break;
    case StepPart::made:
        if (!step.made.empty()) text += fmt::format(" -> {}", fmt::join(step.made, ", "));
        break;
    case StepPart::factor: text += " " + print(step.factor); break;
    case StepPart::by: text += " by " + print(step.factor); break;
    case StepPart::by_two: text += fmt::format(" by {}, {}", print(step.factor), print(step.second)); break;
    case StepPart::tail: text += " tail " + to_string(step.tail); break;
    case StepPart::dim: text += fmt::format(" dim {}", step.dim); break;
    case StepPart::panel:
        if (step.dim >= 0) text += fmt::format(" dim {} in panels of {}", step.dim, print(step.factor));
        break;
    case StepPart::at: text += " " + step.at_func + "." + step.at_loop; break;
    case StepPart::with: text += fmt::format(" with {}.{}.{}", step.at_func, step.at_stage, step.at_loop); break;
    case StepPart::when: text += " when " + print(step.when); break;
    }
}

void print_comments(std::string& text, const std::vector<std::string>& comments, int depth) {
    for (const std::string& comment : comments) text += std::string(2 * depth, ' ') + "#" + comment + "\n";
}

void print_into(std::string& text, const Step& step, int depth) {
    print_comments(text, step.comments, depth);
    text += std::string(2 * depth, ' ') + print(step) + "\n";
    for (const Step& nested : step.nested) print_into(text, nested, depth + 1);
}

}  // namespace

std::string to_string(Tail tail) {
    switch (tail) {
    case Tail::exact: return "exact";
    case Tail::guard: return "guard";
    case Tail::predicate: return "predicate";
    case Tail::round_up: return "round_up";
    case Tail::shift_inwards: return "shift_inwards";
    default: return "separate";
    }
}

std::string print(const Step& step) {
    std::string text = step.id ? fmt::format("{}: ", step.id) : "";
    text += fmt::format("{}.{} {}", step.func, step.stage, to_string(step.kind));
    for (const StepPart part : kind_row(step.kind).parts) print_part(text, step, part);
    if (!step.knob.empty()) text += " knob " + step.knob;
    if (!step.origin.empty()) text += " from " + step.origin;
    if (!step.note.empty()) text += "  # " + step.note;
    return text;
}

std::string print(const HistoryHeader& header) {
    if (!header.version) return "";
    std::string text = fmt::format("halogen history {}\n", header.version);
    const auto line = [&](const char* word, const std::string& value) {
        if (!value.empty()) text += fmt::format("{} {}\n", word, value);
    };
    line("kernel", header.kernel);
    line("key", header.key);
    line("halide", header.halide);
    line("leg", header.leg);
    line("target", header.target);
    line("state", header.state);
    for (const Knob& knob : header.knobs)
        text += fmt::format("knob {} = {} in {}\n", knob.name, knob.value, fmt::join(knob.domain, ", "));
    return text + "\n";
}

std::string print(const History& history) {
    std::string text = print(history.header);
    for (const Step& step : history.steps) print_into(text, step, 0);
    print_comments(text, history.comments, 0);
    return text;
}

}  // namespace halogen
