// The plain nest of a kernel.

#include "schedules/nest/build.h"

#include "frontend/notation/parts.h"

#include <algorithm>

namespace halogen {

namespace {

/// True when an equation alone gives every element of its tensor a value.
bool gives_all(const Kernel& kernel, const Solution& solution, int number) {
    const Equation& equation = kernel.equations[number];
    if (equation.op != Op::assign) return false;
    std::set<std::string> seen;
    for (std::size_t d = 0; d < equation.left.at.size(); d++) {
        auto* index = equation.left.at[d].as<IndexRef>();
        if (!index || !seen.insert(index->name).second) return false;
        if (!solution.indices[number].at(index->name).covers(solution.extents.at(equation.left.tensor)[d]))
            return false;
    }
    return predicates_of(equation).empty() && !reads_itself(equation);
}

class Builder {
public:
    Builder(const Kernel& kernel, const Solution& solution) : nest_{kernel, solution, {}, {}, {}, {}, {}, 0} {}

    Nest build() {
        for (int e = 0; e < static_cast<int>(nest_.kernel.equations.size()); e++) add(e);
        return std::move(nest_);
    }

private:
    void add(int number) {
        const Equation& equation = nest_.kernel.equations[number];
        const std::string& tensor = equation.left.tensor;
        if (!stages_.count(tensor)) {
            const std::vector<Formula>& extents = nest_.solution.extents.at(tensor);
            nest_.storage[tensor] = {extents, std::vector<Formula>(extents.size(), Formula(0)), 0};
            if (!gives_all(nest_.kernel, nest_.solution, number)) add_start(equation);
        }
        std::vector<std::string> order = indices_of(equation);
        const std::vector<std::string> carried = recurrence_order(nest_.kernel, equation);
        std::stable_partition(order.begin(), order.end(), [&](const std::string& name) {
            return std::find(carried.begin(), carried.end(), name) != carried.end();
        });
        std::copy(carried.begin(), carried.end(), order.begin());
        NestStatement statement{tensor, stages_[tensor]++, false, equation, {}, {}};
        std::vector<NestLoop> loops;
        for (const std::string& name : order) {
            const IndexRange& range = nest_.solution.indices[number].at(name);
            loops.push_back(loop(statement, name, range.min, range.extent, range.reduced));
            statement.at[name] = loop_value(loops.back());
        }
        nest_.body.push_back(wrapped(std::move(loops), {std::move(statement)}));
    }

    void add_start(const Equation& equation) {
        const std::string& tensor = equation.left.tensor;
        NestStatement statement{tensor, stages_[tensor]++, true, {}, {}, {}};
        statement.equation.op = equation.op;
        statement.equation.left.tensor = tensor;
        std::vector<NestLoop> loops;
        for (std::size_t d = 0; d < equation.left.at.size(); d++) {
            auto* index = equation.left.at[d].as<IndexRef>();
            std::string name = index ? index->name : "d" + std::to_string(d);
            while (statement.at.count(name)) name += "_";
            loops.push_back(loop(statement, name, 0, nest_.solution.extents.at(tensor)[d], false));
            statement.at[name] = loop_value(loops.back());
            statement.equation.left.at.push_back(Expr(ExprNode(IndexRef{name})));
        }
        nest_.body.push_back(wrapped(std::move(loops), {std::move(statement)}));
    }

    NestLoop loop(const NestStatement& owner, const std::string& name, const Formula& min, const Formula& extent,
                  bool reduced) {
        return {++nest_.last_id, name, owner.func, owner.stage, min, extent, reduced, LoopMark::serial, {}};
    }

    static NestNode wrapped(std::vector<NestLoop> loops, NestNode inside) {
        for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
            loop->body.push_back(std::move(inside));
            inside = NestNode{std::move(*loop)};
        }
        return inside;
    }

    Nest nest_;
    std::map<std::string, int> stages_;
};

}  // namespace

Nest build_nest(const Kernel& kernel, const Solution& solution) { return Builder(kernel, solution).build(); }

}  // namespace halogen
