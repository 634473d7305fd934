// Elementwise stages: every element from its own reads.

#include "frontend/notation/parts.h"
#include "schedules/recipes/recipes.h"
#include "schedules/recipes/tiles.h"
#include "schedules/recipes/unit_strides.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace halogen::recipes {

using Kind = Condition::Term::Kind;

int Task::lanes() const {
    int bytes = bytes_of(compute_type(kernel.tensor(host.tensor).type));
    for (const Core& core : host.cores)
        for (const CoreStage& stage : core.stages)
            bytes = std::max(bytes,
                             bytes_of(compute_type(kernel.tensor(kernel.equations[stage.equation].left.tensor).type)));
    return machine.lanes(bytes);
}

int Task::choose(const std::string& name, int standard, std::vector<std::int64_t> domain) const {
    const std::string full = host.func + "_" + name;
    for (const Knob& knob : history.header.knobs)
        if (knob.name == full) return static_cast<int>(knob.value);
    if (std::find(domain.begin(), domain.end(), standard) == domain.end())
        domain.insert(std::upper_bound(domain.begin(), domain.end(), standard), standard);
    const auto other = chosen.find(full);
    const bool admitted =
        other != chosen.end() && std::find(domain.begin(), domain.end(), other->second) != domain.end();
    const std::int64_t value = admitted ? other->second : standard;
    history.header.knobs.push_back({full, value, std::move(domain)});
    return static_cast<int>(value);
}

std::string copy_name(const Task& task, const std::string& tensor, const std::string& use) {
    return tensor + use + (task.host.shared.count(tensor) ? "_" + task.host.func : "");
}

Formula Task::product_without(const std::vector<int>& left_out) const {
    Formula product = 1;
    for (int d = 0; d < static_cast<int>(extents().size()); d++)
        if (std::find(left_out.begin(), left_out.end(), d) == left_out.end()) product = product * extents()[d];
    return product;
}

Formula TaskSize::of(const Shared& shared) const {
    const auto iterations_of = [&](int all) { return floor_div(all, max(shared.points, 1)); };
    const Formula enough =
        min(1, floor_div(shared.iterations, max(1, iterations_of(points * tasks_worth_it))));  // or 0
    return max(max(1, iterations_of(points)), shared.iterations * (1 - enough));
}

Formula work_of(const Task& task, const Formula& points) { return task.host.heavy ? 4 * points : points; }

void share(Steps& steps, const Shared& shared) {
    const std::vector<std::string> loops = shared.made_of.empty() ? std::vector{shared.loop} : shared.made_of;
    steps.parallel(loops, TaskSize().of(shared), shared.loop + "_tasks", shared.loop);
}

void share_all(const Task& task, Steps& steps, const std::vector<std::string>& outer, const Formula& iterations,
               const Formula& points) {
    if (!task.at_root || outer.empty()) return;
    steps.parallel(outer, TaskSize().of({"", iterations, work_of(task, points)}), "tasks", "chunk");
}

/// Beyond the edges of what is padded stand elements of it again: which row that is costs one number a row, and first and last rows
/// need no code of their own. (A median of 3x3, all legs: 13.6 s and 660 kB, and 9.2 s and 480 kB without.)
static bool edges_repeat(const Task& task) {
    bool repeat = false, other = false;
    for (const Tensor* input : task.kernel.inputs()) {
        if (input->boundary.mode == Boundary::Mode::none) continue;
        (repeats(input->boundary.mode) ? repeat : other) = true;
    }
    return repeat && !other;
}

void row_blocks(const Task& task, Steps& steps) {
    const std::string& loop = task.host.dims[0];
    const Formula& rows = task.extents()[0];
    Formula block = TaskSize().of({loop, rows, work_of(task, reduced_points(task) * task.product_without({0}))});
    if (task.scans) block = min(block, max(8, ceil_div(rows, 16)));  // rows of recurrences are kept for each block
    if (task.slides) block = max(block, 32);                         // the first rows of a block are computed twice
    steps.parallel(loop, block, block_loop(task.host), loop);
    if (edges_repeat(task)) steps.never_partition(loop);
}

