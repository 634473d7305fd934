// Maps of buffers that lie in different orders: dense loads of each, turned around in small tiles.

#include "frontend/plan/value_funcs.h"
#include "schedules/recipes/recipes.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// An input that moves with both loops of a tile, one element at a time.
struct Operand {
    std::string tensor;
    int along, across;  // its dims for the vector loop and for the other one
    int rank;
};

/// The inputs that move with loops `v` and `t` of the host; nothing where one of them cannot be copied tile by tile.
std::optional<std::vector<Operand>> operands(const Task& task, const std::string& v, const std::string& t) {
    std::vector<Operand> found;
    std::vector<const Read*> seen;
    for (const Read& read : task.host.reads) {
        if (!read.moves_with(v) || !read.moves_with(t)) continue;
        const auto along = read.unit_dim(v), across = read.unit_dim(t);
        const bool padded = task.kernel.tensor(read.tensor).boundary.mode != Boundary::Mode::none;
        if (!task.is_input(read.tensor) || padded || !along || !across || *along == *across) return std::nullopt;
        const auto same =
            std::find_if(seen.begin(), seen.end(), [&](const Read* r) { return r->tensor == read.tensor; });
        if (same != seen.end() && (*same)->at != read.at) return std::nullopt;  // a neighbourhood: wider than the tile
        if (same != seen.end()) continue;
        seen.push_back(&read);
        found.push_back({read.tensor, *along, *across, static_cast<int>(read.at.size())});
    }
    return found;
}

/// The host copies the values of one equation that itself reads every operand: the whole of it can be computed in a second way.
bool computed_by_one_equation(const Task& task, const std::vector<Operand>& operands) {
    for (const ValueFunc& f : value_funcs(task.kernel, task.solution)) {
        if (f.stored != task.host.func || f.name == f.stored) continue;
        if (f.equations.size() != 1 || f.equations[0] < 0) return false;
        const std::vector<Read> own = reads_of(task.kernel, task.solution, f.equations[0]);
        return std::all_of(operands.begin(), operands.end(), [&](const Operand& o) {
            return std::any_of(own.begin(), own.end(), [&](const Read& r) { return r.tensor == o.tensor; });
        });
    }
    return false;
}

/// A tile: one vector along, so many across. What is written to the stack one way and read the other becomes an interleaving of
/// `width` vectors, which LLVM does well for whole vectors of 8 and 16 (f32 on avx2 8x8, 500x300: 0.28 ns an element, dense 0.17,
/// element by element 0.75; 16x8 0.38. On avx512 8x8 0.54 and 16x8 0.33. u8 on avx2: 16x8 0.08, 8x8 0.17, 16x16 0.16).
struct Tile {
    int width, height = 8;
    explicit Tile(const Task& task) : width(std::clamp(task.lanes(), 8, 16)) {}
};

/// The tile in which these operands are copied. Of two bytes an element LLVM interleaves half vectors well (u16 average on avx2,
/// 300x500, times all row-major: 16x4 2.5, 8x4 2.6, 16x8 and 8x8 5); of one and of four the height makes no difference.
Tile tile_of_copies(const Task& task, const std::vector<Operand>& turned) {
    Tile tile(task);
    for (const Operand& o : turned)
        if (bytes_of(task.kernel.tensor(o.tensor).type) == 2) tile.height = 4;
    return tile;
}

/// One way the buffers of a map may lie: the output along dim `dim` of the host, some operands across, the others along too; or
/// `any` of them any way, which each copy of a tile finds out.
struct Way {
    const Task& task;
    const int dim, across;
    const std::vector<Operand> turned, straight;
    const std::string name;
    const Tile tile;
    const bool any = false;

    const std::string& v() const { return task.host.dims[dim]; }
    const std::string& t() const { return task.host.dims[across]; }
    std::string level() const { return (any ? v() : t()) + name; }
    std::string values() const { return task.host.func + name; }

