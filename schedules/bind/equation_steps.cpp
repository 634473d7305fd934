#include "schedules/bind/equation_steps.h"

#include "frontend/notation/parts.h"
#include "frontend/plan/factors.h"
#include "frontend/plan/order.h"
#include "frontend/plan/skippable.h"
#include "frontend/plan/value_funcs.h"
#include "schedules/bind/slices.h"
#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace halogen {

namespace {

/// The Func that a step makes in the equations; null for kinds that make none.
const std::string* made_func(const Step& step) {
    const bool makes = step.kind == StepKind::copy_in || step.kind == StepKind::twin ||
                       step.kind == StepKind::partial || makes_placed_copy(step.kind);
    return makes ? &step.made.at(0) : nullptr;
}

/// Names of Funcs that equations have without any step, and what steps have made so far.
class FuncNames {
public:
    FuncNames(const Kernel& kernel, const Solution& solution, const Emission& emission) : kernel_(kernel) {
        for (const ValueFunc& f : value_funcs(kernel, solution, emission)) made_[f.name] = made_[f.stored] = nullptr;
        for (const Tensor& tensor : kernel.tensors)
            if (tensor.boundary.mode != Boundary::Mode::none) made_[padded_name(kernel, tensor.name)] = nullptr;
    }

    void add(const Step& step, const std::string& name) {
        if (kernel_.find_tensor(name))
            refuse_step(step, fmt::format("there is a tensor `{}` already", name), "choose another name");
        const auto [found, fresh] = made_.emplace(name, &step);
        if (fresh) return;
        const Step* const other = found->second;  // several readers may share a copy
        const bool shared = other && other->kind == StepKind::copy_in && step.kind == StepKind::copy_in &&
                            other->tensor == step.tensor && other->dim == step.dim && other->factor == step.factor &&
                            step.second == Formula(0) && step.at_loop.empty();
        if (!shared) refuse_step(step, fmt::format("there is a Func `{}` already", name), "choose another name");
    }

private:
    const Kernel& kernel_;
    std::map<std::string, const Step*> made_;
};

void check_panel(const Tensor& tensor, const Step& step) {
    if (step.dim < 0) return;
    if (tensor.role != Role::input || step.dim >= tensor.rank || step.factor.constant().value_or(0) < 1)
        refuse_step(step,
                    fmt::format("panels are of a dim of an input, and of 1 element or more; `{}` has rank {}",
                                step.tensor, tensor.rank),
                    "leave the panels out, or name a dim from 0");
}

const ValueFunc* find_values(const std::vector<ValueFunc>& funcs, const std::string& name) {
    const auto found = std::find_if(funcs.begin(), funcs.end(), [&](const ValueFunc& f) { return f.name == name; });
    return found == funcs.end() ? nullptr : &*found;
}

bool is_stored_copy(const std::vector<ValueFunc>& funcs, const std::string& name) {
    return std::any_of(funcs.begin(), funcs.end(),
                       [&](const ValueFunc& f) { return f.stored == name && f.stored != f.name; });
}

/// Values can be computed elsewhere and taken over: all of them at once, each at its own place.
void check_copied_stage(const Kernel& kernel, const Solution& solution, const std::vector<ValueFunc>& funcs,
                        const Step& step) {
    const bool stored = is_stored_copy(funcs, step.func);
    const ValueFunc* const f = stored ? nullptr : find_values(funcs, step.func);
    if (!f && !stored)
        refuse_step(step, fmt::format("no equation of the kernel writes a Func `{}`", step.func),
                    "name a Func of the kernel, such as `T` or `T_value`");
    const int stages = f ? static_cast<int>(f->equations.size()) : 1;
    if (step.stage < 0 || step.stage >= stages)
        refuse_step(step, fmt::format("`{}` has stages 0 to {}", step.func, stages - 1));
    if (!f) return;
    const int e = f->equations[step.stage];
    if (e < 0)
        refuse_step(step, fmt::format("`{}.0` is a start: it is written once and needs no copy", step.func),
                    "name the stage that reduces, or `T` in place of `T_value`");
    if (step.stage == 0) return;
    const Equation& equation = kernel.equations[e];
    const std::vector<bool> pure = pure_left_positions(kernel, solution, e);
    const bool whole = std::all_of(pure.begin(), pure.end(), [](bool p) { return p; });
    if (equation.op != Op::assign && whole && !reads_itself(equation)) return;
    refuse_step(step,
                fmt::format("`{}.{}` is no reduction over whole loops of `{}`: what it writes lies among other values",
                            step.func, step.stage, f->tensor),
                fmt::format("copy all values: `{}.0 cache_writes -> {} …`", f->stored, step.made.at(0)));
}

/// What lies past the end of the last group is zeros, which add nothing to a sum of products.
void check_group(const Kernel& kernel, const Solution& solution, const std::vector<ValueFunc>& funcs,
                 const std::vector<Step>& steps, const Step& step) {
    const ValueFunc* f = find_values(funcs, step.func);
    std::set<std::string> copies;
    each_step(steps, [&](const Step& other) {
        if (other.kind == StepKind::copy_in && other.func == step.func) copies.insert(other.tensor);
        if (other.kind != StepKind::twin || other.made.at(0) != step.func) return;
        for (const ValueFunc& first : funcs)
            if (first.stored == other.func) f = &first;
    });
    if (!f)
        refuse_step(step, fmt::format("no equation of the kernel writes a Func `{}`", step.func),
                    "name a Func of the kernel, such as `T_value`");
    if (step.factor.constant().value_or(0) < 2) refuse_step(step, "a group has 2 points or more");
    bool found = false;
    for (const int e : f->equations) {
        if (e < 0) continue;
        const auto reduced = reduced_indices_of(kernel.equations[e]);
        if (std::find(reduced.begin(), reduced.end(), step.loops[0]) == reduced.end()) continue;
        const auto factors = whole_factors(kernel, solution, e, step.loops[0]);
        if (!factors || !copies.count(factors->first->tensor) || !copies.count(factors->second->tensor))
            refuse_step(step,
                        fmt::format("`{}` is no sum of products of two tensors that copies give whole along `{}`",
                                    step.func, step.loops[0]),
                        fmt::format("copy both first: `{}.0 copy_in X -> X_copy`", step.func));
        found = true;
    }
    if (!found) refuse_step(step, fmt::format("`{}` has no sum over `{}`", step.func, step.loops[0]));
}

/// What is stored holds what the equations compute.
void check_in_place(const Kernel& kernel, const Solution& solution, const std::vector<Step>& steps, const Step& step) {
    const std::vector<ValueFunc> funcs = value_funcs(kernel, solution);
    if (!is_stored_copy(funcs, step.func))
        refuse_step(step, fmt::format("no Func `{}` stores the values of another", step.func),
                    "name an output, or an intermediate of several equations");
    for (const ValueFunc& f : funcs) {
        const Type type = kernel.tensor(f.tensor).type;
        if (f.stored == step.func && compute_type(type) != type)
            refuse_step(step,
                        fmt::format("`{}` is of {}, and its equations compute {}", step.func, to_string(type),
                                    to_string(compute_type(type))),
                        "leave the step out: values are rounded once, as they are stored");
    }
    each_step(steps, [&](const Step& other) {
        if (other.kind == StepKind::twin && other.func == step.func)
            refuse_step(step, fmt::format("step `{}` gives it values computed elsewhere", print(other)),
                        "keep one of the two");
    });
}

void check_no_partial(const std::vector<Step>& steps, const Step& step) {
    each_step(steps, [&](const Step& other) {
        if (other.kind == StepKind::partial && other.func == step.func && other.stage == step.stage)
            refuse_step(step, fmt::format("step `{}` gives the stage partial results", print(other)),
                        "keep one of the two");
    });
}

void check_outside_branches(const std::vector<Step>& steps) {
    for (const Step& outer : steps)
        each_step(outer.nested, [&](const Step& step) {
            if (makes_placed_copy(step.kind) || slices(step) || step.kind == StepKind::in_place)
                refuse_step(step, "it changes the equations, which are the same in every branch",
                            "write it outside of the specialize");
        });
}

/// Some Func reads what a step made.
bool is_read(const std::string& name, Lowered& lowered) {
    LoweredFunc* const made = lowered.find(name);
    return made && std::any_of(lowered.funcs.begin(), lowered.funcs.end(), [&](const LoweredFunc& f) {
               return f.name != name &&
                      Halide::Internal::find_direct_calls(f.func.function()).count(made->func.name()) > 0;
           });
}

void check_tensor(const Kernel& kernel, const Step& step) {
    if (const Tensor* const tensor = kernel.find_tensor(step.tensor)) return check_panel(*tensor, step);
    refuse_step(step, fmt::format("there is no tensor `{}`", step.tensor), "name a tensor of the kernel");
}

}  // namespace

