// Reductions without a second operand to keep: pooling, stencils, filters of one channel each, sums over outer loops. A tile is a
// row of vectors of the result. Which width fits is known only when the kernel is called, so there is a computation for each.

#include "frontend/plan/skippable.h"
#include "schedules/recipes/tiles.h"

#include <algorithm>

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// One size of a tile.
struct Rung {
    int vectors, lanes, pixels = 1;
    int width() const { return vectors * lanes; }
    Names names() const { return {"_" + std::to_string(width()) + (pixels > 1 ? "x" + std::to_string(pixels) : "")}; }
};

/// Some window of the kernel slides along the last of two dims: those are the pixels of rows, which are many, and no colours.
bool is_one_image(const Task& task) {
    bool slides = false;
    for (int e = 0; e < static_cast<int>(task.kernel.equations.size()); e++)
        for (const Read& read : reads_of(task.kernel, task.solution, e))
            slides = slides || (read.at.size() == 2 && read.at.back().coefficients.size() > 1);
    return slides && task.host.dims.size() == 2;
}

/// From the widest tile down to four elements, three (colours), then single ones. A tile is never wider than the result: the last
/// one is shifted back inside, and nothing is read past an end. (max_pool2d of 8 channels on Emerald Rapids, clamped tiles of one
/// full vector: 32 times slower. Of 3 channels, tiles of three beside single elements, ns an element: max_pool2d 1.6 and 3.3,
/// depthwise_conv2d 3x3 3.6 and 9.5.)
std::vector<Rung> ladder(const Task& task, bool pixels) {
    std::vector<Rung> rungs{
        {4, task.lanes()}};  // four sums at a time hide the latency of one and share the loop over the taps
    if (pixels) rungs = {{4, task.lanes(), 4}, {2, task.lanes(), 4}};
    const bool image = is_one_image(task);
    // A chain has all of its stages again in each rung, and none of half a vector.
    const int least = std::max(image ? 8 : 4, task.strips ? std::min(task.lanes(), 16) : 0);
    for (int lanes = task.lanes(); lanes >= least; lanes /= lanes > 16 ? 4 : 2) rungs.push_back({1, lanes});
    if (!image) rungs.push_back({1, 3});
    rungs.push_back({1, 1});
    return rungs;
}

Condition wide_enough(const Task& task, const Plan& plan, const Rung& rung) {
    const std::vector<Formula>& extents = task.extents();
    Condition wide{{at_least(extents[plan.vector_dim], Formula(rung.width()))}};
    if (rung.pixels > 1) wide.all.push_back(at_least(extents[extents.size() - 2], Formula(rung.pixels)));
    return wide;
}

/// Windows beside the vectors slide along the dim before them, over one another, and are as many taps wide as a number says: a tile of
/// several pixels holds each tap's weights for all of them, and meets the padding at the ends of a row alone. (Depthwise 3x3 on Zen 4,
/// us, by single pixels and by four: 112x112x32 238 and 107, 14x14x512 46 and 32, by two 112x112x64 132 and 80.)
bool has_pixels(const Task& task, const Plan& plan) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (plan.vector_dim != last || last < 1 || task.strips || task.fused_dims) return false;
    const std::string& pixel = task.host.dims[last - 1];
    bool slides = false;
    for (const CoreStage& stage : task.host.cores.front().stages)
        for (const Read& read : stage.reads)
            for (const LinearPlace& place : read.at) {
                if (!place.affine) return false;
                if (!place.moves_with(pixel) || place.coefficients.size() < 2) continue;
                if (&place == &read.at.back()) return false;
                const auto step = place.coefficients.at(pixel).constant();
                for (const std::string& loop : stage.reduced) {
                    if (!place.moves_with(loop)) continue;
                    const Formula& taps = task.solution.indices[stage.equation].at(loop).extent;
                    if (!is_short(taps) || !step || *step >= *taps.constant()) return false;
                    slides = true;
                }
            }
    return slides;
}

/// Loops of the host around its tiles, innermost first.
std::vector<std::string> around(const Task& task, const Plan& plan) {
    std::vector<std::string> loops;
    for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;)
        if (d != plan.vector_dim) loops.push_back(task.host.dims[d]);
    return loops;
}

/// Through the reads of the core; false where `visit` says so.
template<typename Visit>
bool each_read_of_core(const Task& task, Visit&& visit) {
    for (const CoreStage& stage : task.host.cores.front().stages)
        for (const Read& read : stage.reads)
            if (!visit(stage, read)) return false;
    return true;
}

