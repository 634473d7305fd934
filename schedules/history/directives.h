#pragma once
// The directives that steps become. Three things take them: Halide's Funcs (apply_steps.cpp), a C++ text of the same calls
// (export/steps.cpp), and the model of the state they leave (state_model.h). The registry of kinds says which a kind becomes.

#include "schedules/history/step.h"

#include <functional>
#include <string>
#include <vector>

namespace halogen {

enum class Level { compute, store, hoist };
enum class LoopKind { serial, parallel, vectorized, unrolled };
enum class PartitionKind { never, always };

/// Takes the directives of one step at a time, on the stage or branch that was opened last.
class Directives {
public:
    Directives() = default;
    Directives(const Directives&) = delete;
    virtual ~Directives() = default;

    /// What follows belongs to `step` and acts on stage `stage` of `func`, or below an open branch on that.
    virtual void begin(const Step& step, const std::string& func, int stage) = 0;

    // On the Func. A level is Func `at`'s loop; "" is the whole call.
    virtual void place(Level, const std::string& at, const std::string& loop) = 0;
    virtual void compute_inline() = 0;
    virtual void store_in_stack() = 0;
    virtual void async() = 0;
    virtual void bound(const std::string& dim, bool from_zero, const Formula& extent) = 0;
    virtual void reorder_storage(const std::vector<std::string>& dims) = 0;
    virtual void align_storage(const std::string& dim, const Formula& factor) = 0;
    virtual void fold_storage(const std::string& dim, const Formula& factor) = 0;

    // On the stage.
    /// `tail` is never exact: see `StateModel::resolved`.
    virtual void split(const std::string& old, const std::string& outer, const std::string& inner,
                       const Formula& factor, Tail tail) = 0;
    virtual void fuse(const std::string& inner, const std::string& outer, const std::string& fused) = 0;
    virtual void rename(const std::string& old, const std::string& made) = 0;
    virtual void reorder(const std::vector<std::string>& loops) = 0;
    /// `unordered`: its iterations know nothing of each other, which Halide is to take for granted.
    virtual void mark(const std::string& loop, LoopKind, bool unordered) = 0;
    virtual void partition(const std::string& loop, PartitionKind) = 0;
    virtual void atomic() = 0;
    virtual void prefetch(const std::string& tensor, const std::string& loop, const Formula& offset) = 0;
    virtual void compute_with(const std::string& func, int stage, const std::string& loop) = 0;
    virtual void rfactor(const std::vector<std::string>& loops, const std::string& func,
                         const std::vector<std::string>& kept) = 0;
    /// `body` runs between the opening of the branch and its end.
    virtual void specialize(const Condition&, const std::function<void()>& body) = 0;
};

}  // namespace halogen
