#include "schedules/history/composite.h"

#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"
#include "schedules/history/steps.h"

#include <algorithm>

namespace halogen {

namespace {

int number(const Step& step, const Formula& f) {
    const auto value = f.constant();
    if (!value || *value < 1 || *value > 1024)
        refuse_step(step, "lanes, vectors, panels and extents are numbers from 1 to 1024",
                    "write numbers, for example by 8, 2");
    return static_cast<int>(*value);
}

void place(Steps& steps, const Step& step) {
    if (step.at_func.empty())
        steps.compute_root();
    else
        steps.compute_at(step.at_func, step.at_loop);
}

/// The loops behind the first, each with the extent that the step gives it.
void bind_others(Steps& steps, const Step& step) {
    for (std::size_t i = 0; i < step.extents.size(); i++)
        steps.bound_extent(step.loops.at(i + 1), number(step, step.extents[i]));
}

/// One stage: vectors along loops[0], `vectors` of them beside each other for each iteration of the other loops of the step, all of it
/// written out inside the reduced loops.
void in_registers(Steps& steps, const Step& step, int lanes, int vectors, const std::vector<std::string>& reduced) {
    const std::string& loop = step.loops.front();
    std::vector<std::string> order{loop};
    if (lanes > 1) {
        steps.vectorize(loop, lanes, loop + "_u", loop + "_l", Tail::exact);
        order = {loop + "_l", loop + "_u"};
    }
    order.insert(order.end(), step.loops.begin() + 1, step.loops.end());
    order.insert(order.end(), reduced.begin(), reduced.end());
    steps.reorder(order);
    if (vectors > 1) steps.unroll(lanes > 1 ? loop + "_u" : loop);
    for (auto row = step.loops.begin() + 1; row != step.loops.end(); ++row) steps.unroll(*row);
}

void registers(std::vector<Step>& parts, const Step& step, const std::vector<StageLoops>& stages) {
    const int lanes = number(step, step.factor), vectors = number(step, step.second);
    Steps start(parts, step.func);
    place(start, step);
    start.store_in_stack().bound_extent(step.loops.front(), lanes * vectors);
    bind_others(start, step);
    for (const StageLoops& stage : stages) {
        Steps steps(parts, step.func, stage.stage);
        in_registers(steps, step, lanes, vectors, stage.reduced);
    }
}

/// Puts a loop that is among these in front of the others, which stay in order.
void put_first(const std::string& loop, std::vector<std::string>& loops) {
    std::stable_partition(loops.begin(), loops.end(), [&](const std::string& other) { return other == loop; });
}

/// Stage 0 begins the partial results, 1 and 2 add to all vectors and to one, as 3 does under a mask, and the last joins the vectors.
void partial(std::vector<Step>& parts, const Step& step, const std::vector<StageLoops>& stages) {
    const std::string &name = step.made.front(), lane = name + "_l", vector = name + "_u", fold = name + "_fold";
    const std::vector<std::string> rows(step.loops.begin() + 1, step.loops.end());
    const int lanes = number(step, step.factor), vectors = number(step, step.second);
    Steps start(parts, name);
    place(start, step);
    start.store_in_stack().bound_extent(lane, lanes).bound_extent(vector, vectors);
    bind_others(start, step);
    const int joins = step.tail == Tail::predicate ? 4 : 3;
    for (const StageLoops& stage : stages) {
        Steps steps(parts, name, stage.stage);
        std::vector<std::string> order{lane}, reduced = stage.reduced;
        if (stage.stage == 1) order.push_back(vector);
        if (stage.stage == joins) {
            order.push_back(fold);
        } else if (stage.stage > 0) {
            order.insert(order.end(), rows.begin(), rows.end());
            put_first(step.loops.front(), reduced);
            order.insert(order.end(), reduced.begin(), reduced.end());
        }
        if (stage.stage > 0) steps.reorder(order);
        steps.vectorize(lane);
        if (stage.stage < 2) steps.unroll(vector);
        if (stage.stage == joins) steps.unroll(fold);
        for (const std::string& row : rows) steps.unroll(row);
    }
}

/// The lanes of partial results become one result as a vector, and without a mask what is no whole vector is added one by one, both for
/// each iteration of the other loops.
void joined(std::vector<Step>& parts, const Step& step, const std::vector<StageLoops>& stages) {
    const std::string lane = step.made.front() + "_l";
    const std::vector<std::string> rows(step.loops.begin() + 1, step.loops.end());
    for (const StageLoops& stage : stages) {
        const bool few = stage.stage == step.stage + 1 && step.tail != Tail::predicate;
        if (stage.stage != step.stage && !few) continue;
        Steps steps(parts, step.func, stage.stage);
        std::vector<std::string> reduced = stage.reduced, order = rows;
        if (few) {
            put_first(step.loops.front(), reduced);
            order.insert(order.end(), reduced.begin(), reduced.end());
            steps.reorder(order);
        } else if (std::ranges::count(reduced, lane) > 0) {  // keys are joined as one value
            order.insert(order.begin(), lane);
            steps.reorder(order).atomic().vectorize(lane);
        }
        for (const std::string& row : rows) steps.unroll(row);
    }
}

/// A panel lies by vectors along the dim; rows that run across it are read a vector at a time, for rows of a matrix lie a power of two
/// apart as a rule, and fall on few sets of the nearest cache.
void panels(std::vector<Step>& parts, const Step& step, int rank) {
    const std::string& name = step.made.front();
    const auto loop_of = [&](int d) { return name + "_d" + std::to_string(d); };
    const std::string loop = loop_of(step.dim);
    const int lanes = number(step, step.second);
    std::vector<std::string> storage{loop};
    for (int d = rank - 1; d-- > 0;)
        if (d != step.dim) storage.push_back(loop_of(d));
    storage.push_back(name + "_panel");
    Steps steps(parts, name);
    steps.bound_extent(loop, number(step, step.factor)).reorder_storage(storage);
    const bool along_rows = step.dim == rank - 2;
    if (along_rows) steps.reorder(storage);
    steps.vectorize(loop, lanes, loop + "_u", loop + "_v", Tail::exact);
    if (along_rows) {
        steps.unroll(loop + "_u");
        return;
    }
    std::vector<std::string> order{loop + "_v"};
    order.insert(order.end(), storage.begin() + 1, storage.end() - 1);
    order.push_back(loop + "_u");
    steps.reorder(order).never_partition(loop + "_u").never_partition(storage.back());
}

bool lies_in_vectors(const Step& step) { return step.dim >= 0 && step.second != Formula(0); }

}  // namespace

bool is_composite(const Step& step) {
    const bool placed = !step.at_loop.empty();
    return step.kind == StepKind::registers || (step.kind == StepKind::partial && placed) ||
           (step.kind == StepKind::copy_in && (placed || lies_in_vectors(step)));
}

const std::string& laid_out(const Step& step) {
    return step.kind == StepKind::registers ? step.func : step.made.front();
}

const std::string* placed(const Step& step) {
    if (step.kind == StepKind::compute_at) return &step.func;
    if (makes_placed_copy(step.kind)) return &step.made.front();
    return is_composite(step) && !step.at_loop.empty() ? &laid_out(step) : nullptr;
}

std::vector<Step> expanded(const Step& step, const StagesOf& stages_of, int rank) {
    std::vector<Step> parts;
    if (step.kind == StepKind::registers) registers(parts, step, stages_of(step.func));
    if (step.kind == StepKind::partial) {
        partial(parts, step, stages_of(step.made.front()));
        joined(parts, step, stages_of(step.func));
    }
    if (step.kind == StepKind::copy_in) {
        Steps copy(parts, step.made.front());
        if (!step.at_loop.empty()) place(copy, step);
        if (lies_in_vectors(step)) panels(parts, step, rank);
    }
    for (Step& part : parts) part.whole = print(step);
    return parts;
}

}  // namespace halogen
