#include "frontend/interpret/interpret.h"

#include "frontend/interpret/arithmetic.h"
#include "frontend/interpret/node.h"
#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace halogen {

namespace interpreting {

namespace {

/// One equation, ready to run.
class Run {
public:
    Run(const Kernel& kernel, const Solution& solution, const Scalars& scalars, std::map<std::string, Cells>& cells,
        int number_of, bool bounds = false)
        : equation_(kernel.equations[number_of]),
          scope_{kernel, equation_, solution, scalars, cells, indices_of(equation_), bounds},
          target_(cells.at(equation_.left.tensor)) {
        for (const std::string& name : scope_.indices) {
            const IndexRange& range = solution.indices[number_of].at(name);
            mins_.push_back(number(range.min));
            extents_.push_back(number(range.extent));
        }
        point_ = mins_;
        for (std::size_t s = 0; s < mins_.size(); s++) order_.push_back(s);
        left_ = build_access(scope_, equation_.left);
        right_ = build_value(scope_, equation_.right, target_.type);
        for (const Expr* predicate : predicates_of(equation_))
            where_.push_back(build_value(scope_, *predicate, Type::boolean));
    }

    void run() {
        if (is_empty()) return;
        try {
            find_order();
            if (equation_.op == Op::assign) written_.assign(count_elements(target_.extents), false);
            if (scope_.bounds) open_bounds();
            for_each_point([&] { step(); });
        } catch (const Failure& failure) {
            throw in_context(failure.error());
        }
        if (scope_.bounds) close_bounds();
        for (double& r : target_.reals) r = round_to_storage(target_.type, r);
    }

    /// Evaluates one point only, or for a collision the left side alone, and gives the error that raises.
    Error error_at(const BadPoint& bad) {
        std::int64_t rest = bad.point;
        for (std::size_t i = bad.indices.size(); i-- > 0;) {
            const std::size_t s =
                std::find(scope_.indices.begin(), scope_.indices.end(), bad.indices[i]) - scope_.indices.begin();
            const std::int64_t extent = std::max<std::int64_t>(extents_.at(s), 1);
            point_[s] = mins_[s] + rest % extent;
            rest /= extent;
        }
        try {
            if (bad.collision) find_collision();
            std::vector<std::int64_t> places;
            places_of(left_, point_, scope_, places);
            require_within(places);
            evaluate(right_, point_, scope_);
            for (const Node& predicate : where_) evaluate(predicate, point_, scope_);
        } catch (const Failure& failure) {
            return in_context(failure.error()).error();
        }
        return Error{ErrorKind::index,
                     fmt::format("a position taken from data is out of range at {}", describe_point(scope_, point_)),
                     equation_.at, equation_.text, "check the values that stand in brackets"};
    }

private:
    /// A fixed position in a dim without elements makes the equation empty (NOTATION, rule 5 of sizes).
    bool is_empty() const {
        for (std::int64_t e : extents_)
            if (e <= 0) return true;
        return holds_empty_place(left_) || holds_empty_place(right_);
    }

    bool holds_empty_place(const Node& node) const {
        if (node.kind == Node::Kind::access) {
            for (std::size_t d = 0; d < node.operands.size(); d++) {
                if (node.cells->low(d) >= node.cells->high(d) && is_fixed(node.access->at[d])) return true;
            }
        }
        return std::any_of(node.operands.begin(), node.operands.end(),
                           [&](const Node& n) { return holds_empty_place(n); });
    }

    bool included() const {
        for (const Node& predicate : where_)
            if (!evaluate(predicate, point_, scope_).integer) return false;
        return true;
    }

    template<typename Body>
    void for_each_point(Body&& body) {
        std::vector<std::int64_t> extents;
        for (std::size_t s : order_) extents.push_back(extents_[s]);
        for_each_index(extents, [&](std::span<const std::int64_t> steps) {
            for (std::size_t k = 0; k < order_.size(); k++) point_[order_[k]] = mins_[order_[k]] + steps[k];
            if (included()) body();
        });
    }

