#include "schedules/recipes/unit_strides.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace halogen::recipes {

using Kind = Condition::Term::Kind;

Condition apart_from_inputs(const Task& task) {
    Condition apart;
    if (!task.host.output) return apart;
    const Tensor& output = task.kernel.tensor(task.host.tensor);
    for (const Tensor* input : task.kernel.inputs()) {
        if (input->type != output.type || input->rank != output.rank) continue;
        bool read = false, elsewhere = false;
        for (const Read& r : task.host.reads) {
            if (r.tensor != input->name) continue;
            read = true;
            for (size_t d = 0; d < r.at.size(); d++) elsewhere = elsewhere || !r.at[d].is_index(task.host.dims[d]);
        }
        if (read && !elsewhere) apart.all.push_back({Kind::apart, input->name, 0, 1, {}, {}, task.host.func});
    }
    return apart;
}

std::optional<Condition::Term> lying_along(const Task& task, const Read& read, const std::string& loop,
                                           const std::string& written_out) {
    std::optional<int> dim;
    for (int d = 0; d < static_cast<int>(read.at.size()); d++) {
        const LinearPlace& place = read.at[static_cast<std::size_t>(d)];
        if (!place.moves_with(loop)) continue;
        const auto step = place.step_of(loop);
        if (dim || !step || !step->constant()) return std::nullopt;
        dim = d;
    }
    std::int64_t behind = 1;
    for (std::size_t d = static_cast<std::size_t>(*dim) + 1; d < read.at.size(); d++) {
        const auto& moving = read.at[d].coefficients;
        if (moving.size() > moving.count(written_out)) return Condition::Term{Kind::stride_is, read.tensor, *dim, 1};
        const auto extent = task.solution.extents.at(read.tensor)[d].constant();
        if (!extent || *extent < 1 || *extent > 64 / behind) return std::nullopt;
        behind *= *extent;
    }
    return Condition::Term{Kind::stride_is, read.tensor, *dim, static_cast<int>(behind)};
}

Condition unit_along(const Task& task, int dim) {
    const std::string& loop = task.host.dims[dim];
    Condition all;
    if (task.host.output) all.all.push_back({Kind::stride_is, task.host.func, dim, 1});
    for (const Read& read : task.host.reads) {
        if (!read.moves_with(loop) || !task.is_input(read.tensor)) continue;
        const auto term = lying_along(task, read, loop);
        if (term && std::find(all.all.begin(), all.all.end(), *term) == all.all.end()) all.all.push_back(*term);
    }
    return all;
}

bool gathers(const Task& task, const std::string& loop) {
    return std::any_of(task.host.reads.begin(), task.host.reads.end(), [&](const Read& read) {
        if (!read.moves_with(loop)) return false;
        const auto term = lying_along(task, read, loop);
        return !read.step_dim(loop, 1) || !term || term->other != 1;
    });
}

}  // namespace halogen::recipes