    Condition when() const {
        const std::vector<Formula>& extents = task.extents();
        // The last tiles move inwards, where an input that is the output as well would be read again. It lies as the output does.
        Condition c = apart_from_inputs(task);
        std::erase_if(c.all, [&](const Condition::Term& term) {
            return !any &&
                   std::any_of(turned.begin(), turned.end(), [&](const Operand& o) { return o.tensor == term.tensor; });
        });
        c.all.push_back(at_least(extents[dim], tile.width));
        c.all.push_back(at_least(extents[across], height()));
        c.all.push_back({Kind::stride_is, task.host.func, dim, 1});
        if (any) return c;
        for (const Operand& o : turned) c.all.push_back({Kind::stride_is, o.tensor, o.across, 1});
        for (const Operand& o : straight) c.all.push_back({Kind::stride_is, o.tensor, o.along, 1});
        return c;
    }

    /// So many tiles across that lie beside each other in a line (64 bytes) of the narrowest turned operand.
    int tiles_of_a_line() const {
        int bytes = 8;
        for (const Operand& o : turned) bytes = std::min(bytes, bytes_of(task.kernel.tensor(o.tensor).type));
        return std::max(64 / (bytes * tile.height), 1);
    }

    /// A tile that copies find out about is as high as a line is long: there is one question for each.
    int height() const { return any ? tiles_of_a_line() * tile.height : tile.height; }

    /// Tiles follow one another along the rows of what is turned, a vector of rows at a time: memory is read in its own order, from few
    /// places. (Transposes on Zen 4, ms, along the rows of the result and so: f32 2048x2048 2.6 and 2.1, 2000x1500 2.2 and 1.1, f64 10.5
    /// and 2.5, u8 0.20 and 0.19; u16 2048x2048, whose rows are whole pages, 1.4 and 2.2; AVX2 f32 3.3 and 1.1, 100x100 1.9 us and 2.6.)
    void loops(Steps& steps) const {
        const std::string &a = v(), &b = t(), along = a + (any ? name : "_o"), over = b + (any ? "_lines" : name);
        steps.vectorize(a, tile.width, along, a + "_v", Tail::shift_inwards);
        steps.split(b, over, b + "_u", height(), Tail::shift_inwards);
        std::vector<std::string> order{a + "_v", b + "_u", level()}, outer{any ? over : along};
        for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;)
            if (d != dim && d != across) outer.push_back(task.host.dims[d]);
        order.insert(order.end(), outer.begin(), outer.end());
        steps.reorder(order);
        if (!any) steps.unroll(b + "_u");
        const std::vector<Formula>& extents = task.extents();
        const int stepped = any ? across : dim, by = any ? height() : tile.width;
        share_all(task, steps, outer, ceil_div(extents[stepped], by) * task.product_without({dim, across}),
                  extents[any ? dim : across] * by);
    }

    /// A tile on the stack, loop `along` innermost in memory.
    void tile_on_stack(Steps& steps, const std::string& along, const std::string& other,
                       std::vector<std::string> storage) const {
        std::erase_if(storage, [&](const std::string& loop) { return loop == along || loop == other; });
        storage.insert(storage.begin(), {along, other});
        steps.compute_at(task.host.func, level()).store_in_stack();
        steps.bound_extent(along, tile.width).bound_extent(other, height()).reorder_storage(storage);
    }

    static void vectors(Steps& steps, const std::string& inner, const std::string& outer) {
        steps.reorder({inner, outer}).vectorize(inner).unroll(outer);
    }

    void copy(const Operand& o) const {
        const std::string name_of_copy = copy_name(task, o.tensor, name);
        task.stage(values()).copy_in(o.tensor, name_of_copy);
        std::vector<std::string> loops;
        for (int d = o.rank; d-- > 0;) loops.push_back(name_of_copy + "_d" + std::to_string(d));
        const std::string &along = loops[o.rank - 1 - o.along], &other = loops[o.rank - 1 - o.across];
        Steps steps = task.stage(name_of_copy);
        tile_on_stack(steps, along, other, loops);
        if (!any) return vectors(steps, other, along);
        const auto lies = [&](int d) -> Condition { return {{{Kind::stride_is, o.tensor, d, 1}}}; };
        steps.specialize(lies(o.along), [&](Steps& s) { s.reorder({along, other}).vectorize(along); });
        steps.specialize(lies(o.across), [&](Steps& s) {
            s.vectorize(other, tile.height, other + "_o", other + "_v", Tail::exact);
            s.reorder({other + "_v", along, other + "_o"}).unroll(along);
        });
        steps.reorder({along, other});
    }

    void turn_values() const {
        Steps steps = task.stage(values());
        tile_on_stack(steps, v(), t(), {task.host.dims.rbegin(), task.host.dims.rend()});
        vectors(steps, t(), v());
    }

    /// What is turned: the values, when all they are made from lies across, else the operands that do.
    void turn() const {
        if (!any && straight.empty()) return turn_values();
        for (const Operand& o : turned) copy(o);
    }
};

