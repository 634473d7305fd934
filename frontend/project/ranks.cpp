#include "frontend/project/ranks.h"

#include "frontend/base/checked.h"

#include <algorithm>

namespace halogen {

namespace {

/// The nearest step with so many shards, earlier ones first; some step has them.
const ShardStep& full_step(const std::vector<ShardStep>& steps, int number, std::int64_t ranks) {
    for (int i = number; i >= 0; --i)
        if (steps[i].shards() == ranks) return steps[i];
    return *std::find_if(steps.begin(), steps.end(), [&](const ShardStep& step) { return step.shards() == ranks; });
}

/// `place` of `from`, as one of `to` parts; and the first place that is part `part`.
std::int64_t scaled(std::int64_t place, std::int64_t from, std::int64_t to) {
    return static_cast<std::int64_t>(static_cast<Wide>(place) * to / from);
}
std::int64_t first_of_part(std::int64_t part, std::int64_t from, std::int64_t to) {
    return static_cast<std::int64_t>((static_cast<Wide>(part) * from + to - 1) / to);
}

/// The places of a number counted row-major, and back.
std::vector<std::int64_t> places_of(std::int64_t number, const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> places(extents.size());
    for (std::size_t i = extents.size(); i-- > 0; number /= extents[i]) places[i] = number % extents[i];
    return places;
}
std::int64_t number_of(const std::vector<std::int64_t>& places, const std::vector<std::int64_t>& extents) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) number = number * extents[i] + places[i];
    return number;
}

/// How a step with fewer shards lies on one with a shard for each rank.
class Deal {
public:
    Deal(const ShardStep& step, const ShardStep& full) : ranks_(full.shards()), shards_(step.shards()) {
        std::vector<bool> used(full.cuts.size());
        for (const Cut& cut : full.cuts) full_.push_back(cut.split.shards);
        for (const Cut& cut : step.cuts) {
            basis_.push_back(-1);
            own_.push_back(cut.split.shards);
            for (std::size_t i = 0; i < full.cuts.size(); ++i)
                if (full.cuts[i].split.index == cut.split.index && cut.split.shards <= full_[i])
                    basis_.back() = static_cast<int>(i);
            if (basis_.back() >= 0)
                used[basis_.back()] = true;
            else
                others_.push_back(cut.split.shards);
        }
        for (std::size_t i = 0; i < used.size(); ++i)
            if (!used[i]) unused_.push_back(static_cast<int>(i));
        for (const int i : unused_) rests_.push_back(full_[i]);
    }

    std::int64_t shard(std::int64_t rank) const {
        if (!has_room()) return scaled(rank, ranks_, shards_);
        const auto places = places_of(rank, full_);
        std::vector<std::int64_t> rest;
        for (const int i : unused_) rest.push_back(places[i]);
        const auto other = places_of(scaled(number_of(rest, rests_), product(rests_), product(others_)), others_);
        std::vector<std::int64_t> shard;
        std::size_t next = 0;
        for (std::size_t c = 0; c < own_.size(); ++c)
            shard.push_back(basis_[c] < 0 ? other[next++] : scaled(places[basis_[c]], full_[basis_[c]], own_[c]));
        return number_of(shard, own_);
    }

    std::int64_t first_rank(std::int64_t shard) const {
        if (!has_room()) return first_of_part(shard, ranks_, shards_);
        const auto places = places_of(shard, own_);
        std::vector<std::int64_t> rank(full_.size()), other;
        for (std::size_t c = 0; c < own_.size(); ++c) {
            if (basis_[c] < 0)
                other.push_back(places[c]);
            else
                rank[basis_[c]] = first_of_part(places[c], full_[basis_[c]], own_[c]);
        }
        const auto rest =
            places_of(first_of_part(number_of(other, others_), product(rests_), product(others_)), rests_);
        for (std::size_t i = 0; i < unused_.size(); ++i) rank[unused_[i]] = rest[i];
        return number_of(rank, full_);
    }

private:
    static std::int64_t product(const std::vector<std::int64_t>& extents) {
        std::int64_t all = 1;
        for (const std::int64_t e : extents) all *= e;
        return all;
    }

    /// Cuts that lie on none of the full step's share what its other cuts count; where that is less, all are dealt anew.
    bool has_room() const { return product(others_) <= product(rests_); }

    std::int64_t ranks_, shards_;
    std::vector<std::int64_t> full_, own_, others_,
        rests_;                        // shards of cuts: of the full step, of this one, of both without a partner
    std::vector<int> basis_, unused_;  // cuts of the full step
};

}  // namespace

std::int64_t ranks_of(const std::vector<ShardStep>& steps) {
    std::int64_t most = 1;
    for (const ShardStep& step : steps) most = std::max(most, step.shards());
    return most;
}

std::int64_t shard_of(const std::vector<ShardStep>& steps, int number, std::int64_t rank) {
    const std::int64_t ranks = ranks_of(steps);
    if (steps[number].shards() == ranks) return rank;
    return Deal(steps[number], full_step(steps, number, ranks)).shard(rank);
}

std::int64_t rank_of(const std::vector<ShardStep>& steps, int number, std::int64_t shard) {
    const std::int64_t ranks = ranks_of(steps);
    if (steps[number].shards() == ranks) return shard;
    return Deal(steps[number], full_step(steps, number, ranks)).first_rank(shard);
}

}  // namespace halogen
