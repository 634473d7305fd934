#include "schedules/bind/bind.h"

#include "frontend/lower/lower.h"
#include "frontend/plan/named_loops.h"
#include "schedules/bind/apply_steps.h"
#include "schedules/bind/backward_vectors.h"
#include "schedules/bind/carried_elements.h"
#include "schedules/bind/clamped_vectors.h"
#include "schedules/bind/constant_loops.h"
#include "schedules/bind/equation_steps.h"
#include "schedules/bind/fused_dims.h"
#include "schedules/bind/joined_lanes.h"
#include "schedules/bind/listed_iterations.h"
#include "schedules/bind/lone_element.h"
#include "schedules/bind/masked_loops.h"
#include "schedules/bind/narrow_integers.h"
#include "schedules/bind/opaque_numbers.h"
#include "schedules/bind/output_memory.h"
#include "schedules/bind/output_reads.h"
#include "schedules/bind/placements.h"
#include "schedules/bind/prefix_vectors.h"
#include "schedules/bind/skipped_sums.h"
#include "schedules/bind/slices.h"
#include "schedules/bind/strided_vectors.h"
#include "schedules/bind/taken_twins.h"
#include "schedules/bind/turned_vectors.h"
#include "schedules/bind/unfused_loops.h"
#include "schedules/bind/whole_vectors.h"
#include "schedules/history/composite.h"
#include "schedules/history/print_step.h"
#include "schedules/state/kind_directives.h"
#include "schedules/state/model.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>

namespace halogen {

Emission emission_of(const History& history) {
    Emission emission;
    const std::function<void(const std::vector<Step>&)> collect = [&](const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            emission.placed.insert(step.func);
            if (is_composite(step)) emission.placed.insert(laid_out(step));
            if (step.kind == StepKind::copy_in)
                emission.copies.push_back({step.tensor, step.func, step.made.at(0), step.dim,
                                           static_cast<int>(step.factor.constant().value_or(0))});
            if (const auto slice = slice_of(step)) emission.slices.push_back(*slice);
            if (step.kind == StepKind::cache_reads)
                emission.copies.push_back({step.tensor, step.func, step.made.at(0), -1, 0, true});
            if (step.kind == StepKind::cache_writes)
                emission.copies_out.push_back({step.func, step.stage, step.made.at(0)});
            if (step.kind == StepKind::in_place) emission.in_place.insert(step.func);
            if (step.kind == StepKind::twin) emission.twins.push_back({step.func, step.made.at(0), step.when});
            if (step.kind == StepKind::overcompute)
                for (const std::string& loop : step.loops) emission.overcomputes.push_back({step.func, loop});
            if (step.kind == StepKind::group)
                emission.groups.push_back(
                    {step.func, step.loops.at(0), static_cast<int>(step.factor.constant().value_or(0))});
            for (const int dim : step.dims) emission.skips.push_back({step.func, step.tensor, dim});
            if (step.kind == StepKind::partial)
                emission.partials.push_back({step.func, step.stage, step.loops.at(0), step.made.at(0),
                                             static_cast<int>(step.factor.constant().value_or(0)),
                                             static_cast<int>(step.second.constant().value_or(0)),
                                             step.tail == Tail::predicate});
            collect(step.nested);
        }
    };
    collect(history.steps);
    emission.fused = fused_dims(history.steps);
    return emission;
}

