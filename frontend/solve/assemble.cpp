#include "frontend/solve/assemble.h"

#include "frontend/base/checked.h"
#include "frontend/formula/bound.h"
#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace halogen {

namespace {

/// `name()` is asked for in an error alone.
template<typename Name>
Formula checked_extent(Formula f, Name&& name) {
    if (const auto c = f.constant(); c && (*c > largest_extent || *c < -largest_extent))
        fail_overflow(fmt::format("the extent of {} is {}, past 2^62", name(), *c));
    return f;
}

/// Calls `visit(name)` for each size that stands in an equation or in a declared dim.
template<typename Visit>
void each_size(const Kernel& kernel, Visit&& visit) {
    const auto look = [&](const Expr& e) {
        walk(e, [&](const Expr& part) {
            if (auto* size = part.as<SizeRef>()) visit(size->name);
        });
    };
    for (const Tensor& t : kernel.tensors)
        for (const Dim& d : t.dims ? *t.dims : std::vector<Dim>{}) look(d.extent), look(d.pad_low), look(d.pad_high);
    for (const Equation& equation : kernel.equations) each_expression(equation, look);
}

}  // namespace

Solution solution_of(const Sizes& s) {
    Solution out;
    out.symbols = s.symbols;
    std::copy_if(s.symbols.begin(), s.symbols.end(), std::inserter(out.chosen, out.chosen.end()),
                 [&](const std::string& symbol) { return is_chosen(s, symbol); });
    out.sources = s.sources;
    for (const std::string& root : s.classes.roots()) {
        for (const auto& name : s.classes.members(root)) {
            if (!Symbol::of(name).is_extent())
                out.sizes.emplace(name, checked_extent(*s.classes.value(name), [&] { return "`" + name + "`"; }));
        }
    }
    for (const auto& [tensor, dims] : s.model->dims) {
        auto& extents = out.extents[tensor];
        for (std::size_t d = 0; d < dims.size(); ++d)
            extents.push_back(checked_extent(s.resolve(dims[d].extent),
                                             [&, &name = tensor] { return fmt::format("dim {} of `{}`", d, name); }));
    }
    for (const Tensor* t : s.kernel().inputs()) {  // a dim declared as a formula goes by its place: "X.0"
        for (int d = 0; d < t->rank; ++d) {
            if (!s.model->dims.at(t->name)[d].name)
                out.sizes.emplace(KernelModel::dim_name(t->name, d), out.extents[t->name][d]);
        }
    }
    each_size(s.kernel(), [&](const std::string& name) {  // "X.0" as equations write it, whatever the dim is called
        const Symbol symbol = Symbol::of(name);
        if (symbol.is_dim()) out.sizes.emplace(name, out.extents.at(symbol.name).at(symbol.number));
    });
    for (const auto& equation : s.indices) {
        auto& ranges = out.indices.emplace_back();
        for (const auto& [index, model] : equation)
            ranges.emplace(index, IndexRange{s.resolve(model.min),
                                             checked_extent(s.resolve(model.extent),
                                                            [&, &name = index] { return "index `" + name + "`"; }),
                                             model.reduced});
    }
    out.guards = s.guards;
    out.checked = s.checked;
    out.may_meet = s.may_meet;
    std::stable_sort(out.checked.begin(), out.checked.end(),
                     [](const CheckedPlace& a, const CheckedPlace& b) { return a.equation < b.equation; });
    // Guards may name dims that are no symbols ("B.0"): their buffers give them.
    for (const Tensor* t : s.kernel().inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            const auto& name = s.model->dims.at(t->name)[d].name;
            const bool named = name && std::any_of(s.guards.begin(), s.guards.end(), [&](const Guard& g) {
                                   return mentions(g.left, *name) || mentions(g.right, *name);
                               });
            if (named) out.sources.try_emplace(*name, SymbolSource{t->name, d});
        }
    }
    // A size that only a range holds (`i in 1:N`): an output dim of that extent gives it.
    for (const Tensor* t : s.kernel().outputs()) {
        for (int d = 0; d < t->rank; ++d)
            if (const auto symbol = out.extents.at(t->name)[d].as_symbol())
                out.sources.try_emplace(*symbol, SymbolSource{t->name, d});
    }
    return out;
}

}  // namespace halogen