    void find_collision() {
        written_.assign(count_elements(target_.extents), false);
        for_each_point([&] {
            places_of(left_, point_, scope_, places_);
            const std::int64_t cell = cell_of(target_, places_);
            if (cell < 0) return;
            if (written_[cell]) throw meeting(places_);
            written_[cell] = true;
        });
    }

    Failure meeting(const std::vector<std::int64_t>& places) const {
        return Failure(Error{ErrorKind::index,
                             fmt::format("two points write {}[{}]; the second is {}", target_.name,
                                         fmt::join(places, ", "), describe_point(scope_, point_)),
                             equation_.left.position, equation_.text,
                             "combine them with `+=`, `max=` or another operator, or make the positions differ"});
    }

    /// Padding, in which places may lie that are read, is not written.
    void require_within(const std::vector<std::int64_t>& places) const {
        for (std::size_t d = 0; d < places.size(); d++) {
            if (places[d] >= 0 && places[d] < target_.extents[d]) continue;
            throw Failure(Error{ErrorKind::index,
                                fmt::format("`{}` would be written at {} in dim {}, which has extent {}", target_.name,
                                            places[d], d, target_.extents[d]),
                                {},
                                "",
                                "padding is read, never written"});
        }
    }

    void step() {
        places_of(left_, point_, scope_, places_);
        require_within(places_);
        const std::int64_t cell = cell_of(target_, places_);
        if (equation_.op == Op::assign) {
            if (written_[cell]) throw meeting(places_);
            written_[cell] = true;
        }
        const Value value = evaluate(right_, point_, scope_);
        if (scope_.bounds) follow_error(cell, value);
        if (is_float(target_.type))
            target_.reals[cell] = reduce_real(equation_.op, target_.reals[cell], value.real);
        else
            target_.integers[cell] = reduce_integer(equation_.op, target_.type, target_.integers[cell], value.integer);
    }

    void open_bounds() {
        const std::int64_t n = count_elements(target_.extents);
        target_.errors.resize(n);
        magnitudes_.assign(n, 0);
        steps_.assign(n, 0);
    }

    /// Called before the value is reduced into its cell.
    void follow_error(std::int64_t cell, const Value& value) {
        const double v = std::abs(is_float(target_.type) ? value.real : static_cast<double>(value.integer));
        double& error = target_.errors[cell];
        steps_[cell]++;
        switch (equation_.op) {
        case Op::assign: error = value.error; break;
        case Op::add:
            error += value.error;
            magnitudes_[cell] += v + value.error;
            break;
        case Op::mul: {
            const double old =
                std::abs(is_float(target_.type) ? target_.reals[cell] : static_cast<double>(target_.integers[cell]));
            error = old * value.error + v * error + error * value.error;
            magnitudes_[cell] = old * v;
            break;
        }
        default: error = std::max(error, value.error);
        }
        double uncertain = 0;
        for (const Node& place : left_.operands) uncertain += evaluate(place, point_, scope_).error;
        if (uncertain > 0)
            astray_ += equation_.op == Op::add ? v + value.error : std::numeric_limits<double>::infinity();
    }

    /// Rounding within the reduction in whatever order, and once on storing.
    void close_bounds() {
        const double unit = unit_roundoff(compute_type(target_.type)), store = unit_roundoff(target_.type);
        for (std::size_t i = 0; i < magnitudes_.size(); i++) {
            double& error = target_.errors[i];
            if (steps_[i] > 0) error += astray_;
            if (!is_float(target_.type)) continue;
            const double old = std::abs(target_.reals[i]);
            error += 2 * unit * static_cast<double>(steps_[i] + 1) * (magnitudes_[i] > 0 ? magnitudes_[i] + old : 0);
            if (error > 0 && store != unit) error += 2 * store * old;
        }
    }

    void collect_self_reads(const Node& node, std::vector<const Node*>& reads) const {
        if (node.kind == Node::Kind::access && node.cells == &target_ && !(node.access->at == equation_.left.at))
            reads.push_back(&node);
        for (const Node& operand : node.operands) collect_self_reads(operand, reads);
    }

