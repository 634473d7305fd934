#include "generators/emit/inverse.h"

#include "frontend/formula/bound.h"
#include "frontend/notation/symbol.h"
#include "generators/emit/cpp.h"
#include "generators/emit/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace halogen {
namespace {

/// A size of an output that follows from others, and the name of the function that computes it.
struct Wanted {
    std::string name;
    Formula formula;
};

std::vector<Wanted> wanted_sizes(const Kernel& kernel, const Solution& solution) {
    std::map<Formula, std::string> named;
    for (const auto& [size, formula] : solution.sizes)
        if (Symbol::of(size).is_size()) named.emplace(formula, size);
    std::vector<Wanted> wanted;
    for (const Tensor* tensor : kernel.outputs()) {
        const auto& extents = solution.extents.at(tensor->name);
        for (std::size_t d = 0; d < extents.size(); d++) {
            const Formula& f = extents[d];
            const bool known =
                f.is_constant() || f.as_symbol() ||
                std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& w) { return w.formula == f; });
            if (known) continue;
            const auto name = named.find(f);
            wanted.push_back({name != named.end() ? name->second : fmt::format("{}.{}", tensor->name, d), f});
        }
    }
    return wanted;
}

/// The ends of a preimage for each wanted size.
struct Ends {
    const Wanted* wanted;
    Preimage preimage;
};

std::string symbol_text(const std::string& name) {
    return name.rfind("wanted ", 0) == 0 ? fmt::format("Int(wanted_{})", cpp_identifier(name.substr(7)))
                                         : "Int(s." + cpp_identifier(name) + ")";
}

std::string printed(const Formula& formula) {
    std::string text = print(formula);
    for (std::size_t at = text.find("wanted "); at != std::string::npos; at = text.find("wanted ")) text.erase(at, 7);
    return text;
}

std::string list(const std::vector<Ends>& all, bool least) {
    std::string text;
    for (const Ends& ends : all) {
        const auto& end = least ? ends.preimage.least : ends.preimage.most;
        if (end) text += (text.empty() ? "" : ", ") + cpp(*end, symbol_text);
    }
    return text;
}

void write(std::string& out, const std::string& symbol, const std::vector<Ends>& all, bool least) {
    const std::string field = cpp_identifier(symbol);
    std::string parameters, names, checks;
    for (const Ends& ends : all) {
        const std::string name = cpp_identifier(ends.wanted->name);
        parameters += fmt::format(", std::int64_t wanted_{}", name);
        names += (names.empty() ? "" : ", ") + ends.wanted->name;
        checks += fmt::format("{}{}(s) == wanted_{}", checks.empty() ? "" : " && ", name, name);
    }
    if (least) {
        out += fmt::format("/// The least {} that gives {}: {}\n", symbol, names, printed(*all.front().preimage.least));
    } else {
        out += fmt::format("/// The one {} that gives {}; nothing when none does, or several do.\n", symbol, names);
    }
    out += fmt::format("constexpr std::optional<std::int64_t> {}_{}(Sizes s{}) {{\n", least ? "least" : "only", field,
                       parameters);
    out += fmt::format("    const Int least = detail::largest({{Int({}), {}}});\n", least ? 1 : 0, list(all, true));
    if (!least)
        out += fmt::format("    if (!equal(least, detail::smallest({{{}}}))) return std::nullopt;\n", list(all, false));
    out += fmt::format(
        "    s.{} = least.value();\n    return least.valid() && {} ? std::optional(s.{}) : std::nullopt;\n}}\n", field,
        checks, field);
}

}  // namespace

std::string emit_inverse(const Kernel& kernel, const Solution& solution) {
    const std::vector<Wanted> wanted = wanted_sizes(kernel, solution);
    std::string out;
    for (const std::string& symbol : called_symbols(solution)) {
        const bool chosen = solution.chosen.count(symbol) > 0;
        std::vector<Ends> all;
        bool known = true;
        for (const Wanted& w : wanted) {
            if (!w.formula.symbols().count(symbol)) continue;
            const Formula value = Formula::symbol("wanted " + w.name);
            const auto p = preimage(w.formula, symbol, value, value);
            known = known && p && p->least && (chosen || p->most);
            if (known) all.push_back({&w, *p});
        }
        if (known && !all.empty()) write(out, symbol, all, chosen);
    }
    return out;
}

}  // namespace halogen
