#include "schedules/bind.h"

#include "schedules/apply_steps.h"
#include "schedules/state_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace halogen {

Emission emission_of(const History& history) {
    Emission emission;
    const std::function<void(const std::vector<Step>&)> collect = [&](const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            if (step.kind == StepKind::copy_in)
                emission.copies.push_back({step.tensor, step.func, step.made.at(0), step.dim,
                                           static_cast<int>(step.factor.constant().value_or(0))});
            if (step.kind == StepKind::twin) emission.twins.push_back({step.func, step.made.at(0), step.when});
            if (step.kind == StepKind::overcompute) emission.overcomputes.push_back({step.func, step.loops.at(0)});
            if (step.kind == StepKind::skip_outside) emission.skips.push_back({step.func, step.tensor, step.dim});
            if (step.kind == StepKind::partial)
                emission.partials.push_back({step.func, step.stage, step.loops.at(0), step.made.at(0),
                                             static_cast<int>(step.factor.constant().value_or(0)),
                                             static_cast<int>(step.second.constant().value_or(0))});
            collect(step.nested);
        }
    };
    collect(history.steps);
    return emission;
}

namespace {

/// Every intermediate of a companion whole, the searches plain: it looks, it does not compute much.
Halide::Pipeline bind_check(LoweredCheck& check) {
    for (LoweredFunc& f : check.kernel.funcs)
        if (f.kind == LoweredFunc::Kind::value) f.func.compute_root();
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

BoundKernel bind_all(const Kernel& kernel, const Solution& solution, const History& history) {
    BoundKernel bound;
    Lowered lowered = lower(kernel, solution, emission_of(history));
    StateReader reader = reader_of(lowered, solution);
    bound.state = apply_steps(lowered, reader, history.steps);
    check_state(history, bound.state);
    std::vector<Halide::Func> outputs;
    for (const std::string& name : lowered.outputs) outputs.push_back(lowered.find(name)->func);
    bound.pipeline = Halide::Pipeline(outputs);
    bound.arguments = lowered.arguments;
    if (auto check = lower_checks(kernel, solution)) {
        bound.check = bind_check(*check);
        bound.checks = check->checks;
    }
    return bound;
}

}  // namespace

Result<BoundKernel> bind(const Kernel& kernel, const Solution& solution, const History& history, const Leg&) {
    return guarded([&]() -> BoundKernel {
        try {
            return bind_all(kernel, solution, history);
        } catch (const Halide::Error& error) {
            refuse_program(kernel, error.what());
        }
    });
}

Result<ScheduleState> dry_state(const Kernel& kernel, const Solution& solution, const History& history) {
    return guarded([&] {
        Lowered lowered = lower(kernel, solution, emission_of(history));
        StateModel model(reader_of(lowered, solution).read());
        direct_steps(history.steps, model);
        return model.state();
    });
}

namespace {

class Skipper {
public:
    Skipper(const Kernel& kernel, const Solution& solution, const Leg& leg)
        : kernel_(kernel), solution_(solution), leg_(leg) {}

    LegalPart run(const History& history) {
        part_.history = history;
        part_.history.steps.clear();
        part_.history.header.state.clear();
        add(history.steps, part_.history.steps);
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
            if (const auto bound = bind(kernel_, solution_, part_.history, leg_); !bound) {
                list.pop_back();
                skip(step, bound.error().what);
            } else {
                add(step.nested, list.back().nested);
            }
        }
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
    const Leg& leg_;
    LegalPart part_;
    std::set<std::pair<std::string, std::string>> lost_;  // Func and what was made there
};

}  // namespace

LegalPart skip_illegal(const Kernel& kernel, const Solution& solution, const History& history, const Leg& leg) {
    return Skipper(kernel, solution, leg).run(history);
}

}  // namespace halogen
