#include "schedules/tune/search.h"

#include "schedules/history/replay.h"

#include <utility>

namespace halogen {

namespace {

constexpr int before_model = 6;    // so many are tried before the model is asked
constexpr std::size_t jumps = 32;  // candidates of a proposal that differ in more than one decision

std::uint64_t steps_hash(const History& history) {
    std::string text;
    for (const Step& step : history.steps) text += print(step) + "\n";
    return text_hash(text);
}

}  // namespace

Search::Search(Make make, std::uint64_t seed) : make_(std::move(make)), random_(seed) {}

Candidate Search::make(const KnobValues& knobs) const {
    Candidate candidate{{}, make_(knobs)};
    for (const Knob& knob : candidate.history.header.knobs) candidate.knobs[knob.name] = knob.value;
    return candidate;
}

const Search::Sketch& Search::sketch(const KnobValues& knobs) {
    const auto known = sketches_.find(knobs);
    if (known != sketches_.end()) return known->second;
    Candidate made = make(knobs);
    Sketch sketch{std::move(made.knobs), features_of(made.history), steps_hash(made.history)};
    return sketches_.emplace(knobs, std::move(sketch)).first->second;
}

/// All that differ from the best in one decision, and some that differ in two or three, none tried before, in random order.
std::vector<const Search::Sketch*> Search::neighbours() {
    std::vector<KnobValues> wanted;
    const std::vector<Knob>& knobs = best_->history.header.knobs;
    for (const Knob& knob : knobs)
        for (const std::int64_t value : knob.domain) {
            KnobValues values = best_->knobs;
            values[knob.name] = value;
            wanted.push_back(std::move(values));
        }
    for (std::size_t i = 0; !knobs.empty() && i < jumps; i++) {
        KnobValues values = best_->knobs;
        for (std::size_t changes = 2 + below(2); changes-- > 0;) {
            const Knob& knob = knobs[below(knobs.size())];
            values[knob.name] = knob.domain[below(knob.domain.size())];
        }
        wanted.push_back(std::move(values));
    }
    for (std::size_t i = wanted.size(); i > 1; i--) std::swap(wanted[i - 1], wanted[below(i)]);
    std::vector<const Sketch*> pool;
    std::set<std::uint64_t> known = tried_;
    for (const KnobValues& values : wanted) {
        const Sketch& found = sketch(values);
        if (known.insert(found.steps).second) pool.push_back(&found);
    }
    return pool;
}

std::optional<Candidate> Search::next() {
    last_.reset();
    if (!best_) {
        Candidate first = make({});
        if (tried_.empty()) return last_ = std::move(first);
        best_ = std::move(first);  // it does not count, but the others lie around it
        best_ns_ = 0;
    }
    const std::vector<const Sketch*> pool = neighbours();
    if (pool.empty()) return std::nullopt;
    std::size_t chosen = below(pool.size());
    if (tried() >= before_model && below(4) != 0) {
        double least = 0;
        for (std::size_t i = 0; i < pool.size(); i++) {
            const double expected = model_.predict(pool[i]->features);
            if (i && expected >= least) continue;
            least = expected;
            chosen = i;
        }
    }
    return last_ = make(pool[chosen]->knobs);
}

void Search::tell(const TrialOutcome& outcome) {
    tried_.insert(steps_hash(last_->history));
    if (!outcome.refused.empty()) return;
    model_.add(features_of(last_->history), outcome.ns);
    if (best_ && best_ns_ > 0 && outcome.ns >= best_ns_) return;
    best_ = std::move(last_);
    best_ns_ = outcome.ns;
}

}  // namespace halogen
