#include "generators/emit/system_json.h"

#include "frontend/base/checked.h"
#include "frontend/systems/case.h"
#include "frontend/systems/expr.h"

#include <fmt/format.h>

namespace halogen {

namespace {

using Json = nlohmann::json;
using Given = nlohmann::ordered_json;  // its members stay in the order of the text

[[noreturn]] void fail_form(const std::string& what) {
    throw Failure(Error{ErrorKind::syntax, what, {}, "", "docs/solving.md, \"Systems as data\", tells the form"});
}

const Given& need(const Given& object, const char* key) {
    if (!object.contains(key)) fail_form(fmt::format("a relation has no `{}`", key));
    return object.at(key);
}

std::int64_t integer(const Given& value, const std::string& what) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)))
        fail_form(what + " is no 64-bit integer");
    return value.get<std::int64_t>();
}

std::string text(const Given& value, const std::string& what) {
    if (!value.is_string()) fail_form(what + " is no text");
    return value.get<std::string>();
}

std::vector<std::string> texts(const Given& value, const std::string& what) {
    if (!value.is_array()) fail_form(what + " is no list");
    std::vector<std::string> list;
    for (const auto& v : value) list.push_back(text(v, "an item of " + what));
    return list;
}

Bindings numbers(const Given& value, const std::string& what) {
    if (!value.is_object()) fail_form(what + " is no object");
    Bindings all;
    for (const auto& [name, v] : value.items()) {
        all.emplace(name, integer(v, fmt::format("{} of `{}`", what, name)));
        narrow_extent(all.at(name));
    }
    return all;
}

SystemCase::Fit fit_of(const std::string& name) {
    using Fit = SystemCase::Fit;
    static const std::map<std::string, Fit> fits{{"inside", Fit::inside}, {"tight", Fit::tight},
                                                 {"onto", Fit::onto},     {"partition", Fit::partition},
                                                 {"cover", Fit::cover},   {"data", Fit::data}};
    const auto at = fits.find(name);
    if (at == fits.end()) fail_form("unknown fit `" + name + "`");
    return at->second;
}

Formula pad_of(const Given& pad, const std::set<std::string>& params) {
    if (pad.is_string()) return parse_system_expression(pad.get<std::string>(), params, false);
    return integer(pad, "a pad");
}

/// "axis = expression": the axis is all before the first `=`.
void add_equation(SystemCase::Relation& r, const std::string& eq, const std::set<std::string>& params) {
    const auto sign = eq.find('=');
    if (sign == std::string::npos) fail_form("`" + eq + "` has no `=`");
    const auto left = parse_system_expression(eq.substr(0, sign), {}, true).as_symbol();
    if (!left || (*left)[0] != '#') fail_form("the left side of `" + eq + "` is no axis");
    r.axes.push_back(left->substr(1));
    if (r.fit == SystemCase::Fit::data) {
        r.expressions.emplace_back();
        r.indices.emplace_back();
    } else {
        const auto right = parse_system_relation(eq.substr(sign + 1), params, true);
        if (!right.relation.empty()) fail_form("`" + eq + "` compares twice");
        r.expressions.push_back(right.left);
        r.indices.push_back(right.indices);
    }
    r.text += (r.text.empty() ? "" : "; ") + eq;
}

SystemCase::Relation relation_of(const Given& given, const std::set<std::string>& params) {
    SystemCase::Relation r;
    r.fit = fit_of(given.contains("fit") ? text(given["fit"], "`fit`") : "inside");
    if (given.contains("eqs")) {
        for (const auto& eq : texts(given["eqs"], "`eqs`")) add_equation(r, eq, params);
        if (r.axes.empty()) fail_form("`eqs` is empty");
    } else {
        add_equation(r, text(need(given, "eq"), "`eq`"), params);
    }
    if (given.contains("pad")) {
        const auto& pad = given["pad"];
        if (!pad.is_array() || pad.size() != 2) fail_form("`pad` is no pair");
        r.pad_low = pad_of(pad[0], params);
        r.pad_high = pad_of(pad[1], params);
    }
    return r;
}

SystemCase::SizeRelation size_relation(const std::string& line, const std::set<std::string>& params, bool indices) {
    const auto r = parse_system_relation(line, params, indices);
    if (r.relation.empty()) fail_form("`" + line + "` compares nothing");
    return {r.left, r.right, r.relation, line};
}

SystemCase read_case(const Given& given) {
    if (!given.is_object()) fail_form("a case is no object");
    SystemCase c;
    const auto has = [&](const char* key) { return given.contains(key); };
    if (has("params")) c.params = texts(given["params"], "`params`");
    const std::set<std::string> params(c.params.begin(), c.params.end());
    if (has("tensors")) {
        for (const auto& [tensor, axes] : given["tensors"].items())
            c.tensors.emplace_back(tensor, texts(axes, "tensor `" + tensor + "`"));
    }
    if (has("relations")) {
        for (const auto& r : given["relations"]) c.relations.push_back(relation_of(r, params));
    }
    if (has("sizes")) {
        for (const auto& s : texts(given["sizes"], "`sizes`")) c.sizes.push_back(size_relation(s, params, false));
    }
    if (has("where")) {
        for (const auto& w : texts(given["where"], "`where`")) c.where.push_back(size_relation(w, params, true));
    }
    if (has("maximal")) c.maximal = texts(given["maximal"], "`maximal`");
    if (has("mins")) c.mins = numbers(given["mins"], "`mins`");
    if (has("known")) c.known = numbers(given["known"], "`known`");
    if (has("choose")) {
        for (const auto& [name, how] : given["choose"].items()) {
            if (text(how, "`choose`") != "min") fail_form("`choose` knows only \"min\"");
            c.choose.push_back(name);
        }
    }
    if (has("block")) {
        for (const auto& [name, range] : given["block"].items()) {
            if (!range.is_array() || range.size() != 2) fail_form("`block` of `" + name + "` is no pair");
            c.block.emplace(name, std::pair(integer(range[0], "a block's begin"), integer(range[1], "a block's end")));
        }
    }
    return c;
}

