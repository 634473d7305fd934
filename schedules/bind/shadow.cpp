#include "schedules/bind/shadow.h"

#include "frontend/notation/parts.h"
#include "frontend/notation/versions.h"
#include "frontend/plan/named_loops.h"
#include "frontend/plan/value_funcs.h"
#include "frontend/solve/solve.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/slices.h"
#include "schedules/history/composite.h"
#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"
#include "schedules/nest/apply.h"
#include "schedules/nest/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace halogen {

namespace {

Expr reading(const Expr& e, const std::map<std::string, std::string>& names) {
    return rewrite(e, [&](const Expr& x) {
        const auto* access = x.as<Access>();
        const auto found = access ? names.find(access->tensor) : names.end();
        if (found == names.end()) return x;
        Access other = *access;
        other.tensor = found->second;
        return Expr(ExprNode{std::move(other)}, x.position());
    });
}

Access plain(const std::string& tensor, const std::vector<std::string>& dims) {
    Access access{tensor, {}, {}};
    for (const std::string& name : dims) access.at.emplace_back(ExprNode(IndexRef{name}));
    return access;
}

Equation plain_copy(const std::string& to, const std::string& from, const std::vector<std::string>& dims) {
    Equation equation;
    equation.left = plain(to, dims);
    equation.right = Expr(ExprNode(plain(from, dims)));
    equation.text = print(equation);
    return equation;
}

/// Conditions at given sizes, for dense buffers at distinct addresses.
class Here {
public:
    explicit Here(const Solution& numbers) : numbers_(numbers) {
        for (const auto& [name, formula] : numbers.sizes) sizes_[name] = formula.constant().value_or(0);
    }

    const Bindings& sizes() const { return sizes_; }

    bool holds(const Condition& when) const {
        bool all = true;
        for (const Condition::Term& term : when.all) all = all && holds(term);
        return all != when.negated;
    }

private:
    bool holds(const Condition::Term& term) const {
        using Kind = Condition::Term::Kind;
        if (term.kind == Kind::apart || term.kind == Kind::threads_at_most) return true;  // one thread, buffers apart
        if (term.kind == Kind::at_least) return evaluate(term.left, sizes_) >= evaluate(term.right, sizes_);
        const auto stride = [&](int dim) {
            return dense_stride(numbers_.extents.at(term.tensor), dim).constant().value_or(1);
        };
        return term.kind == Kind::stride_is ? stride(term.dim) == term.other : stride(term.dim) < stride(term.other);
    }

    const Solution& numbers_;
    Bindings sizes_;
};

/// Builds the computed form.
class Former {
public:
    Former(const Kernel& kernel, const Solution& open, const History& history, const Here& here)
        : kernel_(kernel),
          here_(here),
          emission_(emission_of(history)),
          versions_(versions_of(kernel)),
          funcs_(value_funcs(kernel, open, emission_.in_place)),
          formed_(kernel) {
        formed_.equations.clear();
    }

    /// Loops of copies have names that no index may have.
    Nest nest_of(const Kernel& formed, const Solution& solution) const {
        Nest nest = build_nest(formed, solution);
        each_loop(nest.body, [&](NestLoop& loop) {
            if (copies_.count(loop.func)) loop.name = loop.func + "_" + loop.name;
        });
        return nest;
    }

    Kernel form() {
        for (std::size_t v = 0; v < funcs_.size(); v++) {
            const ValueFunc& f = funcs_[v];
            add_tensor(f.tensor, f.stored);
            std::string name = f.name;
            for (const Twin& twin : emission_.twins)
                if (twin.stored == f.stored && here_.holds(twin.when)) name = twin.name;
            add_copies(name, f.stored);
            add_values(v, name, name);
            for (const CopyIn& copy : emission_.copies)
                if (!copy.stored && copy.tensor == f.tensor && !copy.panel && made_.insert(copy.name).second)
                    add_values(v, copy.name, name);
            if (f.stored != f.name) formed_.equations.push_back(copied_out(f, 0, plain_copy(f.stored, name, f.dims)));
        }
        return check(std::move(formed_)).value();
    }

private:
    void add_tensor(const std::string& like, const std::string& name) {
        if (formed_.find_tensor(name)) return;
        Tensor tensor = kernel_.tensor(like);
        tensor.name = name;
        tensor.role = Role::intermediate;
        tensor.boundary = {};
        formed_.tensors.push_back(std::move(tensor));
    }

    static bool is_of(const CopyIn& copy, const std::string& reader, const std::string& stored) {
        return copy.reader == reader || (copy.stored && copy.reader == stored);
    }

