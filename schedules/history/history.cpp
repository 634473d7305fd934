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

namespace {

std::string print_line(const char* word, const std::string& value) {
    return value.empty() ? "" : fmt::format("{} {}\n", word, value);
}

/// What all variants of a kernel have in common.
std::string print_title(const HistoryHeader& header, int version) {
    return fmt::format("halogen history {}\n", version) + print_line("kernel", header.kernel) +
           print_line("key", header.key) + print_line("halide", header.halide) + print_line("leg", header.leg) +
           print_line("target", header.target);
}

std::string print_decisions(const HistoryHeader& header, const std::string& indent) {
    std::string text = header.state.empty() ? "" : indent + print_line("state", header.state);
    std::vector<std::string> knobs;
    for (const Knob& knob : header.knobs)
        knobs.push_back(fmt::format("{} = {} in {}", knob.name, knob.value, fmt::join(knob.domain, ", ")));
    return text + (knobs.empty() ? "" : indent + fmt::format("knob {}\n", fmt::join(knobs, "; ")));
}

std::string print_steps(const History& history, int depth) {
    std::string text;
    for (const Step& step : history.steps) print_into(text, step, depth);
    print_comments(text, history.comments, depth);
    return text;
}

std::string print_block(const History& history) {
    const Variant& variant = history.variant;
    const std::string when = variant.when.empty() ? "" : " when " + print(variant.when);
    return fmt::format("variant {}{}:\n{}{}", called(variant), when, variant.rewritten ? "  rewrite equations\n" : "",
                       variant.merged ? "  merge dims\n" : "") +
           print_decisions(history.header, "  ") + print_steps(history, 1);
}

}  // namespace

std::string called(const Variant& variant) { return variant.name.empty() ? "any" : variant.name; }

std::string print(const HistoryHeader& header) {
    return header.version ? print_title(header, history_version) + print_decisions(header, "") + "\n" : "";
}

std::string print(const Schedule& schedule) {
    if (schedule.size() == 1 && schedule.front().variant == Variant{})
        return print(schedule.front().header) + print_steps(schedule.front(), 0);
    std::string text = schedule.empty() ? "" : print_title(schedule.front().header, schedule_version);
    for (const History& history : schedule) text += "\n" + print_block(history);
    return text;
}

std::string print(const History& history) { return print(Schedule{history}); }

Result<History> only_variant(Schedule schedule, const std::string& name) {
    return guarded([&] {
        std::vector<std::string> names;
        for (History& history : schedule) {
            names.push_back(called(history.variant));
            if (name == names.back() || (name.empty() && schedule.size() == 1)) return std::move(history);
        }
        if (name.empty())
            throw Failure({ErrorKind::schedule,
                           fmt::format("the history has several variants: {}", fmt::join(names, ", ")),
                           {},
                           {},
                           "choose one with --variant NAME"});
        throw Failure({ErrorKind::name,
                       fmt::format("the history has no variant `{}`", name),
                       {},
                       {},
                       fmt::format("choose among {}", fmt::join(names, ", "))});
    });
}

}  // namespace halogen
