// The solver of sizes for kernels: the order of the steps, and the Solution they give. The method is that of
// docs/solving.md: hulls of accesses, integer equalities, bounds; rules 1 and 2 of the notation choose what stays open.

#include "frontend/base/checked.h"

#include "frontend/formula/bound.h"
#include "frontend/notation/key.h"
#include "frontend/notation/parts.h"
#include "frontend/solve/access_form.h"
#include "frontend/solve/nearest.h"
#include "frontend/solve/refine.h"
#include "frontend/solve/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace halogen {

Solution KernelSolver::run() {
    add_names();
    apply_settings();
    for (const auto& e : equal_) apply_equality(e);
    apply_ranges();
    pin_indices();
    open_inputs();
    solve_input_formulas();
    add_constraints();
    find_definitions();
    determine();
    fail_undetermined();
    check_given();
    solve_backward();
    check_or_guard();
    check_collisions();
    minimize_guards();
    return assemble();
}

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

Solution KernelSolver::assemble() {
    Solution s;
    s.symbols = symbols_;
    std::copy_if(symbols_.begin(), symbols_.end(), std::inserter(s.chosen, s.chosen.end()),
                 [&](const std::string& symbol) { return is_read_at_compound(symbol); });
    s.sources = sources_;
    for (const std::string& root : sizes_.roots()) {
        for (const auto& name : sizes_.members(root)) {
            if (name.find('@') == std::string::npos)
                s.sizes.emplace(name, checked_extent(*sizes_.value(name), [&] { return "`" + name + "`"; }));
        }
    }
    for (const auto& [tensor, dims] : model_.dims) {
        auto& extents = s.extents[tensor];
        for (std::size_t d = 0; d < dims.size(); ++d)
            extents.push_back(checked_extent(sizes_.resolve(dims[d].extent),
                                             [&, &name = tensor] { return fmt::format("dim {} of `{}`", d, name); }));
    }
    for (const Tensor* t : kernel_.inputs()) {  // a dim declared as a formula goes by its place: "X.0"
        for (int d = 0; d < t->rank; ++d) {
            if (!model_.dims.at(t->name)[d].name)
                s.sizes.emplace(KernelModel::dim_name(t->name, d), s.extents[t->name][d]);
        }
    }
    each_size(kernel_, [&](const std::string& name) {  // "X.0" as equations write it, whatever the dim is called
        const auto dot = name.find('.');
        if (dot == std::string::npos) return;
        s.sizes.emplace(name, s.extents.at(name.substr(0, dot)).at(std::stoul(name.substr(dot + 1))));
    });
    for (const auto& equation : indices_) {
        auto& ranges = s.indices.emplace_back();
        for (const auto& [index, model] : equation)
            ranges.emplace(index, IndexRange{sizes_.resolve(model.min),
                                             checked_extent(sizes_.resolve(model.extent),
                                                            [&, &name = index] { return "index `" + name + "`"; }),
                                             model.reduced});
    }
    s.guards = guards_;
    s.checked = checked_;
    std::stable_sort(s.checked.begin(), s.checked.end(),
                     [](const CheckedPlace& a, const CheckedPlace& b) { return a.equation < b.equation; });
    // Guards may name dims that are no symbols ("B.0"): their buffers give them.
    for (const Tensor* t : kernel_.inputs()) {
        for (int d = 0; d < t->rank; ++d) {
            const auto& name = model_.dims.at(t->name)[d].name;
            const bool named = name && std::any_of(guards_.begin(), guards_.end(), [&](const Guard& g) {
                                   return mentions(g.left, *name) || mentions(g.right, *name);
                               });
            if (named) s.sources.try_emplace(*name, SymbolSource{t->name, d});
        }
    }
    // A size that only a range holds (`i in 1:N`): an output dim of that extent gives it.
    for (const Tensor* t : kernel_.outputs()) {
        for (int d = 0; d < t->rank; ++d)
            if (const auto symbol = s.extents.at(t->name)[d].as_symbol())
                s.sources.try_emplace(*symbol, SymbolSource{t->name, d});
    }
    s.accesses = access_forms(model_, s);
    s.key = canonical_key(kernel_);
    return s;
}

namespace {

/// The error with sizes that would fit, and the relations that led to it.
Error explained(Error error, const Kernel& kernel, const Settings& known, const std::vector<SizeEquality>& equal,
                const KernelSolver& solver) {
    if (error.kind != ErrorKind::contradictory && error.kind != ErrorKind::non_integer &&
        error.kind != ErrorKind::negative)
        return error;
    for (const auto& clause : nearest_sizes(kernel, known, equal)) error.fix += "\n  near " + clause;
    for (const auto& reason : solver.reasons()) error.fix += "\n  from " + reason;
    return error;
}

}  // namespace

Result<Solution> solve(const Kernel& kernel, const Settings& known) { return refine(kernel, known, {}); }

Result<Solution> refine(const Kernel& kernel, const Settings& known, const std::vector<SizeEquality>& equal) {
    return guarded([&] {
        KernelSolver solver(kernel, known, equal);
        try {
            return solver.run();
        } catch (const Failure& failure) {
            throw Failure(explained(failure.error(), kernel, known, equal, solver));
        }
    });
}

}  // namespace halogen
