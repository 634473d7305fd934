// The solution as a C++ header of its own: everything is constexpr and nothing but the standard library is included.

#include "generators/emit/solution.h"
#include "frontend/notation/symbol.h"
#include "frontend/solve/access_form.h"
#include "generators/emit/cpp.h"
#include "generators/emit/inverse.h"
#include "generators/emit/runtime_headers.h"
#include "generators/emit/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {
namespace {

std::string symbol(const std::string& name) { return "Int(s." + cpp_identifier(name) + ")"; }

/// One number of the solution.
struct Entry {
    std::string name;     // of its function, and of its member in Solution
    std::string meaning;  // for its comment
    Formula formula;
};

class Entries {
public:
    void add(const std::string& name, const std::string& meaning, const Formula& formula) {
        const std::string identifier = cpp_identifier(name);
        if (taken_.insert(identifier).second) list_.push_back({identifier, meaning, formula});
    }
    const std::vector<Entry>& list() const { return list_; }

private:
    std::set<std::string> taken_;
    std::vector<Entry> list_;
};

/// Every solved size and every dim of every tensor.
void add_sizes(Entries& all, const Solution& solution) {
    for (const auto& [size, formula] : solution.sizes) {
        if (Symbol::of(size).is_size() && formula.as_symbol() != size) all.add(size, size, formula);
    }
    for (const auto& [tensor, extents] : solution.extents) {
        for (std::size_t d = 0; d < extents.size(); d++)
            all.add(fmt::format("{}.{}", tensor, d), fmt::format("dim {} of {}", d, tensor), extents[d]);
    }
}

/// Index ranges, and the offset and strides of every access.
void add_places(Entries& all, const Kernel& kernel, const Solution& solution) {
    for (std::size_t e = 0; e < solution.indices.size(); ++e) {
        for (const auto& [index, range] : solution.indices[e]) {
            const std::string about = fmt::format("of index {} in equation {}", index, e);
            if (!(range.min == Formula(0)))
                all.add(fmt::format("equation{}_{}_min", e, index), "the first value " + about, range.min);
            all.add(fmt::format("equation{}_{}_extent", e, index), "the extent " + about, range.extent);
        }
    }
    const std::vector<AccessForm> accesses = access_forms(kernel, solution);
    for (std::size_t a = 0; a < accesses.size(); ++a) {
        const AccessForm& form = accesses[a];
        if (!form.affine) continue;
        all.add(fmt::format("access{}_offset", a), fmt::format("the first element of {}, if dense", form.text),
                form.offset);
        for (const auto& [index, stride] : form.strides)
            all.add(fmt::format("access{}_stride_{}", a, index),
                    fmt::format("elements from one {} to the next in {}, if dense", index, form.text), stride);
    }
}

void write_function(std::string& out, const Entry& entry) {
    out += fmt::format(
        "/// {}: {}\nconstexpr std::optional<std::int64_t> {}([[maybe_unused]] const Sizes& s) {{\n    return "
        "detail::number({});\n}}\n",
        entry.meaning, print(entry.formula), entry.name, cpp(entry.formula, symbol));
}

void write_guards(std::string& out, const Solution& solution) {
    out += "/// The first condition under which the sizes hold and which these do not meet; null when all are met.\n";
    out += "constexpr const char* broken([[maybe_unused]] const Sizes& s) {\n";
    for (const std::string& open : called_symbols(solution))
        out += fmt::format("    if (s.{} < 0) return {};\n", cpp_identifier(open),
                           cpp_literal(fmt::format("0 <= {}: a size is not negative", open)));
    for (const Guard& guard : solution.guards) {
        const std::string text = print(guard) + (guard.reason.empty() ? "" : ": " + guard.reason);
        out += fmt::format("    if ({}) return {};\n",
                           cpp_broken(guard, cpp(guard.left, symbol), cpp(guard.right, symbol), symbol),
                           cpp_literal(text));
    }
    out += "    return nullptr;\n}\n";
}

/// All numbers at once; a number that stands in several places is computed once.
void write_solve(std::string& out, const std::vector<Entry>& entries) {
    out += "/// Every number above.\nstruct Solution {\n";
    for (const Entry& e : entries) out += fmt::format("    std::int64_t {};\n", e.name);
    out += "};\n\n/// Nothing where a condition is not met or a number leaves [-2^62, 2^62].\n";
    out += "constexpr std::optional<Solution> solve([[maybe_unused]] const Sizes& s) {\n";
    out += "    if (broken(s)) return std::nullopt;\n";
    std::map<Formula, std::string> made;
    std::string valid, members;
    for (const Entry& e : entries) {
        const auto [at, is_new] = made.emplace(e.formula, "value_of_" + e.name);
        if (is_new) {
            out += fmt::format("    const Int {} = {};\n", at->second, cpp(e.formula, symbol));
            if (!e.formula.is_constant()) valid += fmt::format("{}{}.valid()", valid.empty() ? "" : " && ", at->second);
        }
        members += fmt::format("{}{}.value()", members.empty() ? "" : ", ", at->second);
    }
    if (!valid.empty()) out += fmt::format("    if (!({})) return std::nullopt;\n", valid);
    out += fmt::format("    return Solution{{{}}};\n}}\n", members);
}

void write_sizes(std::string& out, const Solution& solution) {
    out += "using detail::Int;\n\n/// What the caller knows.\nstruct Sizes {\n";
    for (const std::string& open : called_symbols(solution))
        out += fmt::format("    std::int64_t {};\n", cpp_identifier(open));
    out += "};\n\n";
}

}  // namespace

