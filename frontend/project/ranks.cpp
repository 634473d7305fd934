#include "frontend/project/ranks.h"

#include "frontend/base/checked.h"

#include <algorithm>
#include <map>

namespace halogen {

namespace {

/// The nearest step with so many shards, earlier ones first; some step has them.
const ShardStep& full_step(const std::vector<ShardStep>& steps, int number, std::int64_t ranks) {
    for (int i = number; i >= 0; --i)
        if (steps[i].shards() == ranks) return steps[i];
    return *std::find_if(steps.begin(), steps.end(), [&](const ShardStep& step) { return step.shards() == ranks; });
}

/// The cut of `step` that a cut of fewer or as many shards lies on; null without one.
const Cut* basis_of(const ShardStep& step, const Cut& cut) {
    for (const Cut& other : step.cuts)
        if (other.split.index == cut.split.index && cut.split.shards <= other.split.shards) return &other;
    return nullptr;
}

/// `place` of `from`, as one of `to` parts.
std::int64_t scaled(std::int64_t place, std::int64_t from, std::int64_t to) {
    return static_cast<std::int64_t>(static_cast<Wide>(place) * to / from);
}

}  // namespace

std::int64_t ranks_of(const std::vector<ShardStep>& steps) {
    std::int64_t most = 1;
    for (const ShardStep& step : steps) most = std::max(most, step.shards());
    return most;
}

std::int64_t shard_of(const std::vector<ShardStep>& steps, int number, std::int64_t rank) {
    const std::int64_t ranks = ranks_of(steps), shards = steps[number].shards();
    if (shards == ranks) return rank;
    const ShardStep& full = full_step(steps, number, ranks);
    std::map<const Cut*, std::int64_t> places;  // of the rank, by cut of the full step
    for (auto cut = full.cuts.rbegin(); cut != full.cuts.rend(); ++cut) {
        places[&*cut] = rank % cut->split.shards;
        rank /= cut->split.shards;
    }
    // Cuts that lie on none of the full step's share what its other cuts count.
    std::int64_t rest = 0, rests = 1, others = 1;
    for (const Cut& cut : full.cuts) {
        const bool used = std::any_of(steps[number].cuts.begin(), steps[number].cuts.end(),
                                      [&](const Cut& c) { return basis_of(full, c) == &cut; });
        if (used) continue;
        rest = rest * cut.split.shards + places.at(&cut);
        rests *= cut.split.shards;
    }
    for (const Cut& cut : steps[number].cuts) others *= basis_of(full, cut) ? 1 : cut.split.shards;
    if (others > rests) {  // no room: all cuts are dealt anew
        std::int64_t all = 0;
        for (const Cut& cut : full.cuts) all = all * cut.split.shards + places.at(&cut);
        return scaled(all, ranks, shards);
    }
    std::int64_t other = scaled(rest, rests, others), shard = 0, left = others;
    for (const Cut& cut : steps[number].cuts) {
        const std::int64_t n = cut.split.shards;
        std::int64_t place = 0;
        if (const Cut* basis = basis_of(full, cut)) {
            place = scaled(places.at(basis), basis->split.shards, n);
        } else {
            left /= n;
            place = other / left;
            other %= left;
        }
        shard = shard * n + place;
    }
    return shard;
}

std::int64_t rank_of(const std::vector<ShardStep>& steps, int number, std::int64_t shard) {
    if (steps[number].shards() == ranks_of(steps)) return shard;
    std::int64_t rank = 0;
    while (shard_of(steps, number, rank) != shard) ++rank;
    return rank;
}

}  // namespace halogen