namespace {

/// The dim of few rows of colours, if all of them read some pixels alike: what they share is then read and computed once. (Butterflies of
/// 64 x 512 complex numbers on Zen 4: 14.0 us, and 11.5 so; two pictures that have nothing in common turned: 790 us, and 1,010.)
std::optional<int> alike_rows(const Task& task) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (!has_rows_of_colours(task.extents()) || last - 2 < std::max(task.fused_dims, task.blocks ? 1 : 0))
        return std::nullopt;
    const std::string &rows = task.host.dims[static_cast<std::size_t>(last) - 2],
                      &pixel = task.host.dims[static_cast<std::size_t>(last) - 1];
    const bool alike = std::ranges::any_of(
        task.host.reads, [&](const Read& read) { return read.moves_with(pixel) && !read.moves_with(rows); });
    return alike ? std::optional(last - 2) : std::nullopt;
}

/// Loops around `inner`, innermost first, without the fused ones. Few rows of colours stand inside their pixels: of one loop over both
/// Halide would no longer know how many they are.
std::vector<std::string> around(const Task& task, const std::vector<int>& inner) {
    std::vector<std::string> loops;
    const std::optional<int> rows = alike_rows(task);
    const auto add = [&](int d) {
        if (std::find(inner.begin(), inner.end(), d) == inner.end())
            loops.push_back(task.host.dims[static_cast<std::size_t>(d)]);
    };
    if (rows) add(*rows);
    for (int d = static_cast<int>(task.host.dims.size()); d-- > task.fused_dims;)
        if (d != rows) add(d);
    return loops;
}

/// The first loop in blocks, for which intermediates are computed: they stay in the nearest cache.
void blocks(const Task& task, Steps& steps) {
    const int most = 4096;
    const std::string &loop = task.host.dims[0], block = block_loop(task.host);
    const Formula& extent = task.extents()[0];
    steps.split(loop, block, loop, min(most, max(1, extent)), Tail::shift_inwards);
    share(steps, {block, ceil_div(extent, most), most * task.product_without({0})});
}

/// How the vector loop of a map is cut: so many vectors at a time, and what happens at its end.
struct Cut {
    int vectors = 1;  // 0: one element after the other
    Tail tail = Tail::guard;
    int lanes = 0;  // 0: as many as a vector has
};

/// The elements of rows that are known to be part of a vector as wide as registers can be, which needs no mask; 0 of other rows. (2,000 products of
/// 4x4 matrices on Zen 4: 26 us by masks, 11 so, and 5.7 with the rows of a matrix written out; `F*P*F^T + Q`
/// of 10,000, the first product inside of the second, 91 and 51.)
int lanes_of_row(const Task& task, int dim) {
    const std::int64_t extent = task.extents()[static_cast<std::size_t>(dim)].constant().value_or(0);
    const bool is_part = extent > 1 && extent < task.lanes() && std::has_single_bit(static_cast<std::uint64_t>(extent));
    return is_part ? static_cast<int>(extent) : 0;
}

