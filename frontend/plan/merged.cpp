#include "frontend/plan/merged.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/symbol.h"
#include "frontend/plan/apart.h"

#include <algorithm>
#include <set>
#include <utility>

namespace halogen {

namespace {

using Pair = std::pair<std::string, std::string>;  // two indices, the outer one first
using DimPair = std::pair<std::string, int>;       // dims `second` and `second` + 1 of a tensor

using lowering::index_of;

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
}

/// Which dims may be one, found by taking away what may not until nothing changes.
class Candidates {
public:
    Candidates(const Kernel& kernel, const Solution& solution) : kernel_(kernel), solution_(solution) {
        for (const Tensor& tensor : kernel.tensors)
            for (int d = 0; d + 1 < tensor.rank; d++)
                if (!is_padded(tensor, d) && !is_padded(tensor, d + 1)) pairs_.insert({tensor.name, d});
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

private:
    static bool is_padded(const Tensor& tensor, int d) {
        if (!tensor.dims) return false;
        const Dim& dim = (*tensor.dims)[static_cast<std::size_t>(d)];
        return dim.pad_low.defined() || dim.pad_high.defined();
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
        const std::string* outer = index_of(access.at[static_cast<std::size_t>(d)]);
        const std::string* inner = index_of(access.at[static_cast<std::size_t>(d) + 1]);
        return outer && inner && *outer != *inner && is_whole(e, *outer, access.tensor, d) &&
               is_whole(e, *inner, access.tensor, d + 1) && stand_together(equation, {*outer, *inner});
    }

    bool is_whole(std::size_t e, const std::string& index, const std::string& tensor, int d) const {
        const IndexRange& range = solution_.indices[e].at(index);
        return range.min == Formula(0) && range.extent == solution_.extents.at(tensor)[static_cast<std::size_t>(d)];
    }

    bool stand_together(const Equation& equation, const Pair& pair) const {
        int alone = 0, beside = 0;
        const auto count = [&](const Expr& e) {
            const std::string* index = index_of(e);
            alone += index && (*index == pair.first || *index == pair.second);
        };
        for (const Expr& place : equation.left.at) walk(place, count);
        walk(equation.right, count);
        for (const Expr* predicate : predicates_of(equation)) walk(*predicate, count);
        for (const InRange* range : ranges_of(equation))
            alone += range->index == pair.first || range->index == pair.second;
        each_access(equation, [&](const Access& access) {
            for (std::size_t d = 0; d + 1 < access.at.size(); d++) {
                const std::string *outer = index_of(access.at[d]), *inner = index_of(access.at[d + 1]);
                beside += outer && inner && *outer == pair.first && *inner == pair.second &&
                          pairs_.count({access.tensor, static_cast<int>(d)});
            }
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
        each_used_size(kernel_, use);
        for (const SizeParam& size : kernel_.sizes) use(size.name);
        const std::set<std::string> given = given_by_whole_dims();
        each_whole_dim([&](const Tensor& tensor, const Formula& extent) {
            for (const std::string& symbol : extent.symbols())
                if (!given.count(symbol) && !(tensor.role == Role::input && extent.as_symbol())) used.insert(symbol);
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
    std::set<DimPair> pairs_;
};

/// Writes the kernel down with its runs as single dims.
class Merger {
public:
    explicit Merger(const DimRuns& runs) : runs_(runs) {}

    void merge(Tensor& tensor) const {
        const std::vector<DimRun>& runs = runs_.at(tensor.name);
        if (tensor.dims) {
            std::vector<Dim> dims;
            for (const DimRun& run : runs)
                dims.push_back(run.first == run.last ? (*tensor.dims)[static_cast<std::size_t>(run.first)] : Dim{});
            tensor.dims = std::move(dims);
        }
        tensor.rank = static_cast<int>(runs.size());
    }

    void merge(Equation& equation) {
        taken_.clear();
        for (const std::string& index : indices_of(equation)) taken_.insert(index);
        names_.clear();
        rewrite(equation, [&](const Expr& e) {
            auto* access = e.as<Access>();
            return access ? Expr(ExprNode{merged(*access)}, e.position()) : e;
        });
        equation.left = merged(equation.left);
    }

private:
    Access merged(const Access& access) {
        Access result{access.tensor, {}, access.position};
        for (const DimRun& run : runs_.at(access.tensor)) {
            const Expr& first = access.at[static_cast<std::size_t>(run.first)];
            if (run.first == run.last)
                result.at.push_back(first);
            else
                result.at.emplace_back(ExprNode{IndexRef{name_of(access, run)}}, first.position());
        }
        return result;
    }

    /// "i_j", as long as no other index of the equation is called so.
    std::string name_of(const Access& access, const DimRun& run) {
        std::string together;
        for (int d = run.first; d <= run.last; d++)
            together += (together.empty() ? "" : "_") + *index_of(access.at[static_cast<std::size_t>(d)]);
        std::string& name = names_[together];
        if (!name.empty()) return name;
        name = together;
        while (taken_.count(name)) name += "_";
        taken_.insert(name);
        return name;
    }

    const DimRuns& runs_;
    std::set<std::string> taken_;
    std::map<std::string, std::string> names_;
};

}  // namespace

std::optional<Merged> merged(const Kernel& kernel, const Solution& solution) {
    const Candidates candidates(kernel, solution);
    if (candidates.empty()) return std::nullopt;
    Merged result{kernel, candidates.runs()};
    Merger merger(result.runs);
    for (Tensor& tensor : result.kernel.tensors) merger.merge(tensor);
    for (Equation& equation : result.kernel.equations) merger.merge(equation);
    return result;
}

}  // namespace halogen
