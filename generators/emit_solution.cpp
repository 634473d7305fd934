#include "generators/emit_cpp.h"
#include "generators/emit_text.h"

#include <fmt/format.h>

#include <map>

namespace halogen {
namespace {

std::string symbol(const std::string& name) { return "Int(s." + cpp_identifier(name) + ")"; }

void write_function(std::string& out, const std::string& name, const std::string& meaning, const Formula& formula) {
    out += fmt::format(
        "/// {}: {}\ninline std::optional<std::int64_t> {}([[maybe_unused]] const Sizes& s) {{\n    return "
        "number({});\n}}\n",
        meaning, print(formula), name, cpp(formula, symbol));
}

void write_guards(std::string& out, const Solution& solution) {
    out += "/// The first condition under which the sizes hold and which these do not meet; null when all are met.\n";
    out += "inline const char* broken([[maybe_unused]] const Sizes& s) {\n";
    for (const Guard& guard : solution.guards) {
        const std::string text = print(guard) + (guard.reason.empty() ? "" : ": " + guard.reason);
        out += fmt::format("    if (!{}({}, {})) return {};\n", cpp(guard.relation), cpp(guard.left, symbol),
                           cpp(guard.right, symbol), cpp_literal(text));
    }
    out += "    return nullptr;\n}\n";
}

}  // namespace

std::string emit_solution(const Kernel& kernel, const Solution& solution) {
    const std::string name = kernel.name.empty() ? "kernel" : cpp_identifier(kernel.name);
    std::string out = fmt::format(
        "// The sizes of {}, solved by Halogen. A function gives nothing where a number leaves 64 bits or a divisor is "
        "not\n"
        "// positive.\n#pragma once\n\n#include <halogen/checked.h>\n\n#include <cstdint>\n#include <optional>\n\n"
        "namespace {}_sizes {{\n\nusing halogen::detail::Int;\n\n",
        kernel.name.empty() ? "the equations" : "kernel " + kernel.name, name);
    out +=
        "inline std::optional<std::int64_t> number(Int value) {\n    return value.valid() ? "
        "std::optional(value.value()) : std::nullopt;\n}\n\n";
    out += "/// What the caller knows.\nstruct Sizes {\n";
    for (const std::string& open : called_symbols(solution))
        out += fmt::format("    std::int64_t {};\n", cpp_identifier(open));
    out += "};\n\n";
    std::map<std::string, bool> written;
    for (const auto& [size, formula] : solution.sizes) {
        const bool dim = size.find('.') != std::string::npos;
        if (dim || formula.as_symbol() == size) continue;
        write_function(out, cpp_identifier(size), size, formula);
        written[cpp_identifier(size)] = true;
    }
    for (const auto& [tensor, extents] : solution.extents) {
        for (std::size_t d = 0; d < extents.size(); d++) {
            const std::string function = cpp_identifier(fmt::format("{}.{}", tensor, d));
            if (!written[function]) write_function(out, function, fmt::format("dim {} of {}", d, tensor), extents[d]);
            written[function] = true;
        }
    }
    out += "\n";
    write_guards(out, solution);
    return out + fmt::format("\n}}  // namespace {}_sizes\n", name);
}

}  // namespace halogen
