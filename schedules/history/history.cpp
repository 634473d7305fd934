#include "schedules/history/history.h"

#include "schedules/history/print_step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

void print_comments(std::string& text, const std::vector<std::string>& comments, int depth) {
    for (const std::string& comment : comments) text += std::string(2 * depth, ' ') + "#" + comment + "\n";
}

void print_into(std::string& text, const Step& step, int depth) {
    print_comments(text, step.comments, depth);
    text += std::string(2 * depth, ' ') + print(step) + "\n";
    for (const Step& nested : step.nested) print_into(text, nested, depth + 1);
}

}  // namespace

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