/// The dim of the host along which an input's last one lies, where that is neither the last nor the first: `Y[n, y, x, c] =
/// X[n, c, y, x]`. (1x64x56x56 f32 on Zen 4: 121 us an element at a time, 33 turned; 12 matrices of 128x768 1053 and 242.)
std::optional<int> inner_dim(const Task& task) {
    for (int d = 1; d + 1 < static_cast<int>(task.host.dims.size()); d++)
        for (const Read& read : task.host.reads)
            if (task.is_input(read.tensor) && read.at.size() > 1 && read.at.back().is_plain() &&
                read.at.back().moves_with(task.host.dims[static_cast<std::size_t>(d)]))
                return d;
    return std::nullopt;
}

/// Every choice of operands that lie across while the output lies along the last dim, then along the first.
std::vector<Way> ways_of(const Task& task) {
    std::vector<Way> ways;
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    std::vector<std::pair<int, int>> pairs{{last, 0}, {0, last}};
    const auto inner = inner_dim(task);
    if (inner) pairs.insert(pairs.begin(), {last, *inner});
    for (const auto& [dim, across] : pairs) {
        const std::string v = task.host.dims[dim] + (across == inner ? "_" + task.host.dims[across] : "");
        const auto all = operands(task, task.host.dims[dim], task.host.dims[across]);
        if (!all || all->empty() || !computed_by_one_equation(task, *all)) continue;
        if (all->size() > 2) {  // each choice would be code of its own
            ways.push_back({task, dim, across, *all, {}, "_" + v + "_any", tile_of_copies(task, *all), true});
            continue;
        }
        for (unsigned choice = 1; choice < 1u << all->size(); choice++) {
            std::vector<Operand> turned, straight;
            std::string name = "_" + v;
            for (size_t o = 0; o < all->size(); o++) (choice >> o & 1 ? turned : straight).push_back((*all)[o]);
            for (const Operand& o : turned) name += "_" + o.tensor;
            const Tile tile = straight.empty() ? Tile(task) : tile_of_copies(task, turned);
            ways.push_back({task, dim, across, turned, straight, name, tile});
        }
    }
    return ways;
}

/// What decides between the computations of a map: in order, the first that holds.
struct Choice {
    std::string values;
    Condition when;
    std::function<void(Steps&)> loops;
};

}  // namespace

bool map_turns(const Task& task) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (last < 1) return true;
    if (!task.host.output) return false;
    for (const auto& [dim, across] : {std::pair{last, 0}, {0, last}}) {
        const auto all = operands(task, task.host.dims[dim], task.host.dims[across]);
        if (!all || (!all->empty() && !computed_by_one_equation(task, *all))) return false;
    }
    return true;
}

bool turned_map(const Task& task, const std::vector<StraightWay>& straight) {
    if (task.host.dims.size() < 2 || task.fused_dims > 0 || !task.host.output) return false;
    const std::vector<Way> ways = ways_of(task);
    const bool any = std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.any; });
    std::vector<Choice> choices;
    if (any)
        for (const StraightWay& way : straight)
            choices.push_back({task.host.func + "_" + task.host.dims[way.dim] + "_all", way.unit, way.loops});
    for (const Way& way : ways)
        choices.push_back({way.values(), way.when(), [&](Steps& inside) { way.loops(inside); }});
    Steps host = task.stage(task.host.func);
    for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice)
        host.twin(choice->values, choice->when);  // the last decides first
    for (const Choice& choice : choices)
        host.specialize("along" + choice.values.substr(task.host.func.size()), choice.when, choice.loops);
    for (const Way& way : ways) way.turn();
    return any;
}

}  // namespace halogen::recipes
