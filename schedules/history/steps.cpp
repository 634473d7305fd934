#include "schedules/history/steps.h"

#include <algorithm>

namespace halogen {

Steps& Steps::add(Step step) {
    step.func = func_;
    step.stage = stage_;
    list_.push_back(std::move(step));
    return *this;
}

Steps& Steps::add_or_join(Step step) {
    if (!list_.empty()) {
        Step& last = list_.back();
        if (last.kind == step.kind && last.func == func_ && last.stage == stage_ && last.made.empty() &&
            last.factor == step.factor) {
            last.loops.push_back(step.loops.front());
            return *this;
        }
    }
    return add(std::move(step));
}

Steps& Steps::add_at(StepKind kind, const std::string& func, const std::string& loop) {
    Step step{kind, {}};
    step.at_func = func;
    step.at_loop = loop;
    return add(std::move(step));
}

Steps& Steps::copy_in(const std::string& tensor, const std::string& name, const LoopOf& at) {
    return copy_in_panels(tensor, name, -1, 0, 0, at);
}

Steps& Steps::copy_in_panels(const std::string& tensor, const std::string& name, int dim, int panel, int lanes,
                             const LoopOf& at) {
    Step step{StepKind::copy_in, {}};
    step.tensor = tensor;
    step.made = {name};
    step.dim = dim;
    step.factor = panel;
    step.second = lanes;
    step.at_func = at.func;
    step.at_loop = at.loop;
    return add(std::move(step));
}

Steps& Steps::twin(const std::string& name, const Condition& when) {
    Step step{StepKind::twin, {}};
    step.made = {name};
    step.when = when;
    return add(std::move(step));
}

Steps& Steps::add_tile(Step step, int vectors, const std::vector<int>& extents, const LoopOf& at) {
    step.second = vectors;
    step.extents.assign(extents.begin(), extents.end());
    step.at_func = at.func;
    step.at_loop = at.loop;
    return add(std::move(step));
}

Steps& Steps::partial(const std::vector<std::string>& loops, const std::string& name, int lanes, int vectors,
                      const std::vector<int>& extents, const LoopOf& at, Tail rest) {
    return add_tile({StepKind::partial, {}, 0, loops, {name}, lanes, rest}, vectors, extents, at);
}

Steps& Steps::registers(const std::vector<std::string>& loops, int lanes, int vectors, const std::vector<int>& extents,
                        const LoopOf& at) {
    return add_tile({StepKind::registers, {}, 0, loops, {}, lanes}, vectors, extents, at);
}

Steps& Steps::overcompute(const std::string& index) {
    for (Step& step : list_) {
        if (step.kind != StepKind::overcompute || step.func != func_) continue;
        if (std::ranges::count(step.loops, index) == 0) step.loops.push_back(index);
        return *this;
    }
    return add({StepKind::overcompute, {}, 0, {index}});
}

Steps& Steps::group(const std::string& loop, int points) { return add({StepKind::group, {}, 0, {loop}, {}, points}); }

Steps& Steps::in_place() { return add({StepKind::in_place, {}}); }

Steps& Steps::skip_outside(const std::string& tensor, int dim) {
    if (!list_.empty() && list_.back().kind == StepKind::skip_outside && list_.back().func == func_ &&
        list_.back().tensor == tensor) {
        list_.back().dims.push_back(dim);
        return *this;
    }
    Step step{StepKind::skip_outside, {}};
    step.tensor = tensor;
    step.dims = {dim};
    return add(std::move(step));
}

Steps& Steps::compute_root() { return add({StepKind::compute_root, {}}); }

Steps& Steps::compute_at(const std::string& func, const std::string& loop) {
    return add_at(StepKind::compute_at, func, loop);
}

Steps& Steps::store_at(const std::string& func, const std::string& loop) {
    return add_at(StepKind::store_at, func, loop);
}

Steps& Steps::hoist_storage(const std::string& func, const std::string& loop) {
    return add_at(StepKind::hoist_storage, func, loop);
}

Steps& Steps::store_in_stack() { return add({StepKind::store_in_stack, {}}); }

Steps& Steps::bound_extent(const std::string& loop, std::int64_t extent) {
    return add_or_join({StepKind::bound_extent, {}, 0, {loop}, {}, extent});
}

Steps& Steps::bound(const std::string& loop, const Formula& extent) {
    return add({StepKind::bound, {}, 0, {loop}, {}, extent});
}

Steps& Steps::reorder_storage(const std::vector<std::string>& innermost_first) {
    return add({StepKind::reorder_storage, {}, 0, innermost_first});
}

Steps& Steps::split(const std::string& loop, const std::string& outer, const std::string& inner, const Formula& factor,
                    Tail tail) {
    return add({StepKind::split, {}, 0, {loop}, {outer, inner}, factor, tail});
}

Steps& Steps::tile(const std::vector<std::string>& loops, const std::vector<std::string>& outer,
                   const std::vector<std::string>& inner, const std::vector<Formula>& factors, Tail tail) {
    Step step{StepKind::tile, {}, 0, loops, {outer[0], outer[1], inner[0], inner[1]}, factors[0], tail};
    step.second = factors[1];
    return add(std::move(step));
}

Steps& Steps::fuse(const std::string& inner, const std::string& outer, const std::string& fused) {
    return add({StepKind::fuse, {}, 0, {inner, outer}, {fused}});
}

Steps& Steps::flatten(const std::vector<std::string>& innermost_first, const std::string& name) {
    return add({StepKind::flatten, {}, 0, innermost_first, {name}});
}

Steps& Steps::rename(const std::string& loop, const std::string& name) {
    return add({StepKind::rename, {}, 0, {loop}, {name}});
}

Steps& Steps::reorder(const std::vector<std::string>& innermost_first) {
    return innermost_first.size() < 2 ? *this : add({StepKind::reorder, {}, 0, innermost_first});
}

Steps& Steps::vectorize(const std::string& loop) { return add({StepKind::vectorize, {}, 0, {loop}}); }
Steps& Steps::vectorize(const std::string& loop, int lanes, const std::string& outer, const std::string& inner,
                        Tail tail) {
    return add({StepKind::vectorize, {}, 0, {loop}, {outer, inner}, lanes, tail});
}

Steps& Steps::unroll(const std::string& loop) { return add_or_join({StepKind::unroll, {}, 0, {loop}}); }
Steps& Steps::vectorize(const std::string& loop, int lanes, int vectors, const std::string& outer,
                        const std::string& vectors_loop, const std::string& inner, Tail tail) {
    Step step{StepKind::vectorize, {}, 0, {loop}, {outer, vectors_loop, inner}, lanes, tail};
    step.second = vectors;
    return add(std::move(step));
}
Steps& Steps::unroll(const std::string& loop, int iterations, const std::string& outer, const std::string& inner,
                     Tail tail) {
    return add({StepKind::unroll, {}, 0, {loop}, {outer, inner}, iterations, tail});
}
Steps& Steps::parallel(const std::string& loop) { return add({StepKind::parallel, {}, 0, {loop}}); }
Steps& Steps::parallel(const std::string& loop, const Formula& iterations, const std::string& tasks,
                       const std::string& chunk) {
    return parallel(std::vector{loop}, iterations, tasks, chunk);
}
Steps& Steps::parallel(const std::vector<std::string>& loops, const Formula& iterations, const std::string& tasks,
                       const std::string& chunk) {
    return add({StepKind::parallel, {}, 0, loops, {tasks, chunk}, iterations, Tail::guard});
}
Steps& Steps::never_partition(const std::string& loop) {
    return add_or_join({StepKind::never_partition, {}, 0, {loop}});
}

Steps& Steps::rfactor(const std::vector<std::string>& loops, const std::string& func,
                      const std::vector<std::string>& kept) {
    Step step{StepKind::rfactor, {}, 0, loops, {func}};
    step.made.insert(step.made.end(), kept.begin(), kept.end());
    return add(std::move(step));
}

Steps& Steps::atomic() { return add({StepKind::atomic, {}}); }

Steps& Steps::specialize(const std::string& name, const Condition& when, const std::function<void(Steps&)>& body) {
    Step step{StepKind::specialize, {}};
    step.when = when;
    step.note = name;
    Steps inside(step.nested, func_, stage_);
    body(inside);
    return add(std::move(step));
}

}  // namespace halogen