    /// Copies of inputs, and of what is stored, for one reader. A padded tensor stays: its copy would be of the padded places.
    void add_copies(const std::string& reader, const std::string& stored) {
        for (const CopyIn& copy : emission_.copies) {
            const Tensor* const source = kernel_.find_tensor(copy.tensor);
            if (!is_of(copy, reader, stored) || copy.panel || !source) continue;
            if (source->role != Role::input && !copy.stored) continue;
            if (source->boundary.mode != Boundary::Mode::none || !made_.insert(copy.name).second) continue;
            add_tensor(copy.tensor, copy.name);
            std::vector<std::string> dims;
            for (int d = 0; d < source->rank; d++) dims.push_back("d" + std::to_string(d));
            formed_.equations.push_back(plain_copy(copy.name, copy.tensor, dims));
            copies_.insert(copy.name);
        }
    }

    /// The last of the equations of a stage: itself, or the one that takes its values from the copy that it fills first.
    Equation copied_out(const ValueFunc& f, int stage, Equation equation) {
        for (const CopyOut& copy : emission_.copies_out) {
            if (copy.func != equation.left.tensor || copy.stage != stage) continue;
            add_tensor(f.tensor, copy.name);
            Equation taking = plain_copy(copy.func, copy.name, f.dims);
            taking.op = equation.op;
            taking.text = print(taking);
            equation.left.tensor = copy.name;
            equation.text = print(equation);
            formed_.equations.push_back(std::move(equation));
            return taking;
        }
        return equation;
    }

    /// The tensor in which equation `e` of version `v` finds each other one: another version's, or the reader's own copy.
    std::map<std::string, std::string> names_read(std::size_t v, int e, const std::string& reader) const {
        std::map<std::string, std::string> names;
        for (const auto& [tensor, version] : versions_.read[e]) names[tensor] = funcs_[version].stored;
        for (const CopyIn& copy : emission_.copies)
            if (is_of(copy, reader, funcs_[v].stored) && made_.count(copy.name)) names[copy.tensor] = copy.name;
        return names;
    }

    void add_values(std::size_t v, const std::string& name, const std::string& reader) {
        const ValueFunc& f = funcs_[v];
        add_tensor(f.tensor, name);
        if (const int before = versions_.all[v].previous; before >= 0 && f.equations[0] < 0)
            formed_.equations.push_back(plain_copy(name, funcs_[before].stored, f.dims));
        for (std::size_t stage = 0; stage < f.equations.size(); stage++) {
            const int number = f.equations[stage];
            if (number < 0) continue;
            std::map<std::string, std::string> names = names_read(v, number, reader);
            names[f.tensor] = name;
            Equation equation = kernel_.equations[number];
            change_expressions(equation, [&](const Expr& e) { return reading(e, names); });
            equation.left.tensor = name;
            equation.text = print(equation);
            formed_.equations.push_back(copied_out(f, static_cast<int>(stage), std::move(equation)));
        }
    }

    const Kernel& kernel_;
    const Here& here_;
    const Emission emission_;
    const Versions versions_;
    const std::vector<ValueFunc> funcs_;  // one for each version
    Kernel formed_;
    std::set<std::string> made_;    // copies, and second computations
    std::set<std::string> copies_;  // those that only copy
};

bool is_level(StepKind kind) {
    return kind == StepKind::compute_at || kind == StepKind::compute_root || kind == StepKind::compute_inline;
}

/// Carries a history out on a nest.
class Runner {
public:
    Runner(Nest nest, const Emission& emission, const Here& here) : here_(here), run_{std::move(nest), {}, {}, 0, 0} {
        for (const Partial& p : emission.partials) partial_.emplace(p.func, p.stage);
        for (const Slice& s : emission.slices) sliced_.insert(s.func);
    }

    ShadowRun run(const History& history) {
        take(history.steps);
        std::vector<std::string> readers_first;
        each_statement(run_.nest, [&](const NestPath&, const NestStatement& s) {
            if (std::find(readers_first.begin(), readers_first.end(), s.func) == readers_first.end())
                readers_first.insert(readers_first.begin(), s.func);
        });
        for (const std::string& func : readers_first) {
            if (const auto level = levels_.find(func); level != levels_.end())
                apply(level->second.first, level->second.second);
            else
                paste(func);
            for (const Step& step : steps_[func]) apply(step, step);
        }
        run_.sizes = here_.sizes();
        return std::move(run_);
    }

private:
    using Stage = std::pair<std::string, int>;

