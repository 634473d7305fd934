#include "tests/schedule/loopnest_case.h"

#include "tests/schedule/loopnest_text.h"

#include "frontend/formula/hull.h"
#include "frontend/solve/solve.h"
#include "schedules/history/text_cursor.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace halogen::loopnest {

namespace {
/// Values of an input by a formula over the index names of its first access, computed as whole numbers or reals.
HostTensor formula_values(const std::string& formula, const std::vector<std::string>& names,
                          const std::vector<std::int64_t>& extents, Type type) {
    const bool whole = formula.find('.') == std::string::npos;
    std::string dims, places;
    for (std::size_t d = 0; d < extents.size(); d++) {
        dims += (d ? ", " : "") + std::to_string(extents[d]);
        places += (d ? ", " : "") + names[d];
    }
    const Kernel kernel =
        parse(fmt::format("kernel f() -> V: {}[{}] {{ V[{}] = {} }}", whole ? "i64" : "f64", dims, places, formula))
            .value()
            .kernels[0];
    const HostTensor made = interpret(kernel, solve(kernel).value(), {}, {}).value().at("V");
    HostTensor result(type, extents);
    for (std::int64_t i = 0; i < made.elements(); i++)
        is_float(type) ? result.set_real(i, whole ? static_cast<double>(made.integer(i)) : made.real(i))
                       : result.set_integer(i, made.integer(i));
    return result;
}

HostTensor listed_values(const Json& list, const std::vector<std::int64_t>& extents, Type type) {
    HostTensor result(type, extents);
    std::int64_t next = 0;
    const std::function<void(const Json&)> put = [&](const Json& item) {
        if (item.is_array()) {
            for (const Json& inner : item) put(inner);
        } else if (is_float(type)) {
            result.set_real(next++, item.get<double>());
        } else {
            result.set_integer(next++, item.get<std::int64_t>());
        }
    };
    put(list);
    return result;
}

/// How far an index runs: as given, as its equation says, or the ten that the file's descriptions mean.
std::int64_t range_of(const Parts& parts, const std::string& equation, const std::string& index) {
    const auto range = parts.ranges.find(index);
    if (range != parts.ranges.end()) return range->second.second;
    const auto stated = matches(equation, "\\b" + index + R"( in \d+:(\d+))");
    return stated.empty() ? 10 : std::stoll(stated[0]);
}

std::string with_ranges(const std::string& equation, const Parts& parts) {
    std::set<std::string> names;
    for (const std::string& access : matches(equation, R"(\[([^\]]*)\])"))
        for (const std::string& word : matches(access, R"((\b[a-z]\w*))")) names.insert(word);
    std::string items;
    for (const std::string& name : names)
        if (const auto range = parts.ranges.find(name);
            range != parts.ranges.end() && matches(equation, "\\b(" + name + ") in ").empty())
            items += fmt::format("{}{} in {}:{}", items.empty() ? "" : ", ", name, range->second.first,
                                 range->second.second);
    if (items.empty()) return equation;
    return equation + (equation.find(" where ") == std::string::npos ? " where " : ", ") + items;
}

/// "A[i,j] = i*j (64x64)": the extents behind an equation.
std::string take_extents(std::string text) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(R"(\s*\((\d+(?:x\d+)*)\)\s*$)"))) return text;
    const auto extents = split_text(found[1].str(), "x");
    text = text.substr(0, static_cast<std::size_t>(found.position(0)));
    const auto names = access_names({text}, left_tensor(text));
    std::string items;
    for (std::size_t d = 0; d < names.size() && d < extents.size(); d++)
        items += (d ? ", " : "") + names[d] + " in 0:" + extents[d];
    return text + " where " + items;
}

void fill_inputs(Setting& s, const Parts& parts) {
    for (const Tensor* tensor : s.kernel.inputs()) {
        std::vector<std::int64_t> extents;
        for (const Formula& e : s.solution.extents.at(tensor->name)) extents.push_back(e.constant().value());
        const auto given = parts.values.find(tensor->name);
        Json value = given == parts.values.end() ? Json("0") : given->second;
        if (value.is_array()) {
            s.inputs[tensor->name] = listed_values(value, extents, tensor->type);
            continue;
        }
        std::string formula = value.is_string() ? value.get<std::string>() : value.dump();
        formula =
            std::regex_replace(formula, std::regex(R"(\s+everywhere$|,\s*(size|float32|int32)?\s*\d*(x\d+)*.*$)"), "");
        if (const std::size_t at = formula.find("position (row major)"); at != std::string::npos) {
            HostTensor& values = s.inputs[tensor->name] = HostTensor(tensor->type, extents);
            const std::int64_t from = std::stoll(formula);
            for (std::int64_t i = 0; i < values.elements(); i++) values.set_integer(i, from - i);
            continue;
        }
        auto names = access_names(parts.equations, tensor->name);
        names.resize(extents.size());
        for (std::size_t d = 0; d < names.size(); d++) {
            const auto plain = matches(names[d], R"(([a-z]\w*))");
            names[d] = plain.empty() ? "d" + std::to_string(d) : plain.front();
        }
        for (std::size_t d = 0; d < names.size(); d++)
            if (std::count(names.begin(), names.end(), names[d]) > 1) names[d] = "d" + std::to_string(d);
        s.inputs[tensor->name] = formula_values(formula, names, extents, tensor->type);
    }
}

}  // namespace