void vectors_along(const Task& task, Steps& steps, int dim, const Cut& cut) {
    const std::string& loop = task.host.dims[dim];
    const Formula& extent = task.extents()[dim];
    const int lanes = cut.lanes ? cut.lanes : task.lanes();
    std::vector<std::string> order{loop}, outer = around(task, {dim});
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order);
    if (task.fused_dims && task.at_root) row_blocks(task, steps);
    if (cut.vectors > 0) {
        if (cut.vectors == 1) {
            steps.vectorize(loop, lanes, loop + "_o", loop + "_i", cut.tail);
        } else {
            steps.vectorize(loop, lanes, cut.vectors, loop + "_o", loop + "_u", loop + "_v", cut.tail);
        }
    }
    std::vector<int> inner{dim};
    Formula points = extent;
    if (const auto rows = alike_rows(task); rows && dim == *rows + 2 && cut.vectors == 1 && lanes_of_row(task, dim)) {
        steps.unroll(outer.front());
        outer.erase(outer.begin());
        inner.push_back(*rows);
        points = points * task.extents()[static_cast<std::size_t>(*rows)];
    }
    const bool has_rows = dim > task.fused_dims && outer.size() + static_cast<std::size_t>(task.fused_dims) > 1 &&
                          cut.vectors == 1 && extent == Formula(lanes);
    const Formula rows = has_rows ? task.extents()[static_cast<std::size_t>(dim) - 1] : Formula(1);
    if (is_short(rows) && *rows.constant() > 1) {  // matrices of a few rows, each one vector
        const std::string row = outer.front();
        outer.front() = row + "_o";
        steps.split(row, outer.front(), row + "_i", static_cast<int>(*rows.constant()), Tail::shift_inwards)
            .unroll(row + "_i");
        inner.push_back(dim - 1);
        points = points * rows;
    }
    if (edges_repeat(task))
        for (const std::string& each : outer) steps.never_partition(each);
    if (task.fused_dims || task.blocks) return;
    if (outer.empty()) {
        const int elements = std::max(1, cut.vectors * lanes);
        share_all(task, steps, {cut.vectors > 0 ? loop + "_o" : loop}, ceil_div(extent, elements), elements);
    } else
        share_all(task, steps, outer, task.product_without(inner), points);
}

/// Buffers disagree, and no tile of them can be turned: rows of the result are vectors of what lies far apart. Where that is two to four
/// elements, and such rows lie side by side, vectors of whole lines are taken apart. (20,000 rows of three turned on Zen 4: 20 us an
/// element at a time, 5 so, of 7 gathered 3,000: 7 and 5.)
void gathered(const Task& task, Steps& steps) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (last < 1 || task.fused_dims || !task.host.output || !task.has_wide_elements()) return;
    const std::string& loop = task.host.dims[static_cast<std::size_t>(last)];
    std::vector<Condition::Term> apart;
    for (const Read& read : task.host.reads) {
        if (!task.is_input(read.tensor) || !read.moves_with(loop)) continue;
        const auto dim = read.unit_dim(loop);
        if (!dim) return;
        const Condition::Term term{Kind::stride_is, read.tensor, *dim, 1};
        if (*dim + 1 < static_cast<int>(read.at.size()) && std::ranges::find(apart, term) == apart.end())
            apart.push_back(term);
    }
    if (apart.empty()) return;
    Condition when = apart_from_inputs(task);
    when.all.push_back({Kind::stride_is, task.host.func, last, 1});
    when.all.push_back(at_least(task.extents()[static_cast<std::size_t>(last)], task.lanes()));
    steps.specialize(loop + "_gathered", when, [&](Steps& inside) {
        vectors_along(task, inside, last, {1, Tail::shift_inwards});
        for (int step = 2; step <= longest_step; step++) {
            Condition known;
            for (Condition::Term term : apart) {
                term.other = step;
                known.all.push_back(term);
            }
            inside.specialize(known, [](Steps&) {});
        }
    });
}

/// Buffers disagree: small square tiles, so that each cache line met is used whole while it is near.
void scalar_tiles(const Task& task, Steps& steps) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (task.fused_dims && task.at_root) row_blocks(task, steps);
    if (last - task.fused_dims < 1) return;
    const int first = task.fused_dims;
    const std::string a = task.host.dims[first], b = task.host.dims[last];
    const int side = task.choose("side", 8, {4, 8, 16, 32});
    steps.split(a, a + "_o", a + "_t", side, Tail::guard).split(b, b + "_o", b + "_t", side, Tail::guard);
    std::vector<std::string> order{b + "_t", a + "_t", b + "_o"};
    std::vector<std::string> outer = around(task, {first, last});
    outer.push_back(a + "_o");
    order.insert(order.end(), outer.begin(), outer.end());
    steps.reorder(order);
    if (task.fused_dims || task.blocks) return;
    share_all(task, steps, {a + "_o"}, ceil_div(task.extents()[first], side), task.product_without({first}) * side);
}

