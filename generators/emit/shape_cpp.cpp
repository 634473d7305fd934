#include "generators/emit/shape_cpp.h"

#include "frontend/shapes/answer.h"
#include "generators/emit/cpp.h"
#include "generators/emit/solution.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace halogen {
namespace {

using shapes::Argument;
using shapes::Operand;
using shapes::Path;
using shapes::Predicate;
using shapes::ShapeProgram;

std::string symbol(const std::string& name) { return "Int(s." + cpp_identifier(name) + ")"; }

/// "(equal(a, b) && less_equal(c, d)) || equal(e, f)".
std::string condition(const Predicate& p) {
    if (p.known()) return *p.known() ? "true" : "false";
    std::string text;
    for (const auto& facts : p.alternatives()) {
        std::string all;
        for (const Fact& f : facts) {
            const char* relation = f.relation == Relation::equal ? "equal" : "less_equal";
            all += fmt::format("{}{}({}, {})", all.empty() ? "" : " && ", relation, cpp(f.left, symbol),
                               cpp(f.right, symbol));
        }
        const bool is_group = facts.size() > 1 && p.alternatives().size() > 1;
        text += fmt::format("{}{}{}{}", text.empty() ? "" : " || ", is_group ? "(" : "", all, is_group ? ")" : "");
    }
    return text;
}

void add_symbols(std::set<std::string>& names, const shapes::Shape& shape) {
    for (const Formula& f : shape) names.merge(f.symbols());
}

void add_symbols(std::set<std::string>& names, const Argument& a) {
    if (const auto* f = a.as<Formula>()) names.merge(f->symbols());
    if (const auto* o = a.as<Operand>()) add_symbols(names, o->shape);
    if (const auto* list = a.as<std::vector<Argument>>()) {
        for (const Argument& item : *list) add_symbols(names, item);
    }
}

/// The sizes of a program with their ranges.
std::map<std::string, shapes::SizeRange> sizes_of(const shapes::StepProgram& program) {
    std::set<std::string> names;
    for (const auto& [name, operand] : program.inputs) add_symbols(names, operand.shape);
    for (const shapes::Step& step : program.steps) {
        for (const auto& [name, value] : step.arguments) add_symbols(names, value);
    }
    std::map<std::string, shapes::SizeRange> all = program.symbols;
    for (const std::string& name : names) all.try_emplace(name);
    return all;
}

/// Runs `body` for each path inside the `if` that chooses it.
template<typename Body>
void each_path(std::string& out, const ShapeProgram& program, Body&& body) {
    for (const Path& path : program.paths) {
        std::string when;
        for (const Predicate& p : path.assumed) when += fmt::format("{}({})", when.empty() ? "" : " && ", condition(p));
        if (!when.empty()) out += fmt::format("    if ({}) {{\n", when);
        body(path, when.empty() ? "    " : "        ");
        if (when.empty()) return;  // covers all sizes
        out += "    }\n";
    }
}

void write_conditions(std::string& out, const ShapeProgram& program) {
    out +=
        "/// The first condition that these sizes do not meet, with the step that states it; null when all are met.\n"
        "constexpr const char* broken([[maybe_unused]] const Sizes& s) {\n";
    for (const auto& [name, range] : sizes_of(program.source)) {
        const std::string field = cpp_identifier(name);
        out += fmt::format("    if (s.{} < {}) return {};\n", field, range.least,
                           cpp_literal(fmt::format("{} >= {}: the least that `{}` may be", name, range.least, name)));
        if (range.most)
            out +=
                fmt::format("    if (s.{} > {}) return {};\n", field, *range.most,
                            cpp_literal(fmt::format("{} <= {}: the most that `{}` may be", name, *range.most, name)));
    }
    bool covers_all = false;
    each_path(out, program, [&](const Path& path, const char* indent) {
        for (const shapes::StepGuard& g : path.guards)
            out += fmt::format("{}if (!({})) return {};\n", indent, condition(g.what.condition),
                               cpp_literal(fmt::format("{}: {} needs {}", print(g.what.condition),
                                                       name_of(program.source, g.step), g.what.sentence)));
        out += fmt::format("{}return {};\n", indent,
                           path.refusal ? cpp_literal(path.refusal->refusal.error().what) : "nullptr");
        covers_all = covers_all || path.assumed.empty();
    });
    if (!covers_all) out += "    return \"no case of the program covers these sizes\";\n";
    out += "}\n\n";
}

/// An extent that stands in several places is computed once.
void write_results(std::string& out, const Path& path, const std::string& indent) {
    std::map<Formula, std::string> made;
    std::string valid, results;
    for (const Operand& o : path.results.back()) {
        std::string extents;
        for (const Formula& f : o.shape) {
            const auto [at, is_new] = made.emplace(f, fmt::format("e{}", made.size()));
            if (is_new) {
                out += fmt::format("{}const Int {} = {};\n", indent, at->second, cpp(f, symbol));
                if (!f.is_constant()) valid += fmt::format("{}{}.valid()", valid.empty() ? "" : " && ", at->second);
            }
            extents += fmt::format("{}{}.value()", extents.empty() ? "" : ", ", at->second);
        }
        results += fmt::format("{}Shape{{{}, {{{}}}}}", results.empty() ? "" : ", ", o.rank(), extents);
    }
    if (!valid.empty()) out += fmt::format("{}if (!({})) return std::nullopt;\n", indent, valid);
    out += fmt::format("{}return Shapes{{{}, {{{}}}}};\n", indent, path.results.back().size(), results);
}

bool has_results(const ShapeProgram& program, const Path& path) {
    return !path.refusal && path.results.size() == program.source.steps.size() && !path.results.empty();
}

void write_shapes(std::string& out, const ShapeProgram& program) {
    std::size_t rank = 1, count = 1;
    bool covers_all = false;
    for (const Path& path : program.paths) {
        if (!has_results(program, path)) continue;
        count = std::max(count, path.results.back().size());
        for (const Operand& o : path.results.back()) rank = std::max(rank, o.shape.size());
    }
    out += fmt::format(
        "/// The extents of a tensor, `rank` of them.\nstruct Shape {{\n    int rank = 0;\n    std::int64_t "
        "extents[{}] = "
        "{{}};\n}};\n\n/// The shapes of the results, `count` of them.\nstruct Shapes {{\n    int count = 0;\n    "
        "Shape "
        "results[{}] = {{}};\n}};\n\n",
        rank, count);
    std::string formulas;
    for (const std::string& text : print_results(program, static_cast<int>(program.source.steps.size()) - 1))
        formulas += (formulas.empty() ? "" : "; ") + text;
    out += fmt::format(
        "/// {}\n/// Nothing where a condition is not met or a number leaves [-2^62, 2^62].\n"
        "constexpr std::optional<Shapes> shapes([[maybe_unused]] const Sizes& s) {{\n"
        "    if (broken(s)) return std::nullopt;\n",
        formulas);
    each_path(out, program, [&](const Path& path, const char* indent) {
        covers_all = covers_all || path.assumed.empty();
        if (has_results(program, path))
            write_results(out, path, indent);
        else
            out += fmt::format("{}return std::nullopt;\n", indent);
    });
    out += covers_all ? "}\n" : "    return std::nullopt;\n}\n";
}

}  // namespace

std::string emit_shapes(const ShapeProgram& program, const std::string& name) {
    std::string out = fmt::format(
        "// The shapes of {}, made by Halogen.\n#pragma once\n\n#include <cstdint>\n#include <initializer_list>\n"
        "#include <optional>\n\nnamespace {}_shapes {{\n\n",
        name, cpp_identifier(name));
    out += checked_integers() + "using detail::Int;\n\n/// What the caller knows.\nstruct Sizes {\n";
    for (const auto& [size, range] : sizes_of(program.source))
        out += fmt::format("    std::int64_t {};\n", cpp_identifier(size));
    out += "};\n\n";
    write_conditions(out, program);
    write_shapes(out, program);
    return out + fmt::format("\n}}  // namespace {}_shapes\n", cpp_identifier(name));
}

}  // namespace halogen
