// halogen shape: shapes of operators and of programs of them.

#include "frontend/shapes/run.h"
#include "generators/emit/shape_cpp.h"
#include "generators/emit/shape_json.h"
#include "generators/files/output.h"
#include "generators/verbs/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

namespace halogen {

namespace {

using Json = nlohmann::json;
using shapes::Inference;
using shapes::Refusal;

Failure usage(const std::string& what, const std::string& fix) {
    return Failure(Error{ErrorKind::usage, what, {}, "", fix});
}

Failure not_json(const std::string& name) {
    return Failure(
        Error{ErrorKind::syntax,
              fmt::format("{} is not JSON", name),
              {},
              "",
              "write it as `halogen shape mm '{\"input\": {\"shape\": [2, 3]}, \"mat2\": {\"shape\": [3, 4]}}'` does"});
}

Json parse_json(const std::string& text, const std::string& name) {
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) throw not_json(name);
    return document;
}

std::string dump(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string joined(const std::vector<shapes::Predicate>& all) {
    std::string text;
    for (const auto& p : all) text += (text.empty() ? "" : " and ") + print(p);
    return text;
}

Json inference_json(const Inference& inference) {
    Json document = {{"shapes", shapes_json(inference.results)}, {"types", Json::array()}, {"guards", Json::array()}};
    for (const shapes::Operand& o : inference.results) document["types"].push_back(to_string(o.type));
    if (const Json strides = strides_json(inference.results); !strides.is_null()) document["strides"] = strides;
    for (const shapes::Requirement& r : inference.requirements)
        document["guards"].push_back(
            {{"condition", print(r.condition)}, {"error", to_string(r.kind)}, {"reason", r.sentence}});
    if (!inference.assumed.empty()) document["when"] = joined(inference.assumed);
    return document;
}

void print_inference(const Inference& inference) {
    if (!inference.assumed.empty()) fmt::print("when {}\n", joined(inference.assumed));
    if (inference.refusal) fmt::print("  refused: {}\n", inference.refusal->error().what);
    for (const shapes::Operand& o : inference.results) {
        fmt::print("  {}{}", to_string(o.type), shapes::print(o.shape));
        fmt::print("{}\n", o.strides ? " strides " + shapes::print(*o.strides) : "");
    }
    for (const shapes::Requirement& r : inference.requirements)
        fmt::print("  needs {}   {}\n", print(r.condition), r.sentence);
}

bool is_symbolic(const std::vector<Inference>& all) { return all.size() > 1 || !all[0].requirements.empty(); }

int shape_of_call(const Options& options) {
    if (options.arguments.size() != 2)
        throw usage("an operator and its arguments are needed",
                    "for example: halogen shape relu '{\"input\": {\"shape\": [2, 3]}}'");
    shapes::Library library;
    const std::string& op = options.arguments[0];
    library.entry(op);
    const shapes::Arguments arguments = read_arguments(parse_json(options.arguments[1], "the second argument"), op);
    if (options.cpp) {
        const shapes::ShapeProgram program = shape_program(library, {{}, {}, {{"y", op, arguments}}});
        if (const auto refusal = refusal_of(program)) throw refusal->refusal;
        fmt::print("{}", emit_shapes(program, op));
        return 0;
    }
    const std::vector<Inference> all = library.infer(op, arguments);
    if (!is_symbolic(all)) run(library, op, arguments);  // says more of a refusal
    Json document = {{"status", "ok"}, {"cases", Json::array()}};
    for (const Inference& inference : all) {
        if (options.json && !inference.refusal) document["cases"].push_back(inference_json(inference));
        if (!options.json) print_inference(inference);
    }
    if (all.size() == 1 && options.json) {
        document.update(document["cases"][0]);
        document.erase("cases");
    }
    if (options.json) fmt::print("{}\n", dump(document));
    return 0;
}

/// "out.2=112", "out[1].0=5".
shapes::Want parse_want(const shapes::StepProgram& program, const std::string& text) {
    static const std::regex form("([A-Za-z_][A-Za-z0-9_]*)(\\[([0-9]{1,4})\\])?\\.([0-9]{1,4})=([0-9]{1,18})");
    std::smatch part;
    if (!std::regex_match(text, part, form))
        throw usage(fmt::format("--want `{}` is not OUT.DIM=INTEGER", text), "for example y.2=112");
    for (std::size_t s = program.steps.size(); s-- > 0;) {
        if (program.steps[s].out != part[1].str()) continue;
        const int result = part[3].matched ? std::stoi(part[3].str()) : 0;
        return {static_cast<int>(s), result, std::stoi(part[4].str()), std::stoll(part[5].str())};
    }
    throw usage(fmt::format("--want `{}`: no step is named `{}`", text, part[1].str()), "name the `out` of a step");
}

void print_pass(const std::string& pass, const shapes::ShapeProgram& program) {
    for (std::size_t p = 0; p < program.paths.size(); ++p) {
        const shapes::Path& path = program.paths[p];
        fmt::print("{}{}{}\n", pass, program.paths.size() > 1 ? fmt::format(", case {}", p + 1) : "",
                   path.assumed.empty() ? "" : " when " + joined(path.assumed));
        for (std::size_t s = 0; s < path.results.size(); ++s) {
            for (const shapes::Operand& o : path.results[s])
                fmt::print("  {:12} {:18} {}\n", program.source.steps[s].out, program.source.steps[s].op,
                           shapes::print(o.shape));
        }
        for (const shapes::StepGuard& g : path.guards)
            fmt::print("  needs {}   {}: {}{}\n", print(g.what.condition), name_of(program.source, g.step),
                       g.what.sentence, g.proved ? "   (proved)" : "");
        if (path.refusal)
            fmt::print("  refused at {}: {}\n", name_of(program.source, path.refusal->step),
                       path.refusal->refusal.error().what);
    }
}

void print_sizes(const Bindings& sizes) {
    std::string text;
    for (const auto& [name, value] : sizes) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    fmt::print("  {}\n", text);
}

std::string print_end(const std::optional<Rational>& end) { return end ? to_string(end->num) : "no limit"; }

void print_backward(const shapes::Solutions& found, const std::vector<std::string>& wants) {
    fmt::print("wanted");
    for (const std::string& want : wants) fmt::print(" {}", want);
    fmt::print(": {}\n", !found.complete         ? "many"
                         : found.all.empty()     ? "impossible"
                         : found.all.size() == 1 ? "one answer"
                                                 : fmt::format("{} answers", found.all.size()));
    constexpr std::size_t most_printed = 50;
    for (std::size_t i = 0; i < std::min(found.all.size(), most_printed) && found.complete; ++i)
        print_sizes(found.all[i]);
    if (found.all.size() > most_printed && found.complete)
        fmt::print("  and {} more\n", found.all.size() - most_printed);
    if (!found.complete) {
        for (const auto& [name, range] : found.ranges)
            fmt::print("  {} from {} to {}\n", name, print_end(range.lo), print_end(range.hi));
    }
    for (const std::string& clash : found.conflict) fmt::print("  clash: {}\n", clash);
}

int shape_of_program(const Options& options) {
    const auto given = nlohmann::ordered_json::parse(read_file(options.steps), nullptr, false);
    if (given.is_discarded()) throw not_json("`" + options.steps + "`");
    if (options.json && options.want.empty()) {
        Json document = answer_cases(given)[0];
        document["status"] = document.contains("error") ? "error" : "ok";
        fmt::print("{}\n", dump(document));
        return document.contains("error") ? 1 : 0;
    }
    shapes::Library library;
    shapes::StepProgram steps = read_program(given);
    std::vector<shapes::Want> wants;
    for (const std::string& want : options.want) wants.push_back(parse_want(steps, want));
    const shapes::ShapeProgram program =
        shape_program(library, std::move(steps), options.trace ? shapes::Watch(print_pass) : shapes::Watch());
    if (const auto refusal = refusal_of(program)) throw refusal->refusal;
    if (options.cpp) {
        fmt::print("{}", emit_shapes(program, std::filesystem::path(options.steps).stem().string()));
        return 0;
    }
    if (!options.trace && !options.json) print_pass("shapes", program);
    if (wants.empty()) return 0;
    const shapes::Solutions found = solve_backward(program, wants);
    if (!options.json)
        print_backward(found, options.want);
    else
        fmt::print("{}\n", dump({{"status", "ok"},
                                 {"solutions", found.all},
                                 {"complete", found.complete},
                                 {"conflict", found.conflict}}));
    return 0;
}

}  // namespace

int verb_shape(const Options& options) try {
    const int questions = !options.arguments.empty() + !options.cases.empty() + !options.steps.empty();
    if (questions > 1) throw usage("an operator, --cases and --program are three questions", "ask one of them");
    if (!options.steps.empty()) return shape_of_program(options);
    if (options.cases.empty()) return shape_of_call(options);
    const auto given = nlohmann::ordered_json::parse(read_file(options.cases), nullptr, false);
    if (given.is_discarded()) throw not_json("`" + options.cases + "`");
    fmt::print("{}\n", dump(answer_cases(given)));
    return 0;
} catch (const Refusal& refusal) {
    fmt::print(stderr, "{}\n", format(refusal.error(), "halogen"));
    if (options.json) {
        Json document = {{"status", "error"}};
        document.update(refusal_json(refusal));
        fmt::print("{}\n", dump(document));
    }
    return 1;
}

}  // namespace halogen
