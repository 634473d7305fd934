#include "frontend/project/scale.h"

#include "frontend/base/checked.h"
#include "frontend/solve/solve.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

Solution solved(const Kernel& kernel, Settings known, const std::string& grown, std::int64_t ranks) {
    if (!grown.empty()) {
        const auto size = known.find(grown);
        if (size == known.end() || !size->second)
            throw Failure(Error{ErrorKind::name,
                                fmt::format("`{}` cannot grow with the ranks: it is not given", grown),
                                {},
                                "",
                                fmt::format("give it, as in --set {}=1024", grown)});
        size->second = narrow(multiply(*size->second, ranks));
    }
    Solution s = solve(kernel, known).value();
    for (const auto& [name, value] : s.sizes)
        if (!value.is_constant())
            throw Failure(Error{ErrorKind::underdetermined,
                                fmt::format("scaling is told for numbers, and `{}` is open", name),
                                {},
                                "",
                                fmt::format("give it, as in --set {}=1024", name)});
    return s;
}

}  // namespace

Result<std::vector<ScalePoint>> scaling(const Kernel& kernel, const Settings& known, const Cluster& cluster,
                                        std::int64_t most, const std::string& grown) {
    return guarded([&] {
        std::vector<ScalePoint> points;
        for (std::int64_t ranks = 1; ranks <= most; ranks *= 2) {
            const Solution s = solved(kernel, known, grown, ranks);
            ScalePoint point{ranks, candidates(kernel, s, cluster, ranks).value().front(), 1};
            if (point.best.prediction.shards != ranks) break;
            if (!points.empty()) {
                const double one = points.front().best.prediction.seconds(), now = point.best.prediction.seconds();
                point.efficiency = grown.empty() ? one / (static_cast<double>(ranks) * now) : one / now;
            }
            points.push_back(point);
        }
        return points;
    });
}

std::string report_scaling(const std::vector<ScalePoint>& points) {
    std::size_t width = 5;
    for (const ScalePoint& p : points) width = std::max(width, print(p.best.phases).size());
    std::string text = fmt::format("{:>6}  {:<{}}  {:>9}  {:>10}  {:>8}  {:>12}  {:>12}\n", "ranks", "split", width,
                                   "seconds", "efficiency", "exchange", "received", "held");
    for (const ScalePoint& p : points) {
        const Prediction& cost = p.best.prediction;
        text += fmt::format("{:>6}  {:<{}}  {:>9.3g}  {:>10.2f}  {:>7.0f}%  {:>12.0f}  {:>12.0f}\n", p.ranks,
                            print(p.best.phases), width, cost.seconds(), p.efficiency,
                            100 * cost.exchange / cost.seconds(), cost.received, cost.memory);
    }
    return text;
}

}  // namespace halogen
