// Convolutions of images that lie in planes, channels first: vectors along the pixels of a row, read at every shift from a copy of
// the image with its edges, times filter values that all lanes share.

#include "schedules/recipes/tiles.h"

#include <algorithm>
#include <optional>

namespace halogen::recipes {

namespace {

/// What the loops of a host are to a convolution of planes.
struct Planes {
    int pixels, filters;             // dims along a row of the result, and of filters that share what the row reads
    std::optional<int> rows;         // the next dim along which a window slides
    std::vector<int> other_windows;  // further ones, innermost first
    std::vector<int> images;         // dims that the image and its result share, innermost first
};

const CoreStage& stage_of(const Task& task) { return task.host.cores.front().stages.front(); }

/// The reads that move with the vector loop.
std::vector<const Read*> pixel_reads(const Task& task, const Plan& plan) {
    std::vector<const Read*> found;
    for (const Read& read : stage_of(task).reads)
        if (read.moves_with(task.host.dims[plan.vector_dim])) found.push_back(&read);
    return found;
}

Planes planes_of(const Task& task, const Plan& plan) {
    Planes planes{plan.vector_dim, *plan.row_dim, {}, {}, {}};
    const auto slides = [&](int d) {
        for (const Read* read : pixel_reads(task, plan))
            for (const LinearPlace& place : read->at)
                if (place.coefficients.size() > 1 && place.moves_with(task.host.dims[d])) return true;
        return false;
    };
    for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;) {
        if (d == planes.pixels || d == planes.filters) continue;
        if (!slides(d))
            planes.images.push_back(d);
        else if (!planes.rows)
            planes.rows = d;
        else
            planes.other_windows.push_back(d);
    }
    return planes;
}

/// The reduced loop over planes, and the dim of the image it goes along: no window.
struct Channels {
    std::string loop;
    int dim;
};
std::optional<Channels> channels_of(const Task& task, const Read& image) {
    for (const std::string& loop : stage_of(task).reduced)
        for (std::size_t d = 0; d < image.at.size(); d++)
            if (image.at[d].is_plain() && image.at[d].coefficients.count(loop))
                return Channels{loop, static_cast<int>(d)};
    return std::nullopt;
}

const Formula& extent_of(const Task& task, const Channels& channels) {
    return task.solution.indices[stage_of(task).equation].at(channels.loop).extent;
}

/// The tile: so many filters, times vectors that lie in one row of pixels or below each other, where there are rows. (Three rows of
/// 14 pixels are three vectors either way, and no lane of a second one beside them would be used.)
struct Tile {
    int filters, rows, vectors, lanes;
    int width() const { return vectors * lanes; }
};
Tile tile_of(const Plan& plan, const Planes& planes) {
    return {plan.rows, planes.rows ? plan.vectors : 1, planes.rows ? 1 : plan.vectors, plan.lanes};
}

/// Tiles, along rows or else pixels, in blocks whose part of the image stays in L2 while all filters go over it: so many tiles.
Formula block_of(const Task& task, const Planes& planes, const std::optional<Channels>& channels, int height,
                 int filters) {
    const std::vector<Formula>& extents = task.extents();
    const Formula deep = channels ? extent_of(task, *channels) : Formula(1);
    const Formula bytes = deep * (planes.rows ? extents[planes.pixels] : Formula(1)) * (4 * height);
    const Formula tiles = ceil_div(extents[planes.rows.value_or(planes.pixels)], height);
    const Formula most = max(1, floor_div(task.machine.l2_bytes / 2, max(1, bytes)));
    const Formula few = ceil_div(4, max(1, ceil_div(extents[planes.filters], filters)));  // tasks for threads
    const Formula all = max(max(1, min(tiles, few)), ceil_div(tiles, most));
    return max(1, ceil_div(tiles, all));
}

/// The sums of a tile, in registers. Some planes are the innermost loop, for windows are few points and planes far apart: all
/// planes at each point of the window would leave L1.
void sums(const Task& task, const Planes& planes, const Tile& tile, const std::optional<Channels>& channels,
          const std::string& level) {
    const Core& core = task.host.cores.front();
    const CoreStage& stage = stage_of(task);
    std::vector<std::string> loops{core.dims[planes.pixels]};
    std::vector<int> extents;
    Steps start = task.stage(core.func), sum = task.stage(core.func, stage.stage);
    if (planes.rows) loops.push_back(core.dims[*planes.rows]), extents.push_back(tile.rows);
    loops.push_back(core.dims[planes.filters]), extents.push_back(tile.filters);
    for (const std::string& loop : loops) start.overcompute(loop);
    vectors_in_memory(task, planes.pixels, start, {});
    start.registers(loops, tile.lanes, tile.vectors, extents, {task.host.func, level});
    if (!channels) return;
    const std::string outer = channels->loop + "_o", inner = channels->loop + "_i";
    const Formula& extent = extent_of(task, *channels);
    const int most = task.choose("planes", 16, {8, 16, 32});
    const bool all = extent.constant().value_or(most + 1) <= most;
    if (!all) sum.split(channels->loop, outer, inner, max(1, min(extent, most)), Tail::guard);
    std::vector<std::string> order{all ? channels->loop : inner};
    for (auto loop = stage.reduced.rbegin(); loop != stage.reduced.rend(); ++loop)
        if (*loop != channels->loop) order.push_back(*loop);
    if (!all) order.push_back(outer);
    sum.reorder(order);
}

/// The images with their edges, which `computations` read, made where `level` says, by threads where there are many planes.
void copies(const Task& task, const Plan& plan, const std::string& level,
            const std::vector<std::string>& computations) {
    std::vector<std::string> done;
    for (const Read* read : pixel_reads(task, plan)) {
        if (std::find(done.begin(), done.end(), read->tensor) != done.end()) continue;
        done.push_back(read->tensor);
        const Tensor& tensor = task.kernel.tensor(read->tensor);
        const int dim = *read->step_dim(task.host.dims[plan.vector_dim], longest_step);
        const std::string copy = copy_with_edges(task, tensor, computations);
        copy_rows(task, tensor, copy, dim, level);
        const auto channels = channels_of(task, *read);
        if (!task.at_root || !channels) continue;
        // The outermost loop of an image: its rows where channels stand last.
        Formula points = 1;
        std::optional<std::size_t> shared;
        const std::vector<Formula>& extents = task.solution.extents.at(tensor.name);
        for (std::size_t d = 0; d < extents.size(); d++) {
            const bool is_channel = static_cast<int>(d) == channels->dim;
            if (read->at[d].is_plain() && !is_channel) continue;
            if (!shared && static_cast<int>(d) != dim)
                shared = d;
            else
                points = points * extents[d];
        }
        if (!shared) continue;
        Steps steps = task.stage(copy);
        share(steps, {copy + "_d" + std::to_string(*shared), extents[*shared], points});
    }
}

/// The extent in whole tiles.
Formula whole(const Formula& extent, int tile) { return ceil_div(extent, tile) * tile; }

/// Where vectors of pixels leave a tenth more lanes empty than tiles of a few pixels and vectors of filters: those then, as with channels
/// last, if the sums of a strip of filters stay near. (3x3 on Zen 4, ms, by pixels and by filters: 7x7x512 5.4 and 2.5, 14x14x256 2.38
/// and 2.16, 28x28x128 2.33 and 2.21, 56x56x64 2.36 and 2.35.)
std::optional<Narrow> along_filters(const Task& task, const Plan& plan, const Planes& planes) {
    if (!may_have_twin(task) || !planes.rows || task.lanes() < 8) return std::nullopt;
    const auto along = plan_along(task, planes.filters);
    if (!along || !along->contraction || !along->window || along->row_dim != planes.pixels) return std::nullopt;
    const std::vector<Formula>& extents = task.extents();
    const Formula &pixels = extents[planes.pixels], &filters = extents[planes.filters];
    // So many filters are half a vector: a step over them does no more than one over a whole vector of few pixels.
    if (filters.constant().value_or(task.lanes()) <= task.lanes() / 2) return std::nullopt;
    Narrow narrow{*along, {"_filters", true}, {}};
    narrow.plan.rows = std::min(along->rows, task.choose("few_rows", 7, {4, 5, 6, 7, 8}));
    Formula places = pixels * extents[*planes.rows];
    for (const int d : planes.other_windows) places = places * extents[d];
    const Tile tile = tile_of(plan, planes);
    const Formula by_pixels = whole(pixels, tile.width()) * whole(filters, tile.filters);
    const Formula by_filters = whole(pixels, narrow.plan.rows) * whole(filters, narrow.plan.width());
    const auto channels = channels_of(task, *pixel_reads(task, plan).front());
    const Formula deep = channels ? extent_of(task, *channels) : Formula(1);
    const auto has = [](const Formula& extent, const Formula& least) { return min(1, floor_div(extent, least)); };
    // Packed filters, sums in memory and fewer tasks for threads pay for large windows of many channels, or else for half of the lanes.
    const Formula pays = has(deep, 32) * has(reduced_points(task), 8 * deep) * has(filters, 2 * narrow.plan.width());
    narrow.when.all = {at_least(9 * by_pixels - 1, 10 * by_filters * (2 - pays)),
                       at_least(task.machine.l2_bytes / 4, places * (4 * narrow.plan.width()))};
    for (const Read* read : pixel_reads(task, plan))  // of one pixel or none, Halide would take the only place for sure
        for (std::size_t d = 0; d < read->at.size(); d++)
            if (read->at[d].moves_with(task.host.dims[planes.pixels]))
                narrow.when.all.push_back(at_least(task.solution.extents.at(read->tensor)[d], 2));
    return narrow;
}

}  // namespace

