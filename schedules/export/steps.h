#pragma once
// Steps as Halide calls in C++, one emitter for each kind. What `apply_steps` does to Funcs, this writes down.

#include "frontend/lower/lower.h"
#include "schedules/export/expr.h"
#include "schedules/history.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halogen::exporting {

/// A loop that has a name in some stage.
struct ExportLoop {
    std::string identifier;
    bool reduced = false;
};
using ExportLoops = std::map<std::string, ExportLoop>;

/// A Func and the loops of its stages by name.
struct ExportFunc {
    std::string identifier;
    std::vector<std::string> dims;
    std::vector<ExportLoops> stages;
};

/// Writes the directives of a history. Errors: Failure(schedule) naming the step.
class StepWriter {
public:
    StepWriter(const Lowered& lowered, Names& names, ExprWriter& exprs, std::map<std::string, ExportFunc> funcs)
        : lowered_(lowered), names_(names), exprs_(exprs), funcs_(std::move(funcs)) {}

    /// One line for each Halide call, those of specialisations in a block of their own.
    std::vector<std::string> write(const std::vector<Step>& steps);

private:
    struct Place {
        const Step& step;
        ExportFunc& func;
        std::string stage;  // `C_value.update(0)`, or a specialisation's handle
        ExportLoops& loops;
        int depth;
    };
    void write_step(const Step& step, const std::string* stage, ExportLoops* loops, int depth);
    bool write_for_func(const Place&);
    void write_for_stage(const Place&);
    void write_unscheduled();

    void line(const Place&, const std::string& text);
    void on_func(const Place&, const std::string& call);
    void on_stage(const Place&, const std::string& call);
    ExportFunc& func(const Step&, const std::string& name);
    std::string level(const Step&);
    const ExportLoop& loop(const Place&, const std::string& name) const;
    std::string dim(const Place&, const std::string& name);
    std::string dims(const Place&);
    std::string loops(const Place&);
    std::string number(const Formula&);
    ExportLoop made(const std::string& name, bool reduced);

    void split(const Place&, const std::string& loop, const std::string& outer, const std::string& inner,
               const Formula& factor);
    void tile(const Place&);
    void flatten(const Place&);
    void rename(const Place&);
    void rfactor(const Place&);
    void prefetch(const Place&);
    void compute_with(const Place&);
    void specialize(const Place&);

    const Lowered& lowered_;
    Names& names_;
    ExprWriter& exprs_;
    std::map<std::string, ExportFunc> funcs_;
    std::set<std::pair<std::string, int>> touched_;
    ExportLoops made_in_branches_;  // by "Func.loop"
    std::vector<std::string> lines_;
};

}  // namespace halogen::exporting