    /// Sorts the steps that count at these sizes by Func.
    void take(const std::vector<Step>& steps) {
        std::set<Stage> elsewhere;  // what follows on these stages is for sizes where no branch was taken
        for (const Step& step : steps) {
            if (step.kind == StepKind::registers) {
                take(expanded(step, [&](const std::string& func) { return stages_of(func); }, 0));
                continue;
            }
            const bool untold = is_untold(step, elsewhere);
            if (step.kind == StepKind::rfactor) factored_.insert({step.func, step.stage});
            if (untold || step.kind == StepKind::specialize) run_.untold++;
            if (untold) continue;
            if (step.kind == StepKind::vectorize && cuts(step) &&
                step.second != Formula(0)) {  // what is written out is as the loop here
                std::vector<Step> parts = cuts_of(step);
                parts.push_back({step.kind, step.func, step.stage, marked_loops(step)});
                for (Step& part : parts) part.whole = print(step);
                take(parts);
                continue;
            }
            if (step.kind == StepKind::specialize) {
                if (!here_.holds(step.when)) continue;
                take(step.nested);
                elsewhere.insert({step.func, step.stage});
            } else if (makes_placed_copy(step.kind)) {
                Step level{StepKind::compute_at, step.made.at(0)};
                level.at_func = step.at_func;
                level.at_loop = step.at_loop;
                levels_[level.func] = {level, step};
            } else if (is_level(step.kind)) {
                levels_[step.func] = {step, step};
            } else {
                steps_[step.func].push_back(step);
            }
        }
    }

    std::vector<StageLoops> stages_of(const std::string& func) const {
        std::map<int, StageLoops> stages;
        each_statement(run_.nest, [&](const NestPath& path, const NestStatement& s) {
            if (s.func != func || stages.count(s.stage)) return;
            StageLoops& stage = stages[s.stage] = {s.stage};
            for (auto loop = path.rbegin(); loop != path.rend(); ++loop)
                if ((*loop)->reduced) stage.reduced.push_back((*loop)->name);
        });
        std::vector<StageLoops> all;
        for (auto& [number, stage] : stages) all.push_back(std::move(stage));
        return all;
    }

    /// A step the nest does not tell; `elsewhere` are stages that a branch was taken for.
    bool is_untold(const Step& step, const std::set<Stage>& elsewhere) const {
        const bool of_stage = kind_row(step.kind).scope == StepScope::stage, copies = makes_placed_copy(step.kind);
        if (of_stage && elsewhere.count({step.func, step.stage})) return true;
        if (step.kind == StepKind::specialize) return false;
        // Parts have computations of their own, which the nest does not tell apart.
        if ((is_level(step.kind) || copies) && sliced_.count(step.at_func)) return true;
        return !copies && !told(step);
    }

    bool told(const Step& step) const {
        const bool unrolls = step.kind == StepKind::unroll && !cuts(step);
        if (!changes_nest(step.kind) || unrolls || step.kind == StepKind::rfactor) return false;
        if (!has_stage(run_.nest, step.func, step.stage)) return false;
        const auto partial = partial_.lower_bound({step.func, 0});
        return partial == partial_.end() || partial->first != step.func || step.stage < partial->second;
    }

    /// Halide pastes what nobody gave a level into its readers.
    void paste(const std::string& func) {
        if (run_.nest.kernel.tensor(func).role == Role::output || has_stage(run_.nest, func, 1)) return;
        if (auto after = apply_to_nest(run_.nest, {StepKind::compute_inline, func}))
            run_.nest = std::move(after).value();
    }

    /// A level in a branch that is not taken here is no level here.
    void apply(const Step& meant, const Step& given) {
        const Step step = in_the_nest(meant);
        if (is_of_tables(step)) {
            run_.untold++;
            return;
        }
        const bool of_empty_part = std::any_of(step.loops.begin(), step.loops.end(),
                                               [&](const auto& l) { return empty_.count({step.func, l}); });
        if ((step.kind == StepKind::compute_at && !find_any_loop(step)) || of_empty_part) {
            for (const std::string& made : step.made) empty_.insert({step.func, made});
            run_.untold++;
            return;
        }
        auto after = apply_to_nest(run_.nest, step);
        if (after && slices(step)) after = apart(std::move(after).value(), step);
        if (after) {
            run_.nest = std::move(after).value();
            run_.done++;
            if (slices(step)) note_empty_parts(step);
        } else {
            run_.refused.push_back({given, after.error().what});
        }
    }

    /// The step is on a loop over all places of a sum whose places the data tells: one over its partial results.
    bool is_of_tables(const Step& step) const {
        return factored_.count({step.func, step.stage}) &&
               std::any_of(step.loops.begin(), step.loops.end(), [&](const std::string& loop) {
                   return find_loops(run_.nest, step.func, step.stage, loop).empty();
               });
    }

