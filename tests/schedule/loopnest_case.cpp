#include "tests/schedule/loopnest_case.h"

#include "frontend/hull.h"
#include "schedules/text_cursor.h"

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

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split_text(const std::string& text, const std::string& at) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size())
        parts.push_back(trimmed(text.substr(begin, end - begin)));
    parts.push_back(trimmed(text.substr(begin)));
    return parts;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    std::vector<std::string> found;
    for (auto m = std::sregex_iterator(text.begin(), text.end(), regex); m != std::sregex_iterator(); ++m)
        found.push_back((*m)[1].str());
    return found;
}

std::string left_tensor(const std::string& equation) { return matches(equation, R"(^\s*([A-Z]\w*)\s*\[)").at(0); }
std::vector<std::string> tensors_in(const std::string& text) { return matches(text, R"(([A-Z]\w*)\s*\[)"); }

std::set<std::string> written(const std::vector<std::string>& equations) {
    std::set<std::string> names;
    for (const std::string& e : equations) names.insert(left_tensor(e));
    return names;
}

/// The index names of the first access to `tensor`, dim by dim ("" where a place is no plain index).
std::vector<std::string> access_names(const std::vector<std::string>& equations, const std::string& tensor) {
    for (const std::string& e : equations) {
        const auto found = matches(e, "\\b" + tensor + R"(\s*\[([^\]]*)\])");
        if (!found.empty() && !found[0].empty()) return split_text(found[0], ",");
    }
    return {};
}

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
std::string take_extents(std::string text, Parts& parts) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(R"(\s*\((\d+(?:x\d+)*)\)\s*$)"))) return text;
    const auto extents = split_text(found[1].str(), "x");
    text = text.substr(0, static_cast<std::size_t>(found.position(0)));
    const auto names = access_names({text}, left_tensor(text));
    std::string items;
    for (std::size_t d = 0; d < names.size() && d < extents.size(); d++)
        items += (d ? ", " : "") + names[d] + " in 0:" + extents[d];
    (void)parts;
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

/// The last stage of a Func that has the loop; of all Funcs when none is named.
Step on_loop(const Nest& nest, const std::string& handle, StepKind kind) {
    const auto parts = split_text(handle, ".");
    const std::string name = parts.back(), func = parts.size() > 1 ? parts[0] : "";
    Step step{kind, func, 0, {name}};
    int best = -1;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (!func.empty() && s.func != func) return;
        for (const NestLoop* loop : path)
            if (loop->name == name && !s.start && (best < 0 || s.func == step.func || func.empty())) {
                step.func = s.func;
                step.stage = s.stage;
                best = s.stage;
            }
    });
    if (best < 0) {
        for (const auto& [removed, why] : nest.removed) {
            const auto words = split_text(removed, " ");
            if (words.back() != name) continue;
            const auto place = split_text(words[0], ".");
            step.func = place[0];
            step.stage = std::stoi(place[1]);
        }
        if (step.func.empty())
            each_statement(nest, [&](const NestPath&, const NestStatement& s) {
                step.func = s.func;
                step.stage = s.stage;
            });
    }
    return step;
}

std::vector<std::string> loops_around(const Nest& nest, const std::string& func, int stage) {
    std::vector<std::string> names;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (s.func != func || s.stage != stage || !names.empty()) return;
        for (const NestLoop* loop : path) names.push_back(loop->name);
    });
    return names;
}

Tail tail_named(const std::string& word) {
    return word == "guard" ? Tail::guard : word == "separate" ? Tail::separate : Tail::guard;
}

std::string text_at(const Json& json, const char* name, const std::string& otherwise) {
    return json.contains(name) ? json.at(name).get<std::string>() : otherwise;
}

class Player {
public:
    Player(Nest nest, History* record) : nest_(std::move(nest)), record_(record) {}

    void apply(const Step& step) {
        nest_ = apply_to_nest(nest_, step).value();
        if (record_) record_->steps.push_back(step);
    }

    void split(const std::string& loop, std::int64_t factor, const std::string& tail, const std::string& outer,
               const std::string& inner, const std::string& rest) {
        Step step = on_loop(nest_, loop, StepKind::split);
        step.factor = factor;
        step.tail = tail_named(tail);
        step.made = {outer, inner};
        if (step.tail == Tail::separate) step.made.push_back(rest);
        apply(step);
    }