    /// The loop that moves one dim of the left side, and whether it moves it upwards; nothing when several do or none.
    std::optional<std::pair<std::size_t, int>> mover(std::size_t dim) const {
        std::set<std::string> names;
        walk(equation_.left.at[dim], [&](const Expr& x) {
            if (auto* index = x.as<IndexRef>()) names.insert(index->name);
        });
        if (names.size() != 1 || reads_data(equation_.left.at[dim])) return std::nullopt;
        const std::size_t slot =
            std::find(scope_.indices.begin(), scope_.indices.end(), *names.begin()) - scope_.indices.begin();
        std::vector<std::int64_t> a = mins_, b = mins_;
        b[slot]++;
        const std::int64_t rise =
            evaluate(left_.operands[dim], b, scope_).integer - evaluate(left_.operands[dim], a, scope_).integer;
        return std::pair(slot, rise < 0 ? -1 : 1);
    }

    /// Recurrences: puts the loops in an order in which every element is written before it is read. How far each read
    /// lies behind is measured over all points, so that any access will do; then the loops that carry are chosen
    /// outermost first, each only where no read that is still open lies ahead.
    void find_order() {
        std::vector<const Node*> reads;
        collect_self_reads(right_, reads);
        for (const Node& predicate : where_) collect_self_reads(predicate, reads);
        for (const Node& place : left_.operands) collect_self_reads(place, reads);
        if (reads.empty()) return;
        const std::size_t rank = target_.extents.size();
        std::vector<std::vector<std::int64_t>> least(
            reads.size(), std::vector<std::int64_t>(rank, std::numeric_limits<std::int64_t>::max()));
        auto most =
            std::vector(reads.size(), std::vector<std::int64_t>(rank, std::numeric_limits<std::int64_t>::min()));
        std::vector<std::optional<std::pair<std::size_t, int>>> movers;
        for (std::size_t d = 0; d < rank; d++) movers.push_back(mover(d));
        std::vector<std::int64_t> written, read;
        for_each_point([&] {
            places_of(left_, point_, scope_, written);
            for (std::size_t r = 0; r < reads.size(); r++) {
                places_of(*reads[r], point_, scope_, read);
                for (std::size_t d = 0; d < rank; d++) {
                    const std::int64_t behind = (written[d] - read[d]) * (movers[d] ? movers[d]->second : 1);
                    least[r][d] = std::min(least[r][d], behind);
                    most[r][d] = std::max(most[r][d], behind);
                }
            }
        });
        choose_loops(movers, least, most);
    }

    void choose_loops(const std::vector<std::optional<std::pair<std::size_t, int>>>& movers,
                      const std::vector<std::vector<std::int64_t>>& least,
                      const std::vector<std::vector<std::int64_t>>& most) {
        std::vector<std::size_t> order;
        std::vector<bool> open(least.size(), true), used(movers.size(), false);
        for (std::size_t round = 0; round < movers.size(); round++) {
            for (std::size_t d = 0; d < movers.size(); d++) {
                if (used[d] || !movers[d]) continue;
                bool admissible = true;
                for (std::size_t r = 0; r < least.size(); r++)
                    admissible = admissible && (!open[r] || least[r][d] >= 0);
                if (!admissible) continue;
                used[d] = true;
                order.push_back(movers[d]->first);
                for (std::size_t r = 0; r < least.size(); r++) open[r] = open[r] && least[r][d] <= 0;
            }
        }
        for (std::size_t r = 0; r < least.size(); r++) {
            const auto zero = [](std::int64_t x) { return x == 0; };
            const bool same = std::all_of(least[r].begin(), least[r].end(), zero) &&
                              std::all_of(most[r].begin(), most[r].end(), zero);
            const bool never = !most[r].empty() && most[r][0] == std::numeric_limits<std::int64_t>::min();
            if (open[r] && !same && !never)
                throw Failure(Error{
                    ErrorKind::index,
                    fmt::format("`{}` reads an element of `{}` that is not yet written", equation_.text, target_.name),
                    {},
                    "",
                    "read strictly earlier elements along one index"});
        }
        for (std::size_t s : order_)
            if (std::find(order.begin(), order.end(), s) == order.end()) order.push_back(s);
        order_ = order;
    }

