#include "frontend/project/planner.h"

#include "frontend/base/checked.h"
#include "frontend/notation/operations.h"
#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace halogen {

namespace {

constexpr std::size_t most_indices = 3;
constexpr std::size_t most_ways = 8;         // of an equation, for plans of several phases
constexpr std::size_t most_beginnings = 24;  // at an equation
constexpr double least_gain = 1e-3;          // of a plan of several phases over those of one
constexpr int most_looks = 600;              // at steps of plans of several phases

/// An index that no equation of a section forbids to split, and its least extent.
struct Free {
    std::string index;
    std::int64_t extent = largest_extent;
};

/// In order of first appearance; `why` gets the reasons of others.
std::vector<Free> free_indices(const Kernel& kernel, const Solution& s, Section section, std::string& why) {
    std::vector<Free> found;
    std::set<std::string> seen;
    for (int first = section.first; first < section.end; ++first) {
        for (const std::string& index : indices_of(kernel.equations[first])) {
            if (!seen.insert(index).second) continue;
            Free free{index};
            bool ordered = false;
            for (int e = section.first; e < section.end; ++e) {
                if (!s.indices[e].contains(index)) continue;
                const SplitRole role = role_of(kernel, s, e, index);
                if (role.kind == SplitRole::Kind::ordered) why += (why.empty() ? "" : "; ") + role.reason;
                ordered = ordered || role.kind == SplitRole::Kind::ordered;
                free.extent = std::min(free.extent, s.indices[e].at(index).extent.constant().value());
            }
            if (!ordered) found.push_back(std::move(free));
        }
    }
    return found;
}

/// All ways to make `ranks` shards of up to three indices of a section.
class Ways {
public:
    Ways(const Kernel& kernel, const Solution& s, Section section, std::int64_t ranks)
        : solution_(s), section_(section), ranks_(ranks), free_(free_indices(kernel, s, section, why_)) {
        extend({}, 0);
    }

    std::vector<std::vector<Split>> all() && { return std::move(all_); }

private:
    void extend(const std::vector<Split>& splits, std::size_t from) {
        if (!splits.empty() && shards_somewhere(splits) == ranks_) all_.push_back(splits);
        if (splits.size() == most_indices) return;
        for (std::size_t i = from; i < free_.size(); ++i) {
            for (std::int64_t n = 2; n <= std::min(ranks_, free_[i].extent); ++n) {
                if (ranks_ % n != 0) continue;
                std::vector<Split> more = splits;
                more.push_back({free_[i].index, n});
                if (shards_somewhere(more) <= ranks_) extend(more, i + 1);
            }
        }
    }

    /// The most shards that indices of one equation make.
    std::int64_t shards_somewhere(const std::vector<Split>& splits) const {
        std::int64_t most = 1;
        for (int e = section_.first; e < section_.end; ++e) {
            std::int64_t all = 1;
            for (const Split& s : splits)
                if (solution_.indices[e].contains(s.index)) all *= s.shards;
            most = std::max(most, all);
        }
        return most;
    }

    const Solution& solution_;
    const Section section_;
    const std::int64_t ranks_;
    std::string why_;
    const std::vector<Free> free_;
    std::vector<std::vector<Split>> all_;
};

/// A plan up to an equation.
struct Beginning {
    Phases phases;
    std::vector<ShardStep> steps;
    Prediction cost;
    int end = 0;
};

bool is_quicker(const Prediction& a, const Prediction& b) {
    const double s = a.seconds(), t = b.seconds();
    return s != t ? s < t : a.received < b.received;
}

class Planner {
public:
    Planner(const Kernel& kernel, const Solution& s, const Cluster& cluster)
        : kernel_(kernel),
          solution_(s),
          cluster_(cluster),
          count_(static_cast<int>(kernel.equations.size())),
          needs_(all_needs(kernel, s)) {}

