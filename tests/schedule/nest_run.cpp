#include "tests/schedule/nest_run.h"

#include "frontend/interpret/arithmetic.h"
#include "frontend/interpret/node.h"
#include "schedules/nest/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace halogen {

namespace {

using namespace interpreting;

/// A formula over sizes and loops, ready for many evaluations.
class Number {
public:
    Number(const Formula& f, const Bindings& sizes, const std::map<std::string, std::size_t>& slots) : formula_(f) {
        for (const auto& [monomial, coefficient] : f.terms()) {
            std::int64_t factor = coefficient;
            int slot = -1;
            for (const Formula::AtomRef& atom : monomial) {
                if (atom->kind != Formula::Atom::Kind::symbol) linear_ = false;
                const auto size = sizes.find(atom->name);
                const auto loop = slots.find(atom->name);
                if (size != sizes.end())
                    factor *= size->second;
                else if (loop != slots.end() && slot < 0)
                    slot = static_cast<int>(loop->second);
                else
                    linear_ = false;
            }
            terms_.push_back({slot, factor});
        }
        if (linear_) return;
        values_ = sizes;
        for (const auto& [symbol, slot] : slots) loops_.push_back({symbol, slot});
    }

    /// Errors: Failure(schedule) for a loop that does not run here.
    std::int64_t operator()(const std::vector<std::int64_t>& loops) {
        for (const auto& [slot, factor] : terms_)
            if (slot >= static_cast<int>(loops.size()))
                throw Failure({ErrorKind::schedule,
                               fmt::format("`{}` names a loop that does not run here", print(formula_)),
                               {},
                               {},
                               "report it"});
        if (linear_) {
            std::int64_t sum = 0;
            for (const auto& [slot, factor] : terms_) sum += slot < 0 ? factor : factor * loops[slot];
            return sum;
        }
        for (const auto& [symbol, slot] : loops_) values_[symbol] = loops[slot];
        return evaluate(formula_, values_);
    }

private:
    Formula formula_;
    bool linear_ = true;
    std::vector<std::pair<int, std::int64_t>> terms_;
    Bindings values_;
    std::vector<std::pair<std::string, std::size_t>> loops_;
};

class Runner {
public:
    Runner(const Nest& nest, const Bindings& sizes, const Tensors& inputs, const Scalars& scalars)
        : nest_(nest), sizes_(sizes), scalars_(scalars), numbers_(numeric(nest, sizes)) {
        for (const Tensor* tensor : nest.kernel.inputs()) {
            const auto given = inputs.find(tensor->name);
            if (given == inputs.end())
                throw Failure(
                    {ErrorKind::name, fmt::format("input `{}` is missing", tensor->name), {}, {}, "give every input"});
            cells_[tensor->name] = input_cells(numbers_, *tensor, given->second);
        }
        for (const auto& [name, storage] : nest.storage) {
            cells_[name].name = name;
            cells_[name].type = nest.kernel.tensor(name).type;
            cells_[name].pad_low.assign(storage.extents.size(), 0);
            cells_[name].pad_high = cells_[name].pad_low;
        }
    }

    NestOutcome run() {
        body_ = prepare(nest_.body, {});
        open(0);
        run_body(body_);
        for (const Tensor* tensor : nest_.kernel.outputs()) outcome_.outputs[tensor->name] = written(tensor->name);
        return std::move(outcome_);
    }

private:
    struct Task;
    struct Assignment {
        const NestStatement* statement;
        Scope scope;
        Node left, right;
        std::vector<Node> where;
        std::vector<Number> indices, guards;
        std::vector<Number> base;  // of the written tensor
        std::size_t loops;         // the first slots of a point
        std::int64_t loads;
    };
    struct Round {
        const NestLoop* loop;
        Number min, extent;
        std::vector<Task> body;
        std::size_t slot;
    };
    struct Task {
        std::shared_ptr<Round> round;
        std::shared_ptr<Assignment> assignment;
    };

