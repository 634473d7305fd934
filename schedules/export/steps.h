#pragma once
// Steps as Halide calls in C++. What `apply_steps` does to Funcs, this writes down.

#include "frontend/lower/lower.h"
#include "schedules/export/expr.h"
#include "schedules/history/directives.h"

#include <functional>
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
    bool in_parts = false;               // its pure definition computes nothing
    std::set<std::size_t> ordered = {};  // stages whose loops have an order from the start
};

/// Writes the directives of a history: one line for each Halide call, those of specialisations in a block of their own.
/// Errors: Failure(schedule) naming the step.
class StepWriter : public Directives {
public:
    StepWriter(const Lowered& lowered, Names& names, ExprWriter& exprs, std::map<std::string, ExportFunc> funcs)
        : lowered_(lowered), names_(names), exprs_(exprs), funcs_(std::move(funcs)) {}

    /// All lines, and those for updates that no step touched.
    std::vector<std::string> finish();

    void begin(const Step&, const std::string& func, int stage) override;
    void place(Level, const std::string& at, const std::string& loop) override;
    void compute_inline() override;
    void store_in_stack() override;
    void async() override;
    void bound(const std::string& dim, bool from_zero, const Formula& extent) override;
    void reorder_storage(const std::vector<std::string>& dims) override;
    void align_storage(const std::string& dim, const Formula& factor) override;
    void fold_storage(const std::string& dim, const Formula& factor) override;
    void split(const std::string& old, const std::string& outer, const std::string& inner, const Formula& factor,
               Tail tail) override;
    void fuse(const std::string& inner, const std::string& outer, const std::string& fused) override;
    void rename(const std::string& old, const std::string& made) override;
    void reorder(const std::vector<std::string>& loops) override;
    void mark(const std::string& loop, LoopKind, bool unordered) override;
    void partition(const std::string& loop, PartitionKind) override;
    void atomic() override;
    void prefetch(const std::string& tensor, const std::string& loop, const Formula& offset) override;
    void compute_with(const std::string& func, int stage, const std::string& loop) override;
    void rfactor(const std::vector<std::string>& loops, const std::string& func,
                 const std::vector<std::string>& kept) override;
    void specialize(const Condition&, const std::function<void()>& body) override;

private:
    void line(const std::string& text);
    void on_func(const std::string& call);
    void on_stage(const std::string& call);
    const ExportLoop& loop(const std::string& name) const;
    std::string level(const std::string& func, const std::string& loop) const;
    std::string dim(const std::string& name);
    std::string number(const Formula&);
    ExportLoop made(const std::string& name, bool reduced);

    const Lowered& lowered_;
    Names& names_;
    ExprWriter& exprs_;
    std::map<std::string, ExportFunc> funcs_;
    std::set<std::pair<std::string, int>> touched_;
    ExportLoops made_in_branches_;  // by "Func.loop"
    std::vector<std::string> lines_;

    const Step* step_ = nullptr;
    std::string name_;  // of the Func
    int number_ = 0;    // of the stage
    ExportFunc* func_ = nullptr;
    std::string stage_;  // `C_value.update(0)`, or a specialisation's handle
    ExportLoops* loops_ = nullptr;
    std::vector<std::pair<std::string, ExportLoops*>> branches_;  // that are open
};

}  // namespace halogen::exporting