/// Applies `body` where `when` holds, or to all that is left.
void where(Steps& steps, const std::string& name, const Condition& when, const std::function<void(Steps&)>& body) {
    if (when.all.empty())
        body(steps);
    else
        steps.specialize(name, when, body);
}

/// Vectors along `loop` meet padding, where their places are clamped: such reads have no masks.
bool meets_padding(const Task& task, const std::string& loop) {
    return std::any_of(task.host.reads.begin(), task.host.reads.end(), [&](const Read& read) {
        const Tensor& tensor = task.kernel.tensor(read.tensor);
        for (std::size_t d = 0; d < read.at.size(); d++)
            if (is_padded(tensor, static_cast<int>(d)) && read.at[d].coefficients.count(loop)) return true;
        return false;
    });
}

/// Some vectors at a time, one, or one element: as many as there are. The last ones move inwards, where some elements are
/// computed again; where an input is the output itself, they would be computed from results. (u8, ns per element of rows of
/// 255 on avx2: 0.05, and 0.29 with a guard per lane; of rows of 3: 0.6 and 38.)
void cut_by_extent(const Task& task, Steps& steps, const Condition& unit, int dim) {
    const int lanes = task.lanes();
    const Formula& extent = task.extents()[dim];
    const auto cut = [&](const Cut& c) { return [&task, c, dim](Steps& s) { vectors_along(task, s, dim, c); }; };
    const auto many = [&](int vectors) { return Condition{{at_least(extent, Formula(vectors * lanes))}}; };
    const Condition apart = apart_from_inputs(task);
    const std::string& loop = task.host.dims[dim];
    const bool one =
        meets_padding(task, loop) || gathers(task, loop) || (task.fused_dims > 0 && !task.has_wide_elements());
    const int most = task.choose("vectors", one ? 1 : 2, {2, 4, 8});
    if (most > 1) steps.specialize(loop + "_vectors", unit && apart && many(most), cut({most, Tail::shift_inwards}));
    steps.specialize(loop + "_vector", unit && apart && many(1), cut({1, Tail::shift_inwards}));
    // (The largest of 3x3 windows by two, 64 images of 14x14 on Zen 4: 11.6 us an element at a time, and 7.1 so. Sobel's sum of rows of 38
    // bytes: 1.9 us, and 0.5 so.)
    const bool rows = dim + 1 == static_cast<int>(task.host.dims.size());
    if ((one || lanes > 16) && rows && lanes > 4 && !edges_repeat(task)) {
        const int few = std::max(4, lanes / 4);
        steps.specialize(loop + "_few", unit && apart && Condition{{at_least(extent, Formula(few))}},
                         cut({1, Tail::shift_inwards, few}));
    }
    if (!apart.all.empty()) steps.specialize(loop + "_in_place", unit && many(1), cut({1, Tail::guard}));
    const bool row_alone = task.fused_dims > 0 && static_cast<int>(task.host.dims.size()) == task.fused_dims + 1;
    if (!row_alone || unit.all.empty())
        where(steps, loop + "_elements", unit, cut({0}));  // else as where nothing is known
}

/// A tensor that the kernel makes out of its indices and single numbers, `E[t] = exp(-f32(t*t)/s)`. Of such a one with a single dim there
/// are few elements, and no cut of them is worth code of its own.
bool is_made_of_numbers(const Kernel& kernel, const std::string& tensor) {
    if (kernel.tensor(tensor).role != Role::intermediate) return false;
    return std::ranges::all_of(kernel.equations, [&](const Equation& equation) {
        if (equation.left.tensor != tensor) return true;
        bool numbers = equation.op == Op::assign && !reads_itself(equation);
        each_read(equation, [&](const Access& read) {
            numbers = numbers && (read.at.empty() || is_made_of_numbers(kernel, read.tensor));
        });
        return numbers;
    });
}