    Failure in_context(Error error) const {
        if (error.equation.empty()) {
            if (error.kind == ErrorKind::overflow && !scope_.indices.empty())
                error.what += " at " + describe_point(scope_, point_);
            error.equation = equation_.text;
        }
        if (error.at.line == 0) error.at = equation_.at;
        return Failure(error);
    }

    const Equation& equation_;
    Scope scope_;
    Cells& target_;
    std::vector<std::int64_t> mins_, extents_, point_, places_;
    std::vector<std::size_t> order_;  // loops, outermost first
    Node left_, right_;
    std::vector<Node> where_;
    std::vector<bool> written_;
    std::vector<double> magnitudes_;   // of the terms a cell has taken in
    std::vector<std::int64_t> steps_;  // how many
    double astray_ = 0;                // what may belong to another cell
};

std::map<std::string, Cells> prepare(const Kernel& kernel, const Solution& solution, const Tensors& inputs) {
    std::map<std::string, Cells> cells;
    for (const Tensor& tensor : kernel.tensors) {
        if (tensor.role == Role::input) {
            const auto input = inputs.find(tensor.name);
            if (input == inputs.end())
                throw Failure(
                    Error{ErrorKind::name, fmt::format("the input `{}` is missing", tensor.name), {}, "", "give it"});
            cells.emplace(tensor.name, input_cells(solution, tensor, input->second));
            continue;
        }
        const auto first = std::find_if(kernel.equations.begin(), kernel.equations.end(),
                                        [&](const Equation& e) { return e.left.tensor == tensor.name; });
        const Op op = first == kernel.equations.end() ? Op::assign : first->op;
        cells.emplace(tensor.name, blank_cells(solution, tensor, op));
    }
    return cells;
}

/// The equations before `last` whose results `expr`s of equation `last` depend on.
std::set<int> equations_needed(const Kernel& kernel, int last) {
    std::set<std::string> tensors;
    const auto add_reads = [&](const Equation& e) {
        each_read(e, [&](const Access& read) { tensors.insert(read.tensor); });
    };
    add_reads(kernel.equations[last]);
    std::set<int> needed;
    for (int e = last; e-- > 0;) {
        if (!tensors.count(kernel.equations[e].left.tensor)) continue;
        needed.insert(e);
        add_reads(kernel.equations[e]);
    }
    return needed;
}

Interpreted run_all(const Kernel& kernel, const Solution& solution, const Tensors& inputs, const Scalars& scalars,
                    bool bounds) {
    auto cells = prepare(kernel, solution, inputs);
    for (std::size_t e = 0; e < kernel.equations.size(); e++)
        Run(kernel, solution, scalars, cells, static_cast<int>(e), bounds).run();
    Interpreted results;
    for (const Tensor& tensor : kernel.tensors) {
        if (tensor.role == Role::input) continue;
        Cells& c = cells.at(tensor.name);
        results.values[tensor.name] = tensor_of(c);
        if (!bounds) continue;
        c.errors.resize(count_elements(c.extents));
        results.bounds[tensor.name] = std::move(c.errors);
    }
    return results;
}

}  // namespace

}  // namespace interpreting

Result<Tensors> interpret(const Kernel& kernel, const Solution& solution, const Tensors& inputs,
                          const Scalars& scalars) {
    using namespace interpreting;
    return guarded([&] { return run_all(kernel, solution, inputs, scalars, false).values; });
}

Result<Interpreted> interpret_with_bounds(const Kernel& kernel, const Solution& solution, const Tensors& inputs,
                                          const Scalars& scalars) {
    return guarded([&] { return interpreting::run_all(kernel, solution, inputs, scalars, true); });
}

Error explain_bad_point(const Kernel& kernel, const Solution& solution, const Tensors& inputs, const Scalars& scalars,
                        const BadPoint& bad) {
    using namespace interpreting;
    try {
        auto cells = prepare(kernel, solution, inputs);
        for (int e : equations_needed(kernel, bad.equation)) Run(kernel, solution, scalars, cells, e).run();
        return Run(kernel, solution, scalars, cells, bad.equation).error_at(bad);
    } catch (const Failure& failure) {
        return failure.error();
    }
}

}  // namespace halogen
