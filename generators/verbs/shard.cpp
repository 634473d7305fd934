// halogen shard: into which shards a kernel may be split, what each touches and what it costs.

#include "frontend/project/shard_report.h"
#include "frontend/solve/solve.h"
#include "generators/emit/shard_json.h"
#include "generators/files/output.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/plan_file.h"
#include "schedules/history/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

namespace {

constexpr std::int64_t most_ranks = 4096;  // that --memory looks for

Cluster cluster_of(const Options& options) {
    if (options.machine.empty()) return {};
    const auto cluster = parse_cluster(read_file(options.machine));
    if (cluster) return cluster.value();
    throw in_file(cluster.error(), options.machine);
}

/// The planner compares numbers.
void require_numbers(const Solution& s) {
    if (is_number(s)) return;
    std::string first;
    for (const auto& [name, formula] : s.sizes)
        if (!formula.is_constant() && first.empty()) first = name;
    throw Failure(Error{ErrorKind::underdetermined,
                        fmt::format("a plan is chosen for numbers, and `{}` is open", first),
                        {},
                        "",
                        fmt::format("give it, as in --set {}=1024, or split by hand with --split", first)});
}

std::optional<double> memory_of(const Options& options) {
    return options.memory > 0 ? std::optional(options.memory) : std::nullopt;
}

/// The plans for --ranks; with --memory alone, for the fewest ranks, doubled each time, that it suffices for.
std::vector<Candidate> chosen(const Kernel& kernel, const Solution& s, const Options& options) {
    require_numbers(s);
    const Cluster cluster = cluster_of(options);
    if (options.ranks > 0) return candidates(kernel, s, cluster, options.ranks, memory_of(options)).value();
    for (std::int64_t ranks = 1;; ranks *= 2) {
        auto found = candidates(kernel, s, cluster, ranks, memory_of(options));
        if (found || ranks == most_ranks || found.error().kind != ErrorKind::overflow) return std::move(found).value();
    }
}

void print_analysis(const Kernel& kernel, const Solution& s, bool json) {
    if (json) {
        const nlohmann::ordered_json document = {
            {"status", "ok"}, {"kernel", kernel.name}, {"indices", roles_json(kernel, s)}};
        fmt::print("{}\n", document.dump());
    } else {
        fmt::print("what a split does\n{}", report_roles(kernel, s));
    }
}

}  // namespace

int verb_shard(const Options& options) {
    const Kernel kernel = load_kernel(options);
    const Solution s = solve(kernel, parse_settings(options.set)).value();
    const bool chooses = options.ranks > 0 || options.memory > 0;
    if (options.split.empty() && options.plan.empty() && !chooses) {
        print_analysis(kernel, s, options.json);
        return 0;
    }
    ShardPlan plan{kernel.name, history_key(kernel), {}};
    std::vector<Candidate> found;
    if (!options.plan.empty()) {
        plan = load_plan(options.plan, kernel);
    } else if (!options.split.empty()) {
        plan.splits = parse_splits(options.split).value();
    } else {
        found = chosen(kernel, s, options);
        plan.splits = found.front().splits;
    }
    const auto steps = fitting(steps_of(kernel, s, plan.splits).value()).value();
    if (options.json) {
        nlohmann::ordered_json document = {
            {"status", "ok"}, {"plan", plan_json(plan)}, {"steps", steps_json(kernel, s, steps)}};
        if (is_number(s)) document["prediction"] = prediction_json(predict(kernel, s, steps, cluster_of(options)));
        if (!found.empty()) document["candidates"] = candidates_json(found);
        fmt::print("{}\n", document.dump());
        return 0;
    }
    std::string text = report_steps(kernel, s, steps);
    if (!found.empty())
        text = report_candidates(found) + text;
    else if (is_number(s))
        text = report_prediction(predict(kernel, s, steps, cluster_of(options))) + "\n" + text;
    fmt::print("{}{}", print(plan), commented(text));
    return 0;
}

}  // namespace halogen