/// Padded inputs of the core whose vector loop meets the edges: their rows are copied, edges and all, once per strip.
std::vector<const Tensor*> padded_rows(const Task& task, const Plan& plan) {
    std::vector<const Tensor*> found;
    for (const Tensor* tensor : task.kernel.inputs()) {
        const bool inside = each_read_of_core(task, [&](const CoreStage&, const Read& read) {
            return read.tensor != tensor->name || tensor->rank == 0 || !is_padded(*tensor, tensor->rank - 1) ||
                   !read.at.back().moves_with(task.host.dims[plan.vector_dim]);
        });
        if (!inside) found.push_back(tensor);
    }
    return found;
}

/// What all forms of the host share.
struct Nest {
    const Task& task;
    const Plan& plan;
    int strip_rows;  // rows of the result in strips, at whose head padded rows and producers are computed; 0: no strips

    const std::string& vector() const { return task.host.dims[plan.vector_dim]; }

    void loops(Steps& steps, const Rung& rung) const {
        const Names name = rung.names();
        const std::string& v = vector();
        const std::vector<Formula>& extents = task.extents();
        const Formula behind = reduced_points(task);
        const std::string tiles = name(v, "t");
        Shared threads{tiles, ceil_div(extents[plan.vector_dim], rung.width()), behind * rung.width()};
        std::vector<std::string> outer = around(task, plan), order{tiles};
        if (rung.vectors > 1) {
            steps.vectorize(v, rung.lanes, rung.vectors, tiles, name(v, "u"), name(v, "l"), Tail::shift_inwards);
            order = {name(v, "l"), name(v, "u"), tiles};
        } else if (rung.lanes > 1) {
            steps.vectorize(v, rung.lanes, tiles, name(v, "l"), Tail::shift_inwards);
            order = {name(v, "l"), tiles};
        } else {
            steps.rename(v, tiles);
        }
        if (rung.pixels > 1) {
            const std::string pixels = outer[0];
            outer[0] = name(pixels, "t");
            steps.split(pixels, outer[0], name(pixels, "i"), rung.pixels, Tail::shift_inwards)
                .unroll(name(pixels, "i"));
            order.insert(order.end() - 1, name(pixels, "i"));
        }
        if (strip_rows) {
            const Formula& rows = extents[extents.size() - 2];
            steps.split(outer[0], strip_loop(task.host), outer[0] + "_row", strip_rows, Tail::guard);
            order.push_back(outer[0] + "_row");
            outer[0] = strip_loop(task.host);
            threads = {outer[0], ceil_div(rows, strip_rows), behind * extents.back() * strip_rows};
        }
        order.insert(order.end(), outer.begin(), outer.end());
        steps.reorder(order);
        const auto rows = strip_rows || !task.at_root ? std::nullopt : shared_rows(outer, v + "_rows");
        if (rung.pixels > 1) outer = {tiles};  // the ends of a row alone meet padding
        for (const std::string& loop : outer) steps.never_partition(loop);
        if (!task.at_root) return;
        if (rows)
            threads_over(task, steps, *rows);
        else
            share(steps, threads);
        if (rung.pixels > 1 && rows) steps.never_partition(rows->loop);
    }

    /// The tile's accumulators; only the reduced loops stay loops.
    void accumulators(const Core& core, const std::string& func, const Rung& rung) const {
        const std::string& loop = core.dims[plan.vector_dim];
        std::vector<std::string> tile{loop};
        std::vector<int> pixels;
        if (rung.pixels > 1) tile.push_back(core.dims[plan.vector_dim - 1]), pixels.push_back(rung.pixels);
        task.stage(func).registers(tile, rung.lanes, rung.vectors, pixels,
                                   {task.host.func, rung.names()(vector(), "t")});
        // (Rows of a window that are left out above and below an image, unrolled under conditions: 107 us, then 160.)
        // Where each point of a window is of several vectors side by side, loops read them in order, which LLVM mixes up once they are unrolled:
        // memory sees no streams. (max_pool2d 2x2 of 300x260x64 on Zen 4: 860 us, in loops 630; of 56x56x64, in cache, 10.2 and 10.8.)
        if (rung.pixels > 1 || rung.vectors == 1)
            unroll_windows(task, core, func, rung.pixels > 1 ? task.host.dims[plan.vector_dim - 1] : "");
        std::vector<int> inner{plan.vector_dim};
        if (rung.pixels > 1) inner.push_back(plan.vector_dim - 1);
        skip_padding(task, core, func, inner);
    }
};

}  // namespace