    void swap(const std::string& a, const std::string& b) {
        Step step = on_loop(nest_, a, StepKind::reorder);
        const auto order = loops_around(nest_, step.func, step.stage);
        const bool a_outside = std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b);
        std::vector<std::string> between;
        for (const std::string& name : order) between.push_back(name == a ? b : name == b ? a : name);
        (void)a_outside;
        step.loops.assign(between.rbegin(), between.rend());
        if (step.loops.size() >= 2) apply(step);
    }

    void object(const Json& json);
    void phrase(const std::string& text);
    Nest take() { return std::move(nest_); }

private:
    void vectorize(const std::string& loop, std::int64_t width) {
        split(loop, width, "guard", loop + "_outer", loop + "_lane", "");
        apply(on_loop(nest_, loop + "_lane", StepKind::vectorize));
    }

    void rfactor(const std::string& loop) {
        Step step = on_loop(nest_, loop, StepKind::rfactor);
        partial_ = "Partial";
        while (nest_.kernel.find_tensor(partial_)) partial_ += "_";
        step.made = {partial_, loop + "_kept"};
        apply(step);
        kept_ = loop + "_kept";
    }

    std::vector<std::string> reduced() const {
        std::vector<std::string> names;
        each_statement(nest_, [&](const NestPath& path, const NestStatement& s) {
            if (!names.empty() || s.start) return;
            for (const NestLoop* loop : path)
                if (loop->reduced) names.push_back(loop->name);
        });
        return names;
    }

    void reverse_order() {
        std::string func;
        int stage = 0;
        each_statement(nest_, [&](const NestPath& path, const NestStatement& s) {
            if (path.size() > 1 && !s.start) {
                func = s.func;
                stage = s.stage;
            }
        });
        auto order = loops_around(nest_, func, stage);
        if (order.size() > 1) apply({StepKind::reorder, func, stage, order});
    }

    Nest nest_;
    History* record_;
    std::string partial_, kept_;
};

void Player::object(const Json& json) {
    const std::string op = json.at("op");
    const auto first_loop = [&] {
        std::string name;
        each_statement(nest_, [&](const NestPath& path, const NestStatement& s) {
            if (name.empty() && !s.start) name = path.front()->name;
        });
        return name;
    };
    const std::string loop =
        text_at(json, "loop", op == "slice_head" || op == "slice_tail" || op == "unroll" ? first_loop() : "");
    if (op == "split") {
        const std::string tail = text_at(json, "tail", "guard"), base = split_text(loop, ".").back();
        split(loop, json.at("factor"), tail, text_at(json, "outer", base + "o"), text_at(json, "inner", base + "i"),
              text_at(json, "rest", base + "t"));
    } else if (op == "slice_head" || op == "slice_tail") {
        Step step = on_loop(nest_, loop, op == "slice_head" ? StepKind::slice_head : StepKind::slice_tail);
        step.factor = json.at("n").get<std::int64_t>();
        step.made = op == "slice_head" ? std::vector<std::string>{loop + "_head", "rest"}
                                       : std::vector<std::string>{loop + "_main", loop + "_tail"};
        if (json.contains("out")) step.made = {json["out"][0], json["out"][1]};
        apply(step);
    } else if (op == "tile") {
        const std::string x = json["loops"][0], y = json["loops"][1];
        Step step = on_loop(nest_, x, StepKind::tile);
        step.loops = {x, y};
        step.made = {x + "o", y + "o", x + "i", y + "i", x + "t", y + "t"};
        step.factor = json["factors"][0].get<std::int64_t>();
        step.second = json["factors"][1].get<std::int64_t>();
        step.tail = Tail::separate;
        apply(step);
    } else if (op == "vectorize") {
        if (json.contains("width"))
            vectorize(loop, json.at("width"));
        else
            apply(on_loop(nest_, loop, StepKind::vectorize));
    } else if (op == "unroll" || op == "parallel" || op == "normalize" || op == "distribute") {
        apply(on_loop(nest_, loop,
                      op == "unroll"      ? StepKind::unroll
                      : op == "parallel"  ? StepKind::parallel
                      : op == "normalize" ? StepKind::normalize
                                          : StepKind::distribute));
    } else if (op == "swap") {
        swap(json.at("a"), json.at("b"));
    } else if (op == "inline") {
        apply({StepKind::compute_inline, json.at("func")});
    } else if (op == "compute_at") {
        const auto at = split_text(loop, ".");
        Step step{StepKind::compute_at, json.at("func")};
        step.at_func = at.at(0);
        step.at_loop = at.at(1);
        apply(step);
    } else if (op == "cache_reads" || op == "cache_writes") {
        const auto at = split_text(split_text(json.at("at").get<std::string>(), " ")[0], ".");
        Step step{op == "cache_reads" ? StepKind::cache_reads : StepKind::cache_writes,
                  op == "cache_reads" ? at[0] : json.at("func").get<std::string>()};
        step.tensor = op == "cache_reads" ? json.at("func").get<std::string>() : "";
        step.at_func = at[0];
        step.at_loop = at[1];
        step.made = {json.at("func").get<std::string>() + "_cache"};
        apply(step);
    } else if (op == "rfactor") {
        rfactor(json.at("preserve"));
    } else {
        FAIL() << "no reading for step " << json;
    }
}