/// Vectors along dim `dim` where `unit` holds.
void dense(const Task& task, Steps& steps, const Condition& unit, int dim) {
    const std::string& loop = task.host.dims[static_cast<std::size_t>(dim)];
    if (task.host.dims.size() == 1 && is_made_of_numbers(task.kernel, task.host.tensor))
        return vectors_along(task, steps, dim, {1, Tail::guard});
    if (const int lanes = lanes_of_row(task, dim)) {
        const Cut cut{1, Tail::shift_inwards, lanes};
        return where(steps, loop + "_vector", unit, [&](Steps& s) { vectors_along(task, s, dim, cut); });
    }
    const bool masked = task.vector_tail() == Tail::predicate && !meets_padding(task, loop) && !gathers(task, loop);
    if (masked) {  // such a tail is as fast as one that moves inwards
        const Cut cut{task.choose("masked_vectors", 1, {1, 2, 4}), Tail::predicate};
        where(steps, loop + "_vectors", unit, [&](Steps& s) { vectors_along(task, s, dim, cut); });
    } else
        cut_by_extent(task, steps, unit, dim);
}

/// A last dim of 1 to 4 elements, a number: colours, coordinates.
bool has_colours(const Task& task) {
    const int rank = static_cast<int>(task.host.dims.size());
    if (rank < 2 || rank - 1 <= task.fused_dims) return false;
    const Formula& extent = task.extents().back();
    return is_short(extent) && *extent.constant() >= 1;
}

/// Pixels of a vector: fewer where they are stepped through, for each read then shuffles all elements between. (Means of 2x2 pixels,
/// u8 of 3 colours by 64: 78 s to compile, and no faster.)
int pixels_of_a_vector(const Task& task, const std::string& pixel, int colours) {
    constexpr std::int64_t most_between = 128;
    std::int64_t step = 1;
    for (const Read& read : task.host.reads)
        for (const LinearPlace& place : read.at)
            if (const auto found = place.coefficients.find(pixel); found != place.coefficients.end())
                step = std::max(step, std::abs(found->second.constant().value_or(2)));
    std::int64_t lanes = task.lanes();
    while (step > 1 && lanes > 8 && lanes * step * colours > most_between) lanes /= 2;
    return static_cast<int>(lanes);
}

/// Vectors of pixels, their colours written out: what they store is interleaved in registers. In place of vectors along the colours,
/// which are too few, where the buffers have them side by side. (Of three parts each on Zen 3, u16 1080x1920: 13 ms and 1.)
void pixels(const Task& task, Steps& steps) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    const std::string &colour = task.host.dims[static_cast<std::size_t>(last)],
                      &pixel = task.host.dims[static_cast<std::size_t>(last) - 1];
    const auto colours = static_cast<int>(*task.extents().back().constant());
    const int lanes = pixels_of_a_vector(task, pixel, colours);
    const Formula& extent = task.extents()[static_cast<std::size_t>(last) - 1];
    Condition when;
    const auto add = [&](const Condition::Term& term) {
        if (std::find(when.all.begin(), when.all.end(), term) == when.all.end()) when.all.push_back(term);
    };
    if (task.host.output) {
        add({Kind::stride_is, task.host.func, last, 1});
        add({Kind::stride_is, task.host.func, last - 1, colours});
    }
    for (const Read& read : task.host.reads) {
        if (!task.is_input(read.tensor)) continue;
        if (read.moves_with(pixel))
            if (const auto term = lying_along(task, read, pixel, colour)) add(*term);
    }
    const Condition apart = apart_from_inputs(task);
    when = when && apart;
    std::vector<int> inner{last, last - 1};
    std::vector<std::string> written_out{colour};
    std::int64_t elements = colours;
    if (const auto rows = alike_rows(task)) {
        inner.push_back(*rows);
        written_out.push_back(task.host.dims[static_cast<std::size_t>(*rows)]);
        elements *= *task.extents()[static_cast<std::size_t>(*rows)].constant();
    }
    const auto vectors = [&](const std::string& name, int width) {
        steps.specialize(name, when && Condition{{at_least(extent, Formula(width))}}, [&](Steps& s) {
            const std::vector<std::string> outer = around(task, inner);
            if (task.fused_dims && task.at_root) row_blocks(task, s);
            s.vectorize(pixel, width, pixel + "_o", pixel + "_i", Tail::shift_inwards);
            std::vector<std::string> order{pixel + "_i"};
            order.insert(order.end(), written_out.begin(), written_out.end());
            order.push_back(pixel + "_o");
            order.insert(order.end(), outer.begin(), outer.end());
            s.reorder(order);
            for (const std::string& loop : written_out) s.unroll(loop);
            if (task.fused_dims || task.blocks) return;
            if (outer.empty())
                share_all(task, s, {pixel + "_o"}, ceil_div(extent, width), width * elements);
            else
                share_all(task, s, outer, task.product_without(inner), extent * elements);
        });
    };
    vectors("pixels", lanes);
    if (inner.size() > 2 && lanes > 4) vectors("few_pixels", 4);
}

