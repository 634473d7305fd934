#include "generators/verbs/history_file.h"

#include "generators/files/output.h"
#include "generators/run/executor.h"
#include "schedules/history/json.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/recipes/recipe.h"
#include "schedules/records/record.h"

#include <fmt/format.h>

namespace halogen {

namespace {

History parse_any(const std::string& text) {
    if (is_record(text)) return parse_record(text).value().history;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] != '{') return parse_history(text).value();
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded())
        throw Failure(
            {ErrorKind::syntax, "this is no JSON", {}, {}, "compare with what `halogen schedule --json` prints"});
    return history_from_json(json.contains("history") ? json.at("history") : json).value();
}

KnobValues knob_values(const Options& options) {
    KnobValues values;
    for (const auto& [name, value] : parse_settings(options.knobs)) {
        if (!value)
            throw Failure(
                {ErrorKind::usage, fmt::format("--knob `{}=?` is not a number", name), {}, {}, "for example rows=8"});
        values[name] = *value;
    }
    return values;
}

}  // namespace

History read_history(const std::string& path) {
    const std::string text = read_file(path);
    try {
        return parse_any(text);
    } catch (const Failure& failure) {
        Error error = failure.error();
        const std::string line = error.at.line ? fmt::format(":{}:{}", error.at.line, error.at.column) : "";
        error.what = fmt::format("{}{}: {}", path, line, error.what);
        error.at = {};
        throw Failure(error);
    }
}

void write_history(const History& history, const std::string& path) {
    OutputFile file(path);
    file.write(path.ends_with(".json") ? to_json(history).dump(1) + "\n" : print(history));
    file.commit();
}

std::optional<History> load_history(const Options& options, const Kernel& kernel, const Leg* leg) {
    if (options.history.empty()) {
        if (!options.rebind.empty())
            throw Failure({ErrorKind::usage,
                           "--rebind changes a history, and none is given",
                           {},
                           {},
                           "name one with --history FILE"});
        if (options.knobs.empty()) return std::nullopt;
        if (!leg)
            throw Failure(
                {ErrorKind::usage,
                 "--knob changes one history, and every target has one of its own",
                 {},
                 {},
                 "save one with `halogen schedule --leg LEG --knob NAME=INT --save FILE` and give it with --history"});
        const Solution open = solve_open(kernel, parse_settings(options.set));
        return titled(recipe_with(kernel, open, machine_of(*leg), knob_values(options)).value(), kernel, *leg);
    }
    History history = read_history(options.history);
    if (options.rebind.empty()) {
        history = prepare(history, kernel, ReplayMode::strict).value().history;
    } else {
        Options source;
        source.file = options.rebind;
        const Kernel from = load_kernel(source);
        history = prepare(history, kernel, ReplayMode::rebind, &from).value().history;
    }
    return with_knobs(std::move(history), knob_values(options)).value();
}

}  // namespace halogen
