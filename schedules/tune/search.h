#pragma once
// Which schedule to try next: around the best one known, as a cost model that learns from every measurement advises.

#include "schedules/history/history.h"
#include "schedules/machine/knob_values.h"
#include "schedules/tune/cost_model.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace halogen {

/// What became of a candidate.
struct TrialOutcome {
    double ns = 0;        // of one call
    std::string refused;  // why it does not count: it does not compile, its values are wrong; "" when it does
    friend bool operator==(const TrialOutcome&, const TrialOutcome&) = default;
};

/// A history and the decisions behind it.
struct Candidate {
    KnobValues knobs;
    History history;
};

/// A walk through the decisions of a history. What it proposes depends on the seed and the outcomes alone.
class Search {
public:
    /// The history for some decisions; the others are as they are by themselves.
    using Make = std::function<History(const KnobValues&)>;
    Search(Make make, std::uint64_t seed);

    /// The next candidate, the history as it is by itself first; nothing when none is left.
    std::optional<Candidate> next();
    /// What became of the candidate that `next` gave last.
    void tell(const TrialOutcome&);

    /// The fastest that counts, and how many were told.
    const std::optional<Candidate>& best() const { return best_; }
    double best_ns() const { return best_ns_; }
    int tried() const { return static_cast<int>(tried_.size()); }

private:
    /// What is kept of a candidate that was looked at: writing its history costs more than judging it.
    struct Sketch {
        KnobValues knobs;
        Features features;
        std::uint64_t steps = 0;  // a hash of its text
    };
    Candidate make(const KnobValues&) const;
    const Sketch& sketch(const KnobValues&);
    std::vector<const Sketch*> neighbours();
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

    const Make make_;
    std::mt19937_64 random_;
    std::map<KnobValues, Sketch> sketches_;
    std::set<std::uint64_t> tried_;
    CostModel model_;
    std::optional<Candidate> last_, best_;
    double best_ns_ = 0;
};

}  // namespace halogen