std::optional<Plan> channel_mix(const Task& task, const Plan& plan) {
    const Host& host = task.host;
    if (!may_have_twin(task) || !plan.row_dim || host.cores[0].stages.size() != 1) return std::nullopt;
    const auto along = plan_along(task, *plan.row_dim);
    return along && along->contraction && !along->slides ? along : std::nullopt;
}

namespace {

Rung channel_rung(const Task& task) { return {4, task.lanes()}; }

}  // namespace

Condition few_channels(const Task& task, const Plan& plan, const Plan& along) {
    const std::vector<Formula>& extents = task.extents();
    const CoreStage& stage = task.host.cores[0].stages[0];
    Formula terms = 1;
    for (const std::string& loop : stage.reduced) terms = terms * task.solution.indices[stage.equation].at(loop).extent;
    return {{at_least(1, extents[plan.vector_dim]), at_least(4, terms),
             at_least(extents[along.vector_dim], channel_rung(task).width())}};
}

void channel_variant(const Task& task, Steps& host, const Plan& along, const Condition& when) {
    const Nest nest{task, along, 0};
    const Rung rung = channel_rung(task);
    const std::vector<VectorRead> reads = vector_reads(task, nest.vector());
    std::vector<Condition> known;
    for (int step = 2; step <= 4 && !reads.empty();
         step++) {  // elements from pixel to pixel: such loads are few whole vectors, shuffled
        Condition way{{{Kind::stride_is, task.host.func, along.vector_dim, 1}}};
        for (const VectorRead& read : reads) way.all.push_back({Kind::stride_is, read.tensor, read.dim, step});
        known.push_back(way);
    }
    host.specialize("mixed", when, [&](Steps& inside) {
        nest.loops(inside, rung);
        for (const Condition& way : known)
            inside.specialize(way, [](Steps&) {});  // the same loops, whose loads are known
    });
    const Core& core = task.host.cores[0];
    const std::string twin = core.func + rung.names().suffix;
    host.twin(twin, when);
    nest.accumulators(core, twin, rung);
}

std::string strip_loop(const Host& host) { return host.dims[host.dims.size() - 2] + "_strip"; }

bool fits_strips(const Task& task, const Host& producer) {
    const Host& host = task.host;
    const int last = static_cast<int>(host.dims.size()) - 1;
    if (!host.output || last < 1 || producer.func != producer.tensor || !read_by_host_alone(task, producer.tensor))
        return false;
    for (const Host* h : {&host, &producer}) {
        const Task one{task.kernel, task.solution, task.machine, *h, task.fused_dims, false, task.history, task.chosen};
        if (fits_rows(one) || !fits_tiles(one) || plan_along(one, static_cast<int>(h->dims.size()) - 1)->contraction ||
            !fits_windows(one))
            return false;
    }
    const auto whole_rows = [&](const Read& read) {
        const std::vector<Formula>& extents = task.solution.extents.at(producer.tensor);
        const LinearPlace &row = read.at[read.at.size() - 2], &at = read.at.back();
        const auto step = row.coefficients.find(host.dims[last - 1]);
        return at.is_plain() && at.coefficients.count(host.dims[last]) && row.affine &&
               step != row.coefficients.end() && step->second == Formula(1) &&
               extents.back() == task.solution.extents.at(host.tensor).back();
    };
    bool reads = false;
    for (const Read& read : host.reads) {
        if (read.tensor != producer.tensor) continue;
        if (read.at.size() < 2 || !whole_rows(read)) return false;
        reads = true;
    }
    return reads;
}

bool fits_windows(const Task& task) { return close_to_its_core(task); }

bool may_be_turned(const Task& task, const std::string& tensor) {
    if (!task.at_root || task.strips || !fits_windows(task)) return false;
    const std::string& vector = task.host.dims.back();
    return each_read_of_core(task, [&](const CoreStage&, const Read& read) {
        if (read.tensor != tensor) return true;
        bool again = false;
        for (std::size_t d = 0; d + 1 < task.host.dims.size(); d++)
            again = again || (!read.moves_with(task.host.dims[d]) && !is_short(task.extents()[d]));
        return again && read.unit_dim(vector).has_value();
    });
}

