#include "schedules/bind/autoschedule.h"

#include "frontend/lower/lower.h"
#include "frontend/plan/named_loops.h"
#include "schedules/bind/bind.h"
#include "schedules/history/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include <dlfcn.h>

namespace halogen {

namespace {

struct Plugin {
    const char* name;
    const char* halide;
};
constexpr Plugin plugins[] = {{"adams2019", "Adams2019"}, {"li2018", "Li2018"}, {"mullapudi2016", "Mullapudi2016"}};

const Plugin& plugin_of(const std::string& name) {
    for (const Plugin& plugin : plugins)
        if (name == plugin.name) return plugin;
    throw Failure({ErrorKind::usage,
                   fmt::format("there is no autoscheduler `{}`", name),
                   {},
                   {},
                   fmt::format("choose among {}", fmt::join(autoscheduler_names(), ", "))});
}

/// The plugins lie beside libHalide.so.
void load(const Plugin& plugin) {
    Dl_info halide{};
    dladdr(reinterpret_cast<const void*>(&Halide::load_plugin), &halide);
    const std::filesystem::path folder = std::filesystem::path(halide.dli_fname).parent_path();
    Halide::load_plugin((folder / fmt::format("libautoschedule_{}.so", plugin.name)).string());
}

std::int64_t value_of(const Solution& numbers, const Formula& extent) {
    const auto value = extent.constant();
    if (value) return *value;
    Bindings sizes;
    for (const auto& [name, formula] : numbers.sizes) sizes[name] = formula.constant().value_or(1);
    return evaluate(extent, sizes);
}

/// Gives every scalar that it meets an estimate: sizes their value, numbers 1.
class Scalars : public Halide::Internal::IRGraphVisitor {
public:
    explicit Scalars(const Solution& numbers) : numbers_(numbers) {}

private:
    using IRGraphVisitor::visit;
    void visit(const Halide::Internal::Variable* variable) override {
        Halide::Parameter parameter = variable->param;
        if (!parameter.defined() || parameter.is_buffer()) return;
        const auto size = numbers_.sizes.find(parameter.name());
        const Halide::Expr one = Halide::Internal::make_one(parameter.type());
        parameter.set_estimate(
            size == numbers_.sizes.end() ? one : Halide::Expr(static_cast<int>(value_of(numbers_, size->second))));
    }

    const Solution& numbers_;
};

/// Likely values for all that autoschedulers ask for: extents of inputs and outputs, and whole numbers.
void set_estimates(const Lowered& lowered, const Solution& numbers) {
    for (auto [name, image] : lowered.images) {
        const std::vector<Formula>& extents = numbers.extents.at(name);
        for (int d = 0; d < image.dimensions(); d++)
            image.dim(image.dimensions() - 1 - d).set_estimate(0, static_cast<int>(value_of(numbers, extents[d])));
    }
    Scalars scalars(numbers);
    for (const LoweredFunc& f : lowered.funcs) f.func.function().accept(&scalars);
    for (const LoweredFunc& f : lowered.funcs) {
        if (f.kind != LoweredFunc::Kind::output) continue;
        Halide::Internal::Function function = f.func.function();
        function.schedule().bounds().clear();     // Adams2019 wants numbers here
        function.schedule().estimates().clear();  // a bound leaves half an estimate behind
        for (std::size_t d = 0; d < f.dims.size(); d++)
            Halide::Func(f.func).set_estimate(f.stages[0].at(f.dims[d]).var, 0,
                                              static_cast<int>(value_of(numbers, numbers.extents.at(f.tensor)[d])));
    }
}

/// Names for the loops of one Func: Halide's are the paths of splits that led to them, and a step's are words.
class LoopNames {
public:
    explicit LoopNames(const LoweredFunc& f) {
        for (const auto& loops : f.stages)
            for (const auto& [name, loop] : loops) {
                names_[loop.name()] = name;
                used_.insert(name);
            }
    }

    /// The name of a loop; a new one is the end of its path, made longer where that is taken.
    std::string of(const std::string& path) {
        const auto known = names_.find(path);
        if (known != names_.end()) return known->second;
        std::string name = path.substr(path.rfind('.') + 1);
        std::replace(name.begin(), name.end(), '$', '_');
        while (!used_.insert(name).second) name += "_";
        return names_[path] = name;
    }

private:
    std::map<std::string, std::string> names_;
    std::set<std::string> used_;
};

/// Tells the state of Funcs that others scheduled as steps.
class Importer {
public:
    explicit Importer(const Lowered& lowered) : lowered_(lowered) {
        for (const LoweredFunc& f : lowered.funcs) names_.emplace(f.name, LoopNames(f));
    }

