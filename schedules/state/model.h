#pragma once
// What the steps of a history must make of the Funcs, told from the steps alone.

#include "schedules/history/directives.h"
#include "schedules/state/state.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// Directives on a state. Refuses what names a Func, stage or loop that is not there. Errors: Failure(schedule).
class StateModel : public Directives {
public:
    explicit StateModel(ScheduleState plain) : state_(std::move(plain)) {}

    const ScheduleState& state() const { return state_; }

    // Questions about the step at hand.
    const StageState& stage() const { return *stage_; }
    const LoopState& loop(const std::string& name) const;
    const FuncState& func() const { return *func_; }
    const StageState& stage_of(const std::string& func, int stage) const;
    /// The stages that a step acts on: of a sliced one all parts that have its loops.
    std::vector<int> stages_for(const Step&);
    /// The stage that a step means by `func`, `stage` and a loop of it: as Halide counts. Errors: it is not one alone.
    int other_stage(const std::string& func, int stage, const std::string& loop) const;
    /// The stage or branch at hand has all loops of a step.
    bool takes(const Step&) const;
    /// A step below a specialize that no part had the loops for.
    const Step* untaken(const Step& specialize) const;
    int number() const { return number_; }  // as Halide counts
    /// The stage at hand is one of several parts.
    bool in_parts() const;
    /// What Halide would choose where a history says that there is no partial tile: whatever costs nothing then.
    Tail resolved(const std::string& loop, Tail) const;

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
    const FuncState& func(const std::string& name) const;
    std::size_t index(const std::string& loop) const;
    DimState& dim(const std::string& name);
    void check_dim(const std::string& name) const;
    void check_no_output() const;
    bool rounds_up(const std::string& loop) const;
    bool descends_from_shifted(const std::string& loop) const;

    ScheduleState state_;
    const Step* step_ = nullptr;
    std::string name_;  // of the Func
    int number_ = 0;    // of the stage, as Halide counts
    mutable std::set<const Step*> taken_;
    FuncState* func_ = nullptr;
    StageState* stage_ = nullptr;
    std::vector<std::pair<const Step*, StageState*>> branches_;  // that are open
};

}  // namespace halogen
