#include "frontend/project/predict.h"

#include "frontend/base/checked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace halogen {

namespace {

double number(const Formula& f) { return static_cast<double>(f.constant().value()); }

/// Rounds of messages: two neighbours for each cut that leaves a halo or is gathered, a tree for partial results.
double messages(const ShardStep& step, double received) {
    if (received <= 0) return 0;
    double rounds = 0;
    for (const Cut& cut : step.cuts)
        rounds += cut.partial ? 2 * std::ceil(std::log2(static_cast<double>(cut.split.shards)))
                              : std::min<double>(2, static_cast<double>(cut.split.shards) - 1);
    return rounds;
}

constexpr std::int64_t most_looks = 8;

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

/// The indices that no equation forbids to split, in order of first appearance, with their least extent.
std::vector<std::pair<std::string, std::int64_t>> splittable(const Kernel& kernel, const Solution& s,
                                                             std::string& why) {
    std::vector<std::pair<std::string, std::int64_t>> found;
    std::set<std::string> seen;
    for (const Equation& equation : kernel.equations) {
        for (const std::string& index : indices_of(equation)) {
            if (!seen.insert(index).second) continue;
            std::int64_t extent = largest_extent;
            bool free = true;
            for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
                if (!s.indices[e].contains(index)) continue;
                const SplitRole role = role_of(kernel, s, e, index);
                if (role.kind == SplitRole::Kind::ordered) {
                    free = false;
                    why += (why.empty() ? "" : "; ") + role.reason;
                }
                extent = std::min(extent, s.indices[e].at(index).extent.constant().value());
            }
            if (free) found.emplace_back(index, extent);
        }
    }
    return found;
}

class Planner {
public:
    Planner(const Kernel& kernel, const Solution& s, const Cluster& cluster)
        : kernel_(kernel), solution_(s), cluster_(cluster), indices_(splittable(kernel, s, why_)) {}

    std::vector<Candidate> all(std::int64_t ranks) {
        if (indices_.empty())
            throw Failure(Error{ErrorKind::schedule,
                                "no index of this kernel can be split" + (why_.empty() ? "" : ": " + why_),
                                {},
                                "",
                                "run it as it is"});
        for (std::int64_t n = ranks; n > 1; --n) {
            extend({}, 0, n);
            if (!found_.empty()) break;
        }
        if (ranks == 1 || found_.empty()) add({}, 1);
        std::stable_sort(found_.begin(), found_.end(), [](const Candidate& a, const Candidate& b) {
            const double s = a.prediction.seconds(), t = b.prediction.seconds();
            return s != t ? s < t : a.prediction.received < b.prediction.received;
        });
        return std::move(found_);
    }

private:
    static constexpr std::size_t most_indices = 3;

    void extend(const std::vector<Split>& splits, std::size_t from, std::int64_t ranks) {
        if (!splits.empty()) add(splits, ranks);
        if (splits.size() == most_indices) return;
        for (std::size_t i = from; i < indices_.size(); ++i) {
            for (std::int64_t n = 2; n <= std::min(ranks, indices_[i].second); ++n) {
                if (ranks % n != 0) continue;
                std::vector<Split> more = splits;
                more.push_back({indices_[i].first, n});
                if (shards_somewhere(more) <= ranks) extend(more, i + 1, ranks);
            }
        }
    }

    /// The most shards that indices of one equation make.
    std::int64_t shards_somewhere(const std::vector<Split>& splits) const {
        std::int64_t most = 1;
        for (const auto& indices : solution_.indices) {
            std::int64_t all = 1;
            for (const Split& s : splits)
                if (indices.contains(s.index)) all *= s.shards;
            most = std::max(most, all);
        }
        return most;
    }

    void add(const std::vector<Split>& splits, std::int64_t ranks) {
        if (!splits.empty() && shards_somewhere(splits) != ranks) return;
        const auto steps = steps_of(kernel_, solution_, splits);
        if (!steps || !fitting(steps.value())) return;
        const Prediction p = predict(kernel_, solution_, steps.value(), cluster_);
        if (p.shards == ranks) found_.push_back({splits, p});
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Cluster& cluster_;
    std::string why_;
    std::vector<std::pair<std::string, std::int64_t>> indices_;
    std::vector<Candidate> found_;
};

}  // namespace

Prediction predict(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, const Cluster& c) {
    Prediction most;
    for (const ShardStep& step : steps) most.shards = std::max(most.shards, step.shards());
    double longest = -1;
    for (std::int64_t look = 0; look < std::min(most.shards, most_looks); ++look) {
        Prediction p;
        p.shards = most.shards;
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            const std::int64_t shard = most.shards <= most_looks ? look % steps[i].shards() : example(steps[i], look);
            const Volume v = volume_of(kernel, s, steps, i, shares_of(steps[i], shard));
            const double received = number(v.received);
            p.operations += number(v.operations);
            p.moved += number(v.moved);
            p.received += received;
            p.memory = std::max(p.memory, number(v.memory));
            p.compute += std::max(number(v.operations) / c.flops, number(v.moved) / c.memory);
            p.exchange += received / c.link + messages(steps[i], received) * c.latency;
        }
        const double memory = std::max(most.memory, p.memory);
        if (p.seconds() > longest) {
            longest = p.seconds();
            most = p;
        }
        most.memory = memory;
    }
    return most;
}

Result<std::vector<Candidate>> candidates(const Kernel& kernel, const Solution& numbers, const Cluster& cluster,
                                          std::int64_t ranks, std::optional<double> memory) {
    return guarded([&] {
        std::vector<Candidate> found = Planner(kernel, numbers, cluster).all(ranks);
        if (!memory) return found;
        const auto least = std::min_element(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
            return a.prediction.memory < b.prediction.memory;
        });
        const double bytes = least->prediction.memory;
        const std::string splits = print(least->splits);
        std::erase_if(found, [&](const Candidate& c) { return c.prediction.memory > *memory; });
        if (found.empty())
            throw Failure(
                Error{ErrorKind::overflow,
                      fmt::format("no way to make {} shards fits into {:.0f} bytes each", ranks, *memory),
                      {},
                      "",
                      fmt::format("give each {:.0f} bytes, which {} needs, or use more ranks", bytes, splits)});
        return found;
    });
}

std::string reason(const Candidate& best, const Candidate& other) {
    const Prediction &a = best.prediction, &b = other.prediction;
    const double computes = b.compute - a.compute, exchanges = b.exchange - a.exchange;
    const std::string name = "`" + print(other.splits) + "`";
    if (computes <= 0 && exchanges <= 0) return name + " takes as long";
    if (computes > exchanges) {
        if (b.operations > a.operations)
            return fmt::format("{} has a shard that computes {:.0f} operations more", name,
                               b.operations - a.operations);
        return fmt::format("{} has a shard that moves {:.0f} bytes more", name, b.moved - a.moved);
    }
    if (b.received > a.received) return fmt::format("{} receives {:.0f} bytes more", name, b.received - a.received);
    return name + " sends more messages";
}

std::string print(const std::vector<Split>& splits) {
    std::vector<std::string> items;
    for (const Split& s : splits) items.push_back(fmt::format("{}={}", s.index, s.shards));
    return items.empty() ? "no split" : fmt::format("{}", fmt::join(items, ","));
}

}  // namespace halogen