    std::vector<Step> steps() {
        for (const LoweredFunc& f : lowered_.funcs) {
            const Halide::Internal::Function function = f.func.function();
            add_stage(f, 0, function.definition());
            for (int u = 0; u < static_cast<int>(function.updates().size()); u++)
                add_stage(f, u + 1, function.updates()[u]);
        }
        for (const LoweredFunc& f : lowered_.funcs) add_levels(f);
        return std::move(steps_);
    }

private:
    Step& add(const LoweredFunc& f, int stage, StepKind kind) {
        Step step{kind, f.name, stage};
        step.origin = "import";
        steps_.push_back(std::move(step));
        return steps_.back();
    }

    static bool is_outermost(const Halide::Internal::Dim& dim) { return dim.var == Halide::Var::outermost().name(); }

    void add_stage(const LoweredFunc& f, int stage, const Halide::Internal::Definition& definition) {
        const Halide::Internal::StageSchedule& schedule = definition.schedule();
        LoopNames& names = names_.at(f.name);
        for (const Halide::Internal::Split& split : schedule.splits()) add_split(f, stage, split);
        std::vector<std::string> order;
        for (const Halide::Internal::Dim& dim : schedule.dims())
            if (!is_outermost(dim)) order.push_back(names.of(dim.var));
        if (order.size() > 1 && schedule.touched()) add(f, stage, StepKind::reorder).loops = order;
        if (schedule.atomic()) add(f, stage, StepKind::atomic);
        for (const Halide::Internal::Dim& dim : schedule.dims()) add_mark(f, stage, dim);
    }

    void add_split(const LoweredFunc& f, int stage, const Halide::Internal::Split& split) {
        using Halide::Internal::Split;
        LoopNames& names = names_.at(f.name);
        if (split.split_type == Split::RenameVar) {
            Step& step = add(f, stage, StepKind::rename);
            step.loops = {names.of(split.old_var)};
            step.made = {names.of(split.outer)};
        } else if (split.split_type == Split::FuseVars) {
            Step& step = add(f, stage, StepKind::fuse);
            step.loops = {names.of(split.inner), names.of(split.outer)};
            step.made = {names.of(split.old_var)};
        } else {
            Step& step = add(f, stage, StepKind::split);
            step.loops = {names.of(split.old_var)};
            step.made = {names.of(split.outer), names.of(split.inner)};
            const auto factor = Halide::Internal::as_const_int(split.factor);
            if (!factor) refuse(fmt::format("it splits loop `{}` of `{}` by no constant", step.loops[0], f.name));
            step.factor = *factor;
            step.tail = Tail::guard;
        }
    }

    void add_mark(const LoweredFunc& f, int stage, const Halide::Internal::Dim& dim) {
        using Halide::Internal::ForType;
        const std::pair<ForType, StepKind> kinds[] = {{ForType::Parallel, StepKind::parallel},
                                                      {ForType::Vectorized, StepKind::vectorize},
                                                      {ForType::Unrolled, StepKind::unroll}};
        for (const auto& [type, kind] : kinds)
            if (dim.for_type == type) add(f, stage, kind).loops = {names_.at(f.name).of(dim.var)};
    }

    void add_levels(const LoweredFunc& f) {
        const Halide::Internal::FuncSchedule& schedule = f.func.function().schedule();
        if (f.kind == LoweredFunc::Kind::output) return;
        add_level(f, schedule.compute_level(), StepKind::compute_at, StepKind::compute_root);
        const auto &compute = schedule.compute_level(), &store = schedule.store_level();
        const bool apart = store.func_name() != compute.func_name() || store.var_name() != compute.var_name();
        if (apart) add_level(f, store, StepKind::store_at, StepKind::store_root);
        if (schedule.memory_type() == Halide::MemoryType::Stack) add(f, 0, StepKind::store_in_stack);
        std::vector<std::string> order;
        for (const auto& dim : schedule.storage_dims()) order.push_back(names_.at(f.name).of(dim.var));
        const std::vector<std::string> plain(f.dims.rbegin(), f.dims.rend());
        if (order.size() > 1 && order != plain) add(f, 0, StepKind::reorder_storage).loops = order;
    }

    void add_level(const LoweredFunc& f, const Halide::LoopLevel& level, StepKind at, StepKind root) {
        if (level.var_name().empty()) return;
        if (level.func_name().empty()) {
            add(f, 0, root);
            return;
        }
        for (const LoweredFunc& other : lowered_.funcs)
            if (other.func.name() == level.func_name()) {
                Step& step = add(f, 0, at);
                step.at_func = other.name;
                step.at_loop = loop_of(other, level.var_name());
            }
    }

