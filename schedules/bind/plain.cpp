#include "schedules/bind/plain.h"

#include "frontend/plan/value_funcs.h"
#include "schedules/history/steps.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace halogen {

History plain_schedule(const Kernel& kernel, const Solution& solution) {
    History history;
    for (const ValueFunc& f : value_funcs(kernel, solution)) {
        Steps(history.steps, f.name).compute_root();
        const Tensor* tensor = kernel.find_tensor(f.stored);
        if (f.stored != f.name && !(tensor && tensor->role == Role::output))
            Steps(history.steps, f.stored).compute_root();
    }
    return history;
}

std::string plain_note(const Kernel& kernel, const std::string& legs) {
    if (legs.empty()) return "";
    const std::string name = kernel.name.empty() ? "the kernel" : fmt::format("kernel `{}`", kernel.name);
    return fmt::format("{} has the plain schedule on {}: right, but slower, for no faster one fits it yet", name, legs);
}

void tell_refusal(const std::string& why, const History& refused) {
    const char* wanted = std::getenv("HALOGEN_DEBUG");
    if (wanted && std::string_view(wanted) == "schedule")
        fmt::print(stderr, "halogen: the recipe's schedule does not fit: {}\n{}", why, print(refused));
}

}  // namespace halogen
