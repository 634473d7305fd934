// halogen schedule: prints, checks, replays, compares and saves histories.

#include "generators/files/output.h"
#include "generators/run/bisect.h"
#include "generators/run/call_data.h"
#include "generators/run/child.h"
#include "generators/run/executor.h"
#include "generators/run/loop_nest.h"
#include "generators/run/with_halide.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/history_file.h"
#include "schedules/bind/autoschedule.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/plain.h"
#include "schedules/bind/shadow.h"
#include "schedules/export/generator.h"
#include "schedules/history/diff.h"
#include "schedules/history/json.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/nest/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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

/// What stands between two histories, at the level asked for.
struct Comparison {
    std::string text;
    nlohmann::ordered_json json;
};

NestEffect effect_of_history(const ShadowRun& run) { return effect_of(run.nest, run.sizes); }

Comparison compare(const Form& form, const History& a, const Options& options) {
    const History b = only_variant(read_schedule(options.diff), options.variant).value();
    if (options.level == "steps") {
        const std::vector<StepChange> changes = diff(a, b);
        return {changes.empty() ? "the histories are equal\n" : print(changes), json_of(changes)};
    }
    const Settings sizes = parse_settings(options.set);
    const ShadowRun left = run_shadow(form.kernel, form.solution, a, sizes).value(),
                    right = run_shadow(form.kernel, form.solution, b, sizes).value();
    if (options.level == "nest") {
        const std::string lines = line_diff(print(left.nest), print(right.nest));
        return {lines.empty() ? "the nests are equal\n" : lines, lines};
    }
    const std::string before = print(effect_of_history(left)), after = print(effect_of_history(right));
    return {before == after ? "the effects are equal: " + before + "\n" : "- " + before + "\n+ " + after + "\n",
            {{"before", before}, {"after", after}}};
}

/// Checks a history without giving Halide a directive.
int check_dry(const Form& form, const History& history, const Options& options) {
    const ScheduleState state = with_halide([&] { return dry_state(form.kernel, form.solution, history); }).value();
    const auto run = run_shadow(form.kernel, form.solution, history, parse_settings(options.set));
    if (run && !run.value().refused.empty())
        throw Failure({ErrorKind::schedule, run.value().refused.front().why, {}, {}, "remove or change the step"});
    const std::string hash = state_hash(state);
    if (options.json) {
        nlohmann::ordered_json document = {{"status", "ok"}, {"steps", count_steps(history)}, {"state", hash}};
        if (run) document["effect"] = print(effect_of_history(run.value()));
        fmt::print("{}\n", document.dump());
        return 0;
    }
    fmt::print("{} steps can be applied and leave state {}\n", count_steps(history), hash);
    if (run)
        fmt::print("shadow nest: {} carried out, {} on what it does not keep\n{}\n", run.value().done,
                   run.value().untold, print(effect_of_history(run.value())));
    else
        fmt::print("not run on the shadow nest: {} ({})\n", run.error().what, run.error().fix);
    return 0;
}

int report_bisection(const Kernel& kernel, const Leg& leg, const Options& options, const History& history) {
    const Turn turn = bisect(kernel, leg, options, history);
    std::string step;
    int number = 0;
    each_step(history.steps, [&](const Step& s) {
        if (++number == turn.steps) step = print(s);
    });
    if (options.json) {
        nlohmann::ordered_json document = {{"status", "ok"}, {"right", turn.steps < 0}};
        if (turn.steps >= 0) document.update({{"steps", turn.steps}, {"step", step}, {"why", turn.why}});
        fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else if (turn.steps < 0) {
        fmt::print("all {} steps are right\n", count_steps(history));
    } else if (turn.steps == 0) {
        fmt::print("wrong without any step: {}\n", turn.why);
    } else {
        fmt::print("the first {} steps are right, then comes\n  {}\n  {}\n", turn.steps - 1, step, turn.why);
    }
    return 0;
}

std::string text_of(const std::vector<Skipped>& skipped) {
    std::string text;
    for (const Skipped& s : skipped) text += fmt::format("{}\n  {}\n", print(s.step), s.why);
    return text;
}

nlohmann::ordered_json json_of(const std::vector<Skipped>& skipped) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Skipped& s : skipped) list.push_back({{"step", print(s.step)}, {"why", s.why}});
    return list;
}

/// An autoscheduler may crash or never end: it runs in a process of its own.
History import_history(const Kernel& kernel, const Solution& open, const Leg& leg, const Options& options) {
    constexpr double limit = 600;  // seconds
    const CallData data = prepare_call(kernel, options, false);
    const int threads = options.threads ? options.threads : 1;
    const Answer answer = in_child(
        [&] { return print(autoscheduled(kernel, open, data.numbers, leg, options.import_from, threads).value()); },
        limit);
    if (!answer.done)
        throw Failure(
            {ErrorKind::schedule,
             fmt::format("{} gave no schedule: {}", options.import_from, answer.text),
             {},
             {},
             fmt::format("give other sizes with --set, or choose among {}", fmt::join(autoscheduler_names(), ", "))});
    return parse_history(answer.text).value();
}

