#include "generators/emit/text.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {
namespace {

/// Where an equation names one index alone in a dim of one tensor and in a dim of another.
struct Shared {
    std::string index;
    std::string first, second;  // the accesses
    std::string equation;
};

std::vector<Expr> accesses_of(const Equation& equation) {
    std::vector<Expr> found{Expr(ExprNode{equation.left})};
    each_node(equation, [&](const Expr& x) {
        if (x.as<Access>()) found.push_back(x);
    });
    return found;
}

std::string text_of(const Equation& equation) { return equation.text.empty() ? print(equation) : equation.text; }

std::string index_at(const Expr& access, const std::string& tensor, int dim) {
    const Access& a = *access.as<Access>();
    if (a.tensor != tensor || dim < 0 || dim >= static_cast<int>(a.at.size())) return {};
    const auto* index = a.at[static_cast<std::size_t>(dim)].as<IndexRef>();
    return index ? index->name : std::string();
}

std::optional<Shared> shared_index(const Kernel& kernel, const SymbolSource& a, const SymbolSource& b) {
    for (const Equation& equation : kernel.equations) {
        const auto accesses = accesses_of(equation);
        for (const Expr& first : accesses) {
            const std::string index = index_at(first, a.tensor, a.dim);
            if (index.empty()) continue;
            for (const Expr& second : accesses) {
                if (index_at(second, b.tensor, b.dim) != index || second == first) continue;
                return Shared{index, print(first), print(second), text_of(equation)};
            }
        }
    }
    return std::nullopt;
}

std::string at_line(const std::string& equation) { return equation.empty() ? "" : "\n  at   " + equation; }

TextValue extent_of(const SymbolSource& place) { return {TextValue::Kind::extent, {}, place.tensor, place.dim}; }

ErrorText shared_text(const std::string& name, const Shared& shared, const SymbolSource& a, const SymbolSource& b) {
    return {fmt::format("{}: index `{}` has extent {{}} in {} but {{}} in {}{}\n  fix  make both extents equal", name,
                        shared.index, shared.first, shared.second, at_line(shared.equation)),
            {extent_of(a), extent_of(b)}};
}

/// "\n  with H = {}, P = {}" for the symbols of some formulas.
void add_symbols(ErrorText& out, const Solution& solution, const std::set<std::string>& symbols) {
    bool first = true;
    for (const std::string& symbol : called_symbols(solution)) {  // in the order of their appearance
        if (!symbols.count(symbol)) continue;
        out.text += fmt::format("{}{} = {{}}", first ? "\n  with " : ", ", symbol);
        out.values.push_back({TextValue::Kind::symbol, symbol});
        first = false;
    }
}

std::optional<SymbolSource> buffer_of(const Kernel& kernel, const Solution& solution, const Formula& formula) {
    const auto symbol = formula.as_symbol();
    if (!symbol) return std::nullopt;
    const SymbolSource source = source_of(kernel, solution, *symbol);
    return source.tensor.empty() ? std::nullopt : std::optional(source);
}

std::string first_equation(const Kernel& kernel, const std::string& tensor) {
    for (const Equation& equation : kernel.equations) {
        for (const Expr& access : accesses_of(equation)) {
            if (access.as<Access>()->tensor == tensor) return text_of(equation);
        }
    }
    return {};
}

}  // namespace

std::vector<std::string> called_symbols(const Solution& solution) {
    std::vector<std::string> all = solution.symbols;
    for (const Guard& guard : solution.guards) {
        std::set<std::string> named = guard.left.symbols();
        named.merge(guard.right.symbols());
        for (const std::string& symbol : named) {
            if (std::find(all.begin(), all.end(), symbol) == all.end()) all.push_back(symbol);
        }
    }
    return all;
}

SymbolSource source_of(const Kernel& kernel, const Solution& solution, const std::string& symbol) {
    if (const auto found = solution.sources.find(symbol); found != solution.sources.end()) return found->second;
    if (kernel.find_size(symbol)) return {};
    const Symbol dim = Symbol::of(symbol);
    const Tensor* tensor = dim.is_dim() ? kernel.find_tensor(dim.name) : nullptr;
    if (tensor && tensor->role != Role::intermediate) return {tensor->name, dim.number};
    throw Failure({ErrorKind::underdetermined,
                   fmt::format("nothing gives the size `{}` when the kernel is called", symbol),
                   {},
                   {},
                   fmt::format("declare `{}` as the extent of an input, or as a `size` parameter", symbol)});
}

ErrorText extent_text(const std::string& name, const Kernel& kernel, const Solution& solution,
                      const std::string& tensor, int dim) {
    const Formula& formula = solution.extents.at(tensor).at(static_cast<std::size_t>(dim));
    const SymbolSource here{tensor, dim};
    if (const auto source = buffer_of(kernel, solution, formula)) {
        if (const auto shared = shared_index(kernel, *source, here)) return shared_text(name, *shared, *source, here);
    }
    if (const auto constant = formula.constant()) {
        return {fmt::format("{}: dim {} of {} has extent {{}} but must be {}{}", name, dim, tensor, *constant,
                            at_line(first_equation(kernel, tensor))),
                {extent_of(here)}};
    }
    ErrorText out{
        fmt::format("{}: dim {} of {} has extent {{}} but must be {{}} = {}", name, dim, tensor, print(formula)),
        {extent_of(here), TextValue()}};
    add_symbols(out, solution, formula.symbols());
    out.text += at_line(first_equation(kernel, tensor));
    return out;
}

ErrorText guard_text(const std::string& name, const Kernel& kernel, const Solution& solution, const Guard& guard) {
    if (guard.relation == Relation::equal) {
        const auto left = buffer_of(kernel, solution, guard.left), right = buffer_of(kernel, solution, guard.right);
        if (left && right) {
            if (const auto shared = shared_index(kernel, *left, *right))
                return shared_text(name, *shared, *left, *right);
        }
    }
    ErrorText out;
    if (guard.is_condition)
        out.text = fmt::format("{}: the condition {} does not hold", name, guard.reason);
    else
        out.text =
            fmt::format("{}: {} does not hold{}{}", name, print(guard), guard.reason.empty() ? "" : ": ", guard.reason);
    std::set<std::string> symbols = guard.left.symbols();
    symbols.merge(guard.right.symbols());
    add_symbols(out, solution, symbols);
    if (guard.equation >= 0)
        out.text += at_line(text_of(kernel.equations.at(static_cast<std::size_t>(guard.equation))));
    return out;
}

}  // namespace halogen