void check_before_lowering(const Kernel& kernel, const Solution& solution, const std::vector<Step>& steps,
                           const Emission& emission) {
    FuncNames names(kernel, solution, emission);
    const std::vector<ValueFunc> funcs = value_funcs(kernel, solution, emission);
    check_outside_branches(steps);
    each_step(steps, [&](const Step& step) {
        if (step.kind == StepKind::copy_in || step.kind == StepKind::cache_reads) check_tensor(kernel, step);
        if (step.kind == StepKind::in_place) check_in_place(kernel, solution, steps, step);
        if (step.kind == StepKind::group) check_group(kernel, solution, funcs, steps, step);
        if (const std::string* name = made_func(step)) names.add(step, *name);
        if (step.kind != StepKind::cache_writes) return;
        check_copied_stage(kernel, solution, funcs, step);
        check_no_partial(steps, step);
    });
    check_slices(kernel, solution, steps, emission);
}

void check_equation_steps(const Kernel& kernel, const std::vector<Step>& steps, Lowered& lowered) {
    for (const Step& step : steps) {
        if (kind_row(step.kind).scope == StepScope::equations) {
            LoweredFunc* const func = lowered.find(step.func);
            if (!func) refuse_step(step, fmt::format("there is no Func `{}`", step.func), "name a Func of the kernel");
            const std::string* const made = made_func(step);
            if (made && !is_read(*made, lowered))
                refuse_step(step,
                            step.kind == StepKind::twin
                                ? fmt::format("`{}` stores no values of another Func", step.func)
                                : fmt::format("the equations of `{}` do not read `{}`", step.func, step.tensor),
                            "name the Func whose equations it is, such as `T_value`");
            if (step.kind == StepKind::overcompute)
                for (const std::string& loop : step.loops)
                    if (std::ranges::none_of(func->stages, [&](const auto& loops) { return loops.count(loop) > 0; }))
                        refuse_step(step, fmt::format("there is no loop `{}` in `{}`", loop, step.func),
                                    "name a loop of its equations");
            const Tensor* const tensor = kernel.find_tensor(step.tensor);
            for (const int dim : step.dims)
                if (!tensor || tensor->boundary.mode == Boundary::Mode::none || dim < 0 || dim >= tensor->rank)
                    refuse_step(step, fmt::format("`{}` has no padding in dim {}", step.tensor, dim),
                                "name a padded input and one of its dims");
            if (step.kind == StepKind::skip_outside)
                for (const int e : func->equations)
                    if (e >= 0 && reads(kernel.equations[e], *tensor) &&
                        !adds_nothing_outside(kernel.equations[e], *tensor))
                        refuse_step(step,
                                    fmt::format("what `{}` gives beyond its edges counts in `{}`", step.tensor,
                                                print(kernel.equations[e])),
                                    "leave the step out");
        }
        check_equation_steps(kernel, step.nested, lowered);
    }
}

}  // namespace halogen