namespace {

/// All that moves with the vector loop is read from copies of padded rows, which have room for tiles that pass the ends.
bool reads_copies_alone(const Task& task, const Plan& plan, const std::vector<const Tensor*>& copied) {
    return each_read_of_core(task, [&](const CoreStage&, const Read& read) {
        return !read.moves_with(task.host.dims[plan.vector_dim]) ||
               std::any_of(copied.begin(), copied.end(), [&](const Tensor* t) { return t->name == read.tensor; });
    });
}

/// The rows of a tile: windows of few taps that move by one share all of their rows but one, where there are registers for more.
/// (Depthwise 3x3 on Zen 4, us, tiles of four and of seven rows: 512 images of 14x14 57 and 51, of 7x7 35 and 35, 32 of 112x112
/// 110 and 111, for AVX2 188 and 214; 5x5 of any size, 256 of 28x28, 274 and 337; 3x3 by two, 64 of 112x112, 170 and 215.)
int rows_of_tile(const Task& task, const std::string& row, bool masked) {
    const auto is_few = [&](const Formula& taps) {
        const auto number = taps.constant();
        return number && *number <= (masked ? 5 : 4);
    };
    const bool share = each_read_of_core(task, [&](const CoreStage& stage, const Read& read) {
        for (const LinearPlace& place : read.at) {
            if (!place.moves_with(row)) continue;
            if (!place.affine || place.coefficients.at(row) != Formula(1)) return false;
            for (const std::string& loop : stage.reduced)
                if (place.moves_with(loop) && !is_few(task.solution.indices[stage.equation].at(loop).extent))
                    return false;
        }
        return true;
    });
    return share && task.machine.vector_registers >= 32 ? 7 : 4;
}

/// Windows of so many points are unrolled where masks take the place of copies: 7x7. (Depthwise on Zen 4, us, from copies in loops and so: 5x5
/// of 512 images of 14x14 200 and 103, of 64 of 56x56 257 and 164; by two of 512 of 14x14 242 and 91; 7x7 250 and 211, 462 and 315.)
constexpr std::int64_t few_points_of_masks = 49;

/// Windows that add zeros beyond the edges, which masks leave for nothing: they need no copy, for one mask asks whether a place lies in the
/// row and the row in the image.
bool fits_masks(const Task& task, const std::string& vector, const std::vector<const Tensor*>& padded) {
    return task.machine.masked_tails && each_read_of_core(task, [&](const CoreStage& stage, const Read& read) {
               if (!has_few_points(task, stage, few_points_of_masks)) return false;
               const auto tensor = std::ranges::find(padded, read.tensor, &Tensor::name);
               if (tensor == padded.end()) return true;
               const Equation& equation = task.kernel.equations[stage.equation];
               return bytes_of((*tensor)->type) >= 4 && equation.op == Op::add &&
                      adds_nothing_outside(equation, **tensor) && read.step_dim(vector, longest_step);
           });
}

/// Tiles of a few rows and vectors, for any width: the last ones pass the ends. Rows come in strips, each with its copy of what it
/// reads, if there is to be one; else rows of several images are made one after the other, for what masks ask of a row is the same in all.
/// (Depthwise 3x3, channels first, us: on Sapphire Rapids, against tiles that fit the row, 512 images of 14x14 159 and 82, 64 of 28x28 52
/// and 37, 32 of 112x112 162 and 154. On Zen 4 from copies, by masks an image at a time, and by masks in blocks of them: 512 of 7x7 40, 45
/// and 14, of 14x14 61, 60 and 29, 256 of 28x28 83, - and 60; by two 512 of 14x14 -, 62 and 30.)
void windows_of_rows(const Task& task, const Plan& plan, const std::vector<const Tensor*>& copied) {
    const Host& host = task.host;
    const Core& core = host.cores.front();
    const int last = static_cast<int>(host.dims.size()) - 1;
    const std::string &v = host.dims[last], &row = host.dims[last - 1];
    Plan tile = plan;
    tile.row_dim = last - 1;
    const bool masked = fits_masks(task, v, copied);
    tile.rows = task.choose("rows", rows_of_tile(task, row, masked), {1, 2, 4, 7, 8});
    const std::vector<Formula>& extents = task.extents();
    const int strip = (16 + tile.rows - 1) / tile.rows * tile.rows;  // whole tiles of about sixteen rows
    Steps steps = task.stage(host.func);
    if (!host.output) steps.bound(v, extents[last]);
    steps.split(v, v + "_t", v + "_i", tile.width(), Tail::guard);
    steps.vectorize(v + "_i", tile.lanes, v + "_u", v + "_l", task.vector_tail());
    steps.split(row, strip_loop(host), row + "_row", strip, Tail::guard);
    steps.split(row + "_row", row + "_t", row + "_i", tile.rows, Tail::guard);
    std::vector<std::string> outer = around(task, plan), order{v + "_l", v + "_u", row + "_i", v + "_t"};
    outer[0] = strip_loop(host);
    Formula blocks = task.product_without({last - 1, last}), points = reduced_points(task) * extents[last] * strip;
    if (masked && last > 1) {
        const std::string image = host.dims[last - 2];
        const Formula& images = extents[last - 2];
        constexpr int results = 8192;  // of a block: as many as a first-level cache holds of f32
        const Formula block = max(1, floor_div(results, max(1, min(extents[last - 1], strip) * extents[last])));
        outer[1] = image + "_b";
        steps.split(image, outer[1], image, block, Tail::guard);
        order.push_back(image);
        steps.never_partition(image);
        blocks = ceil_div(images, block) * task.product_without({last - 2, last - 1, last});
        points = points * block;
    }
    order.push_back(row + "_t");
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order).never_partition(row + "_t");
    if (masked) steps.never_partition(v + "_t");
    for (const std::string& loop : outer) steps.never_partition(loop);
    take_registers(task, steps, {row + "_i", v + "_u"});
    share_all(task, steps, outer, ceil_div(extents[last - 1], strip) * blocks, points);
    registers(task, core, core.func, tile, v + "_t");
    unroll_windows(task, core, core.func, "", masked ? few_points_of_masks : few_points);
    skip_padding(task, core, core.func, {last - 1, last});
    if (masked) return;
    for (const Tensor* tensor : copied) {
        const std::string copy = copy_with_edges(task, *tensor, {core.func});
        copy_rows(task, *tensor, copy, tensor->rank - 1, "chunk");
        // Memory once for all of a task. (512 images of 14x14 on Zen 4: 77 us with memory for each, 62 so.)
        task.stage(copy).hoist_storage(host.func, "tasks");
    }
}

}  // namespace

