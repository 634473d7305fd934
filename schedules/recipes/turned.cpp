// Maps of buffers that lie in different orders: dense loads of each, turned around in small tiles.

#include "schedules/recipes/recipes.h"

#include <algorithm>

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

/// One way the buffers of a map may lie: the output along dim `dim` of the host, some operands across, the others along too.
struct Way {
    const Task& task;
    const int dim, across;
    const std::vector<Operand> turned, straight;
    const std::string name;
    const Tile tile;

    const std::string& v() const { return task.host.dims[dim]; }
    const std::string& t() const { return task.host.dims[across]; }
    std::string level() const { return t() + name; }
    std::string values() const { return task.host.func + name; }

    Condition when() const {
        const std::vector<Formula>& extents = task.solution.extents.at(task.host.tensor);
        // The last tiles move inwards, where an input that is the output as well would be read again. It lies as the output does.
        Condition c = apart_from_inputs(task);
        std::erase_if(c.all, [&](const Condition::Term& term) {
            return std::any_of(turned.begin(), turned.end(), [&](const Operand& o) { return o.tensor == term.tensor; });
        });
        c.all.push_back({Kind::at_least, {}, 0, 1, extents[dim], tile.width});
        c.all.push_back({Kind::at_least, {}, 0, 1, extents[across], tile.height});
        c.all.push_back({Kind::stride_is, task.host.func, dim, 1});
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

    /// The tiles of a line one after the other, so that it is used while it is near.
    void loops(Steps& steps, bool parallel) const {
        const std::string &a = v(), &b = t();
        steps.split(a, a + "_o", a + "_v", tile.width, Tail::shift_inwards);
        steps.split(b, b + "_o", b + "_u", tile.height, Tail::shift_inwards);
        steps.split(b + "_o", b + "_lines", level(), tiles_of_a_line(), Tail::guard);
        std::vector<std::string> order{a + "_v", b + "_u", level(), a + "_o"}, outer{b + "_lines"};
        for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;)
            if (d != dim && d != across) outer.push_back(task.host.dims[d]);
        order.insert(order.end(), outer.begin(), outer.end());
        steps.reorder(order).vectorize(a + "_v").unroll(b + "_u");
        const Formula& extent = task.solution.extents.at(task.host.tensor)[dim];
        if (parallel) chunked_threads(task, steps, outer, extent * Formula(tiles_of_a_line() * tile.height));
    }

    /// A tile on the stack, loop `along` innermost in memory and `other` in vectors.
    void stage(Steps steps, const std::string& along, const std::string& other,
               std::vector<std::string> storage) const {
        std::erase_if(storage, [&](const std::string& loop) { return loop == along || loop == other; });
        storage.insert(storage.begin(), {along, other});
        steps.compute_at(task.host.func, level()).store_in_stack();
        steps.bound_extent(along, tile.width).bound_extent(other, tile.height).reorder_storage(storage);
        steps.reorder({other, along}).vectorize(other).unroll(along);
    }

    /// What is turned: the values, when all they are made from lies across, else the operands that do.
    void turn() const {
        if (straight.empty())
            return stage(task.stage(values()), v(), t(), {task.host.dims.rbegin(), task.host.dims.rend()});
        for (const Operand& o : turned) {
            const std::string copy = o.tensor + name;
            task.stage(values()).copy_in(o.tensor, copy);
            std::vector<std::string> loops;
            for (int d = o.rank; d-- > 0;) loops.push_back(copy + "_d" + std::to_string(d));
            stage(task.stage(copy), loops[o.rank - 1 - o.along], loops[o.rank - 1 - o.across], loops);
        }
    }
};

/// Every choice of the operands that lie across while the output lies along dim `dim`; all of them last.
void add_ways(const Task& task, int dim, int across, std::vector<Way>& ways) {
    const std::string &v = task.host.dims[dim], &t = task.host.dims[across];
    const auto all = operands(task, v, t);
    if (!all || all->empty() || !computed_by_one_equation(task, *all)) return;
    const unsigned none_straight = (1u << std::min<size_t>(all->size(), 20)) - 1;
    // Each choice is code of its own: of three operands or more there are too many.
    for (unsigned choice = all->size() > 2 ? none_straight : 1; choice <= none_straight; choice++) {
        std::vector<Operand> turned, straight;
        std::string name = "_" + v;
        for (size_t o = 0; o < all->size(); o++)
            (choice == none_straight || choice >> o & 1 ? turned : straight).push_back((*all)[o]);
        for (const Operand& o : turned) name += "_" + o.tensor;
        ways.push_back({task, dim, across, turned, straight, name, Tile(task)});
    }
}

}  // namespace

void turned_map(const Task& task) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    if (last < 1 || task.fused_dims > 0 || !task.host.output) return;
    std::vector<Way> ways;
    add_ways(task, last, 0, ways);
    add_ways(task, 0, last, ways);
    Steps host = task.stage(task.host.func);
    for (auto way = ways.rbegin(); way != ways.rend(); ++way)
        host.twin(way->values(), way->when());  // the last decides first
    for (const Way& way : ways) {
        host.specialize(way.when(), [&](Steps& inside) {
            if (task.at_root) inside.specialize(task.worth_threads(), [&](Steps& s) { way.loops(s, true); });
            way.loops(inside, false);
        });
        way.turn();
    }
}

}  // namespace halogen::recipes
