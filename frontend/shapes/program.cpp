#include "frontend/shapes/program.h"

#include "frontend/notation/parse_expr.h"
#include "frontend/shapes/run.h"

#include <fmt/format.h>

#include <unordered_map>

namespace halogen::shapes {

namespace {

constexpr std::size_t most_paths = 64;

using Environment = std::unordered_map<std::string, std::vector<Operand>>;

/// A path that is still being walked.
struct Walk {
    Path path;
    Knowledge known;
    Environment names;
};

[[noreturn]] void fail_name(const Environment& names, const std::string& name, const std::string& step) {
    std::vector<std::string> all;
    for (const auto& [known, results] : names) all.push_back(known);
    const std::string close = nearest(name, all);
    throw Refusal(Refused::call, fmt::format("{} refers to `{}`, which no input or earlier step is", step, name),
                  close.empty() ? "name an input or an earlier step" : fmt::format("did you mean `{}`?", close));
}

Argument resolved(const Argument& argument, const Environment& names, const std::string& step) {
    if (const auto* reference = argument.as<Reference>()) {
        const auto at = names.find(reference->name);
        if (at == names.end()) fail_name(names, reference->name, step);
        if (reference->result < 0 || reference->result >= static_cast<int>(at->second.size()))
            throw Refusal(Refused::call,
                          fmt::format("{} refers to result {} of `{}`, which has {}", step, reference->result,
                                      reference->name, at->second.size()),
                          "count results from 0");
        return {at->second[static_cast<std::size_t>(reference->result)]};
    }
    const auto* list = argument.as<std::vector<Argument>>();
    if (!list) return argument;
    std::vector<Argument> items;
    for (const Argument& item : *list) items.push_back(resolved(item, names, step));
    return {std::move(items)};
}

/// A refusal with the call that it refuses: "y = mm(input=[n, 3], mat2=[4, m])".
Refusal at_call(const Refusal& refusal, const Step& step, const Arguments& arguments) {
    Error error = refusal.error();
    if (error.equation.empty()) error.equation = fmt::format("{} = {}", step.out, print_call(step.op, arguments));
    return {refusal.kind, std::move(error)};
}

/// The walk after one inference of step number `s`.
Walk after(Walk walk, Inference inference, const Step& step, int s) {
    for (Predicate& p : inference.assumed) {
        walk.known.add(p);
        walk.path.assumed.push_back(std::move(p));
    }
    for (Requirement& r : inference.requirements) {
        walk.known.add(r.condition);
        walk.path.guards.push_back({std::move(r), s});
    }
    if (inference.refusal) {
        walk.path.refusal = StepRefusal{*inference.refusal, s};
        return walk;
    }
    walk.path.results.push_back(inference.results);
    if (!walk.names.emplace(step.out, std::move(inference.results)).second)
        throw Refusal(Refused::call, fmt::format("two steps or inputs are named `{}`", step.out),
                      "give each its own name");
    return walk;
}

}  // namespace

Knowledge knowledge_of(const StepProgram& program) {
    Knowledge known;
    for (const auto& [name, range] : program.symbols) known.add_symbol(name, range.least, range.most);
    return known;
}

std::string name_of(const StepProgram& program, int step) {
    const Step& s = program.steps[static_cast<std::size_t>(step)];
    return fmt::format("{} `{}`", s.op, s.out);
}

ShapeProgram reify(Library& library, StepProgram program) {
    std::vector<Walk> walks(1);
    walks[0].known = knowledge_of(program);
    for (const auto& [name, operand] : program.inputs) walks[0].names.emplace(name, std::vector<Operand>{operand});
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const Step& step = program.steps[s];
        std::vector<Walk> next;
        for (Walk& walk : walks) {
            if (walk.path.refusal) {
                next.push_back(std::move(walk));
                continue;
            }
            Arguments arguments;
            const std::string name = name_of(program, static_cast<int>(s));
            for (const auto& [key, value] : step.arguments) arguments.emplace(key, resolved(value, walk.names, name));
            std::vector<Inference> all = library.infer(step.op, arguments, walk.known);
            for (Inference& inference : all) {
                if (inference.refusal) inference.refusal = at_call(*inference.refusal, step, arguments);
            }
            for (std::size_t i = 1; i < all.size(); ++i)
                next.push_back(after(walk, std::move(all[i]), step, static_cast<int>(s)));
            next.push_back(after(std::move(walk), std::move(all[0]), step, static_cast<int>(s)));
        }
        if (next.size() > most_paths)
            throw Refusal(Refused::undetermined, fmt::format("{}: the sizes leave too many cases", step.op),
                          "give more of them as numbers");
        walks = std::move(next);
    }
    ShapeProgram reified{std::move(program), {}};
    for (Walk& walk : walks) reified.paths.push_back(std::move(walk.path));
    return reified;
}

}  // namespace halogen::shapes
