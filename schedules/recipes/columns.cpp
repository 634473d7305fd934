// Recurrences along the first dims, such as steps in time: strips of columns run through all of them in the cache.

#include "frontend/notation/parts.h"
#include "schedules/recipes/recipes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

namespace halogen::recipes {

namespace {

/// Strips of the last dim know nothing of each other: it is a loop of its own in each stage, and whatever the tensor reads of itself stands at it.
bool has_columns_apart(const Task& task) {
    for (const Core& core : task.host.cores)
        for (const CoreStage& stage : core.stages) {
            const std::string& loop = stage.loops.back();
            bool apart = !loop.empty();
            each_self_read(task.kernel.equations[static_cast<std::size_t>(stage.equation)], [&](const Access& read) {
                const auto* index = read.at.back().as<IndexRef>();
                apart = apart && index && index->name == loop;
            });
            if (!apart) return false;
        }
    return true;
}

bool is_free(const Host& host, std::size_t dim) {
    return std::ranges::all_of(host.cores, [&](const Core& core) {
        return std::ranges::all_of(core.stages, [&](const CoreStage& stage) { return !stage.loops[dim].empty(); });
    });
}

bool reads(const Host& reader, const Host& host) {
    return std::ranges::any_of(reader.reads, [&](const Read& read) { return read.tensor == host.tensor; });
}

/// For each dim of the last host the dim of another one in which all that is made of it, up to the last host, stands at that dim's loop.
using DimsOf = std::map<const Host*, std::vector<std::size_t>>;

/// The dim of `host` for dim `q` of the last one.
std::optional<std::size_t> dim_of(const Host& host, const DimsOf& dims, std::size_t q) {
    const auto stands = [&](std::size_t d, const Host& reader) {
        return std::ranges::all_of(reader.reads, [&](const Read& read) {
            return read.tensor != host.tensor || read.at[d].is_index(reader.dims[dims.at(&reader)[q]]);
        });
    };
    for (std::size_t d = 0; d < host.dims.size(); d++)
        if (is_free(host, d) && std::ranges::all_of(dims, [&](const auto& known) { return stands(d, *known.first); }))
            return d;
    return std::nullopt;
}

/// The dims of `host`; nothing where its strips are not those of the last one.
std::optional<std::vector<std::size_t>> dims_of(const Task& task, const Structure& structure, const DimsOf& dims) {
    const Host &host = task.host, &last = structure.hosts.back();
    if (host.output || host.dims.empty() || !has_columns_apart(task)) return std::nullopt;
    for (const Host& reader : structure.hosts)
        if (reads(reader, host) && !dims.count(&reader)) return std::nullopt;
    std::vector<std::size_t> all;
    for (std::size_t q = 0; q < last.dims.size(); q++) {
        const auto d = dim_of(host, dims, q);
        const bool is_last = q + 1 == last.dims.size();
        if (!d || (*d + 1 == host.dims.size()) != is_last ||
            task.extents()[*d] != task.solution.extents.at(last.tensor)[q])
            return std::nullopt;
        all.push_back(*d);
    }
    return all;
}

/// Its sums, if any, take what they read along its last dim element by element.
bool is_map_of_columns(const Task& task) {
    const Host& host = task.host;
    return !host.runs_in_order() && !host.dims.empty() && !is_short(task.extents().back()) &&
           std::ranges::all_of(host.reads, [&](const Read& read) {
               return !read.moves_with(host.dims.back()) || read.unit_dim(host.dims.back());
           });
}

/// Elements of the host, and what is reduced for each, but for dim `left_out`.
Formula points_without(const Task& task, std::size_t left_out) {
    return reduced_points(task) * task.product_without({static_cast<int>(left_out)});
}

/// The host's last loop in strips of so many elements, each in vectors. Its loops around them, but the first `free`, go into the strips.
void split_columns(const Task& task, Steps& steps, int width, std::size_t free) {
    const std::vector<std::string>& dims = task.host.dims;
    const std::string &loop = dims.back(), strip = loop + "_s", inside = loop + "_i";
    steps.split(loop, strip, inside, width, Tail::guard);
    std::vector<std::string> order{inside};
    for (std::size_t d = dims.size() - 1; d-- > free;) order.push_back(dims[d]);
    order.push_back(strip);
    if (order.size() > 2) steps.reorder(order);
    steps.never_partition(strip);
    steps.vectorize(inside, task.lanes(), loop + "_o", loop + "_v", task.vector_tail());
}

}  // namespace

bool fits_columns(const Task& task, int free) {
    return free + 1 < static_cast<int>(task.host.dims.size()) && free >= task.fused_dims && may_have_twin(task) &&
           has_columns_apart(task);
}

// (Cumulative sums along the columns of 1024x1024 f32, Emerald Rapids, one thread 740 -> 590 us.)
void serial_columns(const Task& task, int free) {
    const Host& host = task.host;
    const std::size_t last = host.dims.size() - 1;
    const std::string strip = host.dims.back() + "_s";
    const int width = task.choose("strip", 8, {4, 8, 16, 32, 64}) * task.lanes();
    Steps steps = task.stage(host.func);
    split_columns(task, steps, width, static_cast<std::size_t>(free));
    task.stage(host.cores[0].func).compute_at(host.func, strip);
    vectorize_last(task, host.cores[0]);
    if (!task.at_root) return;
    if (free == 0)
        share(steps, {strip, ceil_div(task.extents().back(), width), points_without(task, last) * width});
    else
        share_first_dim(task, steps);
}

std::vector<const Host*> beside_columns(const Structure& structure, const std::function<Task(const Host&)>& task_of) {
    const Host& last = structure.hosts.back();
    std::vector<const Host*> beside;
    if (structure.fused_dims > 0 || !is_map_of_columns(task_of(last))) return beside;
    DimsOf dims{{&last, {}}};
    for (std::size_t d = 0; d < last.dims.size(); d++) dims[&last].push_back(d);
    for (const Host& host : structure.hosts | std::views::reverse) {
        if (&host == &last) continue;
        if (auto own = dims_of(task_of(host), structure, dims)) {
            dims[&host] = std::move(*own);
            beside.push_back(&host);
        }
    }
    if (std::ranges::none_of(beside, [](const Host* host) { return host->runs_in_order(); })) beside.clear();
    return beside;
}

void columns(const Task& task, const std::vector<Task>& beside) {
    constexpr int vectors = 4;  // enough to hide how long the arithmetic of a step takes
    const Host& host = task.host;
    const std::string strip = host.dims.back() + "_s";
    const int width = task.choose("strip", vectors, {1, 2, 4, 8, 16}) * task.lanes();
    Steps steps = task.stage(host.func);
    split_columns(task, steps, width, host.dims.size() - 1);
    const bool is_row = host.dims.size() == 1;
    Formula points = is_row ? points_without(task, 0) * width : points_without(task, 0);
    for (const Task& each : beside)
        points = points + (is_row ? points_without(each, each.host.dims.size() - 1) * width : points_without(each, 0));
    if (is_row)
        share(steps, {strip, ceil_div(task.extents().back(), width), points});
    else
        share(steps, {host.dims[0], task.extents()[0], points});
    for (const Core& core : host.cores) {
        task.stage(core.func).compute_at(host.func, strip);
        vectorize_last(task, core);
    }
    for (const Task& each : beside) {
        each.stage(each.host.func).compute_at(host.func, strip);
        if (may_hold_values(each)) {
            vectorize_last(each, core_in_place(each));
            continue;
        }
        const std::string& column = each.host.dims.back();
        each.stage(each.host.func).vectorize(column, each.lanes(), column + "_o", column + "_v", each.vector_tail());
        for (const Core& core : each.host.cores) {
            each.stage(core.func).compute_at(host.func, strip);
            vectorize_last(each, core);
        }
    }
}

}  // namespace halogen::recipes
