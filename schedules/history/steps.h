#pragma once
// A hand for writing steps: one stage of one Func at a time.

#include "schedules/history/history.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace halogen {

/// A loop of a Func; with loop "root" that of none, around all others.
struct LoopOf {
    std::string func, loop;
};

/// Appends steps on stage `stage` of `func` to a list. Every call returns the hand, so that steps read in order.
class Steps {
public:
    Steps(std::vector<Step>& list, std::string func, int stage = 0)
        : list_(list), func_(std::move(func)), stage_(stage) {}

    Steps& copy_in(const std::string& tensor, const std::string& name, const LoopOf& at = {});
    Steps& copy_in_panels(const std::string& tensor, const std::string& name, int dim, int panel, int lanes = 0,
                          const LoopOf& at = {});
    Steps& twin(const std::string& name, const Condition& when);
    /// Partial results over `loops.front()` in Func `name`; this update joins them. What is no whole vector is taken under a mask (`rest`
    /// predicate), or the next update takes loops shorter than one (exact). They lie in registers there, for each iteration of the other
    /// loops, which have these extents.
    Steps& partial(const std::vector<std::string>& loops, const std::string& name, int lanes, int vectors,
                   const std::vector<int>& extents, const LoopOf& at, Tail rest);
    /// Computed there in vectors along `loops.front()` and along all of the others, which have these extents.
    Steps& registers(const std::vector<std::string>& loops, int lanes, int vectors, const std::vector<int>& extents,
                     const LoopOf& at);
    Steps& group(const std::string& loop, int points);
    /// Said once of a loop, however often it is asked for.
    Steps& overcompute(const std::string& index);
    /// The equations write `func` itself.
    Steps& in_place();
    Steps& skip_outside(const std::string& tensor, int dim);
    Steps& compute_root();
    Steps& compute_at(const std::string& func, const std::string& loop);
    Steps& store_at(const std::string& func, const std::string& loop);
    Steps& hoist_storage(const std::string& func, const std::string& loop);
    Steps& store_in_stack();
    Steps& bound_extent(const std::string& loop, std::int64_t extent);
    Steps& bound(const std::string& loop, const Formula& extent);
    Steps& reorder_storage(const std::vector<std::string>& innermost_first);
    Steps& split(const std::string& loop, const std::string& outer, const std::string& inner, const Formula& factor,
                 Tail tail);
    /// Two loops, innermost first, become two outer and two inner ones.
    Steps& tile(const std::vector<std::string>& loops, const std::vector<std::string>& outer,
                const std::vector<std::string>& inner, const std::vector<Formula>& factors, Tail tail);
    Steps& fuse(const std::string& inner, const std::string& outer, const std::string& fused);
    Steps& flatten(const std::vector<std::string>& innermost_first, const std::string& name);
    Steps& rename(const std::string& loop, const std::string& name);
    Steps& reorder(const std::vector<std::string>& innermost_first);
    Steps& vectorize(const std::string& loop);
    /// `lanes` iterations at a time, `inner`, in a loop `outer`.
    Steps& vectorize(const std::string& loop, int lanes, const std::string& outer, const std::string& inner, Tail tail);
    /// `vectors` of `lanes` iterations each, `vectors_loop`, written out.
    Steps& vectorize(const std::string& loop, int lanes, int vectors, const std::string& outer,
                     const std::string& vectors_loop, const std::string& inner, Tail tail);
    Steps& unroll(const std::string& loop);
    /// `iterations` at a time, `inner`, in a loop `outer`.
    Steps& unroll(const std::string& loop, int iterations, const std::string& outer, const std::string& inner,
                  Tail tail);
    Steps& parallel(const std::string& loop);
    /// Tasks of so many iterations: loop `tasks` around `chunk`.
    Steps& parallel(const std::string& loop, const Formula& iterations, const std::string& tasks,
                    const std::string& chunk);
    /// The same of one loop that goes through all of these, innermost first.
    Steps& parallel(const std::vector<std::string>& loops, const Formula& iterations, const std::string& tasks,
                    const std::string& chunk);
    Steps& never_partition(const std::string& loop);
    /// Reduced `loops` become loops `kept` of the new Func `func` of partial results.
    Steps& rfactor(const std::vector<std::string>& loops, const std::string& func,
                   const std::vector<std::string>& kept);
    Steps& atomic();
    /// What `body` writes applies where `when` holds; what follows on this stage applies elsewhere. `name` says which way it is.
    Steps& specialize(const std::string& name, const Condition& when, const std::function<void(Steps&)>& body);
    Steps& specialize(const Condition& when, const std::function<void(Steps&)>& body) {
        return specialize("", when, body);
    }

private:
    Steps& add(Step step);
    /// One step for several loops, one after the other.
    Steps& add_or_join(Step step);
    Steps& add_at(StepKind kind, const std::string& func, const std::string& loop);
    Steps& add_tile(Step step, int vectors, const std::vector<int>& extents, const LoopOf& at);

    std::vector<Step>& list_;
    const std::string func_;
    const int stage_;
};

}  // namespace halogen