    static Solution numeric(const Nest& nest, const Bindings& sizes) {
        Solution numbers = nest.solution;
        const auto value = [&](Formula& f) {
            std::map<std::string, Formula> values;
            for (const auto& [name, number] : sizes) values[name] = number;
            f = f.substitute(values);
        };
        for (auto& [name, f] : numbers.sizes) value(f);
        for (auto& [name, extents] : numbers.extents)
            for (Formula& f : extents) value(f);
        return numbers;
    }

    std::vector<Task> prepare(const std::vector<NestNode>& body, const std::vector<std::string>& loops) {
        std::map<std::string, std::size_t> slots;
        for (std::size_t i = 0; i < loops.size(); i++) slots[loops[i]] = i;
        std::vector<Task> tasks;
        for (const NestNode& node : body) {
            if (auto* loop = node.loop()) {
                std::vector<std::string> inner = loops;
                inner.push_back(loop_symbol(loop->id));
                auto round = std::make_shared<Round>(Round{
                    loop, Number(loop->min, sizes_, slots), Number(loop->extent, sizes_, slots), {}, loops.size()});
                slots_[loop->id] = inner;
                round->body = prepare(loop->body, inner);
                tasks.push_back({round, nullptr});
            } else {
                tasks.push_back({nullptr, prepare(*node.statement(), loops, slots)});
            }
        }
        return tasks;
    }

    /// Places in storage count from its base: every access of a computed tensor is rewritten.
    Equation based(const Equation& equation) const {
        const auto shift = [&](const Expr& e) -> Expr {
            auto* access = e.as<Access>();
            if (!access || !nest_.storage.count(access->tensor)) return e;
            return Expr(ExprNode(shifted(*access)));
        };
        Equation result = equation;
        for (Expr& place : result.left.at) place = rewrite(place, shift);
        result.left = shifted(result.left);
        if (result.right.defined()) result.right = rewrite(result.right, shift);
        for (Where& item : result.where)
            if (auto* predicate = std::get_if<Expr>(&item)) *predicate = rewrite(*predicate, shift);
        return result;
    }
    Access shifted(Access access) const {
        const NestStorage& storage = nest_.storage.at(access.tensor);
        for (std::size_t d = 0; d < access.at.size(); d++)
            if (!(storage.base[d] == Formula(0)))
                access.at[d] = make_binary(BinaryOp::sub, access.at[d], expr_of(storage.base[d]));
        return access;
    }

    std::shared_ptr<Assignment> prepare(const NestStatement& s, const std::vector<std::string>& loops,
                                        const std::map<std::string, std::size_t>& slots) {
        equations_.push_back(based(s.equation));
        const Equation& equation = equations_.back();
        auto task = std::make_shared<Assignment>(
            Assignment{&s,
                       Scope{nest_.kernel, equation, numbers_, scalars_, cells_, loops, false},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       loops.size(),
                       0});
        for (const auto& [index, value] : s.at) {
            task->scope.indices.push_back(index);
            task->indices.emplace_back(value, sizes_, slots);
        }
        check_names(equation, task->scope.indices);
        for (const Formula& guard : s.guards) task->guards.emplace_back(guard, sizes_, slots);
        task->left = build_access(task->scope, equation.left);
        if (equation.right.defined()) {
            task->right = build_value(task->scope, equation.right, cells_.at(equation.left.tensor).type);
            walk(equation.right, [&](const Expr& e) { task->loads += e.as<Access>() ? 1 : 0; });
        }
        for (const Where& item : equation.where)
            if (auto* predicate = std::get_if<Expr>(&item))
                task->where.push_back(build_value(task->scope, *predicate, Type::boolean));
        return task;
    }

    static void check_names(const Equation& equation, const std::vector<std::string>& known) {
        const auto look = [&](const Expr& e) {
            walk(e, [&](const Expr& x) {
                auto* index = x.as<IndexRef>();
                if (index && std::find(known.begin(), known.end(), index->name) == known.end())
                    throw Failure(
                        {ErrorKind::schedule,
                         fmt::format("`{}` does not run where {} is computed", index->name, equation.left.tensor),
                         {},
                         print(equation),
                         "report it"});
            });
        };
        for (const Expr& place : equation.left.at) look(place);
        look(equation.right);
    }

