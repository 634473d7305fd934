#include "schedules/export/generator.h"

#include "frontend/lower/lower.h"
#include "frontend/plan/named_loops.h"
#include "frontend/plan/value_funcs.h"
#include "schedules/bind/bind.h"
#include "schedules/bind/read_state.h"
#include "schedules/export/expr.h"
#include "schedules/export/steps.h"
#include "schedules/state/kind_directives.h"
#include "schedules/state/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

using namespace exporting;

/// Writes one kernel.
class GeneratorWriter {
public:
    GeneratorWriter(const Kernel& kernel, const Solution& solution, const History& history)
        : kernel_(kernel),
          solution_(solution),
          history_(history),
          lowered_(lower(kernel, solution, emission_of(history))),
          exprs_(names_) {}

    std::string write() {
        const std::string name = kernel_.name.empty() ? "kernel" : kernel_.name;
        const std::string type = names_.fresh(class_name(name) + "Generator");
        const std::string inputs = inputs_text(), outputs = outputs_text();
        for (const LoweredFunc& f : lowered_.funcs) name_func(f);
        for (const LoweredFunc& f : lowered_.funcs) define(f);
        constrain_outputs();
        const std::vector<std::string> schedule = schedule_lines();
        std::string text = comment() + "#include \"Halide.h\"\n\n#include <limits>\n\nusing namespace Halide;\n\n";
        text += fmt::format("class {} : public Generator<{}> {{\npublic:\n", type, type);
        text += inputs + outputs + "\n    void generate() {\n" + names_.declarations() + funcs_ + "\n";
        text += body(definitions_) + "\n        // The schedule, one call a step.\n" + body(handles_) + body(schedule);
        return text + fmt::format("    }}\n}};\n\nHALIDE_REGISTER_GENERATOR({}, {})\n", type, name);
    }

private:
    std::string comment() const {
        std::string text = "// Written by `halogen schedule --export`";
        const HistoryHeader& h = history_.header;
        if (!h.leg.empty()) text += fmt::format(" for the target {}", h.target.empty() ? h.leg : h.target);
        text +=
            ". It needs Halide 21 and nothing else:\n//   c++ -std=c++17 -I HALIDE/include THIS.cpp -L HALIDE/lib64 "
            "-lHalide_GenGen -lHalide -o gen\n";
        text += fmt::format("//   ./gen -g {} -o DIR target={}\n", kernel_.name.empty() ? "kernel" : kernel_.name,
                            h.target.empty() ? "host" : h.target);
        text +=
            "// Dims of buffers count from the innermost: the last index of an equation is dim 0. All mins are 0.\n";
        if (!solution_.guards.empty()) text += "// A call is right where these hold:\n";
        for (const Guard& guard : solution_.guards)
            text += fmt::format("//   {}  ({})\n", print(guard), one_line(guard.reason));
        return text;
    }

    static std::string one_line(std::string text) {
        for (char& c : text)
            if (c == '\n') c = ' ';
        return text;
    }

