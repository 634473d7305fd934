#include "frontend/solve/sizes.h"

#include <algorithm>

namespace halogen {

Box box_of(const Sizes& s, int equation) {
    Box box;
    for (const auto& [index, range] : s.indices[equation])
        box[index] = {range.min, range.min + range.extent - Formula(1)};
    return box;
}

void add_constraint(Sizes& s, Constraint c) {
    const int id = static_cast<int>(s.constraints.size());
    c.slack.for_each_symbol([&](const std::string& name) {
        const auto size = s.classes.class_of(name);
        if (!size) return;
        auto& list = s.constraints_of[*size];
        if (list.empty() || list.back() != id) list.push_back(id);
    });
    s.constraints.push_back(std::move(c));
}

void open_size(Sizes& s, const std::string& name) {
    const std::string symbol = s.classes.root(name);
    s.classes.set_value(symbol, Formula::symbol(symbol));
    s.symbols.push_back(symbol);
}

void open_size(Sizes& s, const std::string& name, SymbolSource source) {
    open_size(s, name);
    s.sources.emplace(s.symbols.back(), std::move(source));
}

std::optional<SymbolSource> output_with(const Sizes& s, const std::string& root) {
    const OutputDim* first = nullptr;
    for (const std::string& name : s.classes.members(root)) {
        const auto found = s.model->output_dims.find(name);
        if (found != s.model->output_dims.end() && (!first || found->second.number < first->number))
            first = &found->second;
    }
    return first ? std::optional(SymbolSource{first->tensor, first->dim}) : std::nullopt;
}

void derive(Sizes& s, const std::string& name, Derivation::How how, int equation, std::vector<Formula> from,
            const std::string& about) {
    s.derivations.try_emplace(s.classes.root(name), Derivation{how, equation, std::move(from), about});
}

void substitute(Sizes& s, const std::string& symbol, const Formula& value) {
    const std::map<std::string, Formula> values{{symbol, value}};
    s.classes.substitute(values);
    for (Formula& f : s.positive) f = f.substitute(values);
    for (Guard& g : s.guards) {
        g.left = g.left.substitute(values);
        g.right = g.right.substitute(values);
        for (Formula& extent : g.over) extent = extent.substitute(values);
    }
    s.sources.erase(symbol);
    s.symbols.erase(std::find(s.symbols.begin(), s.symbols.end(), symbol));
}

bool is_chosen(const Sizes& s, const std::string& symbol) {
    if (s.kernel().find_size(symbol)) return false;
    return std::any_of(s.model->uses.begin(), s.model->uses.end(), [&](const Use& use) {
        if (use.is_left) return false;
        for (int d = 0; d < static_cast<int>(use.places.size()); ++d) {
            const DimModel& dim = KernelModel::dim(use, d);
            const Place& p = use.places[d];
            if (!dim.name || s.classes.root(*dim.name) != symbol || !p.formula || p.formula->is_constant()) continue;
            if (!p.bare || s.model->is_stencil_read(use, d, *p.bare)) return true;
        }
        return false;
    });
}

bool is_eligible(const Sizes& s, const std::string& root) {
    return !s.classes.any_member(
        root, [&](const std::string& name) { return s.input_names.contains(name) || s.kernel().find_size(name); });
}

}  // namespace halogen