const Json& all_cases() {
    static const Json cases = Json::parse(std::ifstream(HALOGEN_TEST_DATA "/loopnest.json")).at("cases");
    return cases;
}

std::vector<std::string> equations_of(const std::string& text) {
    std::smatch m;
    static const std::regex reduction(R"(^(.*?)=\s*(?:(.*)\+\s*)?(sum|max|min|prod)_\{?([\w,]+)\}?\s+(.*)$)");
    if (!std::regex_match(text, m, reduction)) return {text};
    const std::string left = trimmed(m[1]), op = m[3] == "sum" ? "+=" : m[3] == "prod" ? "*=" : m[3].str() + "=";
    std::vector<std::string> equations;
    if (m[2].matched) equations.push_back(left + " = " + trimmed(m[2]));
    equations.push_back(left + " " + op + " " + trimmed(m[5]));
    return equations;
}

/// The extents an input needs: its own where its values state them ("i, 16x8"), else what its reads cover.
std::string needed_dims(const Parts& parts, const std::string& tensor) {
    const auto given = parts.values.find(tensor);
    if (given != parts.values.end() && given->second.is_string()) {
        const auto stated = matches(given->second.get<std::string>(), R"(,\s*(?:size )?(\d+(?:x\d+)*)(?:,|$))");
        if (!stated.empty()) return fmt::format("[{}]", fmt::join(split_text(stated[0], "x"), ", "));
    }
    std::vector<std::string> dims;
    if (given != parts.values.end() && given->second.is_array()) {
        for (Json level = given->second; level.is_array(); level = Json(level[0]))
            dims.push_back(std::to_string(level.size()));
        return fmt::format("[{}]", fmt::join(dims, ", "));
    }
    std::vector<std::int64_t> most;
    for (const std::string& e : parts.equations)
        for (const std::string& access : matches(e, "\\b" + tensor + R"(\s*\[([^\]]*)\])")) {
            const auto places = access.empty() ? std::vector<std::string>{} : split_text(access, ",");
            most.resize(std::max(most.size(), places.size()));
            for (std::size_t d = 0; d < places.size(); d++) {
                TextCursor text(places[d], 1);
                const Formula place = parse_formula(text);
                Box box;
                for (const std::string& index : place.symbols()) box[index] = {0, range_of(parts, e, index) - 1};
                most[d] = std::max(most[d], evaluate(hull_of(place, box).high, {}) + 1);
            }
        }
    return most.empty() ? "[]" : fmt::format("[{}]", fmt::join(most, ", "));
}

Setting make(const Parts& given) {
    Parts parts = given;
    const std::set<std::string> lefts = written(parts.equations);
    std::set<std::string> read, inputs;
    bool real = false;
    for (const std::string& e : parts.equations) {
        const auto names = tensors_in(e);
        real = real || e.find("sin(") != std::string::npos || e.find("exp(") != std::string::npos;
        for (std::size_t i = 1; i < names.size(); i++) {
            if (names[i] != names[0]) read.insert(names[i]);
            if (!lefts.count(names[i])) inputs.insert(names[i]);
        }
    }
    for (const auto& [name, value] : parts.values)
        real = real || value.dump().find('.') != std::string::npos || value.dump().find("float") != std::string::npos;
    const std::string usual = real ? "f32" : "i64";
    for (const std::string& name : inputs)
        if (!parts.dims.count(name)) parts.dims[name] = needed_dims(parts, name);
    const auto declared = [&](const std::string& name) {
        const auto type = parts.types.find(name);
        const auto dims = parts.dims.find(name);
        return name + ": " + (type == parts.types.end() ? usual : type->second) +
               (dims == parts.dims.end() ? "" : dims->second);
    };
    std::vector<std::string> in, out, body;
    for (const std::string& name : inputs) in.push_back(declared(name));
    for (const std::string& name : lefts)
        if (parts.outputs.empty() ? !read.count(name)
                                  : std::count(parts.outputs.begin(), parts.outputs.end(), name) > 0)
            out.push_back(declared(name));
    for (const std::string& e : parts.equations) body.push_back(with_ranges(e, parts));
    const std::string text =
        fmt::format("kernel k({}) -> ({}) {{ {} }}", fmt::join(in, ", "), fmt::join(out, ", "), fmt::join(body, "; "));
    SCOPED_TRACE(text);
    try {
        Setting s;
        s.kernel = parse(text).value().kernels[0];
        s.solution = solve(s.kernel).value();
        fill_inputs(s, parts);
        return s;
    } catch (const Failure& failure) {
        Error error = failure.error();
        error.what += " in " + text;
        throw Failure(error);
    }
}

