#include "frontend/plan/merged.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"
#include "frontend/solve/place.h"

#include <algorithm>
#include <set>
#include <utility>

namespace halogen {

namespace {

using Pair = std::pair<std::string, std::string>;  // two indices, the outer one first
using DimPair = std::pair<std::string, int>;       // dims `second` and `second` + 1 of a tensor

/// The terms of `x + s - 1` with their signs.
struct Term {
    Expr value;
    bool minus = false;
};
void add_terms(const Expr& sum, bool minus, std::vector<Term>& terms) {
    const auto* binary = sum.as<Binary>();
    if (!binary || (binary->op != BinaryOp::add && binary->op != BinaryOp::sub)) {
        terms.push_back({sum, minus});
        return;
    }
    add_terms(*binary->left, minus, terms);
    add_terms(*binary->right, minus != (binary->op == BinaryOp::sub), terms);
}

/// What stands beside an index in a place: of x in `x + s - 1` s and -1. Nothing where the index is no term of it.
std::optional<std::vector<Term>> beside(const Expr& place, const std::string& index) {
    std::vector<Term> terms;
    add_terms(place, false, terms);
    const auto at = std::find_if(terms.begin(), terms.end(), [&](const Term& term) {
        const auto name = bare_index(term.value);
        return name && *name == index && !term.minus;
    });
    if (at == terms.end()) return std::nullopt;
    terms.erase(at);
    return terms;
}

/// The two indices that walk over dims d and d + 1 of an access, one or the other alone or, where they are two neighbours of the left side,
/// the outer one beside other terms: x and c of `X[y, x + s, c]` in an equation of `Y[y, x, c]`.
std::optional<Pair> walked(const Equation& equation, const Access& access, int d) {
    const Expr& place = access.at[static_cast<std::size_t>(d)];
    const auto outer = bare_index(place), inner = bare_index(access.at[static_cast<std::size_t>(d) + 1]);
    if (!inner) return std::nullopt;
    if (outer) return *outer == *inner ? std::nullopt : std::optional(Pair{*outer, *inner});
    const std::vector<Expr>& left = equation.left.at;
    for (std::size_t k = 0; k + 1 < left.size(); k++) {
        const auto first = bare_index(left[k]), second = bare_index(left[k + 1]);
        if (first && second && *first != *inner && *second == *inner && beside(place, *first))
            return Pair{*first, *inner};
    }
    return std::nullopt;
}

/// Calls `visit(const Access&)` on the left side and on each read.
template<typename Visit>
void each_access(const Equation& equation, Visit&& visit) {
    visit(equation.left);
    each_read(equation, visit);
}

/// Calls `visit(const std::string&)` with each size that the kernel's text uses, but for extents of declared dims.
template<typename Visit>
void each_used_size(const Kernel& kernel, Visit&& visit) {
    const auto look = [&](const Expr& e) {
        if (auto* size = e.as<SizeRef>()) visit(size->name);
    };
    for (const Equation& equation : kernel.equations) each_node(equation, look);
    for (const SizeCondition& condition : kernel.conditions) walk(condition.relation, look);
    for (const Let& let : kernel.lets) walk(let.value, look);
    for (const Tensor& tensor : kernel.tensors)
        for (const Dim& dim : tensor.dims.value_or(std::vector<Dim>{}))
            for (const Expr* e : {&dim.pad_low, &dim.pad_high, &dim.pixel})
                if (e->defined()) walk(*e, look);
}

/// Which dims may be one, found by taking away what may not until nothing changes.
class Candidates {
public:
    Candidates(const Kernel& kernel, const Solution& solution, bool declares)
        : kernel_(kernel), solution_(solution), declares_(declares) {
        for (const Tensor& tensor : kernel.tensors)
            for (int d = 0; d + 1 < tensor.rank; d++)
                if (keeps_padding(tensor, d)) pairs_.insert({tensor.name, d});
        std::size_t before = 0;
        do {
            before = pairs_.size();
            for (std::size_t e = 0; e < kernel.equations.size(); e++) restrict(e);
            keep_used_sizes();
        } while (pairs_.size() != before);
    }

    bool empty() const { return pairs_.empty(); }

    DimRuns runs() const {
        DimRuns runs;
        for (const Tensor& tensor : kernel_.tensors) {
            std::vector<DimRun>& all = runs[tensor.name];
            for (int d = 0; d < tensor.rank; d++) {
                if (d > 0 && pairs_.count({tensor.name, d - 1}))
                    all.back().last = d;
                else
                    all.push_back({d, d});
            }
        }
        return runs;
    }

