#include "frontend/solve/names.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"

#include <algorithm>

namespace halogen {

namespace {

enum Rank { declared, input_dim, any_dim };

void add_dims(Sizes& s) {
    for (const Tensor& t : s.kernel().tensors) {
        for (const DimModel& dim : s.model->dims.at(t.name)) {
            const Rank rank = dim.declared ? declared : t.role == Role::input ? input_dim : any_dim;
            for (const auto* f : {&dim.extent, &dim.pad_low, &dim.pad_high}) {
                if (const auto name = f->as_symbol())
                    s.classes.add(*name, rank);
                else
                    for (const auto& n : f->symbols()) s.classes.add(n, rank);
            }
            if (t.role == Role::input && dim.name) s.input_names.insert(*dim.name);
        }
    }
}

/// All names in a formula but those of the equation's indices.
void add_sizes_in(Sizes& s, const Formula& f, int equation) {
    const auto& indices = s.model->indices[equation];
    std::set<std::string> names;
    f.for_each_symbol([&](const std::string& name) {
        if (std::find(indices.begin(), indices.end(), name) == indices.end()) names.insert(name);
    });
    for (const auto& name : names) s.classes.add(name, declared);
}

void add_sizes_in(Sizes& s, const Expr& value) {
    walk(value, [&](const Expr& part) {
        const auto* size = part.as<SizeRef>();
        if (size && Symbol::of(size->name).is_size()) s.classes.add(size->name, declared);
    });
}

}  // namespace

Sizes name_sizes(const KernelModel& model) {
    Sizes s(model);
    const Kernel& kernel = model.kernel;
    for (const SizeParam& p : kernel.sizes) s.classes.add(p.name, declared);
    add_dims(s);
    for (const Use& use : model.uses) {
        for (const Place& p : use.places) {
            if (p.formula) add_sizes_in(s, *p.formula, use.equation);
        }
    }
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        for (const auto& [index, range] : model.ranges[e]) {
            add_sizes_in(s, range.begin, e);
            add_sizes_in(s, range.end, e);
        }
        const auto& reduced = model.reduced[e];
        for (const auto& index : model.indices[e])  // also of an `in` over an index that stands nowhere else
            s.indices[e][index].reduced = std::find(reduced.begin(), reduced.end(), index) != reduced.end();
    }
    for (const SizeCondition& condition : kernel.conditions) add_sizes_in(s, condition.relation);
    for (const Let& let : kernel.lets) {
        add_sizes_in(s, let.value);
        if (let.is_size()) s.classes.add(let.name, declared);
    }
    for (const Equation& equation : kernel.equations) {
        add_sizes_in(s, equation.right);
        for (const Expr* predicate : predicates_of(equation)) add_sizes_in(s, *predicate);
    }
    return s;
}

}  // namespace halogen