    std::vector<PricedPlan> all(std::int64_t ranks) {
        std::string why;
        bool free = false;
        for (int e = 0; e < count_; ++e) free = free || !free_indices(kernel_, solution_, {e, e + 1}, why).empty();
        if (!free)
            throw Failure(Error{ErrorKind::schedule,
                                "no index of this kernel can be split" + (why.empty() ? "" : ": " + why),
                                {},
                                "",
                                "run it as it is"});
        for (std::int64_t n = ranks; n > 1 && found_.empty(); --n) {
            for (const auto& splits : Ways(kernel_, solution_, {0, count_}, n).all()) add({{0, splits}}, n);
            if (count_ > 1) add_phases(n);
        }
        if (ranks == 1 || found_.empty()) add({{0, {}}}, 1);
        std::stable_sort(found_.begin(), found_.end(), [](const PricedPlan& a, const PricedPlan& b) {
            return is_quicker(a.prediction, b.prediction);
        });
        return std::move(found_);
    }

private:
    void add(const Phases& phases, std::int64_t ranks) {
        const auto steps = steps_of(kernel_, solution_, phases);
        if (!steps || !fitting(steps.value())) return;
        const Prediction p = predict(kernel_, solution_, steps.value(), cluster_);
        if (p.shards == ranks) found_.push_back({phases, p});
    }

    double quickest() const {
        double least = std::numeric_limits<double>::infinity();
        for (const PricedPlan& c : found_) least = std::min(least, c.prediction.seconds());
        return least;
    }

    /// Plans of several phases, equation by equation. A phase that leaves its equations whole is one way of each.
    void add_phases(std::int64_t ranks) {
        suiting_.clear();
        looks_ = 0;
        double best = quickest() * (1 - least_gain);
        if (least_seconds(0, ranks) >= best) return;
        for (int e = 0; e < count_; ++e) suiting_.push_back(suiting(e, ranks));
        std::vector<std::vector<Beginning>> at(count_ + 1);
        at[0].push_back({});
        for (int first = 0; first < count_; ++first) {
            for (const Beginning& b : best_of(std::move(at[first])))
                for (int end = first + 1; end <= count_; ++end)
                    for (const auto& splits : ways({first, end}))
                        if (auto more = gone_on_with(b, {first, end}, splits, ranks, best)) {
                            if (end == count_ && more->phases.size() > 1 && more->cost.shards == ranks) {
                                best = more->cost.seconds();
                                found_.push_back({more->phases, more->cost});
                            } else if (end < count_) {
                                at[end].push_back(std::move(*more));
                            }
                        }
        }
    }

    /// The ways that take the equation alone the least time.
    std::vector<std::vector<Split>> suiting(int e, std::int64_t ranks) const {
        std::vector<std::pair<double, std::vector<Split>>> ways;
        for (const auto& splits : Ways(kernel_, solution_, {e, e + 1}, ranks).all()) {
            const auto steps = steps_of(kernel_, solution_, Section{e, e + 1}, splits);
            if (!steps || !fitting(steps.value())) continue;
            ways.emplace_back(predict_step(kernel_, solution_, steps.value(), 0, cluster_, ranks, 1).seconds(), splits);
        }
        std::stable_sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<std::vector<Split>> best;
        for (const auto& [seconds, splits] : ways)
            if (best.size() < most_ways) best.push_back(splits);
        return best;
    }

    std::vector<std::vector<Split>> ways(Section section) const {
        std::vector<std::vector<Split>> all = {{}};
        for (int e = section.first; e < section.end; ++e)
            for (const auto& splits : suiting_[e])
                if (std::find(all.begin(), all.end(), splits) == all.end()) all.push_back(splits);
        return all;
    }

    /// The quickest, at most two of one last phase.
    static std::vector<Beginning> best_of(std::vector<Beginning> all) {
        std::stable_sort(all.begin(), all.end(),
                         [](const Beginning& a, const Beginning& b) { return is_quicker(a.cost, b.cost); });
        std::vector<Beginning> best;
        for (Beginning& b : all) {
            const auto alike = std::count_if(best.begin(), best.end(), [&](const Beginning& other) {
                return !b.phases.empty() && other.phases.back().splits == b.phases.back().splits;
            });
            if (alike < 2 && best.size() < most_beginnings) best.push_back(std::move(b));
        }
        return best;
    }