void Player::phrase(const std::string& text) {
    for (const std::string& clause : split_text(text, ",")) {
        const auto words = split_text(clause, " ");
        std::smatch m;
        if (clause == "none" || clause.empty()) continue;
        if (words[0] == "inline") {
            apply({StepKind::compute_inline, words.at(1)});
        } else if (std::regex_match(clause, m,
                                    std::regex(R"(split (\w+) by (\d+)(?: (separate|guard))?(?: -> (\w+))?)"))) {
            split(m[1], std::stoll(m[2]), m[3].matched ? m[3].str() : "guard", m[1].str() + "o", m[1].str() + "i",
                  m[1].str() + "t");
            kept_ = m[1].str() + "i";
        } else if (clause == "rfactor") {
            rfactor(reduced().front());
        } else if (clause == "rfactor inner") {
            rfactor(kept_);
        } else if (std::regex_match(clause, m, std::regex(R"(rfactor (\d+) lanes)"))) {
            const std::string loop = reduced().front();
            split(loop, std::stoll(m[1]), "guard", loop + "o", loop + "i", "");
            swap(loop + "o", loop + "i");
            rfactor(loop + "i");
        } else if (words[0] == "rfactor") {
            const auto names = reduced();
            rfactor(words[1] == "outermost"   ? names.front()
                    : words[1] == "middle"    ? names.at(1)
                    : words[1] == "innermost" ? names.back()
                                              : words[1]);
        } else if (clause == "parallel") {
            apply(on_loop(nest_, kept_, StepKind::parallel));
        } else if (clause.starts_with("vectori") && (words.size() == 1 || words[1] == "the")) {
            apply(on_loop(nest_, partial_ + "." + kept_, StepKind::vectorize));
        } else if (std::regex_match(clause, m, std::regex(R"(vectorize (\w+) by (\d+))"))) {
            vectorize(m[1], std::stoll(m[2]));
        } else if (words[0] == "vectorize") {
            apply(on_loop(nest_, words.at(1), StepKind::vectorize));
        } else if (words[0] == "unroll") {
            apply(on_loop(nest_, words.at(1), StepKind::unroll));
        } else if (clause == "normalize") {
            const std::string loop =
                loops_around(nest_, on_loop(nest_, "x", StepKind::normalize).func, 0).empty() ? "x" : "x";
            apply(on_loop(nest_, loop, StepKind::normalize));
        } else if (std::regex_match(clause, m,
                                    std::regex(R"(reorder so that (\w+) is outermost of the reduced loops)"))) {
            Step step = on_loop(nest_, m[1], StepKind::reorder);
            const auto names = reduced();
            std::vector<std::string> inner;
            for (auto name = names.rbegin(); name != names.rend(); ++name)
                if (*name != m[1].str()) inner.push_back(*name);
            inner.push_back(m[1]);
            step.loops = inner;
            apply(step);
        } else if (clause.starts_with("reorder")) {
            reverse_order();
        } else if (clause == "distribute") {
            continue;  // partial results have loops of their own already
        } else {
            FAIL() << "no reading for step `" << clause << "`";
        }
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
        for (const std::string& e : equations_of(take_extents(text, parts))) parts.equations.push_back(e);
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

Tree tree_of(const std::vector<std::string>& lines, const std::map<std::string, std::string>& dims) {
    struct Open {
        std::size_t indent;
        std::string name;
        std::int64_t begin, end;
        int serial;
    };
    int serial = 0;
    struct Line {
        std::vector<Open> loops;
        std::string text;
    };
    std::vector<Open> open;
    std::vector<Line> statements;
    static const std::regex header(R"(^for (\w+)\s*(?:<\s*(\d+)|in \[(\d+),(\d+)\)))");
    for (const std::string& line : lines) {
        const std::size_t indent = line.find_first_not_of(' ');
        while (!open.empty() && open.back().indent >= indent) open.pop_back();
        const std::size_t outer = open.size();
        std::string rest = line.substr(indent);
        for (const std::string& part : split_text(rest, ";")) {
            std::string text = part;
            std::smatch m;
            while (std::regex_search(text, m, header)) {
                open.push_back({indent, m[1], m[2].matched ? 0 : std::stoll(m[3]),
                                std::stoll(m[2].matched ? m[2] : m[4]), serial++});
                text = trimmed(m.suffix());
                if (text.starts_with(":")) text = trimmed(text.substr(1));
            }
            if (!text.empty()) statements.push_back({open, text});
        }
        if (rest.find(';') != std::string::npos) open.resize(outer);
    }
    Parts parts;
    parts.dims = dims;
    for (const Line& s : statements) {
        std::string items;
        for (const Open& loop : s.loops)
            if (std::regex_search(s.text, std::regex("\\b" + loop.name + "\\b")))
                items += fmt::format("{}{} in {}:{}", items.empty() ? "" : ", ", loop.name, loop.begin, loop.end);
        parts.equations.push_back(s.text + (items.empty() ? "" : " where " + items));
    }
    for (const auto& name : written(parts.equations)) parts.outputs.push_back(name);
    Tree tree{make(parts), {}};
    tree.nest = tree.setting.nest();
    std::vector<NestNode> starts, body;
    std::vector<NestStatement> plain;
    for (NestNode& node : tree.nest.body) {
        std::vector<NestNode> one{node};
        NestStatement statement;
        each_statement(one, [&](NestStatement& s) { statement = s; });
        if (statement.start)
            starts.push_back(node);
        else
            plain.push_back(statement);
    }
    // The statements again, in loops that they share with their neighbours in the text.
    std::vector<std::pair<std::string, NestLoop*>> path;
    std::vector<Open> before;
    std::vector<NestNode> shared;
    for (std::size_t i = 0; i < statements.size(); i++) {
        const auto& loops = statements[i].loops;
        std::size_t common = 0;
        while (common < loops.size() && common < before.size() && loops[common].serial == before[common].serial)
            common++;
        std::vector<NestNode>* list = &shared;
        std::map<std::string, int> ids;
        for (std::size_t d = 0; d < loops.size(); d++) {
            if (d >= common || list->empty() || !list->back().loop()) {
                common = 0;
                NestLoop loop{++tree.nest.last_id,
                              loops[d].name,
                              plain[i].func,
                              plain[i].stage,
                              loops[d].begin,
                              loops[d].end - loops[d].begin,
                              false,
                              LoopMark::serial,
                              {}};
                list->push_back(NestNode{loop});
            }
            NestLoop& loop = *list->back().loop();
            ids[loop.name] = loop.id;
            list = &loop.body;
        }
        for (auto& [index, value] : plain[i].at) value = Formula::symbol(loop_symbol(ids.at(index)));
        list->push_back(NestNode{plain[i]});
        before = loops;
    }
    tree.nest.body = starts;
    tree.nest.body.insert(tree.nest.body.end(), shared.begin(), shared.end());
    return tree;
}

Result<Nest> play(Nest nest, const Json& step, History* record) {
    return guarded([&] {
        Player player(std::move(nest), record);
        if (step.is_string())
            player.phrase(step.get<std::string>());
        else
            player.object(step);
        return player.take();
    });
}

Result<Nest> play_all(Nest nest, const Json& steps, History* record) {
    return guarded([&] {
        Player player(std::move(nest), record);
        for (const Json& step : steps.is_array() ? steps : Json::array({steps})) {
            if (step.is_string())
                player.phrase(step.get<std::string>());
            else
                player.object(step);
        }
        return player.take();
    });
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