namespace {

/// Every intermediate of a companion whole, in vectors where it is one value an element; the searches as they are: they look, they do not
/// compute much. (The pixels around 1,000 points of an image, found by rounding, on Zen 4: 6.5 us, and 4.7 so.)
Halide::Pipeline bind_check(LoweredCheck& check) {
    constexpr int lanes = 8;
    for (LoweredFunc& f : check.kernel.funcs) {
        const bool adds = f.func.has_update_definition();
        if (f.kind != LoweredFunc::Kind::value || (check.clamped.contains(f.tensor) && !adds)) continue;
        f.func.compute_root();
        if (!adds && f.func.dimensions() > 0)
            f.func.vectorize(f.func.args().front(), lanes, Halide::TailStrategy::GuardWithIf);
    }
    for (Halide::Func& searched : check.searched) searched.compute_root();
    for (Halide::Func& first : check.firsts) first.compute_root();
    return Halide::Pipeline(check.first_bad);
}

[[noreturn]] void refuse_program(const Kernel& kernel, const std::string& why) {
    throw Failure({ErrorKind::too_complex,
                   fmt::format("kernel `{}`: Halide refuses it: {}", kernel.name, why),
                   {},
                   {},
                   "report it as a defect of Halogen, with the kernel's text"});
}

/// Tells the extents of outputs in the kernel's sizes.
StateReader reader_of(Lowered& lowered, const Solution& solution) {
    StateReader reader(lowered);
    for (const std::string& name : lowered.outputs) {
        const LoweredFunc& f = *lowered.find(name);
        for (std::size_t d = 0; d < f.extents.size(); d++)
            reader.says(f.extents[d], print(solution.extents.at(f.tensor)[d]));
    }
    return reader;
}

/// A history that tells the state it leaves must leave it.
void check_state(const History& history, const ScheduleState& state) {
    const std::string& told = history.header.state;
    if (told.empty() || told == state_hash(state)) return;
    throw Failure({ErrorKind::schedule,
                   fmt::format("the history leaves state {}, and its header says {}", state_hash(state), told),
                   {},
                   {},
                   "it was changed after it was saved: compare it with the one you mean, or remove the line `state`"});
}

std::optional<Impossible> impossible(const History& history, const Solution& solution, Lowered& lowered,
                                     const ScheduleState& state) {
    if (auto found = impossible_step(history, lowered, state)) return found;
    return symbolic_loop(history, solution, lowered, state);
}

void check_whole(const History& history, const Solution& solution, Lowered& lowered, const ScheduleState& state) {
    if (const auto found = impossible(history, solution, lowered, state))
        refuse_step(*found->step, found->why, found->fix);
    check_state(history, state);
}

/// A kernel's Funcs after the steps on equations.
Lowered lower_under(const Kernel& kernel, const Solution& solution, const History& history) {
    const Emission emission = emission_of(history);
    check_before_lowering(kernel, solution, history.steps, emission);
    Lowered lowered = lower(kernel, solution, emission);
    check_equation_steps(kernel, history.steps, lowered);
    return lowered;
}

/// Tells Halide what is known of the strides of the caller's buffers: those that are row-major without gaps, and single ones.
void tell_strides(const Kernel& kernel, const Solution& solution, const Facts& facts, Lowered& lowered) {
    const auto with_buffer = [&](const Tensor& tensor, auto tell) {
        if (tensor.role == Role::input) tell(lowered.images.at(tensor.name));
        if (tensor.role == Role::output) tell(lowered.output_funcs.at(tensor.name).output_buffer());
    };
    for (const Tensor& tensor : kernel.tensors) {
        if (!are_dense(facts, tensor.name)) continue;
        with_buffer(tensor, [&](auto buffer) {
            Halide::Expr stride = 1;
            for (int d = 0; d < tensor.rank; d++) {
                buffer.dim(d).set_stride(stride);
                const auto extent =
                    solution.extents.at(tensor.name)[static_cast<std::size_t>(tensor.rank - 1 - d)].constant();
                stride = (extent ? Halide::Expr(static_cast<int>(*extent)) : buffer.dim(d).extent()) * stride;
            }
        });
    }
    for (const CallFact& fact : facts) {
        const Condition::Term& place = fact.place;
        if (fact.kind != CallFact::Kind::place || place.kind != Condition::Term::Kind::stride_is) continue;
        const Tensor& tensor = kernel.tensor(place.tensor);
        if (are_dense(facts, tensor.name) || place.dim >= tensor.rank) continue;  // of which dims may be merged
        with_buffer(tensor, [&](auto buffer) { buffer.dim(tensor.rank - 1 - place.dim).set_stride(place.other); });
    }
}

/// A kernel's Funcs after all steps.
struct Scheduled {
    Lowered lowered;
    ScheduleState state;
};

Scheduled apply(const Kernel& written, const Solution& solved, const History& history) {
    const auto [kernel, solution] = with_named_loops(written, solved);
    Lowered lowered = lower_under(kernel, solution, history);
    tell_strides(kernel, solution, history.variant.when, lowered);
    StateReader reader = reader_of(lowered, solution);
    ScheduleState state = apply_steps(lowered, reader, history.steps);
    for (LoweredFunc& made : lowered.funcs) take_twins(made.func);
    return {std::move(lowered), std::move(state)};
}

BoundKernel bind_all(const Kernel& kernel, const Solution& solution, const History& history,
                     const Halide::Target& target) {
    Scheduled scheduled = apply(kernel, solution, history);
    check_whole(history, solution, scheduled.lowered, scheduled.state);
    std::vector<Halide::Func> outputs;
    for (const std::string& name : scheduled.lowered.outputs) outputs.push_back(scheduled.lowered.find(name)->func);
    BoundKernel bound;
    bound.state = std::move(scheduled.state);
    bound.pipeline = Halide::Pipeline(outputs);
    use_output_memory(bound.pipeline, outputs);
    join_lanes(bound.pipeline);
    skip_unused_sums(bound.pipeline);
    store_lone_elements(bound.pipeline);
    end_loops_with_masks(bound.pipeline);
    unfuse_loops(bound.pipeline);
    write_whole_vectors(bound.pipeline);
    turn_vectors(bound.pipeline);
    read_clamped_vectors(bound.pipeline, target);
    read_strided_vectors(bound.pipeline);
    read_backwards_by_lanes(bound.pipeline);
    run_prefixes_by_vectors(bound.pipeline, target);
    list_iterations(bound.pipeline);
    carry_elements(bound.pipeline);
    narrow_integers(bound.pipeline);
    read_outputs_unaligned(bound.pipeline, outputs);
    hide_numbers(bound.pipeline, outputs);
    bound.arguments = scheduled.lowered.arguments;
    return bound;
}

/// What Halide refuses is an error of ours, with the kernel's name.
template<class Work>
auto with_our_errors(const Kernel& kernel, Work work) -> Result<decltype(work())> {
    return guarded([&]() -> decltype(work()) {
        try {
            return work();
        } catch (const Halide::Error& error) {
            refuse_program(kernel, error.what());
        }
    });
}

}  // namespace