    /// Of the sizes that the merged kernel's text names those that no dim of it gives: the caller's tensors do.
    std::set<std::string> told_by_callers(const Kernel& merged) const {
        std::set<std::string> told, given;
        each_whole_dim([&](const Tensor&, const Formula& extent) {
            if (const auto symbol = extent.as_symbol()) given.insert(*symbol);
        });
        const auto tell = [&](const std::string& name) {
            if (is_told_by_callers(name) && !given.count(name)) told.insert(name);
        };
        each_used_size(merged, tell);
        for (const Tensor& tensor : merged.tensors)
            for (const Dim& dim : tensor.dims.value_or(std::vector<Dim>{}))
                if (dim.extent.defined())
                    walk(dim.extent, [&](const Expr& e) {
                        if (auto* size = e.as<SizeRef>()) tell(size->name);
                    });
        return told;
    }

private:
    /// Rows of pixels may be padded: by as many elements for each pixel as it has. Not columns of rows: what is read of a row is an address,
    /// where the edges of one dim are met by vectors.
    bool keeps_padding(const Tensor& tensor, int d) const {
        if (is_padded(tensor, d + 1)) return false;
        if (!is_padded(tensor, d)) return true;
        const auto behind = solution_.extents.at(tensor.name)[static_cast<std::size_t>(d) + 1].constant();
        return tensor.role == Role::input && d + 2 == tensor.rank && is_written(tensor.name, d + 1) &&
               behind.value_or(0) <= most_behind_padding;
    }

    /// An equation that runs in order keeps its loops.
    void restrict(std::size_t e) {
        const Equation& equation = kernel_.equations[e];
        const bool ordered = !recurrence_order(kernel_, equation).empty();
        each_access(equation, [&](const Access& access) {
            for (int d = 0; d + 1 < static_cast<int>(access.at.size()); d++)
                if (ordered || !is_walked(equation, e, access, d)) pairs_.erase({access.tensor, d});
        });
    }

    /// Two indices walk over dims d and d + 1 of the access, and wherever one of them stands the other is beside it.
    bool is_walked(const Equation& equation, std::size_t e, const Access& access, int d) const {
        const auto pair = walked(equation, access, d);
        if (!pair || !is_whole(e, pair->second, access.tensor, d + 1) || !stand_together(equation, *pair)) return false;
        if (!bare_index(access.at[static_cast<std::size_t>(d)])) return is_written(access.tensor, d + 1);
        return is_read_beside_terms(equation, *pair) || is_whole(e, pair->first, access.tensor, d);
    }

    /// The extent can stand in an equation.
    bool is_written(const std::string& tensor, int d) const {
        const Formula& extent = solution_.extents.at(tensor)[static_cast<std::size_t>(d)];
        const auto symbol = extent.as_symbol();
        return extent.constant() || (symbol && (kernel_.find_size(*symbol) || is_told_by_callers(*symbol)));
    }

    /// A size that is what its name says, and which a tensor gives.
    bool is_told_by_callers(const std::string& name) const {
        const auto size = solution_.sizes.find(name);
        const auto source = solution_.sources.find(name);
        return Symbol::of(name).is_size() && size != solution_.sizes.end() && size->second.as_symbol() == name &&
               source != solution_.sources.end() && !source->second.tensor.empty();
    }

    /// Of a window of pixels: then not all of its reads run over whole rows. (`keeps_sizes` asks whether they do together.)
    static bool is_read_beside_terms(const Equation& equation, const Pair& pair) {
        bool found = false;
        each_access(equation, [&](const Access& access) {
            for (int d = 0; d + 1 < static_cast<int>(access.at.size()); d++)
                found = found ||
                        (!bare_index(access.at[static_cast<std::size_t>(d)]) && walked(equation, access, d) == pair);
        });
        return found;
    }

    bool is_whole(std::size_t e, const std::string& index, const std::string& tensor, int d) const {
        return solution_.indices[e].at(index).covers(solution_.extents.at(tensor)[static_cast<std::size_t>(d)]);
    }

