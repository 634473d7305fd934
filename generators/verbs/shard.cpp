// halogen shard: into which shards a kernel may be split, what each touches and what it costs.

#include "frontend/project/parts_text.h"
#include "frontend/project/same_kernel.h"
#include "frontend/project/shard_report.h"
#include "frontend/solve/solve.h"
#include "generators/files/output.h"
#include "generators/verbs/cli.h"
#include "generators/verbs/plan_file.h"
#include "generators/verbs/scale_html.h"
#include "generators/verbs/shard_html.h"
#include "generators/verbs/shard_json.h"
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

/// `what` needs numbers.
void require_numbers(const Solution& s, const std::string& what) {
    if (is_number(s)) return;
    std::string first;
    for (const auto& [name, formula] : s.sizes)
        if (!formula.is_constant() && first.empty()) first = name;
    throw Failure(Error{ErrorKind::underdetermined,
                        fmt::format("{} for numbers, and `{}` is open", what, first),
                        {},
                        "",
                        fmt::format("give it, as in --set {}=1024", first)});
}

std::optional<double> memory_of(const Options& options) {
    return options.memory > 0 ? std::optional(options.memory) : std::nullopt;
}

/// The plans for --ranks; with --memory alone, for the fewest ranks, doubled each time, that it suffices for.
std::vector<PricedPlan> chosen(const Kernel& kernel, const Solution& s, const Options& options) {
    require_numbers(s, "a plan is chosen");
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

/// What runtime/shards.h reads. Errors: Failure(schedule): shards that are no calls of the kernel, or leave partial results.
std::string parts_text(const Kernel& kernel, const Solution& s, const std::vector<ShardStep>& steps) {
    require_numbers(s, "parts are told");
    const auto same = same_kernel_of(kernel, s, steps);
    std::string why;
    if (const auto* reason = std::get_if<std::string>(&same)) why = *reason;
    if (why.empty() && steps[0].is_partial()) why = "shards leave partial results";
    if (!why.empty())
        throw Failure(Error{ErrorKind::schedule,
                            fmt::format("its shards are no calls of `{}` on parts of tensors: {}", kernel.name, why),
                            {},
                            "",
                            "split another index, or run the plan with `halogen run --plan`"});
    return print_parts(kernel, history_key(kernel), s, steps[0], std::get<ShardKernel>(same));
}

/// Where the points do not suffice for all ranks, how many have work.
std::string too_many_ranks(const std::vector<PricedPlan>& found, std::int64_t ranks) {
    const std::int64_t shards = found.front().prediction.shards;
    return shards >= ranks ? ""
                           : fmt::format("the points do not make {} shards; at most {} rank{} work\n", ranks, shards,
                                         shards == 1 ? " has" : "s have");
}

void print_scaling(const Kernel& kernel, const Options& options) {
    const std::string grown = options.scale == "strong" ? "" : options.scale;
    const std::int64_t most = options.ranks > 0 ? options.ranks : most_ranks;
    const auto points = scaling(kernel, parse_settings(options.set), cluster_of(options), most, grown).value();
    if (options.html.empty() && !options.json) fmt::print("{}", report_scaling(points));
    if (options.json) {
        nlohmann::ordered_json document = {
            {"status", "ok"}, {"kernel", kernel.name}, {"points", nlohmann::json::array()}};
        for (const ScalePoint& p : points)
            document["points"].push_back({{"ranks", p.ranks},
                                          {"splits", print(p.best.phases)},
                                          {"efficiency", p.efficiency},
                                          {"prediction", prediction_json(p.best.prediction)}});
        fmt::print("{}\n", document.dump());
    }
    if (options.html.empty()) return;
    OutputFile page(options.html);
    page.write(scale_page(kernel, points, grown));
    page.commit();
}

}  // namespace

int verb_shard(const Options& options) {
    const Kernel kernel = load_kernel(options);
    if (!options.scale.empty()) {
        print_scaling(kernel, options);
        return 0;
    }
    const Solution s = solve(kernel, parse_settings(options.set)).value();
    const bool chooses = options.ranks > 0 || options.memory > 0;
    if (options.split.empty() && options.plan.empty() && !chooses) {
        print_analysis(kernel, s, options.json);
        return 0;
    }
    ShardPlan plan{kernel.name, history_key(kernel), {{0, {}}}};
    std::vector<PricedPlan> found;
    if (!options.plan.empty()) {
        plan = load_plan(options.plan, kernel);
    } else if (!options.split.empty()) {
        plan.phases = parse_splits(options.split).value();
    } else {
        found = chosen(kernel, s, options);
        plan.phases = found.front().phases;
    }
    const auto steps = fitting(steps_of(kernel, s, plan.phases).value()).value();
    if (options.parts) {
        fmt::print("{}", parts_text(kernel, s, steps));
        return 0;
    }
    if (!options.html.empty()) {
        require_numbers(s, "a page is drawn");
        OutputFile page(options.html);
        page.write(shard_page(kernel, s, plan, steps, cluster_of(options)));
        page.commit();
        return 0;
    }
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
        text = too_many_ranks(found, options.ranks) + report_candidates(found) + text;
    else if (is_number(s))
        text = report_prediction(predict(kernel, s, steps, cluster_of(options))) + "\n" + text;
    fmt::print("{}{}", print(plan), commented(text));
    return 0;
}

}  // namespace halogen
