#include "generators/verbs/shard_json.h"

#include "frontend/project/shard_report.h"

namespace halogen {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t most_shards = 64;

/// A number where it is one.
Json formula_json(const Formula& f) {
    const auto number = f.constant();
    return number ? Json(*number) : Json(print(f));
}

Json window_json(const Window& window) {
    Json dims = Json::array();
    for (const Hull& h : window) dims.push_back({formula_json(h.low), formula_json(h.high)});
    return dims;
}

Json windows_json(const std::map<std::string, Window>& windows) {
    Json all = Json::object();
    for (const auto& [tensor, window] : windows) all[tensor] = window_json(window);
    return all;
}

Json volume_json(const Volume& v) {
    return {{"operations", formula_json(v.operations)},
            {"moved", formula_json(v.moved)},
            {"memory", formula_json(v.memory)},
            {"received", formula_json(v.received)}};
}

Json shard_json(const Kernel& kernel, const Solution& s, const ShardStep& step, const Shares& shares,
                const Volume& volume) {
    const Needs needs = needs_of(kernel, s, step, shares);
    return {{"windows", windows_json(needs.windows)},
            {"reached", windows_json(needs.reached)},
            {"leaves", windows_json(own_windows(kernel, s, step, shares))},
            {"volume", volume_json(volume)}};
}

Json step_json(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps, int i) {
    const ShardStep& step = steps[i];
    Json entry = {{"equations", Json::array()}, {"cuts", Json::array()}, {"results", step.results}};
    for (int e = step.section.first; e < step.section.end; ++e) entry["equations"].push_back(e + 1);
    for (const Cut& cut : step.cuts)
        entry["cuts"].push_back({{"index", cut.split.index},
                                 {"shards", cut.split.shards},
                                 {"extent", formula_json(cut.extent)},
                                 {"partial", cut.partial}});
    if (step.is_partial()) entry["combine"] = combining(step.combine);
    entry.update(shard_json(kernel, s, step, any_shares(step), volume_of(kernel, s, steps, i)));
    entry["halos"] = Json::array();
    for (const Halo& h : halos_of(kernel, s, step))
        entry["halos"].push_back(
            {{"tensor", h.tensor}, {"dim", h.dim}, {"index", h.index}, {"places", formula_json(h.places)}});
    if (!is_number(s)) return entry;
    for (std::int64_t n = 0; n < std::min(step.shards(), most_shards); ++n)
        entry["shards"].push_back(
            shard_json(kernel, s, step, shares_of(step, n), volume_of(kernel, s, steps, i, rank_of(steps, i, n))));
    return entry;
}

Json splits_json(const std::vector<Split>& splits) {
    Json all = Json::array();
    for (const Split& s : splits) all.push_back({{"index", s.index}, {"shards", s.shards}});
    return all;
}

/// `splits` where all equations have the same; else `phases`.
void put_phases(Json& entry, const Phases& phases) {
    if (phases.size() == 1) {
        entry["splits"] = splits_json(phases.front().splits);
        return;
    }
    entry["phases"] = Json::array();
    for (const Phase& phase : phases)
        entry["phases"].push_back({{"from", phase.first + 1}, {"splits", splits_json(phase.splits)}});
}

}  // namespace

Json plan_json(const ShardPlan& plan) {
    Json entry = {{"kernel", plan.kernel}, {"key", plan.key}};
    put_phases(entry, plan.phases);
    entry["text"] = print(plan);
    return entry;
}

Json roles_json(const Kernel& kernel, const Solution& s) {
    Json all = Json::array();
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); ++e) {
        for (const std::string& index : indices_of(kernel.equations[e])) {
            const SplitRole role = role_of(kernel, s, e, index);
            Json entry = {{"index", index}, {"equation", e + 1}};
            using Kind = SplitRole::Kind;
            entry["role"] = role.kind == Kind::independent ? "independent"
                            : role.kind == Kind::partial   ? "partial"
                                                           : "ordered";
            if (role.kind == Kind::independent) entry["dim"] = role.dim;
            if (role.kind == Kind::partial) entry["combine"] = combining(role.combine);
            if (role.kind == Kind::ordered) entry["reason"] = role.reason;
            all.push_back(entry);
        }
    }
    return all;
}

Json steps_json(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps) {
    Json all = Json::array();
    for (int i = 0; i < static_cast<int>(steps.size()); ++i) all.push_back(step_json(kernel, s, steps, i));
    return all;
}

Json prediction_json(const Prediction& p) {
    return {{"shards", p.shards},         {"seconds", p.seconds()}, {"compute", p.compute},   {"exchange", p.exchange},
            {"operations", p.operations}, {"moved", p.moved},       {"received", p.received}, {"memory", p.memory}};
}

Json candidates_json(const std::vector<PricedPlan>& candidates) {
    Json all = Json::array();
    for (const PricedPlan& c : candidates) {
        Json entry = Json::object();
        put_phases(entry, c.phases);
        entry["prediction"] = prediction_json(c.prediction);
        if (&c != &candidates.front()) entry["reason"] = reason(candidates.front(), c);
        all.push_back(entry);
    }
    return all;
}

}  // namespace halogen