    bool stand_together(const Equation& equation, const Pair& pair) const {
        int alone = 0, beside = 0;
        const auto count = [&](const Expr& e) {
            const auto index = bare_index(e);
            alone += index && (*index == pair.first || *index == pair.second);
        };
        for (const Expr& place : equation.left.at) walk(place, count);
        walk(equation.right, count);
        for (const Expr* predicate : predicates_of(equation)) walk(*predicate, count);
        for (const InRange* range : ranges_of(equation))
            alone += range->index == pair.first || range->index == pair.second;
        each_access(equation, [&](const Access& access) {
            for (int d = 0; d + 1 < static_cast<int>(access.at.size()); d++)
                beside += walked(equation, access, d) == pair && pairs_.count({access.tensor, d});
        });
        return alone == 2 * beside;
    }

    /// A size that only merged dims tell must not be used, nor a dim of a tensor by its number.
    void keep_used_sizes() {
        std::set<std::string> used, numbered;
        const auto use = [&](const std::string& name) {
            const auto found = solution_.sizes.find(name);
            for (const std::string& symbol :
                 found == solution_.sizes.end() ? std::set<std::string>{name} : found->second.symbols())
                used.insert(symbol);
            if (Symbol::of(name).is_dim()) numbered.insert(Symbol::of(name).name);
        };
        each_used_size(kernel_, [&](const std::string& name) {
            if (!is_told_by_callers(name)) use(name);
        });
        for (const SizeParam& size : kernel_.sizes)
            if (!declares_) use(size.name);
        const std::set<std::string> given = given_by_whole_dims();
        each_whole_dim([&](const Tensor& tensor, const Formula& extent) {
            for (const std::string& symbol : extent.symbols())
                if (!given.count(symbol) && !(tensor.role == Role::input && extent.as_symbol()) &&
                    !(declares_ && is_told_by_callers(symbol)))
                    used.insert(symbol);
        });
        std::erase_if(pairs_, [&](const DimPair& pair) {
            const auto& extents = solution_.extents.at(pair.first);
            return numbered.count(pair.first) || names(used, extents[static_cast<std::size_t>(pair.second)]) ||
                   names(used, extents[static_cast<std::size_t>(pair.second) + 1]);
        });
    }

    /// Calls `visit(const Tensor&, const Formula& extent)` for each dim that stays as it is.
    template<typename Visit>
    void each_whole_dim(Visit&& visit) const {
        for (const Tensor& tensor : kernel_.tensors)
            for (int d = 0; d < tensor.rank; d++)
                if (!pairs_.count({tensor.name, d}) && !pairs_.count({tensor.name, d - 1}))
                    visit(tensor, solution_.extents.at(tensor.name)[static_cast<std::size_t>(d)]);
    }

    std::set<std::string> given_by_whole_dims() const {
        std::set<std::string> given;
        each_whole_dim([&](const Tensor& tensor, const Formula& extent) {
            if (const auto symbol = extent.as_symbol(); symbol && tensor.role == Role::input) given.insert(*symbol);
        });
        return given;
    }

    static bool names(const std::set<std::string>& used, const Formula& extent) {
        const std::set<std::string> symbols = extent.symbols();
        return std::any_of(symbols.begin(), symbols.end(), [&](const std::string& s) { return used.count(s) > 0; });
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const bool declares_;
    std::set<DimPair> pairs_;
};

/// Writes the kernel down with its runs as single dims.
class Merger {
public:
    Merger(const DimRuns& runs, const Solution& solution, bool declares)
        : runs_(runs), solution_(solution), declares_(declares) {}

    void merge(Tensor& tensor) const {
        const std::vector<DimRun>& runs = runs_.at(tensor.name);
        if (tensor.dims) {
            std::vector<Dim> dims;
            for (const DimRun& run : runs) {
                Dim dim = (*tensor.dims)[static_cast<std::size_t>(run.first)];
                if (run.first != run.last) {
                    dim.extent = declares_ && tensor.role != Role::input ? product_declared(tensor, run) : Expr();
                    for (Expr* pad : {&dim.pad_low, &dim.pad_high})
                        if (pad->defined()) *pad = times_behind(tensor.name, run, *pad);
                    if (is_padded(tensor, run.first) && repeats(tensor.boundary.mode))
                        dim.pixel = times_behind(tensor.name, run, {});
                }
                dims.push_back(std::move(dim));
            }
            tensor.dims = std::move(dims);
        }
        tensor.rank = static_cast<int>(runs.size());
    }

