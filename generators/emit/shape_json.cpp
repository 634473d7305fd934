#include "generators/emit/shape_json.h"

#include "frontend/shapes/run.h"

#include "frontend/base/checked.h"
#include "frontend/systems/expr.h"

#include <fmt/format.h>

namespace halogen {

namespace {

using Json = nlohmann::json;
using shapes::Argument;
using shapes::Operand;
using shapes::Refusal;
using shapes::Refused;
using shapes::Shape;

constexpr std::size_t most_dims = 64;
constexpr int deepest = 4;  // lists of lists

[[noreturn]] void fail(const std::string& what, const std::string& fix) { throw Refusal(Refused::call, what, fix); }

std::string excerpt(const Json& value) {
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

Shape read_shape(const Json& value, const std::string& where, bool negative) {
    if (!value.is_array()) fail(fmt::format("{} is {}", where, excerpt(value)), "give a list of integers: [2, 3]");
    if (value.size() > most_dims)
        throw Refusal(Refused::rank, fmt::format("{} has {} dims", where, value.size()),
                      fmt::format("give {} at most", most_dims));
    Shape shape;
    for (const Json& item : value) {
        shape.push_back(read_formula(item, where));
        if (!negative && shape.back().constant().value_or(0) < 0)
            throw Refusal(Refused::not_positive, fmt::format("{} holds the extent {}", where, excerpt(item)),
                          "give 0 or more");
    }
    return shape;
}

Operand read_operand(const Json& value, const std::string& where) {
    Operand operand;
    for (const auto& [key, member] : value.items()) {
        if (key == "shape")
            operand.shape = read_shape(member, where, false);
        else if (key == "stride")
            operand.strides = read_shape(member, where + " (stride)", true);
        else if (key == "dtype") {
            const auto type = member.is_string() ? parse_type(member.get<std::string>()) : std::nullopt;
            if (!type)
                throw Refusal(Refused::dtype, fmt::format("{} has the dtype {}", where, excerpt(member)),
                              "the types are f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 bool");
            operand.type = *type;
        } else
            fail(fmt::format("{} has the member `{}`", where, key), "a tensor has `shape`, `dtype` and `stride`");
    }
    if (operand.strides && operand.strides->size() != operand.shape.size())
        throw Refusal(
            Refused::rank,
            fmt::format("{} has {} strides for {} dims", where, operand.strides->size(), operand.shape.size()),
            "give one stride a dim");
    return operand;
}

shapes::Reference read_reference(const Json& value, const std::string& where) {
    shapes::Reference reference;
    const Json& name = value.at("ref");
    if (!name.is_string())
        fail(fmt::format("{} refers to {}", where, excerpt(name)), "give the name of an input or of a step");
    reference.name = name.get<std::string>();
    if (value.contains("index"))
        reference.result = static_cast<int>(read_formula(value["index"], where).constant().value_or(0));
    // "out[1]" names the second result.
    const std::size_t bracket = reference.name.find('[');
    if (bracket != std::string::npos && reference.name.back() == ']') {
        reference.result = std::atoi(reference.name.c_str() + bracket + 1);
        reference.name.resize(bracket);
    }
    return reference;
}

Argument read_argument(const Json& value, const std::string& where, int depth) {
    switch (value.type()) {
    case Json::value_t::null: return {};
    case Json::value_t::boolean: return {value.get<bool>()};
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return {read_formula(value, where)};
    case Json::value_t::number_float: return {value.get<double>()};
    case Json::value_t::string: return {value.get<std::string>()};
    case Json::value_t::array: {
        if (depth == deepest) fail(where + " is a list of lists of lists", "take lists out");
        std::vector<Argument> list;
        for (const Json& item : value) list.push_back(read_argument(item, where, depth + 1));
        return {std::move(list)};
    }
    case Json::value_t::object:
        if (value.contains("expr")) return {read_formula(value, where)};
        if (value.contains("ref")) return {read_reference(value, where)};
        if (value.contains("shape")) return {read_operand(value, where)};
        break;
    default: break;
    }
    fail(fmt::format("{} is {}", where, excerpt(value)),
         "a tensor is {\"shape\": [2, 3]}, a formula {\"expr\": \"n + 1\"}");
}

}  // namespace

Formula read_formula(const Json& value, const std::string& where) {
    if (value.is_object() && value.contains("expr") && value["expr"].is_string())
        return read_formula(value["expr"], where);
    if (value.is_string()) {
        try {
            return parse_system_expression(value.get<std::string>(), {}, false);
        } catch (const Failure& failure) {
            fail(fmt::format("{}: {}", where, failure.error().what), "write a formula such as \"2*n + 1\"");
        }
    }
    const bool is_large = value.is_number_unsigned()
                              ? value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest_extent)
                              : value.is_number_integer() && value.get<std::int64_t>() < -largest_extent;
    if (!value.is_number_integer() || is_large)
        fail(fmt::format("{} holds {}", where, excerpt(value)), "give integers from -2^62 to 2^62, or formulas");
    return value.get<std::int64_t>();
}

shapes::Arguments read_arguments(const Json& given, const std::string& op) {
    if (!given.is_object())
        fail(fmt::format("{}: the arguments are {}", op, excerpt(given)),
             "give an object: {\"input\": {\"shape\": [2, 3]}}");
    shapes::Arguments arguments;
    for (const auto& [name, value] : given.items())
        arguments.emplace(name, read_argument(value, fmt::format("{}: `{}`", op, name), 0));
    return arguments;
}

Json shape_json(const Shape& shape) {
    Json list = Json::array();
    for (const Formula& extent : shape) {
        if (const auto number = extent.constant())
            list.push_back(*number);
        else
            list.push_back(print(extent));
    }
    return list;
}

Json shapes_json(const std::vector<Operand>& operands) {
    Json list = Json::array();
    for (const Operand& o : operands) list.push_back(shape_json(o.shape));
    return list;
}

Json strides_json(const std::vector<Operand>& operands) {
    Json list = Json::array();
    for (const Operand& o : operands) {
        if (!o.strides) return nullptr;
        list.push_back(shape_json(*o.strides));
    }
    return list;
}

Json refusal_json(const Refusal& refusal) {
    const Error& error = refusal.error();
    std::string message = error.what;
    if (!error.equation.empty()) message += "\n  at   " + error.equation;
    if (!error.fix.empty()) message += "\n  fix  " + error.fix;
    return {{"error", shapes::to_string(refusal.kind)}, {"message", message}};
}

namespace {

using Given = nlohmann::ordered_json;  // inputs stay in the order of the text

std::optional<std::int64_t> bound(const Given& range, const char* key, const std::string& where) {
    if (!range.is_object() || !range.contains(key)) return std::nullopt;
    return read_formula(Json(range[key]), where).constant();
}

const Given& need(const Given& object, const char* key, const std::string& where) {
    if (!object.is_object() || !object.contains(key))
        fail(fmt::format("{} has no `{}`", where, key), "see cases/shapes.json");
    return object[key];
}

std::string text(const Given& value, const std::string& where) {
    if (!value.is_string()) fail(fmt::format("{} is {}", where, excerpt(Json(value))), "give a text");
    return value.get<std::string>();
}

void add_symbols(const Given& given, shapes::StepProgram& program) {
    if (!given.is_object()) fail("`symbols` is no object", "give {\"n\": {\"min\": 1}}");
    for (const auto& [name, range] : given.items()) {
        const std::string where = "the range of `" + name + "`";
        const shapes::SizeRange limits{bound(range, "min", where).value_or(0), bound(range, "max", where)};
        if (limits.least < 0 || limits.most.value_or(limits.least) < limits.least)
            fail(where + " holds no size", "give `min` of 0 or more, and `max` of that or more");
        program.symbols.emplace(name, limits);
    }
}

}  // namespace

shapes::StepProgram read_program(const Given& given) {
    shapes::StepProgram program;
    for (const char* key : {"symbols", "unknowns"}) {
        if (given.is_object() && given.contains(key)) add_symbols(given[key], program);
    }
    const Given& inputs = need(given, "inputs", "a program");
    if (!inputs.is_object()) fail("`inputs` is no object", "give {\"x\": {\"shape\": [\"n\", 3]}}");
    for (const auto& [name, value] : inputs.items()) {
        const Argument argument = read_argument(Json(value), "`" + name + "`", 0);
        if (!argument.as<Operand>()) fail(fmt::format("input `{}` is no tensor", name), "give {\"shape\": [2, 3]}");
        program.inputs.emplace_back(name, *argument.as<Operand>());
    }
    const Given& steps = need(given, "steps", "a program");
    if (!steps.is_array()) fail("`steps` is no list", "give a list of {\"out\", \"op\", \"args\"}");
    for (const Given& step : steps) {
        const std::string out = text(need(step, "out", "a step"), "`out`");
        const std::string op = text(need(step, "op", "a step"), "`op`");
        const std::string where = fmt::format("{} `{}`", op, out);
        program.steps.push_back({out, op, read_arguments(Json(need(step, "args", where)), where)});
    }
    return program;
}

namespace {

Json answer_call(shapes::Library& library, const Given& given) {
    const std::string op = text(need(given, "op", "a case"), "`op`");
    library.entry(op);
    const std::vector<Operand> results = run(library, op, read_arguments(Json(need(given, "args", op)), op));
    Json answer = {{"shapes", shapes_json(results)}};
    if (const Json strides = strides_json(results); !strides.is_null()) answer["strides"] = strides;
    return answer;
}

Json guards_json(const shapes::ShapeProgram& program) {
    Json guards = Json::array();
    for (const shapes::Path& path : program.paths) {
        for (const shapes::StepGuard& g : path.guards)
            guards.push_back({{"condition", print(g.what.condition)},
                              {"error", shapes::to_string(g.what.kind)},
                              {"step", name_of(program.source, g.step)},
                              {"reason", g.what.sentence}});
    }
    return guards;
}

Bindings read_sizes(const Given& given) {
    Bindings sizes;
    for (const auto& [name, value] : given.items())
        sizes.emplace(name, read_formula(Json(value), "`bind`").constant().value_or(0));
    return sizes;
}

Json answer_symbolic(shapes::Library& library, const Given& given) {
    const shapes::ShapeProgram program = shape_program(library, read_program(given));
    const int last_step = static_cast<int>(program.source.steps.size()) - 1;
    Json answer = {{"guards", guards_json(program)}, {"formulas", Json::array()}};
    if (const auto refusal = refusal_of(program))
        answer.update(refusal_json(refusal->refusal));
    else if (program.paths.size() == 1 && last_step >= 0)
        answer["formulas"] = shapes_json(program.paths[0].results.back());
    else
        answer["formulas"] = print_results(program, last_step);
    if (!given.contains("witnesses")) return answer;
    answer["witnesses"] = Json::array();
    for (const Given& witness : given["witnesses"]) {
        Json one = {{"bind", need(witness, "bind", "a witness")}};
        try {
            one["shapes"] = shapes_for(program, read_sizes(witness["bind"]));
        } catch (const Refusal& refusal) {
            one.update(refusal_json(refusal));
        }
        answer["witnesses"].push_back(std::move(one));
    }
    return answer;
}

Json answer_backward(shapes::Library& library, const Given& given) {
    const shapes::ShapeProgram program = shape_program(library, read_program(given));
    const Shape wanted = read_shape(Json(given["require"]), "`require`", false);
    std::vector<shapes::Want> wants;
    for (std::size_t d = 0; d < wanted.size(); ++d)
        wants.push_back({static_cast<int>(program.source.steps.size()) - 1, 0, static_cast<int>(d),
                         wanted[d].constant().value_or(0)});
    const shapes::Solutions found = solve_backward(program, wants, static_cast<int>(wanted.size()));
    Json answer = {{"answer", found.all.empty()       ? "none"
                              : found.all.size() == 1 ? "unique"
                                                      : "several"},
                   {"solutions", found.all}};
    if (!found.complete) answer["complete"] = false;
    if (!found.conflict.empty()) answer["conflict"] = found.conflict;
    return answer;
}

Json answer_case(shapes::Library& library, const Given& given) {
    Json answer;
    try {
        const bool is_program = given.is_object() && given.contains("steps");
        answer = !is_program                 ? answer_call(library, given)
                 : given.contains("require") ? answer_backward(library, given)
                                             : answer_symbolic(library, given);
    } catch (const Refusal& refusal) {
        answer = refusal_json(refusal);
    } catch (const Failure& failure) {
        answer = {{"error", to_string(failure.error().kind)}, {"message", failure.error().what}};
    }
    answer["id"] =
        given.is_object() && given.contains("id") && given["id"].is_string() ? given["id"].get<std::string>() : "";
    return answer;
}

}  // namespace

Json answer_cases(const Given& given) {
    shapes::Library library;
    Json answers = Json::array();
    if (given.is_object() &&
        (given.contains("cases") || given.contains("symbolic_cases") || given.contains("solve_cases"))) {
        for (const char* kind : {"cases", "symbolic_cases", "solve_cases"}) {
            if (!given.contains(kind) || !given[kind].is_array()) continue;
            for (const Given& one : given[kind]) answers.push_back(answer_case(library, one));
        }
    } else if (given.is_array()) {
        for (const Given& one : given) answers.push_back(answer_case(library, one));
    } else {
        answers.push_back(answer_case(library, given));
    }
    return answers;
}

}  // namespace halogen