Result<BoundKernel> bind(const Kernel& kernel, const Solution& solution, const History& history,
                         const Halide::Target& target) {
    return with_our_errors(kernel, [&] { return bind_all(kernel, solution, history, target); });
}

Result<std::optional<BoundChecks>> bind_checks(const Kernel& kernel, const Solution& solution,
                                               const Halide::Target& target) {
    return with_our_errors(kernel, [&]() -> std::optional<BoundChecks> {
        auto check = lower_checks(kernel, solution);
        if (!check || check->checks.empty()) return std::nullopt;
        BoundChecks bound{bind_check(*check), check->kernel.arguments, check->checks};
        run_prefixes_by_vectors(bound.pipeline, target);
        return bound;
    });
}

Result<ScheduleState> dry_state(const Kernel& written, const Solution& solved, const History& history) {
    return guarded([&] {
        const auto [kernel, solution] = with_named_loops(written, solved);
        Lowered lowered = lower_under(kernel, solution, history);
        StateModel model(reader_of(lowered, solution).read());
        direct_steps(history.steps, model);
        const ScheduleState state = model.state();
        check_whole(history, solution, lowered, state);
        return state;
    });
}

namespace {

class Skipper {
public:
    Skipper(const Kernel& kernel, const Solution& solution) : kernel_(kernel), solution_(solution) {}

    LegalPart run(const History& history) {
        part_.history = history;
        part_.history.steps.clear();
        part_.history.header.state.clear();
        add(history.steps, part_.history.steps);
        while (remove_impossible()) {
        }
        return std::move(part_);
    }

private:
    void add(const std::vector<Step>& steps, std::vector<Step>& list) {
        for (const Step& step : steps) {
            Step head = step;
            head.nested.clear();
            if (const std::string lost = names_lost(head); !lost.empty()) {
                skip(step, fmt::format("it needs `{}`, which a skipped step would have made", lost));
                continue;
            }
            list.push_back(head);
            if (const auto applied = apply_so_far(); !applied) {
                list.pop_back();
                skip(step, applied.error().what);
            } else {
                add(step.nested, list.back().nested);
            }
        }
    }

    Result<Scheduled> apply_so_far() const {
        return with_our_errors(kernel_, [&] { return apply(kernel_, solution_, part_.history); });
    }

    /// Takes one step out that the steps after it made impossible.
    bool remove_impossible() {
        Scheduled scheduled = apply_so_far().value();
        const auto found = impossible(part_.history, solution_, scheduled.lowered, scheduled.state);
        if (!found) return false;
        skip(*found->step, found->why);
        remove(found->step, part_.history.steps);
        return true;
    }

    static bool remove(const Step* step, std::vector<Step>& list) {
        for (std::size_t i = 0; i < list.size(); i++) {
            if (&list[i] == step) {
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
                return true;
            }
            if (remove(step, list[i].nested)) return true;
        }
        return false;
    }

    void skip(const Step& step, const std::string& why) {
        Step head = step;
        head.nested.clear();
        part_.skipped.push_back({head, why});
        for (const std::string& made : step.made) lost_.insert({step.func, made});
        for (const Step& nested : step.nested) skip(nested, "it stands below a skipped step");
    }

    std::string names_lost(const Step& step) const {
        for (const std::string& loop : step.loops)
            if (lost_.count({step.func, loop})) return loop;
        if (lost_.count({step.at_func, step.at_loop})) return step.at_func + "." + step.at_loop;
        for (const auto& [func, made] : lost_)
            if (made == step.func || made == step.at_func) return made;
        return "";
    }

    const Kernel& kernel_;
    const Solution& solution_;
    LegalPart part_;
    std::set<std::pair<std::string, std::string>> lost_;  // Func and what was made there
};

}  // namespace

LegalPart skip_illegal(const Kernel& kernel, const Solution& solution, const History& history) {
    return Skipper(kernel, solution).run(history);
}

}  // namespace halogen