    /// Halide's parts are stages: each has all the loops around it for itself.
    static Result<Nest> apart(Nest nest, const Step& step) {
        while (true) {
            std::string around;
            each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
                if (s.func != step.func || s.stage != step.stage) return;
                for (const NestLoop* loop : path)
                    if (loop->func == step.func && loop->body.size() > 1) around = loop->name;
            });
            if (around.empty()) return nest;
            auto after = apply_to_nest(nest, {StepKind::distribute, step.func, step.stage, {around}});
            if (!after) return after;
            nest = std::move(after).value();
        }
    }

    void note_empty_parts(const Step& step) {
        for (const std::string& made : step.made)
            if (find_loops(run_.nest, step.func, step.stage, made).empty()) empty_.insert({step.func, made});
    }

    /// The step as the nest understands it: ranges are exact there, tiles are not made full, and a loop that lies within another
    /// Func's loop of its name has a longer one.
    Step in_the_nest(Step step) {
        if (step.kind == StepKind::unroll) step.kind = StepKind::split;  // bodies are not written out here
        if (step.tail == Tail::exact) step.tail = Tail::guard;
        for (std::string& name : step.loops) name = alias(step.func, name);
        step.at_loop = alias(step.at_func, step.at_loop);
        for (std::string& name : step.made) {
            const bool taken = !find_loops(run_.nest, step.func, step.stage, name).empty();
            if (taken && std::find(step.loops.begin(), step.loops.end(), name) == step.loops.end())
                aliases_[{step.func, name}] = step.func + "." + name;
            name = alias(step.func, name);
        }
        return step;
    }

    std::string alias(const std::string& func, const std::string& name) const {
        const auto found = aliases_.find({func, name});
        return found == aliases_.end() ? name : found->second;
    }

    bool find_any_loop(const Step& step) const {
        bool found = false;
        each_statement(run_.nest, [&](const NestPath& path, const NestStatement& s) {
            for (const NestLoop* loop : path) found = found || (s.func == step.at_func && loop->name == step.at_loop);
        });
        return found;
    }

    const Here& here_;
    ShadowRun run_;
    std::set<std::string> sliced_;                         // Funcs with stages in parts
    std::set<std::pair<std::string, std::string>> empty_;  // loops, by Func, of parts that are empty at these sizes
    std::set<Stage> factored_;                             // stages that join partial results
    std::set<Stage> partial_;                              // stages whose loops are those of partial results
    std::map<std::pair<std::string, std::string>, std::string> aliases_;  // by Func and loop
    std::map<std::string, std::pair<Step, Step>> levels_;  // by Func: the level, and the step that says it
    std::map<std::string, std::vector<Step>> steps_;
};

void check_known(const Kernel& kernel, const Solution& solution, std::int64_t most_points) {
    if (!solution.symbols.empty()) {
        const std::string& name = solution.symbols.front();
        throw Failure({ErrorKind::underdetermined,
                       fmt::format("size `{}` of kernel `{}` is open", name, kernel.name),
                       {},
                       {},
                       fmt::format("give it with --set {}=INT; the shadow nest counts every iteration", name)});
    }
    std::int64_t points = 0;
    for (const auto& ranges : solution.indices) {
        double product = 1;
        for (const auto& [name, range] : ranges) product *= static_cast<double>(range.extent.constant().value_or(0));
        points += product < static_cast<double>(most_points) ? static_cast<std::int64_t>(product) : most_points;
    }
    if (points < most_points) return;
    throw Failure({ErrorKind::too_complex,
                   fmt::format("kernel `{}` has more than {} points at these sizes", kernel.name, most_points),
                   {},
                   {},
                   "give smaller ones with --set: the shadow nest visits each point"});
}

}  // namespace

std::string print(const NestEffect& effect) {
    if (!effect.is_whole) return fmt::format("not counted: more than {} loop steps", most_loop_steps);
    std::string text = fmt::format("cost {:.0f}, work {}, loads {}, stores {}, storage {} elements", effect.cost,
                                   effect.executions, effect.loads, effect.stores, effect.storage);
    std::string by_func;
    for (const auto& [func, count] : effect.computed)
        by_func += fmt::format("{}{} {}", by_func.empty() ? "; stored in " : ", ", func, count);
    return text + by_func;
}

Result<ShadowRun> run_shadow(const Kernel& kernel, const Solution& open, const History& history,
                             const Settings& settings, std::int64_t most_points) {
    return guarded([&] {
        const Solution numbers = solve(kernel, settings).value();
        check_known(kernel, numbers, most_points);
        const Here here(numbers);
        const auto [named, solved] = with_named_loops(kernel, open);
        Former former(named, solved, history, here);
        const Kernel formed = former.form();
        const Solution solution = solve(formed, settings).value();
        return Runner(former.nest_of(formed, solution), emission_of(history), here).run(history);
    });
}

}  // namespace halogen