bool fits_planes(const Task& task, const Plan& plan) {
    if (!plan.slides || plan.window || task.fused_dims > 0 || !plan.row_dim) return false;
    const Core& core = task.host.cores.front();
    if (core.stages.size() != 1 || core.stages[0].reduced.empty()) return false;
    const std::vector<const Read*> reads = pixel_reads(task, plan);
    bool windows = false;
    for (const Read* read : reads) {
        const auto dim = read->step_dim(task.host.dims[plan.vector_dim], longest_step);
        if (!dim || !task.is_input(read->tensor)) return false;
        const auto same_dim = [&](const Read* other) {
            return other->tensor != read->tensor ||
                   other->step_dim(task.host.dims[plan.vector_dim], longest_step) == dim;
        };
        if (!std::all_of(reads.begin(), reads.end(), same_dim)) return false;
        windows = windows || read->at[*dim].coefficients.size() > 1;
    }
    return windows;
}

std::optional<Formula> planes_in(const Task& task, const Plan& plan) {
    const auto channels = channels_of(task, *pixel_reads(task, plan).front());
    return channels ? std::optional(extent_of(task, *channels)) : std::nullopt;
}

void planes(const Task& task, const Plan& plan) {
    const Host& host = task.host;
    const Planes planes = planes_of(task, plan);
    const Tile tile = tile_of(plan, planes);
    const auto channels = channels_of(task, *pixel_reads(task, plan).front());
    const std::vector<Formula>& extents = task.extents();
    const std::string &v = host.dims[planes.pixels], &filter = host.dims[planes.filters];
    std::vector<std::string> tiles, windows, images;
    for (const int d : planes.other_windows) windows.push_back(host.dims[d]);
    for (const int d : planes.images) images.push_back(host.dims[d]);
    std::string image = images.empty() ? "" : images.front();
    std::vector<std::string> computations{host.cores.front().func};
    Steps steps = task.stage(host.func);
    if (const auto along = along_filters(task, plan, planes)) {
        computations.push_back(blocked_variant(task, steps, *along, [&](Steps& inside) {
            if (task.at_root && !images.empty()) inside.parallel(images, 1, "images", "image");
        }));
        skip_padding(task, host.cores.front(), computations.back(), {planes.pixels, planes.filters});
    }
    std::vector<std::string> order{v + "_l"}, inside{filter + "_i"};
    if (tile.vectors > 1) {
        steps.split(v, v + "_t", v + "_i", tile.width(), Tail::guard);
        steps.vectorize(v + "_i", tile.lanes, v + "_u", v + "_l", task.vector_tail());
        order.push_back(v + "_u");
        inside.push_back(v + "_u");
    } else {
        steps.vectorize(v, tile.lanes, v + "_t", v + "_l", task.vector_tail());
    }
    steps.split(filter, filter + "_t", filter + "_i", tile.filters, Tail::guard);
    const int blocked = planes.rows.value_or(planes.pixels), height = planes.rows ? tile.rows : tile.width();
    const std::string& along = host.dims[blocked];
    const bool has_rows = planes.rows && tile.rows > 1;
    if (has_rows) {
        steps.split(along, along + "_t", along + "_i", tile.rows, Tail::guard);
        order.push_back(along + "_i");
        inside.push_back(along + "_i");
    }
    const Formula block = block_of(task, planes, channels, height, tile.filters);
    steps.split(planes.rows && !has_rows ? along : along + "_t", along + "_b", along + "_t", block, Tail::guard);
    order.insert(order.end(), {filter + "_i", v + "_t"});
    if (planes.rows) order.push_back(along + "_t");
    tiles = {filter + "_t", along + "_b"};
    for (const auto* loops : {&tiles, &windows, &images}) order.insert(order.end(), loops->begin(), loops->end());
    steps.reorder(order);
    for (const auto* loops : {&tiles, &windows, &images})
        for (const std::string& loop : *loops) steps.never_partition(loop);
    if (planes.rows) steps.never_partition(along + "_t");
    take_registers(task, steps, inside);
    const Formula points =
        reduced_points(task) * (planes.rows ? extents[planes.pixels] : Formula(1)) * block * (height * tile.filters);
    if (task.at_root) {
        // A task costs what some thousand vectors do.
        const Formula size = max(1, floor_div(1 << 18, max(points, 1)));
        steps.parallel(tiles, size, "tasks", "chunk");
        if (!images.empty()) {
            steps.parallel(images, size, "images", "image");
            image = "image";
        }
    }
    sums(task, planes, tile, channels, v + "_t");
    copies(task, plan, image, computations);
}

}  // namespace halogen::recipes