    /// Nothing where splits do not fit the section, or what is known of the rest says that the whole is no quicker than `best`.
    std::optional<Beginning> gone_on_with(const Beginning& b, Section section, const std::vector<Split>& splits,
                                          std::int64_t ranks, double best) {
        if (b.cost.seconds() + least_seconds(section.first, ranks) >= best || looks_ >= most_looks) return std::nullopt;
        const auto steps = steps_of(kernel_, solution_, section, splits);
        if (!steps || !fitting(steps.value())) return std::nullopt;
        Beginning more = b;
        more.end = section.end;
        more.phases.push_back({section.first, splits});
        more.steps.insert(more.steps.end(), steps.value().begin(), steps.value().end());
        if (ranks_of(more.steps) > ranks) return std::nullopt;
        for (int i = static_cast<int>(b.steps.size()); i < static_cast<int>(more.steps.size()); ++i) {
            ++looks_;
            more.cost = more.cost + predict_step(kernel_, solution_, more.steps, i, cluster_, ranks);
            if (more.cost.seconds() >= best) return std::nullopt;
        }
        if (more.cost.seconds() + least_seconds(section.end, ranks) >= best) return std::nullopt;
        return more;
    }

    /// What equations from `first` on take at least, dealt to all ranks: their operations, each tensor that they make written and, between
    /// equations, read, and each other that they read. Of a tensor that is what the outputs need of it.
    double least_seconds(int first, std::int64_t ranks) const {
        double operations = 0, bytes = 0;
        std::set<std::string> made, read;
        for (int e = count_; e-- > first;) {
            if (!needs_.blocks[e]) continue;
            double points = operations_per_point(kernel_.equations[e]);
            for (const auto& [index, values] : *needs_.blocks[e])
                points *= static_cast<double>(std::max<std::int64_t>(0, values.extent().constant().value()));
            operations += points;
            made.insert(kernel_.equations[e].left.tensor);
            each_read(kernel_.equations[e], [&](const Access& access) { read.insert(access.tensor); });
        }
        for (const auto& [tensor, window] : needs_.windows) {
            const Tensor& t = kernel_.tensor(tensor);
            const int times = !made.contains(tensor) ? read.contains(tensor) : t.role == Role::output ? 1 : 2;
            bytes += times * bytes_of(t.type) * static_cast<double>(elements_of(window, {}).constant().value());
        }
        const auto all = static_cast<double>(ranks);
        return std::max(operations / all / cluster_.flops, bytes / all / cluster_.memory);
    }

    static Needs all_needs(const Kernel& kernel, const Solution& s) {
        std::map<std::string, Window> outputs;
        for (const Tensor* t : kernel.outputs()) outputs.emplace(t->name, whole_window(s, t->name));
        return needs_of(kernel, s, Section{0, static_cast<int>(kernel.equations.size())}, outputs);
    }

    const Kernel& kernel_;
    const Solution& solution_;
    const Cluster& cluster_;
    const int count_;
    const Needs needs_;  // of all outputs
    std::vector<PricedPlan> found_;
    std::vector<std::vector<std::vector<Split>>> suiting_;  // by equation
    int looks_ = 0;
};

}  // namespace

Result<std::vector<PricedPlan>> candidates(const Kernel& kernel, const Solution& numbers, const Cluster& cluster,
                                           std::int64_t ranks, std::optional<double> memory) {
    return guarded([&] {
        std::vector<PricedPlan> found = Planner(kernel, numbers, cluster).all(ranks);
        if (!memory) return found;
        const auto least = std::min_element(found.begin(), found.end(), [](const PricedPlan& a, const PricedPlan& b) {
            return a.prediction.memory < b.prediction.memory;
        });
        const double bytes = least->prediction.memory;
        const std::string splits = print(least->phases);
        std::erase_if(found, [&](const PricedPlan& c) { return c.prediction.memory > *memory; });
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

std::string reason(const PricedPlan& best, const PricedPlan& other) {
    const Prediction &a = best.prediction, &b = other.prediction;
    const double computes = b.compute - a.compute, exchanges = b.exchange - a.exchange;
    const std::string name = "`" + print(other.phases) + "`";
    const double least = 1e-9 * a.seconds();  // less is rounding
    if (computes <= least && exchanges <= least) return name + " takes as long";
    if (computes > exchanges) {
        if (b.operations > a.operations)
            return fmt::format("{} has a shard that computes {:.0f} operations more", name,
                               b.operations - a.operations);
        if (b.moved > a.moved)
            return fmt::format("{} has a shard that moves {:.0f} bytes more", name, b.moved - a.moved);
        return fmt::format("{} computes {:.2g} s longer", name, computes);
    }
    if (b.received > a.received) return fmt::format("{} receives {:.0f} bytes more", name, b.received - a.received);
    return name + " sends more messages";
}

}  // namespace halogen
