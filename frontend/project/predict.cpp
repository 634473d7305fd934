#include "frontend/project/predict.h"

#include <algorithm>
#include <cmath>

namespace halogen {

namespace {

double number(const Formula& f) { return static_cast<double>(f.constant().value()); }

/// Rounds of messages: two neighbours for each cut that leaves a halo or is gathered, a tree for partial results there and back, and one
/// for each shard of an earlier step, cut otherwise, that has a piece.
double messages(const ShardStep& step, const Volume& volume) {
    const double received = number(volume.received) - number(volume.gathered);
    if (received <= 0) return 0;
    auto rounds = static_cast<double>(volume.sources);
    for (const Cut& cut : step.cuts)
        rounds += cut.partial ? 2 * std::ceil(std::log2(static_cast<double>(cut.split.shards)))
                              : std::min<double>(2, static_cast<double>(cut.split.shards) - 1);
    return rounds;
}

/// One of the shards that stand for all: the first, the last, and else one in the middle of every cut, with neighbours at both sides where
/// there are such, and of those near the middle one that has most.
std::int64_t example(const ShardStep& step, std::int64_t look) {
    if (look == 0) return 0;
    if (look == 1) return step.shards() - 1;
    std::int64_t shard = 0;
    for (const Cut& cut : step.cuts) {
        const std::int64_t n = cut.split.shards, extent = cut.extent.constant().value();
        const auto count = [&](std::int64_t at) { return share_of(extent, n, at).count.constant().value(); };
        std::int64_t chosen = n / 2;
        for (std::int64_t at = std::max<std::int64_t>(1, n / 2 - look); at <= std::min(n - 2, n / 2 + look); ++at)
            if (count(at) > count(chosen)) chosen = at;
        shard = shard * n + chosen;
    }
    return shard;
}

}  // namespace

Prediction predict_step(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int i,
                        const Cluster& c, std::int64_t all, std::int64_t looks) {
    const std::int64_t ranks = ranks_of(steps);
    Prediction most;
    for (std::int64_t look = 0; look < std::min(ranks, looks); ++look) {
        const std::int64_t rank = ranks <= usual_looks ? look : rank_of(steps, i, example(steps[i], look));
        const Volume v = volume_of(kernel, s, steps, i, rank, all);
        Prediction p;
        p.shards = ranks;
        p.operations = number(v.operations);
        p.moved = number(v.moved);
        p.received = number(v.received);
        p.memory = number(v.memory);
        p.compute = std::max(p.operations / c.flops, p.moved / c.memory);
        p.exchange = p.received / c.link + messages(steps[i], v) * c.latency;
        const double memory = std::max(most.memory, p.memory);
        if (look == 0 || p.seconds() > most.seconds()) most = p;
        most.memory = memory;
    }
    return most;
}

Prediction operator+(const Prediction& a, const Prediction& b) {
    return {std::max(a.shards, b.shards), a.compute + b.compute, a.exchange + b.exchange,
            a.operations + b.operations,  a.moved + b.moved,     a.received + b.received,
            std::max(a.memory, b.memory)};
}

Prediction predict(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, const Cluster& c) {
    Prediction all;
    for (int i = 0; i < static_cast<int>(steps.size()); ++i) all = all + predict_step(kernel, s, steps, i, c);
    return all;
}

}  // namespace halogen