Json number(const Rational& v) {
    if (!v.is_integer()) return to_string(v.num) + "/" + to_string(v.den);
    if (v.num > INT64_MAX || v.num < INT64_MIN) return to_string(v.num);
    return static_cast<std::int64_t>(v.num);
}

Json range_json(const Range& r) { return Json::array({r.lo ? number(*r.lo) : Json(), r.hi ? number(*r.hi) : Json()}); }

Json access_json(const AccessForm& form) {
    Json strides = Json::object();
    for (const auto& [index, stride] : form.strides) strides[index] = *stride.constant();
    return {{"offset", *form.offset.constant()}, {"strides", strides}};
}

/// Only the members that `wanted` has, where there is such a list.
Json selected(const Json& all, const Given* wanted) {
    if (!wanted || !wanted->is_object()) return all;
    Json some = Json::object();
    for (const auto& [key, value] : wanted->items()) {
        if (all.contains(key)) some[key] = all[key];
    }
    return some;
}

Json error_json(const std::string& kind, const std::string& message) {
    return {{"status", "error"}, {"error", kind}, {"message", message}};
}

Json answer_json(const SystemCase& c, const CaseAnswer& a) {
    Json out;
    Json values = Json::object(), ranges = Json::object();
    for (const auto& [name, value] : a.system.values) values[name] = number(Rational(value));
    for (const auto& [name, r] : a.system.ranges) {
        const bool chosen = std::find(c.choose.begin(), c.choose.end(), name) != c.choose.end();
        const bool open =
            std::find(a.system.unresolved.begin(), a.system.unresolved.end(), name) != a.system.unresolved.end();
        if (chosen || open) ranges[name] = range_json(r);
    }
    out["range"] = ranges;
    if (a.system.error) {
        out.update(error_json(to_string(*a.system.error), a.message));
        if (*a.system.error == ErrorKind::contradictory) {
            out["conflict"] = a.system.conflict;
            Json because = Json::array();
            for (int s : a.system.sources) because.push_back(source_text(c, s));
            out["relations"] = because;
        } else {
            out["unresolved"] = a.system.unresolved;
            out["resolved"] = values;
        }
        out["because"] = a.message;
        out["remaining"] = a.message;
        return out;
    }
    out["status"] = "ok";
    out["sizes"] = values;
    out["access"] = Json::object();
    for (const auto& [tensor, form] : a.access) out["access"][tensor] = access_json(form);
    if (!c.block.empty()) {
        out["ranges"] = Json::object();
        for (const auto& [tensor, list] : a.ranges) {
            for (const auto& [begin, end] : list) out["ranges"][tensor].push_back({begin, end});
        }
        out["cells"] = Json::object();
        for (const auto& [tensor, count] : a.cells) out["cells"][tensor] = count;
    }
    if (a.points) out["points"] = *a.points;
    return out;
}

Json solve_one(const Given& given) {
    Json out;
    const Given* expect = given.is_object() && given.contains("expect") ? &given["expect"] : nullptr;
    try {
        const SystemCase c = read_case(given);
        out["key"] = canonical_key(c);
        const CaseAnswer a = solve_case(c);
        const Json all = answer_json(c, a);
        for (const auto& [key, value] : all.items()) {
            // Of a case that says what it compares, those members; an error and its message always.
            const bool wanted =
                !expect || expect->contains(key) || key == "status" || key == "error" || key == "message";
            const bool by_name = key == "access" || key == "ranges" || key == "cells" || key == "range";
            if (wanted) out[key] = by_name ? selected(value, expect ? &(*expect)[key] : nullptr) : value;
        }
    } catch (const Failure& failure) {
        out.update(error_json(to_string(failure.error().kind), failure.error().what));
    } catch (const Json::exception& e) {
        out.update(error_json(to_string(ErrorKind::syntax), e.what()));
    }
    out["name"] = given.is_object() && given.contains("name") && given["name"].is_string()
                      ? given["name"].get<std::string>()
                      : "";
    return out;
}

}  // namespace

nlohmann::json solve_system(const nlohmann::json& given) { return solve_system(Given(given)); }

nlohmann::json solve_system(const nlohmann::ordered_json& given) {
    Json answers = Json::array();
    if (given.is_array() || (given.is_object() && given.contains("cases"))) {
        for (const auto& c : given.is_array() ? given : given["cases"]) answers.push_back(solve_one(c));
    } else {
        answers.push_back(solve_one(given));
    }
    return answers;
}

}  // namespace halogen
