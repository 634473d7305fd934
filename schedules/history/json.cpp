#include "schedules/history/json.h"

#include "schedules/history/kinds.h"
#include "schedules/history/text_cursor.h"

#include <fmt/format.h>

namespace halogen {

namespace {

using Json = nlohmann::ordered_json;

template<typename T>
void put(Json& json, const char* name, const T& value) {
    if (value != T{}) json[name] = value;
}

template<typename T>
void get(const Json& json, const char* name, T& value) {
    if (json.contains(name)) value = json.at(name).get<T>();
}

Formula formula_of(const Json& json) {
    if (json.is_number_integer()) return json.get<std::int64_t>();
    const std::string text = json.get<std::string>();
    TextCursor cursor(text, 1);
    return parse_formula(cursor);
}

Formula formula_of(const Json& json, const char* name) {
    return json.contains(name) ? formula_of(json.at(name)) : Formula();
}

Json number(const Formula& f) {
    if (const auto constant = f.constant()) return *constant;
    return print(f);
}

Tail tail_of(const std::string& name) {
    for (const Tail tail :
         {Tail::exact, Tail::guard, Tail::predicate, Tail::round_up, Tail::shift_inwards, Tail::separate})
        if (name == to_string(tail)) return tail;
    throw Failure({ErrorKind::syntax,
                   fmt::format("unknown tail `{}`", name),
                   {},
                   {},
                   "the tails are exact, guard, predicate, round_up, shift_inwards and separate"});
}

Step step_of(const Json& json) {
    Step step{StepKind::split, json.at("func").get<std::string>()};
    const std::string name = json.at("kind").get<std::string>();
    const KindRow* row = find_kind(name);
    if (!row)
        throw Failure({ErrorKind::syntax,
                       fmt::format("there is no kind of step `{}`", name),
                       {},
                       {},
                       "the kinds are listed in docs/schedule-steps.md"});
    step.kind = row->kind;
    get(json, "stage", step.stage);
    get(json, "id", step.id);
    get(json, "tensor", step.tensor);
    get(json, "loops", step.loops);
    get(json, "made", step.made);
    step.factor = formula_of(json, "factor");
    step.second = formula_of(json, "second");
    for (const Json& extent : json.value("extents", Json::array())) step.extents.push_back(formula_of(extent));
    if (json.contains("tail")) step.tail = tail_of(json.at("tail").get<std::string>());
    get(json, "dim", step.dim);
    get(json, "dims", step.dims);
    get(json, "at_func", step.at_func);
    get(json, "at_stage", step.at_stage);
    get(json, "at_loop", step.at_loop);
    if (json.contains("when")) {
        const std::string text = json.at("when").get<std::string>();
        TextCursor cursor(text, 1);
        step.when = parse_condition(cursor);
    }
    get(json, "knob", step.knob);
    get(json, "origin", step.origin);
    get(json, "note", step.note);
    get(json, "comments", step.comments);
    if (const auto wrong = wrong_counts(step)) throw Failure({ErrorKind::syntax, wrong->what, {}, {}, wrong->fix});
    if (json.contains("steps"))
        for (const Json& nested : json.at("steps")) step.nested.push_back(step_of(nested));
    return step;
}

HistoryHeader header_of(const Json& json) {
    HistoryHeader header;
    header.version = json.at("version").get<int>();
    get(json, "kernel", header.kernel);
    get(json, "key", header.key);
    get(json, "halide", header.halide);
    get(json, "leg", header.leg);
    get(json, "target", header.target);
    get(json, "state", header.state);
    if (json.contains("knobs"))
        for (const Json& knob : json.at("knobs"))
            header.knobs.push_back({knob.at("name").get<std::string>(), knob.at("value").get<std::int64_t>(),
                                    knob.at("domain").get<std::vector<std::int64_t>>()});
    return header;
}

Variant variant_of(const Json& json) {
    Variant variant{json.at("name").get<std::string>()};
    if (variant.name == "any") variant.name.clear();
    if (json.contains("when")) {
        const auto text = json.at("when").get<std::string>();
        TextCursor cursor(text, 1);
        variant.when = parse_facts(cursor);
    }
    get(json, "rewritten", variant.rewritten);
    get(json, "merged", variant.merged);
    return variant;
}

History history_of(const Json& json) {
    History history;
    if (json.contains("header")) history.header = header_of(json.at("header"));
    if (json.contains("variant")) history.variant = variant_of(json.at("variant"));
    for (const Json& step : json.at("steps")) history.steps.push_back(step_of(step));
    get(json, "comments", history.comments);
    return history;
}

}  // namespace

nlohmann::ordered_json to_json(const Step& step) {
    const KindRow& row = kind_row(step.kind);
    Json json;
    put(json, "id", step.id);
    json["func"] = step.func;
    json["stage"] = step.stage;
    json["kind"] = row.name;
    put(json, "tensor", step.tensor);
    put(json, "loops", step.loops);
    put(json, "made", step.made);
    if (has_part(row, {StepPart::factor, StepPart::by, StepPart::by_two, StepPart::by_tile}) || step.dim >= 0 ||
        cuts(step))
        json["factor"] = number(step.factor);
    if (has_part(row, {StepPart::by_two, StepPart::by_tile}) || step.second != Formula(0))
        json["second"] = number(step.second);
    for (const Formula& extent : step.extents) json["extents"].push_back(number(extent));
    if (has_part(row, {StepPart::tail}) || cuts(step) || step.tail != Tail::exact) json["tail"] = to_string(step.tail);
    if (step.dim >= 0) json["dim"] = step.dim;
    put(json, "dims", step.dims);
    put(json, "at_func", step.at_func);
    put(json, "at_stage", step.at_stage);
    put(json, "at_loop", step.at_loop);
    if (has_part(row, {StepPart::when})) json["when"] = print(step.when);
    put(json, "knob", step.knob);
    put(json, "origin", step.origin);
    put(json, "note", step.note);
    put(json, "comments", step.comments);
    for (const Step& nested : step.nested) json["steps"].push_back(to_json(nested));
    return json;
}

nlohmann::ordered_json to_json(const History& history) {
    Json json;
    const HistoryHeader& h = history.header;
    if (h.version) {
        Json& header = json["header"];
        header["version"] = h.version;
        put(header, "kernel", h.kernel);
        put(header, "key", h.key);
        put(header, "halide", h.halide);
        put(header, "leg", h.leg);
        put(header, "target", h.target);
        put(header, "state", h.state);
        for (const Knob& knob : h.knobs)
            header["knobs"].push_back({{"name", knob.name}, {"value", knob.value}, {"domain", knob.domain}});
    }
    if (history.variant != Variant{}) {
        Json& variant = json["variant"];
        variant["name"] = called(history.variant);
        put(variant, "when", print(history.variant.when));
        if (history.variant.rewritten) variant["rewritten"] = true;
        if (history.variant.merged) variant["merged"] = true;
    }
    json["steps"] = Json::array();
    for (const Step& step : history.steps) json["steps"].push_back(to_json(step));
    put(json, "comments", history.comments);
    return json;
}

nlohmann::ordered_json to_json(const Schedule& schedule) {
    if (schedule.size() == 1) return to_json(schedule.front());
    Json json;
    for (const History& history : schedule) json["variants"].push_back(to_json(history));
    return json;
}

Result<Schedule> schedule_from_json(const nlohmann::ordered_json& json) {
    return guarded([&] {
        try {
            Schedule schedule;
            if (!json.contains("variants")) return Schedule{history_of(json)};
            for (const Json& variant : json.at("variants")) schedule.push_back(history_of(variant));
            return schedule;
        } catch (const nlohmann::json::exception& error) {
            throw Failure({ErrorKind::syntax,
                           fmt::format("this JSON is no history: {}", error.what()),
                           {},
                           {},
                           "compare with what `halogen schedule --json` prints"});
        }
    });
}

Result<History> history_from_json(const nlohmann::ordered_json& json) {
    return guarded([&] { return only_variant(schedule_from_json(json).value(), "").value(); });
}

}  // namespace halogen
