#include "generators/verbs/history_file.h"

#include "generators/files/output.h"
#include "generators/run/served.h"
#include "schedules/history/json.h"
#include "schedules/history/parse.h"
#include "schedules/history/replay.h"
#include "schedules/history/text_cursor.h"
#include "schedules/records/record.h"

#include <fmt/format.h>

namespace halogen {

namespace {

Schedule parse_any(const std::string& text) {
    if (is_record(text)) return {parse_record(text).value().history};
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] != '{') return parse_schedule(text).value();
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded())
        throw Failure(
            {ErrorKind::syntax, "this is no JSON", {}, {}, "compare with what `halogen schedule --json` prints"});
    return schedule_from_json(json.contains("history") ? json.at("history") : json).value();
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

Schedule read_schedule(const std::string& path) {
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

void write_schedule(const Schedule& schedule, const std::string& path) {
    OutputFile file(path);
    file.write(path.ends_with(".json") ? to_json(schedule).dump(1) + "\n" : print(schedule));
    file.commit();
}

VariantWishes wishes_of(const Options& options) {
    VariantWishes wishes{{}, options.most, options.only};
    for (const std::string& text : options.wanted) {
        try {
            TextCursor cursor(text, 1);
            wishes.wanted.push_back(parse_facts(cursor));
            if (!cursor.at_end()) cursor.fail("the facts end here, and more follows");
        } catch (const Failure& failure) {
            throw Failure(
                {ErrorKind::usage,
                 fmt::format("--for `{}`: {}", text, failure.error().what),
                 {},
                 {},
                 "write relations of sizes and `dense(TENSOR)`, such as 'R=3, S=3' or 'N <= 16 and dense(X)'"});
        }
    }
    return wishes;
}

namespace {

/// The recipe's history with the decisions of --knob.
History decided(const Options& options, const Kernel& kernel, const Leg* leg) {
    if (!leg)
        throw Failure(
            {ErrorKind::usage,
             "--knob changes one history, and every target has one of its own",
             {},
             {},
             "save one with `halogen schedule --leg LEG --knob NAME=INT --save FILE` and give it with --history"});
    const Solution open = solve_open(kernel, parse_settings(options.set));
    const Variant variant = chosen_variant(kernel, open, *leg, options);
    History history = recipe_of(form_of(kernel, open, variant), variant, *leg, knob_values(options));
    for (const auto& [name, value] : knob_values(options)) find_knob(history, name, value);
    return titled(std::move(history), kernel, *leg);
}

History replayed(const History& history, const Options& options, const Kernel& kernel) {
    if (options.rebind.empty()) return prepare(history, kernel, ReplayMode::strict).value().history;
    Options source;
    source.file = options.rebind;
    const Kernel from = load_kernel(source);
    return prepare(history, kernel, ReplayMode::rebind, &from).value().history;
}

}  // namespace

Schedule load_schedule(const Options& options, const Kernel& kernel, const Leg* leg) {
    if (options.history.empty()) {
        if (!options.rebind.empty())
            throw Failure({ErrorKind::usage,
                           "--rebind changes a history, and none is given",
                           {},
                           {},
                           "name one with --history FILE"});
        if (options.knobs.empty()) return {};
        return {decided(options, kernel, leg)};
    }
    Schedule schedule = read_schedule(options.history);
    if (!options.knobs.empty()) schedule = {only_variant(std::move(schedule), options.variant).value()};
    for (History& history : schedule)
        history = with_knobs(replayed(history, options, kernel), knob_values(options)).value();
    return schedule;
}

std::optional<History> load_history(const Options& options, const Kernel& kernel, const Leg* leg) {
    Schedule schedule = load_schedule(options, kernel, leg);
    if (schedule.empty()) return std::nullopt;
    return only_variant(std::move(schedule), options.variant).value();
}

Variant chosen_variant(const Kernel& kernel, const Solution& open, const Leg& leg, const Options& options) {
    std::vector<Variant> variants = variants_of(kernel, open, leg, wishes_of(options));
    return options.variant.empty() ? variants.back() : find_variant(variants, options.variant);
}

namespace {

/// The variants of `schedule`, in its order; what follows from the kernel and the command line where there is none.
std::vector<Variant> variants_in(const Schedule& schedule, const Kernel& kernel, const Solution& open, const Leg& leg,
                                 const Options& options) {
    if (schedule.empty()) return variants_of(kernel, open, leg, wishes_of(options));
    std::vector<Variant> variants;
    for (const History& history : schedule) variants.push_back(history.variant);
    return variants;
}

/// The given settings, and where they leave a size open, all numbers of the call: the largest `m` of `Y[m] = X[i16(m)]` is no formula.
Settings settings_of_call(const Kernel& kernel, Settings given, const CallData& data) {
    const auto open = guarded([&] { return solve_open(kernel, given); });
    if (open || open.error().kind != ErrorKind::underdetermined) return given;
    for (const auto& [name, tensor] : data.inputs)
        for (std::size_t d = 0; d < tensor.extents().size(); d++)
            given.emplace(fmt::format("{}.{}", name, d), tensor.extents()[d]);
    for (const SizeParam& size : kernel.sizes) given.emplace(size.name, data.numbers.sizes.at(size.name).constant());
    return given;
}

}  // namespace

std::unique_ptr<Executor> serving_executor(const Kernel& kernel, const Leg& leg, const Settings& given,
                                           const CallData& data, const Options& options, int threads,
                                           Compiles compiles) {
    const Settings settings = settings_of_call(kernel, given, data);
    const Schedule schedule = load_schedule(options, kernel, &leg);
    const Solution open = solve_open(kernel, settings);
    const std::vector<Variant> variants = variants_in(schedule, kernel, open, leg, options);
    const Variant& variant = serving(variants, open, data, options.variant, threads);
    for (const History& history : schedule)
        if (history.variant == variant) return std::make_unique<Executor>(kernel, leg, settings, &history);
    if (compiles == Compiles::variant) return std::make_unique<Executor>(kernel, leg, settings, variant);
    return std::make_unique<Executor>(kernel, leg, settings, variant, data, threads);
}

}  // namespace halogen