Parts parts_of(const Json& inputs) {
    Parts parts;
    std::vector<std::string> texts;
    if (inputs.contains("equation")) texts.push_back(inputs["equation"]);
    if (inputs.contains("equations"))
        for (const Json& e : inputs["equations"]) texts.push_back(e);
    for (std::string text : texts) {
        std::smatch m;
        if (std::regex_match(text, m, std::regex(R"((.*) for (\w+) in \[(\d+),(\d+)\))"))) {
            text = m[1];
            parts.ranges[m[2]] = {std::stoll(m[3]), std::stoll(m[4])};
        }
        for (const std::string& e : equations_of(take_extents(text))) parts.equations.push_back(e);
    }
    if (inputs.contains("outputs"))
        for (const Json& name : inputs["outputs"]) parts.outputs.push_back(name);
    const std::set<std::string> lefts = written(parts.equations);
    if (inputs.contains("sizes"))
        for (const auto& [name, value] : inputs["sizes"].items()) {
            if (std::islower(static_cast<unsigned char>(name[0]))) parts.ranges[name] = {0, value};
            if (!lefts.count(name)) continue;
            for (std::string& e : parts.equations)
                if (left_tensor(e) == name)
                    e += fmt::format(" where {} in 0:{}", access_names({e}, name).at(0), value.get<std::int64_t>());
        }
    for (const auto& [name, value] : inputs.items())
        if (std::isupper(static_cast<unsigned char>(name[0])) && !lefts.count(name)) parts.values[name] = value;
    return parts;
}

std::vector<Range> ranges_of(const std::vector<NestNode>& body, const Bindings& sizes, int depth, int at_depth) {
    std::vector<Range> ranges;
    for (const NestNode& node : body) {
        const NestLoop* loop = node.loop();
        if (!loop) continue;
        if (at_depth < 0 || depth == at_depth)
            ranges.push_back({loop->name, evaluate(loop->min, sizes), evaluate(loop->min + loop->extent, sizes)});
        const auto inner = ranges_of(loop->body, sizes, depth + 1, at_depth);
        ranges.insert(ranges.end(), inner.begin(), inner.end());
    }
    return ranges;
}

void expect_values(const HostTensor& tensor, const Json& expected, const std::string& name) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.elements(); i++)
        values.push_back(is_float(tensor.type()) ? tensor.real(i) : static_cast<double>(tensor.integer(i)));
    SCOPED_TRACE(name);
    if (expected.is_string()) {
        std::smatch m;
        const std::string text = expected;
        if (std::regex_match(text, m, std::regex(R"((-?[\d.]+) everywhere)"))) {
            for (const double v : values) EXPECT_EQ(v, std::stod(m[1]));
        }
        return;
    }
    if (expected.is_number()) {
        ASSERT_EQ(values.size(), 1U);
        EXPECT_EQ(values[0], expected.get<double>());
        return;
    }
    if (expected.is_array()) {
        std::vector<double> listed;
        const std::function<void(const Json&)> collect = [&](const Json& item) {
            if (!item.is_array()) return listed.push_back(item.get<double>());
            for (const Json& inner : item) collect(inner);
        };
        collect(expected);
        EXPECT_EQ(values, listed);
        return;
    }
    double sum = 0;
    for (const double v : values) sum += v;
    if (expected.contains("shape")) {
        EXPECT_EQ(Json(tensor.extents()), expected["shape"]);
    }
    if (expected.contains("sum")) {
        EXPECT_EQ(sum, expected["sum"].get<double>());
    }
    if (expected.contains("first")) {
        EXPECT_EQ(values.front(), expected["first"].get<double>());
    }
    if (expected.contains("last")) {
        EXPECT_EQ(values.back(), expected["last"].get<double>());
    }
    if (expected.contains("min")) {
        EXPECT_EQ(*std::min_element(values.begin(), values.end()), expected["min"].get<double>());
    }
    if (expected.contains("max")) {
        EXPECT_EQ(*std::max_element(values.begin(), values.end()), expected["max"].get<double>());
    }
    for (const auto& [key, value] : expected.items())
        if (std::isdigit(static_cast<unsigned char>(key[0]))) {
            EXPECT_EQ(values.at(std::stoul(key)), value.get<double>());
        }
}

}  // namespace halogen::loopnest