/// What the command line asks for: a file's schedule, an autoscheduler's history, or the recipes'; of one variant where
/// --variant names it.
Schedule schedule_asked(const Kernel& kernel, const Solution& open, const Leg& leg, const Options& options) {
    if (!options.import_from.empty()) return {import_history(kernel, open, leg, options)};
    Schedule schedule = load_schedule(options, kernel, &leg);
    if (schedule.empty())
        for (const Variant& variant : variants_of(kernel, open, leg, wishes_of(options)))
            schedule.push_back(titled(schedule_of(kernel, form_of(kernel, open, variant), variant, leg), kernel, leg));
    if (options.variant.empty()) return schedule;
    return {only_variant(std::move(schedule), options.variant).value()};
}

/// A history as it is printed, with what was seen on the way.
struct Shown {
    History history;
    std::string nest;
    std::string state;
    std::vector<Skipped> skipped;
};

/// `own`: the recipe's, which gives way to the plain schedule where it does not fit.
Shown show(const Form& form, const Kernel& kernel, const Leg& leg, History history, bool own, const Options& options) {
    Shown shown;
    if (options.skip_illegal) {
        LegalPart part = with_halide([&] { return skip_illegal(form.kernel, form.solution, history); });
        history = std::move(part.history);
        shown.skipped = std::move(part.skipped);
    }
    const auto bind_with = [&](const History& tried) {
        BoundKernel made = with_halide([&] { return bind(form.kernel, form.solution, tried); }).value();
        shown.nest = with_halide([&] { return loop_nest(made.pipeline); });
        shown.history = own && !tried.header.version ? titled(tried, kernel, leg) : tried;
        shown.history.variant = history.variant;  // the plain schedule is for the same calls
        return made;
    };
    bool plain = false;
    const BoundKernel bound = own ? with_fitting_schedule(
                                        form.kernel, form.solution, [&] { return history; }, plain, bind_with)
                                  : bind_with(history);
    if (options.state && !shown.history.header.version) shown.history = titled(shown.history, kernel, leg);
    if (options.state) shown.history.header.state = state_hash(bound.state);
    shown.state = print(bound.state);
    return shown;
}

/// The comments behind the text of a schedule.
std::string comments_of(const std::vector<Shown>& all, const Options& options) {
    std::string comments;
    for (const Shown& shown : all) {
        const std::string of = all.size() > 1 ? ", variant " + called(shown.history.variant) : "";
        comments += as_comment("loop nest of Halide" + of, shown.nest);
        if (options.state) comments += as_comment("state in Halide" + of, shown.state);
        if (!shown.skipped.empty()) comments += as_comment("skipped", text_of(shown.skipped));
    }
    return comments;
}

nlohmann::ordered_json document_of(const Kernel& kernel, const Schedule& schedule, const std::vector<Shown>& all,
                                   const Options& options) {
    nlohmann::ordered_json document = {
        {"status", "ok"}, {"kernel", kernel.name}, {"history", to_json(schedule)}, {"text", print(schedule)}};
    document["loop_nest"] = all.back().nest;
    if (options.state) document["state"] = all.back().state;
    if (options.skip_illegal) document["skipped"] = json_of(all.back().skipped);
    for (std::size_t i = 0; i + 1 < all.size(); i++)
        document["loop_nests"][called(all[i].history.variant)] = all[i].nest;
    return document;
}

/// What works on one history cannot be asked of several.
void require_one(const Schedule& schedule, const Options& options) {
    const bool one = options.prefix || options.bisect || options.dry || options.skip_illegal ||
                     !options.export_file.empty() || !options.diff.empty();
    if (one) only_variant(schedule, "").value();
}

}  // namespace

int verb_schedule(const Options& options) {
    const Kernel kernel = load_kernel(options);
    const Leg& leg = options.bisect ? choose_leg(options.leg) : named_leg(options.leg);
    const Solution open = solve_open(kernel, parse_settings(options.set));
    Schedule schedule = schedule_asked(kernel, open, leg, options);
    require_one(schedule, options);
    const bool own = options.import_from.empty() && options.history.empty() && !options.prefix && !options.skip_illegal;
    std::vector<Shown> all;
    for (History& history : schedule) {
        if (options.prefix) history = prefix(history, *options.prefix);
        if (options.bisect) return report_bisection(kernel, leg, options, history);
        const Form form = form_of(kernel, open, history.variant);
        if (options.dry) return check_dry(form, history, options);
        all.push_back(show(form, kernel, leg, history, own, options));
        history = all.back().history;
    }
    const History& first = schedule.front();
    const Form form = form_of(kernel, open, first.variant);
    if (!options.save.empty()) write_schedule(schedule, options.save);
    if (!options.export_file.empty()) {
        OutputFile file(options.export_file);
        file.write(with_halide([&] { return export_generator(form.kernel, form.solution, first); }).value());
        file.commit();
    }
    Comparison comparison;
    if (!options.diff.empty()) comparison = compare(form, first, options);
    if (options.quiet) return 0;
    if (options.json) {
        nlohmann::ordered_json document = document_of(kernel, schedule, all, options);
        if (!options.diff.empty()) document["diff"] = comparison.json;
        fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else if (!options.diff.empty()) {
        fmt::print("{}", comparison.text);
    } else {
        fmt::print("{}{}", print(schedule), comments_of(all, options));
    }
    return 0;
}

}  // namespace halogen
