#include "frontend/solve/undetermined.h"

#include "frontend/notation/symbol.h"
#include "frontend/solve/failure.h"
#include "frontend/solve/tried.h"
#include "frontend/solve/upper.h"

#include <fmt/format.h>

namespace halogen {

namespace {

/// The first equation that writes along the size; -1 where none does.
int writer_of(const Sizes& s, const std::string& root) {
    for (const Use& use : s.model->uses) {
        if (!use.is_left) continue;
        for (const DimModel& dim : *use.dims)
            if (dim.name && s.classes.root(*dim.name) == root) return use.equation;
    }
    return -1;
}

/// "X[j*i] leaves `i`, `j` open: only N - i*j >= 0 is known"
std::string clause_of(const Sizes& s, const Constraint& c) {
    const Formula slack = s.resolve(c.slack);
    std::string names;
    for (const auto& other : s.classes.unknowns(slack))
        names += (names.empty() ? "`" : ", `") + Symbol::of(other).shown() + "`";
    std::map<std::string, Formula> plain;
    for (const auto& n : slack.symbols()) plain.emplace(n, Formula::symbol(Symbol::of(n).shown()));
    return fmt::format("{} leaves {} open: only {} >= 0 is known", c.access, names, print(slack.substitute(plain)));
}

std::string fix_of(const Kernel& kernel, const Symbol& symbol) {
    const std::string shown = symbol.shown();
    const std::string set = fmt::format(", or set it: --set {}=INT", shown);
    if (symbol.is_extent()) return fmt::format("give it a range: where {} in 0:N{}", shown, set);
    const Tensor* owner = kernel.find_tensor(symbol.name);
    const bool is_intermediate = owner && owner->role == Role::intermediate && !owner->dims;
    return (is_intermediate ? "give the index that writes it a range" : "declare it") + set;
}

}  // namespace

Sizes&& refuse_undetermined(Sizes&& s) {
    const auto unsolved = s.classes.unsolved();
    if (unsolved.empty()) return std::move(s);
    const std::string& root = unsolved.front();
    const Symbol symbol = Symbol::of(root);
    int equation = symbol.is_extent() ? symbol.number : writer_of(s, root);
    std::string what =
        fmt::format("nothing fixes the {} `{}`", symbol.is_extent() ? "extent of index" : "size", symbol.shown());
    if (const LoosePlace* end = untried_end(s, root)) {
        equation = end->place.equation;
        what += fmt::format(": where {} ends it is known with numbers alone", end->place.access);
    } else if (const Upper upper = upper_bound(s, root); !upper.constraints.empty()) {
        const Constraint& c = s.constraints[upper.constraints.front()];
        equation = c.why.equation;
        what = clause_of(s, c);
    }
    throw Failure(error_at(s.kernel(), ErrorKind::underdetermined, what, equation, fix_of(s.kernel(), symbol)));
}

}  // namespace halogen