std::string checked_integers() {
    const auto& headers = runtime_headers();
    const auto at = std::find_if(headers.begin(), headers.end(), [](const auto& h) { return h.first == "checked.h"; });
    const std::string text(at->second);
    const auto begin = text.find("/// A number, or nothing"), end = text.find("}  // namespace");
    return "namespace detail {\n\n" + text.substr(begin, end - begin) + "}  // namespace detail\n\n";
}

std::string emit_solution(const Kernel& kernel, const Solution& solution) {
    const std::string name = kernel.name.empty() ? "kernel" : cpp_identifier(kernel.name);
    std::string out = fmt::format(
        "// The sizes of {}, solved by Halogen. A function gives nothing where a number leaves [-2^62, 2^62] or a\n"
        "// divisor is not positive.\n#pragma once\n\n#include <cstdint>\n#include <initializer_list>\n#include "
        "<optional>\n\n"
        "namespace {}_sizes {{\n\n",
        kernel.name.empty() ? "the equations" : "kernel " + kernel.name, name);
    out += checked_integers();
    write_sizes(out, solution);
    Entries entries;
    add_sizes(entries, solution);
    add_places(entries, kernel, solution);
    for (const Entry& e : entries.list()) write_function(out, e);
    out += "\n" + emit_inverse(kernel, solution);
    write_guards(out, solution);
    out += "\n";
    write_solve(out, entries.list());
    return out + fmt::format("\n}}  // namespace {}_sizes\n", name);
}

std::string emit_size_functions(const Kernel& kernel, const Solution& solution, const std::string& name) {
    std::string out = fmt::format(
        "/// The sizes of {0} without any tensor: outputs from inputs, the least inputs for a wanted output, windows "
        "and\n"
        "/// parameters from shapes. A function gives nothing where there is no such number in [-2^62, 2^62].\n"
        "namespace {0}_sizes {{\n\nnamespace detail = halogen::detail;\n",
        name);
    write_sizes(out, solution);
    Entries entries;
    add_sizes(entries, solution);
    for (const Entry& e : entries.list()) write_function(out, e);
    out += "\n" + emit_inverse(kernel, solution);
    write_guards(out, solution);
    return out + fmt::format("\n}}  // namespace {}_sizes\n", name);
}

}  // namespace halogen
