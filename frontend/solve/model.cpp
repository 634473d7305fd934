#include "frontend/solve/model.h"

#include "frontend/formula/bound.h"

#include <algorithm>

namespace halogen {

KernelModel::KernelModel(const Kernel& k) : kernel(k), ranges(k.equations.size()) {
    for (const Tensor& t : k.tensors) add_dims(t);
    for (const Tensor* t : k.outputs())
        for (int d = 0; d < t->rank; ++d)
            if (const auto& name = dims.at(t->name)[d].name)
                output_dims.emplace(*name, OutputDim{t->name, d, output_dims.size()});
    for (const SizeCondition& c : k.conditions) {
        const Binary& b = *c.relation.as<Binary>();
        kernel_conditions.push_back({b.op, formula(*b.left, -1).value(), formula(*b.right, -1).value()});
    }
    for (std::size_t i = 0; i < k.lets.size(); ++i)
        if (k.lets[i].is_size()) size_lets.emplace_back(static_cast<int>(i), formula(k.lets[i].value, -1).value());
    for (int e = 0; e < static_cast<int>(k.equations.size()); ++e) {
        const Equation& eq = k.equations[e];
        first_use.push_back(uses.size());
        uses.push_back(make_use(e, true, Expr(ExprNode{eq.left})));
        uses.back().access = &eq.left;  // of the kernel, which outlives this
        for (const Expr& place : eq.left.at) add_uses(e, place);
        add_uses(e, eq.right);
        for (const Where& w : eq.where) {
            if (const auto* range = std::get_if<InRange>(&w)) {
                const auto begin = formula(range->begin, e), end = formula(range->end, e);
                const std::string text = range->index + " in " + print(range->begin) + ":" + print(range->end);
                if (!begin || !end)
                    throw Failure(Error{ErrorKind::type, "`" + text + "` has an end that depends on data",
                                        range->begin.position(), eq.text, "use sizes and numbers in a range"});
                ranges[e].insert_or_assign(range->index, RangeModel{*begin, *end, text, range->begin.position()});
            } else {
                add_uses(e, std::get<Expr>(w));
            }
        }
        indices.push_back(indices_of(eq));
        reduced.push_back(reduced_indices_of(eq));
    }
    first_use.push_back(uses.size());
}

/// "X.0" of a declared dim is that dim's extent.
Formula KernelModel::without_aliases(const Formula& f) const {
    std::map<std::string, Formula> aliases;
    f.for_each_symbol([&](const std::string& name) {
        const Symbol symbol = Symbol::of(name);
        if (!symbol.is_dim()) return;
        const auto at = dims.find(symbol.name);
        const auto d = static_cast<std::size_t>(symbol.number);
        if (at != dims.end() && d < at->second.size()) aliases.emplace(name, at->second[d].extent);
    });
    return f.substitute(aliases);
}

std::optional<Formula> KernelModel::formula(const Expr& e, int equation) {
    std::vector<PlaceCondition> found;
    const auto result = place_formula(e, found, symbols_);
    if (!result) return std::nullopt;
    for (auto& c : found) {
        c.formula = without_aliases(c.formula);
        conditions.push_back({std::move(c), equation});
    }
    return without_aliases(*result);
}

void KernelModel::add_dims(const Tensor& t) {
    std::vector<DimModel> models;
    for (int d = 0; d < t.rank; ++d) {
        DimModel m;
        const Dim* declared = t.dims && d < static_cast<int>(t.dims->size()) ? &(*t.dims)[d] : nullptr;
        m.declared = declared && declared->extent.defined();
        m.extent = m.declared ? formula(declared->extent, -1).value() : Formula::symbol(dim_name(t.name, d));
        m.name = m.extent.as_symbol();
        if (declared && declared->pad_low.defined()) {
            m.padded = true;
            m.pad_low = formula(declared->pad_low, -1).value();
            m.pad_high = declared->pad_high.defined() ? formula(declared->pad_high, -1).value() : m.pad_low;
        }
        models.push_back(std::move(m));
    }
    dims.emplace(t.name, std::move(models));
}

bool KernelModel::is_stencil_read(const Use& use, int d, const std::string& index) const {
    if (use.is_left) return false;
    const auto all = uses_of(use.equation);
    return std::any_of(all.begin(), all.end(), [&](const Use& other) {
        if (other.is_left || other.access->tensor != use.access->tensor) return false;
        const Place& p = other.places[d];
        return !p.bare && p.formula && mentions(*p.formula, index);
    });
}

Use KernelModel::make_use(int equation, bool is_left, const Expr& access) {
    const Access& a = *access.as<Access>();
    Use use{equation, is_left, &a, {}, &dims.at(a.tensor), print(access)};
    use.places.reserve(a.at.size());
    for (const Expr& e : a.at) use.places.push_back({formula(e, equation), bare_index(e)});
    return use;
}

void KernelModel::add_uses(int equation, const Expr& e) {
    // The walk visits an access before those in its brackets; nodes live as long as the kernel.
    walk(e, [&](const Expr& part) {
        if (part.as<Access>()) uses.push_back(make_use(equation, false, part));
    });
}

}  // namespace halogen
