// halogen schedule: prints, checks, replays, compares and saves histories.

#include "generators/cli.h"
#include "generators/executor.h"
#include "generators/history_file.h"
#include "generators/loop_nest.h"
#include "generators/output_file.h"
#include "generators/with_halide.h"
#include "schedules/bind.h"
#include "schedules/diff.h"
#include "schedules/export/generator.h"
#include "schedules/history_json.h"
#include "schedules/record.h"
#include "schedules/replay.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace halogen {

namespace {

std::string as_comment(const std::string& title, const std::string& text) {
    std::istringstream lines(text);
    std::string result = "\n# " + title + "\n";
    for (std::string line; std::getline(lines, line);) result += "#   " + line + "\n";
    return result;
}

nlohmann::ordered_json json_of(const std::vector<StepChange>& changes) {
    static const char* const kinds[] = {"added", "removed", "moved", "changed"};
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const StepChange& change : changes) {
        nlohmann::ordered_json entry = {{"change", kinds[static_cast<int>(change.kind)]}};
        if (!change.before.empty()) entry["before"] = change.before;
        if (!change.after.empty()) entry["after"] = change.after;
        list.push_back(entry);
    }
    return list;
}

void print_changes(const std::vector<StepChange>& changes) {
    if (changes.empty())
        fmt::print("the histories are equal\n");
    else
        fmt::print("{}", print(changes));
}

}  // namespace

int verb_schedule(const Options& options) {
    const Kernel kernel = load_kernel(options);
    const Leg& leg = options.leg.empty() ? best_leg_here() : choose_leg(options.leg);
    const Solution open = solve_open(kernel, parse_settings(options.set));
    const auto given = load_history(options, kernel, &leg);
    History history = given ? *given : titled(schedule_of(kernel, open, leg), kernel, leg);
    if (options.prefix) history = prefix(history, *options.prefix);
    const BoundKernel bound = with_halide([&] { return bind(kernel, open, history, leg); }).value();
    const std::string nest = with_halide([&] { return loop_nest(bound.pipeline); });
    if (options.state && !history.header.version) history = titled(history, kernel, leg);
    if (options.state) history.header.state = state_hash(bound.state);
    if (!options.save.empty()) write_history(history, options.save);
    if (!options.export_file.empty()) {
        OutputFile file(options.export_file);
        file.write(with_halide([&] { return export_generator(kernel, open, history); }).value());
        file.commit();
    }
    std::vector<StepChange> changes;
    if (!options.diff.empty()) changes = diff(history, read_history(options.diff));
    if (options.quiet) return 0;
    if (options.json) {
        nlohmann::ordered_json document = {{"status", "ok"},
                                           {"kernel", kernel.name},
                                           {"history", to_json(history)},
                                           {"text", print(history)},
                                           {"loop_nest", nest}};
        if (options.state) document["state"] = print(bound.state);
        if (!options.diff.empty()) document["diff"] = json_of(changes);
        fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else if (!options.diff.empty()) {
        print_changes(changes);
    } else {
        std::string nest_text = as_comment("loop nest of Halide", nest);
        if (options.state) nest_text += as_comment("state in Halide", print(bound.state));
        fmt::print("{}{}", print(history), nest_text);
    }
    return 0;
}

}  // namespace halogen
