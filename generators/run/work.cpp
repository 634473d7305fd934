#include "generators/run/work.h"

#include "frontend/interpret/host_tensor.h"
#include "frontend/interpret/node.h"
#include "frontend/notation/parts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace halogen {

namespace {

using interpreting::Node;
using interpreting::Scope;

/// A condition on some indices that decides whether a point counts.
struct Filter {
    std::set<std::size_t> slots;
    std::function<bool(const std::vector<std::int64_t>&)> admits;
};

/// One equation's box and filters.
class Counter {
public:
    Counter(const Kernel& kernel, const Solution& numbers, int equation)
        : kernel_(kernel),
          numbers_(numbers),
          equation_(kernel.equations[equation]),
          scope_{kernel, equation_, numbers, scalars_, cells_, indices_of(equation_)} {
        for (const std::string& name : scope_.indices) {
            const IndexRange& range = numbers.indices[equation].at(name);
            mins_.push_back(interpreting::number(range.min));
            extents_.push_back(interpreting::number(range.extent));
        }
        for (const Expr* predicate : predicates_of(equation_)) add_predicate(*predicate);
        if (!reduced_indices_of(equation_).empty()) add_padding(equation_.right);
    }

    double points() {
        double total = 1;
        std::vector<int> group(extents_.size());
        std::iota(group.begin(), group.end(), 0);
        for (const Filter& f : filters_)
            for (std::size_t s : f.slots) {
                const int old = group[s], first = group[*f.slots.begin()];
                std::replace(group.begin(), group.end(), old, first);
            }
        for (int g = 0; g < static_cast<int>(group.size()); g++) {
            std::vector<std::size_t> slots;
            for (std::size_t s = 0; s < group.size(); s++)
                if (group[s] == g) slots.push_back(s);
            if (!slots.empty()) total *= admitted(slots);
        }
        return total;
    }

private:
    std::set<std::size_t> slots_in(const Expr& e) const {
        std::set<std::size_t> slots;
        walk(e, [&](const Expr& x) {
            if (auto* index = x.as<IndexRef>())
                slots.insert(std::find(scope_.indices.begin(), scope_.indices.end(), index->name) -
                             scope_.indices.begin());
        });
        return slots;
    }

    void add_predicate(const Expr& e) {
        if (depends_on_data(e) || slots_in(e).empty()) return;
        filters_.push_back({slots_in(e), [this, node = interpreting::build_value(scope_, e, Type::boolean)](
                                             const std::vector<std::int64_t>& point) {
                                return interpreting::evaluate(node, point, scope_).integer != 0;
                            }});
    }

    void add_padding(const Expr& e) {
        walk(e, [&](const Expr& x) {
            auto* access = x.as<Access>();
            if (!access) return;
            const Boundary::Mode mode = kernel_.tensor(access->tensor).boundary.mode;
            if (mode != Boundary::Mode::constant && mode != Boundary::Mode::lowest && mode != Boundary::Mode::highest)
                return;
            for (std::size_t d = 0; d < access->at.size(); d++) add_place(*access, d);
        });
    }

    void add_place(const Access& access, std::size_t dim) {
        const Expr& place = access.at[dim];
        const std::set<std::size_t> slots = slots_in(place);
        const auto reduced = reduced_indices_of(equation_);
        const bool reduces = std::any_of(slots.begin(), slots.end(), [&](std::size_t s) {
            return std::find(reduced.begin(), reduced.end(), scope_.indices[s]) != reduced.end();
        });
        if (!reduces || depends_on_data(place)) return;
        const std::int64_t extent = interpreting::number(numbers_.extents.at(access.tensor)[dim]);
        filters_.push_back({slots, [this, extent, node = interpreting::build_place(scope_, place)](
                                       const std::vector<std::int64_t>& point) {
                                const std::int64_t p = interpreting::evaluate(node, point, scope_).integer;
                                return p >= 0 && p < extent;
                            }});
    }

    /// The admitted points of the joint range of some indices; all of them when there are too many to look at.
    double admitted(const std::vector<std::size_t>& slots) {
        std::vector<std::int64_t> extents;
        double all = 1;
        for (std::size_t s : slots) {
            extents.push_back(extents_[s]);
            all *= static_cast<double>(extents_[s]);
        }
        std::vector<const Filter*> concerned;
        for (const Filter& f : filters_)
            if (f.slots.count(slots[0]) ||
                std::find_first_of(slots.begin(), slots.end(), f.slots.begin(), f.slots.end()) != slots.end())
                concerned.push_back(&f);
        if (concerned.empty() || all > 1 << 24) return all;
        std::vector<std::int64_t> point = mins_;
        double count = 0;
        for_each_index(extents, [&](std::span<const std::int64_t> steps) {
            for (std::size_t k = 0; k < slots.size(); k++) point[slots[k]] = mins_[slots[k]] + steps[k];
            count += std::all_of(concerned.begin(), concerned.end(), [&](const Filter* f) { return f->admits(point); });
        });
        return count;
    }

    const Kernel& kernel_;
    const Solution& numbers_;
    const Equation& equation_;
    const Scalars scalars_;
    const std::map<std::string, interpreting::Cells> cells_;
    Scope scope_;
    std::vector<std::int64_t> mins_, extents_;
    std::vector<Filter> filters_;
};

}  // namespace

Formula operations(const Kernel& kernel, const Solution& solution, int equation) {
    Formula total = operations_per_point(kernel.equations[equation]);
    for (const std::string& index : indices_of(kernel.equations[equation]))
        total = total * solution.indices[equation].at(index).extent;
    return total;
}

Formula bytes_moved(const Kernel& kernel, const Solution& solution) {
    Formula total;
    for (const Tensor& t : kernel.tensors) {
        if (t.role == Role::intermediate) continue;
        Formula bytes = bytes_of(t.type);
        for (const Formula& e : solution.extents.at(t.name)) bytes = bytes * e;
        total = total + bytes;
    }
    return total;
}

Work count_work(const Kernel& kernel, const Solution& numbers) {
    Work work;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++)
        work.operations += operations_per_point(kernel.equations[e]) * Counter(kernel, numbers, e).points();
    work.bytes = static_cast<double>(bytes_moved(kernel, numbers).constant().value());
    return work;
}

}  // namespace halogen
