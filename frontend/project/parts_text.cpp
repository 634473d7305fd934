#include "frontend/project/parts_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halogen {

std::string print_parts(const Kernel& kernel, const std::string& key, const Solution& numbers, const ShardStep& step,
                        const ShardKernel& same) {
    std::string text = fmt::format("halogen parts 1\nkernel {}\nkey {}\n", kernel.name, key);
    const auto is_given = [](const Tensor& t) { return t.role != Role::intermediate; };
    for (const Tensor& t : kernel.tensors) {
        if (!is_given(t)) continue;
        text += "tensor " + t.name;
        for (const Formula& e : numbers.extents.at(t.name)) text += " " + print(e);
        text += "\n";
    }
    for (std::int64_t n = 0; n < step.shards(); ++n) {
        const ShardCall call = shard_call_of(numbers, same, shares_of(step, n));
        text += fmt::format("shard {}\n", n);
        for (const Tensor& t : kernel.tensors) {
            if (!is_given(t)) continue;
            const Part& part = call.parts.at(t.name);
            text += "part " + t.name;
            for (std::size_t d = 0; d < part.low.size(); ++d)
                text += fmt::format(" {} {}", part.low[d], part.extents[d]);
            text += "\n";
        }
    }
    return text;
}

}  // namespace halogen