/// Data choose the places that some read has along `loop`: `X[y, Ix[x], c]`.
bool chosen_by_data(const Task& task, const std::string& loop) {
    bool chosen = false;
    for (std::size_t e = 0; e < task.kernel.equations.size(); e++)
        if (task.kernel.equations[e].left.tensor == task.host.tensor)
            for (const Read& read : reads_of(task.kernel, task.solution, static_cast<int>(e)))
                for (const LinearPlace& place : read.at) chosen = chosen || (place.by_data && place.moves_with(loop));
    return chosen;
}

/// A pixel after the other, its colours one vector: where data choose which pixels are read, each is found once for all of them. (720p of
/// 3 colours resized to 1080p on Zen 4: vectors of pixels 11 ms, so 6.3.)
void colours(const Task& task, Steps& steps) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    const std::string& colour = task.host.dims[static_cast<std::size_t>(last)];
    const auto number = static_cast<int>(*task.extents().back().constant());
    where(steps, "colours", unit_along(task, last), [&](Steps& s) {
        std::vector<std::string> outer = around(task, {last}), order{colour};
        order.insert(order.end(), outer.begin(), outer.end());
        s.reorder(order);
        if (task.fused_dims && task.at_root) row_blocks(task, s);
        s.vectorize(colour, number, colour + "_o", colour + "_i", Tail::shift_inwards);
        if (!task.fused_dims && !task.blocks) share_all(task, s, outer, task.product_without({last}), number);
    });
}

}  // namespace

std::string block_loop(const Host& host) { return host.dims[0] + "_block"; }

void map(const Task& task) {
    Steps steps = task.stage(task.host.func);
    const int rank = static_cast<int>(task.host.dims.size());
    if (rank == 0 || rank <= task.fused_dims) return;
    if (task.blocks) blocks(task, steps);
    if (has_colours(task)) {
        const bool one_by_one = task.extents().back() != Formula(1) &&
                                chosen_by_data(task, task.host.dims[static_cast<std::size_t>(rank) - 2]);
        one_by_one ? colours(task, steps) : pixels(task, steps);
        if (one_by_one && unit_along(task, rank - 1).all.empty()) return;
    }
    std::vector<StraightWay> straight;
    const auto add = [&](int dim) {
        const Condition unit = unit_along(task, dim);
        const auto same = [&](const StraightWay& way) { return way.unit == unit; };
        if (std::any_of(straight.begin(), straight.end(), same)) return;
        straight.push_back({dim, unit, [&task, dim](Steps& s) { dense(task, s, {}, dim); }});
    };
    add(rank - 1);
    if (straight.front().unit.all.empty()) return dense(task, steps, {}, rank - 1);
    const bool turns = rank > 1 && task.fused_dims == 0;
    if (turns && (!gathers(task, task.host.dims[0]) || gathers(task, task.host.dims.back()))) add(0);
    if (!turned_map(task, straight))
        for (const StraightWay& way : straight)
            if (!way.unit.all.empty()) dense(task, steps, way.unit, way.dim);
    if (turns) gathered(task, steps);
    scalar_tiles(task, steps);
}

}  // namespace halogen::recipes