    static std::string body(const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& line : lines) text += line.empty() ? "\n" : "        " + line + "\n";
        return text;
    }

    std::string inputs_text() {
        std::string text;
        const std::vector<std::string> names = argument_names(kernel_, solution_);
        for (std::size_t i = 0; i < names.size(); i++) {
            const Halide::Argument& a = lowered_.arguments[i];
            const std::string id = names_.fresh(names[i]);
            exprs_.parameters[a.name] = id;
            const std::string type = a.is_buffer()
                                         ? fmt::format("Buffer<{}, {}>", element_text(a.type), int(a.dimensions))
                                         : element_text(a.type);
            text += fmt::format("    Input<{}> {}{{\"{}\"}};\n", type, id, id);
            if (!a.is_buffer()) continue;
            exprs_.funcs[Halide::Func(lowered_.images.at(a.name)).name()] = id;  // reads go through it
            exprs_.buffers[a.name] = fmt::format("ImageParam({})", id);
            for (int d = 0; d < a.dimensions; d++) definitions_.push_back(fmt::format("{}.dim({}).set_min(0);", id, d));
            if (a.dimensions) definitions_.push_back(fmt::format("{}.dim(0).set_stride(Expr());", id));
        }
        return text;
    }

    std::string outputs_text() {
        std::string text;
        for (const std::string& name : lowered_.outputs) {
            const Halide::Func func = lowered_.find(name)->func;
            const std::string id = names_.fresh(name);
            exprs_.funcs[func.name()] = id;
            exprs_.parameters[func.output_buffer().parameter().name()] = id;
            exprs_.buffers[func.output_buffer().parameter().name()] = fmt::format("Func({}).output_buffer()", id);
            text += fmt::format("    Output<Buffer<{}, {}>> {}{{\"{}\"}};\n", element_text(func.types()[0]),
                                func.dimensions(), id, id);
        }
        return text;
    }

    void name_func(const LoweredFunc& f) {
        if (f.kind == LoweredFunc::Kind::output) return;
        const std::string id = names_.fresh(f.name);
        exprs_.funcs[f.func.name()] = id;
        funcs_ += fmt::format("        Func {}(\"{}\");\n", id, f.name);
    }

    /// The definitions of `f` after those of all it reads.
    void define(const LoweredFunc& f) {
        if (!defined_.insert(f.name).second) return;
        for (const LoweredFunc& other : lowered_.funcs)
            if (other.name != f.name && reads(f, other)) define(other);
        ExportFunc made{exprs_.funcs.at(f.func.name()), f.dims, {}};
        definitions_.push_back("");
        for (std::size_t stage = 0; stage < f.stages.size(); stage++)
            made.stages.push_back(define_stage(f, static_cast<int>(stage)));
        made.in_parts = f.step_stage(0) < 0;
        for (std::size_t stage = 1; stage < f.stages.size(); stage++)
            if (f.ordered(stage) && made.ordered.insert(stage).second) order_loops(f, static_cast<int>(stage), made);
        schedule_funcs_[f.name] = std::move(made);
    }

    static bool reads(const LoweredFunc& f, const LoweredFunc& other) {
        const auto calls = Halide::Internal::find_direct_calls(f.func.function());
        return calls.count(other.func.name()) > 0;
    }

    /// One stage: its reduced loops under the equation's names, then the definition. Gives the names of its loops.
    ExportLoops define_stage(const LoweredFunc& f, int stage) {
        const Halide::Internal::Function function = f.func.function();
        const Halide::Internal::Definition definition = stage ? function.update(stage - 1) : function.definition();
        if (f.equations[stage] >= 0)
            definitions_.push_back("// " + one_line(kernel_.equations[f.equations[stage]].text));
        if (stage) define_domain(f, stage, definition);
        ExportLoops loops;
        for (const auto& [name, loop] : f.stages[stage])
            loops[name] = {loop.is_rvar ? exprs_.reduced.at(loop.rvar.name()) : names_.var(loop.var.name()),
                           loop.is_rvar};
        std::string places;
        for (const Halide::Expr& e : arguments(function, definition, stage))
            places += (places.empty() ? "" : ", ") + exprs_.write(e, definitions_);
        const std::string value = exprs_.write(definition.values().at(0), definitions_);
        definitions_.push_back(fmt::format("{}({}) = {};", exprs_.funcs.at(f.func.name()), places, value));
        return loops;
    }

    /// The parts of a pure definition have their loops in its order.
    void order_loops(const LoweredFunc& f, int stage, const ExportFunc& made) {
        std::string order;
        for (const auto& dim : f.func.function().update(stage - 1).schedule().dims())
            for (const auto& [name, loop] : f.stages[stage])
                if (dim.var == (loop.is_rvar ? loop.rvar.name() : loop.var.name())) {
                    order += (order.empty() ? "" : ", ") + made.stages[stage].at(name).identifier;
                }
        definitions_.push_back(fmt::format("Func({}).update({}).reorder({});", made.identifier, stage - 1, order));
    }

    static std::vector<Halide::Expr> arguments(const Halide::Internal::Function& function,
                                               const Halide::Internal::Definition& definition, int stage) {
        if (stage) return definition.args();
        std::vector<Halide::Expr> vars;
        for (const std::string& name : function.args()) vars.emplace_back(Halide::Var(name));
        return vars;
    }

    void define_domain(const LoweredFunc& f, int stage, const Halide::Internal::Definition& definition) {
        const auto& rvars = definition.schedule().rvars();
        if (rvars.empty()) return;
        const std::string name = f.name + "_r" + std::to_string(stage), id = names_.fresh(name);
        std::string ranges;
        for (const auto& r : rvars)
            ranges += fmt::format("{}Range({}, {})", ranges.empty() ? "" : ", ", exprs_.write(r.min, definitions_),
                                  exprs_.write(r.extent, definitions_));
        definitions_.push_back(fmt::format("RDom {}(Region{{{}}}, \"{}\");", id, ranges, name));
        for (std::size_t i = 0; i < rvars.size(); i++) {
            std::string loop = rvars[i].var;
            for (const auto& [given, known] : f.stages[stage])
                if (known.is_rvar && known.rvar.name() == rvars[i].var) loop = given;
            const std::string rvar = names_.fresh(loop);
            exprs_.reduced[rvars[i].var] = rvar;
            definitions_.push_back(fmt::format("RVar {} = {}[{}];", rvar, id, i));
        }
        const Halide::Expr& predicate = definition.predicate();
        if (!Halide::Internal::is_const_one(predicate))
            definitions_.push_back(fmt::format("{}.where({});", id, exprs_.write(predicate, definitions_)));
    }

    /// What the caller's buffers must be, and handles for directives that an Output does not pass on.
    void constrain_outputs() {
        for (const std::string& name : lowered_.outputs) {
            const LoweredFunc& f = *lowered_.find(name);
            const std::string id = exprs_.funcs.at(f.func.name());
            for (int d = 0; d < f.func.dimensions(); d++)
                handles_.push_back(fmt::format("{}.dim({}).set_min(0);", id, d));
            if (f.func.dimensions()) handles_.push_back(fmt::format("{}.dim(0).set_stride(Expr());", id));
            for (std::size_t d = 0; d < f.dims.size(); d++)
                handles_.push_back(fmt::format("{}.bound({}, 0, {});", id, names_.var(f.dims[d]),
                                               exprs_.write(f.extents[d], handles_)));
            ExportFunc& made = schedule_funcs_.at(name);
            made.identifier = names_.fresh(name + "_func");
            exprs_.buffers[f.func.output_buffer().parameter().name()] = made.identifier + ".output_buffer()";
            handles_.push_back(fmt::format("Func {} = {};", made.identifier, id));
        }
    }

    std::vector<std::string> schedule_lines() {
        StateModel model(StateReader(lowered_).read());
        StepWriter writer(lowered_, names_, exprs_, schedule_funcs_);
        direct_steps(history_.steps, model, writer);
        return writer.finish();
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const History& history_;
    Lowered lowered_;
    Names names_;
    ExprWriter exprs_;
    std::string funcs_;
    std::vector<std::string> definitions_, handles_;
    std::set<std::string> defined_;
    std::map<std::string, ExportFunc> schedule_funcs_;
};

}  // namespace

Result<std::string> export_generator(const Kernel& kernel, const Solution& solution, const History& history) {
    return guarded([&] {
        const NamedLoops named = with_named_loops(kernel, solution);
        return GeneratorWriter(named.kernel, named.solution, history).write();
    });
}

}  // namespace halogen