void windows(const Task& task, const Plan& plan) {
    const Core& core = task.host.cores.front();
    const std::vector<const Tensor*> copied = padded_rows(task, plan);
    if (task.at_root && !task.strips && !copied.empty() && task.host.dims.size() > 1 &&
        reads_copies_alone(task, plan, copied)) {
        windows_of_rows(task, plan, copied);
        return;
    }
    // Rows that a producer computes twice, for two strips, should be few; copies of rows are cheap, and better near.
    const Nest nest{task, plan, task.strips ? 32 : !copied.empty() && task.host.dims.size() > 1 ? 8 : 0};
    std::vector<Rung> rungs = ladder(task, !nest.strip_rows && has_pixels(task, plan));
    const auto func = [&](const Rung& rung) { return rung.width() == 1 ? core.func : core.func + rung.names().suffix; };
    for (auto rung = rungs.rbegin() + 1; rung != rungs.rend(); ++rung)  // the widest decides first
        second_values(task, core, func(*rung), rung->names().suffix, wide_enough(task, plan, *rung));
    const auto few = few_elements(task);
    if (few) second_values(task, core, few_rows_name(task, *few), "_" + few->way, few->when);
    Steps host = task.stage(task.host.func);
    if (!task.host.output) host.bound(nest.vector(), task.extents()[plan.vector_dim]);
    if (few) few_rows_variant(task, host, *few);
    for (const Rung& rung : rungs) {
        if (rung.width() == 1)
            nest.loops(host, rung);
        else
            host.specialize("tile" + rung.names().suffix.substr(1), wide_enough(task, plan, rung),
                            [&](Steps& inside) { nest.loops(inside, rung); });
        nest.accumulators(core, func(rung), rung);
    }
    std::vector<std::string> funcs;
    for (const Rung& rung : rungs) funcs.push_back(func(rung));
    // (Filters of four taps beside 512x1024 elements on Zen 4, read as they lie 890 us, and 100 so.)
    std::vector<std::string> turned;
    for (const VectorRead& read : vector_reads(task, nest.vector())) {
        const Tensor& tensor = task.kernel.tensor(read.tensor);
        if (lies_side_by_side(task, read) || std::ranges::count(turned, read.tensor) > 0 ||
            std::ranges::count(copied, &tensor) > 0)
            continue;
        turned.push_back(read.tensor);
        copy_rows(task, tensor, copy_with_edges(task, tensor, funcs), read.dim, "");
    }
    for (const Tensor* tensor : copied)
        copy_rows(task, *tensor, copy_with_edges(task, *tensor, funcs), tensor->rank - 1,
                  nest.strip_rows ? strip_loop(task.host) : "");
}

}  // namespace halogen::recipes