    /// Halide matches a level with the loops whose names end so.
    std::string loop_of(const LoweredFunc& f, const std::string& name) {
        const Halide::Internal::Function function = f.func.function();
        std::vector<Halide::Internal::Definition> stages{function.definition()};
        for (const auto& update : function.updates()) stages.push_back(update);
        for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
            for (const Halide::Internal::Dim& dim : stage->schedule().dims())
                if (dim.var == name || dim.var.ends_with("." + name)) return names_.at(f.name).of(dim.var);
        refuse(fmt::format("it computes something inside loop `{}` of `{}`, which is not there", name, f.name));
    }

    [[noreturn]] static void refuse(const std::string& why) {
        throw Failure({ErrorKind::schedule,
                       "the autoscheduler's result cannot be told as steps: " + why,
                       {},
                       {},
                       "give other sizes with --set, or another autoscheduler"});
    }

    const Lowered& lowered_;
    std::map<std::string, LoopNames> names_;
    std::vector<Step> steps_;
};

bool compiles(const Kernel& kernel, const Solution& solution, const History& history, const Leg& leg) {
    try {
        BoundKernel bound = bind(kernel, solution, history).value();
        const Halide::Target target(leg.halide_target + "-no_runtime-user_context");
        bound.pipeline.compile_to_module(bound.arguments, "kernel", target);
        return true;
    } catch (const Halide::CompileError&) {
        return false;
    }
}

/// The loops that a split of constant factor makes innermost: they keep their extent under a guard.
std::set<std::pair<std::string, std::string>> constant_loops(const History& history) {
    std::set<std::pair<std::string, std::string>> loops;
    for (const Step& s : history.steps)
        if (s.kind == StepKind::split) loops.insert({s.func, s.made.at(1)});
    return loops;
}

/// Storage on the stack, unrolled and vector loops want constant extents, which a guarded tail may have taken away: kept as far
/// as Halide takes them.
void keep_what_compiles(const Kernel& kernel, const Solution& solution, History& history, const Leg& leg) {
    const auto constant = constant_loops(history);
    const auto other_loop = [&](const Step& s) { return !constant.count({s.func, s.loops.at(0)}); };
    const std::function<bool(const Step&)> doubtful[] = {
        [](const Step& s) { return s.kind == StepKind::store_in_stack; },
        [&](const Step& s) { return s.kind == StepKind::unroll && other_loop(s); },
        [&](const Step& s) { return s.kind == StepKind::vectorize && other_loop(s); },
        [](const Step& s) { return s.kind == StepKind::unroll; },
    };
    for (const auto& drop : doubtful) {
        if (compiles(kernel, solution, history, leg)) return;
        std::erase_if(history.steps, drop);
    }
}

History run(const Kernel& kernel, const Solution& solution, const Solution& numbers, const Leg& leg,
            const Plugin& plugin, int threads) {
    load(plugin);
    const NamedLoops named = with_named_loops(kernel, solution);
    Lowered lowered = lower(named.kernel, named.solution);
    set_estimates(lowered, numbers);
    std::vector<Halide::Func> outputs;
    for (const std::string& name : lowered.outputs) outputs.push_back(lowered.find(name)->func);
    const Halide::AutoSchedulerResults results = Halide::Pipeline(outputs).apply_autoscheduler(
        Halide::Target(leg.halide_target), {plugin.halide, {{"parallelism", std::to_string(threads)}}});
    History history{Importer(lowered).steps()};
    keep_what_compiles(kernel, solution, history, leg);
    std::istringstream source(results.schedule_source);
    history.comments.push_back(fmt::format(" {} wrote:", plugin.halide));
    for (std::string line; std::getline(source, line);) history.comments.push_back(line.empty() ? "" : " " + line);
    return titled(std::move(history), kernel, leg);
}

}  // namespace

const std::vector<std::string>& autoscheduler_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const Plugin& plugin : plugins) list.emplace_back(plugin.name);
        return list;
    }();
    return names;
}

Result<History> autoscheduled(const Kernel& kernel, const Solution& solution, const Solution& numbers, const Leg& leg,
                              const std::string& name, int threads) {
    return guarded([&] {
        const Plugin& plugin = plugin_of(name);
        try {
            return run(kernel, solution, numbers, leg, plugin, threads);
        } catch (const Halide::Error& error) {
            throw Failure({ErrorKind::schedule,
                           fmt::format("{} refuses kernel `{}`: {}", plugin.halide, kernel.name, error.what()),
                           {},
                           {},
                           "give other sizes with --set, or another autoscheduler"});
        }
    });
}

}  // namespace halogen
