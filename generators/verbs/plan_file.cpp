#include "generators/verbs/plan_file.h"

#include "generators/files/output.h"
#include "schedules/history/replay.h"

#include <fmt/format.h>

namespace halogen {

Failure in_file(Error error, const std::string& path) {
    error.what = fmt::format("{}:{}: {}", path, error.at.line, error.what);
    error.at = {};
    return Failure(std::move(error));
}

ShardPlan load_plan(const std::string& path, const Kernel& kernel) {
    auto plan = parse_plan(read_file(path));
    if (!plan) throw in_file(plan.error(), path);
    return plan_for(std::move(plan).value(), kernel, history_key(kernel)).value();
}

}  // namespace halogen