    void merge(Equation& equation) {
        taken_.clear();
        for (const std::string& index : indices_of(equation)) taken_.insert(index);
        names_.clear();
        const Equation before = equation;
        rewrite(equation, [&](const Expr& e) {
            auto* access = e.as<Access>();
            return access ? Expr(ExprNode{merged(before, *access)}, e.position()) : e;
        });
        equation.left = merged(before, equation.left);
    }

private:
    Access merged(const Equation& equation, const Access& access) {
        Access result{access.tensor, {}, access.position};
        for (const DimRun& run : runs_.at(access.tensor)) {
            const Expr& first = access.at[static_cast<std::size_t>(run.first)];
            if (run.first == run.last) {
                result.at.push_back(first);
                continue;
            }
            Expr place(ExprNode{IndexRef{name_of(equation, access, run)}}, first.position());
            for (int d = run.first; d < run.last; d++) {
                const auto terms = beside(access.at[static_cast<std::size_t>(d)], walked(equation, access, d)->first);
                for (const Term& term : *terms)
                    place = make_binary(term.minus ? BinaryOp::sub : BinaryOp::add, place,
                                        times_behind(access.tensor, {d, run.last}, term.value));
            }
            result.at.push_back(std::move(place));
        }
        return result;
    }

    /// `value` (1 where it is undefined) times the elements of a tensor's run behind its first dim.
    Expr times_behind(const std::string& tensor, const DimRun& run, Expr value) const {
        for (int d = run.first + 1; d <= run.last; d++) {
            const Formula& extent = solution_.extents.at(tensor)[static_cast<std::size_t>(d)];
            const auto number = extent.constant();
            const Expr count = number ? Expr(*number) : Expr(ExprNode{SizeRef{*extent.as_symbol()}});
            value = value.defined() ? make_binary(BinaryOp::mul, count, value) : count;
        }
        return value;
    }

    /// The product of the extents as they are declared; undefined where one is not.
    static Expr product_declared(const Tensor& tensor, const DimRun& run) {
        Expr product;
        for (int d = run.first; d <= run.last; d++) {
            const Expr& extent = (*tensor.dims)[static_cast<std::size_t>(d)].extent;
            if (!extent.defined()) return {};
            product = product.defined() ? make_binary(BinaryOp::mul, product, extent) : extent;
        }
        return product;
    }

    /// "i_j", as long as no other index of the equation is called so.
    std::string name_of(const Equation& equation, const Access& access, const DimRun& run) {
        std::string together;
        for (int d = run.first; d < run.last; d++) {
            const Pair pair = *walked(equation, access, d);
            if (together.empty()) together = pair.first;
            together += "_" + pair.second;
        }
        std::string& name = names_[together];
        if (!name.empty()) return name;
        name = together;
        while (taken_.count(name)) name += "_";
        taken_.insert(name);
        return name;
    }

    const DimRuns& runs_;
    const Solution& solution_;
    const bool declares_;
    std::set<std::string> taken_;
    std::map<std::string, std::string> names_;
};

}  // namespace

std::optional<Merged> merged(const Kernel& kernel, const Solution& solution, bool declares) {
    const Candidates candidates(kernel, solution, declares);
    if (candidates.empty()) return std::nullopt;
    Merged result{kernel, candidates.runs()};
    Merger merger(result.runs, solution, declares);
    for (Tensor& tensor : result.kernel.tensors) merger.merge(tensor);
    for (Equation& equation : result.kernel.equations) merger.merge(equation);
    for (const std::string& size : candidates.told_by_callers(result.kernel)) {
        result.kernel.sizes.push_back({size, std::nullopt, {}});
        result.kernel.parameters.push_back({Parameter::Sort::size, size});
    }
    return result;
}

bool keeps_sizes(const Merged& result, const Solution& solution, const Solution& before) {
    const auto product = [&](const std::string& tensor, const DimRun& run) {
        Formula all = 1;
        for (int d = run.first; d <= run.last; d++) all = all * before.extents.at(tensor)[static_cast<std::size_t>(d)];
        return all;
    };
    std::map<std::string, Formula> values;
    for (const std::string& symbol : solution.symbols) {
        const auto source = solution.sources.find(symbol);
        if (source == solution.sources.end()) return false;
        const auto& [tensor, dim] = source->second;
        values[symbol] = tensor.empty() ? before.sizes.at(symbol)
                                        : product(tensor, result.runs.at(tensor)[static_cast<std::size_t>(dim)]);
    }
    for (const auto& [tensor, runs] : result.runs)
        for (std::size_t d = 0; d < runs.size(); d++)
            if (solution.extents.at(tensor)[d].substitute(values) != product(tensor, runs[d])) return false;
    return true;
}

}  // namespace halogen