    /// Fresh storage for what lives in a loop, full of values nobody would write.
    void open(int level) {
        for (const auto& [name, storage] : nest_.storage) {
            if (storage.level != level) continue;
            std::map<std::string, std::size_t> slots;
            if (level)
                for (std::size_t i = 0; i < slots_.at(level).size(); i++) slots[slots_.at(level)[i]] = i;
            Cells& cells = cells_[name];
            cells.extents.clear();
            for (const Formula& extent : storage.extents)
                cells.extents.push_back(std::max<std::int64_t>(Number(extent, sizes_, slots)(point_), 0));
            cells.strides = row_major_strides(cells.extents);
            const auto n = static_cast<std::size_t>(count_elements(cells.extents));
            if (is_float(cells.type))
                cells.reals.assign(n, -8.625e30);
            else
                cells.integers.assign(n, integer_to_integer(cells.type, 0x5bd1e9955bd1e995));
        }
    }

    void run_body(std::vector<Task>& body) {
        for (Task& task : body) {
            if (task.assignment)
                execute(*task.assignment);
            else
                run_loop(*task.round);
        }
    }

    void run_loop(Round& round) {
        const std::int64_t min = round.min(point_), extent = round.extent(point_);
        for (std::int64_t i = min; i < min + extent; i++) {
            point_.resize(round.slot + 1);
            point_[round.slot] = i;
            if (has_storage(round.loop->id)) open(round.loop->id);
            run_body(round.body);
            point_.resize(round.slot + 1);
        }
        point_.resize(round.slot);
    }

    bool has_storage(int level) const {
        for (const auto& [name, storage] : nest_.storage)
            if (storage.level == level) return true;
        return false;
    }

    void execute(Assignment& task) {
        for (Number& guard : task.guards)
            if (guard(point_) < 0) return;
        std::vector<std::int64_t> point = point_;
        for (Number& index : task.indices) point.push_back(index(point_));
        for (const Node& predicate : task.where)
            if (!evaluate(predicate, point, task.scope).integer) return;
        Cells& cells = cells_.at(task.statement->equation.left.tensor);
        places_of(task.left, point, task.scope, places_);
        const std::int64_t cell = cell_of(cells, places_);
        if (cell < 0)
            throw Failure({ErrorKind::index,
                           fmt::format("`{}` would be written outside its storage", cells.name),
                           {},
                           {},
                           "report it"});
        const Op op = task.statement->equation.op;
        outcome_.executions++;
        outcome_.stores++;
        outcome_.loads += task.loads;
        if (task.statement->start) {
            if (is_float(cells.type))
                cells.reals[cell] = real_identity(op);
            else
                cells.integers[cell] = integer_identity(op, cells.type);
            return;
        }
        const Value value = evaluate(task.right, point, task.scope);
        if (is_float(cells.type))
            cells.reals[cell] = round_to_storage(cells.type, reduce_real(op, cells.reals[cell], value.real));
        else
            cells.integers[cell] = reduce_integer(op, cells.type, cells.integers[cell], value.integer);
    }

    HostTensor written(const std::string& name) const {
        const Cells& cells = cells_.at(name);
        HostTensor tensor(cells.type, cells.extents);
        for (std::size_t i = 0; i < cells.reals.size(); i++)
            tensor.set_real(static_cast<std::int64_t>(i), cells.reals[i]);
        for (std::size_t i = 0; i < cells.integers.size(); i++)
            tensor.set_integer(static_cast<std::int64_t>(i), cells.integers[i]);
        return tensor;
    }

    const Nest& nest_;
    const Bindings sizes_;
    const Scalars& scalars_;
    const Solution numbers_;
    std::map<std::string, Cells> cells_;
    std::list<Equation> equations_;
    std::map<int, std::vector<std::string>> slots_;
    std::vector<Task> body_;
    std::vector<std::int64_t> point_, places_;
    NestOutcome outcome_;
};

}  // namespace

Result<NestOutcome> run_nest(const Nest& nest, const Bindings& sizes, const Tensors& inputs, const Scalars& scalars) {
    return guarded([&] { return Runner(nest, sizes, inputs, scalars).run(); });
}

}  // namespace halogen
