// Maps of buffers that lie in different orders: dense loads of each, turned around in registers.

#include "frontend/plan/value_funcs.h"
#include "schedules/recipes/unit_strides.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace halogen::recipes {

namespace {

using Kind = Condition::Term::Kind;

/// An input that moves with both loops, one element at a time.
struct Operand {
    std::string tensor;
    int along, across;  // its dims for the vector loop and for the other one
    int rank;
    friend bool operator==(const Operand&, const Operand&) = default;
};

/// The inputs that move with loops `v` and `t` of the host; nothing where one of them moves otherwise.
std::optional<std::vector<Operand>> operands(const Task& task, const std::string& v, const std::string& t) {
    std::vector<Operand> found;
    for (const Read& read : task.host.reads) {
        if (!read.moves_with(v) || !read.moves_with(t)) continue;
        const auto along = read.unit_dim(v), across = read.unit_dim(t);
        const bool padded = task.kernel.tensor(read.tensor).boundary.mode != Boundary::Mode::none;
        if (!task.is_input(read.tensor) || padded || !along || !across || *along == *across) return std::nullopt;
        const Operand operand{read.tensor, *along, *across, static_cast<int>(read.at.size())};
        if (std::ranges::find(found, operand) == found.end()) found.push_back(operand);
    }
    return found;
}

/// Each is read at one place: of neighbours, a tile's copy would be wider than the tile.
bool are_read_once(const Task& task, const std::vector<Operand>& operands) {
    return std::ranges::all_of(operands, [&](const Operand& o) {
        const Read* first = nullptr;
        return std::ranges::all_of(task.host.reads, [&](const Read& read) {
            if (read.tensor != o.tensor) return true;
            if (!first) first = &read;
            return first->at == read.at;
        });
    });
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

/// So many of `bytes` each lie in a line of the caches.
int in_a_line(int bytes) { return std::max(64 / bytes, 1); }

/// One way the buffers of a map may lie: the output along dim `dim` of the host, some operands along `across`, the others along too.
struct Way {
    const Task& task;
    const int dim, across;
    const std::vector<Operand> turned, straight;
    const std::string name;

    /// Of the widest elements that are turned or written.
    int bytes() const {
        int widest = bytes_of(task.kernel.tensor(task.host.tensor).type);
        for (const Operand& o : turned) widest = std::max(widest, bytes_of(task.kernel.tensor(o.tensor).type));
        return widest;
    }
    /// A vector of them, no longer than what registers turn.
    int width() const { return std::clamp(task.machine.vector_bytes / bytes(), 4, 16); }

    /// Whether a tensor may lie so: none of them along two dims at once.
    bool may_be() const {
        return std::ranges::none_of(turned, [&](const Operand& a) {
            const auto differs = [&](const Operand& b) { return a.tensor == b.tensor && a.across != b.across; };
            const auto lies = [&](const Operand& b) { return a.tensor == b.tensor && a.across != b.along; };
            return std::ranges::any_of(turned, differs) || std::ranges::any_of(straight, lies);
        });
    }

    Condition when() const {
        const std::vector<Formula>& extents = task.extents();
        // The last vectors move inwards, where an input that is the output as well would be read again. It lies as the output does.
        Condition c = apart_from_inputs(task);
        std::erase_if(c.all, [&](const Condition::Term& term) {
            return std::any_of(turned.begin(), turned.end(), [&](const Operand& o) { return o.tensor == term.tensor; });
        });
        c.all.push_back(at_least(extents[dim], width()));
        c.all.push_back(at_least(extents[across], width()));
        c.all.push_back({Kind::stride_is, task.host.func, dim, 1});
        const auto lies = [&](const std::string& tensor, int d) {
            const Condition::Term unit{Kind::stride_is, tensor, d, 1};
            if (std::ranges::find(c.all, unit) == c.all.end()) c.all.push_back(unit);
        };
        for (const Operand& o : turned) lies(o.tensor, o.across);
        for (const Operand& o : straight) lies(o.tensor, o.along);
        return c;
    }

    /// Lines of the result, one below the other along the rows of what is turned, which registers turn (bind/turned_vectors.h): memory is
    /// read in its own order, from few places, and written by whole lines. (Transposes on Zen 4, ms, by tiles on the stack and so: f32
    /// 2048x2048 2.1 and 1.4, 4096x64 0.065 and 0.046, 64x64 0.73 us and 0.33; AVX2 2.8 and 1.4, 0.12 and 0.048, by half lines 3.6.)
    void loops(Steps& steps) const {
        const int all = in_a_line(bytes());
        if (all <= width()) return lines(steps, 1);
        steps.specialize("line", {{at_least(task.extents()[dim], all)}}, [&](Steps& s) { lines(s, all / width()); });
        lines(steps, 1);
    }

private:
    void lines(Steps& steps, int vectors) const {
        const std::string &a = task.host.dims[dim], &b = task.host.dims[across];
        std::vector<std::string> order{a + "_v"}, outer{a + "_o"};
        if (vectors == 1) {
            steps.vectorize(a, width(), a + "_o", a + "_v", Tail::shift_inwards);
        } else {
            steps.vectorize(a, width(), vectors, a + "_o", a + "_u", a + "_v", Tail::shift_inwards);
            order.push_back(a + "_u");
        }
        for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;)
            if (d != dim && d != across) outer.push_back(task.host.dims[d]);
        order.push_back(b);
        order.insert(order.end(), outer.begin(), outer.end());
        steps.reorder(order);
        const std::vector<Formula>& extents = task.extents();
        share_all(task, steps, outer, ceil_div(extents[dim], vectors * width()) * task.product_without({dim, across}),
                  extents[across] * (vectors * width()));
    }
};

/// Many operands, any of them any way, which each copy of a tile finds out.
struct AnyWay {
    const Task& task;
    const int dim, across;
    const std::vector<Operand> operands;
    const std::string name;

    const std::string& v() const { return task.host.dims[dim]; }
    const std::string& t() const { return task.host.dims[across]; }
    std::string level() const { return v() + name; }
    std::string values() const { return task.host.func + name; }

    Condition when() const {
        const std::vector<Formula>& extents = task.extents();
        Condition c = apart_from_inputs(task);  // the last tiles move inwards
        c.all.push_back(at_least(extents[dim], width()));
        c.all.push_back(at_least(extents[across], height()));
        c.all.push_back({Kind::stride_is, task.host.func, dim, 1});
        return c;
    }

    /// A tile: one vector along, a line (64 bytes) of the narrowest operand across. What is written to the stack one way and read the other
    /// becomes an interleaving of whole vectors of 8 and 16, which LLVM does well. Of two bytes an element it interleaves half vectors well
    /// (u16 average on avx2, 300x500, times all row-major: 16x4 2.5, 8x4 2.6, 16x8 and 8x8 5).
    int width() const { return std::clamp(task.lanes(), 8, 16); }
    int interleaved() const {
        const auto is_two = [&](const Operand& o) { return bytes_of(task.kernel.tensor(o.tensor).type) == 2; };
        return std::ranges::any_of(operands, is_two) ? 4 : 8;
    }
    int height() const {
        int bytes = 8;
        for (const Operand& o : operands) bytes = std::min(bytes, bytes_of(task.kernel.tensor(o.tensor).type));
        return std::max(in_a_line(bytes) / interleaved(), 1) * interleaved();
    }

    void loops(Steps& steps) const {
        const std::string &a = v(), &b = t(), over = b + "_lines";
        steps.vectorize(a, width(), a + name, a + "_v", Tail::shift_inwards);
        steps.split(b, over, b + "_u", height(), Tail::shift_inwards);
        std::vector<std::string> order{a + "_v", b + "_u", level()}, outer{over};
        for (int d = static_cast<int>(task.host.dims.size()); d-- > 0;)
            if (d != dim && d != across) outer.push_back(task.host.dims[d]);
        order.insert(order.end(), outer.begin(), outer.end());
        steps.reorder(order);
        const std::vector<Formula>& extents = task.extents();
        share_all(task, steps, outer, ceil_div(extents[across], height()) * task.product_without({dim, across}),
                  extents[dim] * height());
    }

    /// A tile on the stack in the place of an operand, its loop along the vectors innermost in memory.
    void copy(const Operand& o) const {
        const std::string name_of_copy = copy_name(task, o.tensor, name);
        task.stage(values()).copy_in(o.tensor, name_of_copy, {task.host.func, level()});
        std::vector<std::string> storage;
        for (int d = o.rank; d-- > 0;) storage.push_back(name_of_copy + "_d" + std::to_string(d));
        const std::string along = storage[o.rank - 1 - o.along], other = storage[o.rank - 1 - o.across];
        std::erase_if(storage, [&](const std::string& loop) { return loop == along || loop == other; });
        storage.insert(storage.begin(), {along, other});
        Steps steps = task.stage(name_of_copy);
        steps.store_in_stack();
        steps.bound_extent(along, width()).bound_extent(other, height()).reorder_storage(storage);
        const auto lies = [&](int d) -> Condition { return {{{Kind::stride_is, o.tensor, d, 1}}}; };
        steps.specialize(lies(o.along), [&](Steps& s) { s.reorder({along, other}).vectorize(along); });
        steps.specialize(lies(o.across), [&](Steps& s) {
            s.vectorize(other, interleaved(), other + "_o", other + "_v", Tail::exact);
            s.reorder({other + "_v", along, other + "_o"}).unroll(along);
        });
        steps.reorder({along, other});
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

/// Two dims of a map: the result lies along one, what is turned along the other.
struct Turn {
    int dim, across;
    std::string name;
};
std::vector<Turn> turns_of(const Task& task) {
    const int last = static_cast<int>(task.host.dims.size()) - 1;
    const std::string &first = task.host.dims.front(), &inmost = task.host.dims.back();
    std::vector<Turn> turns{{last, 0, inmost}, {0, last, first}};
    if (const auto inner = inner_dim(task)) {
        const std::string& across = task.host.dims[static_cast<std::size_t>(*inner)];
        turns.insert(turns.begin(), {last, *inner, inmost + "_" + across});
    }
    return turns;
}

/// Every choice of operands that lie across while the output lies along the last dim, then along the first.
std::vector<Way> ways_of(const Task& task) {
    std::vector<Way> ways;
    for (const auto& [dim, across, turn] : turns_of(task)) {
        const auto all = operands(task, task.host.dims[dim], task.host.dims[across]);
        if (!all || all->size() > 2) continue;
        for (unsigned choice = 1; choice < 1u << all->size(); choice++) {
            std::vector<Operand> turned, straight;
            std::string name = "along_" + turn;
            for (size_t o = 0; o < all->size(); o++) (choice >> o & 1 ? turned : straight).push_back((*all)[o]);
            for (const Operand& o : turned) name += "_" + o.tensor;
            const Way way{task, dim, across, turned, straight, name};
            if (way.may_be()) ways.push_back(way);
        }
    }
    return ways;
}

/// Tiles on the stack, which fit where one equation reads each operand at one place.
bool fit_on_stack(const Task& task, const std::vector<Operand>& operands) {
    return are_read_once(task, operands) && computed_by_one_equation(task, operands);
}

/// Of more operands each choice would be code of its own.
std::vector<AnyWay> any_ways_of(const Task& task) {
    std::vector<AnyWay> ways;
    for (const auto& [dim, across, turn] : turns_of(task)) {
        const auto all = operands(task, task.host.dims[dim], task.host.dims[across]);
        if (all && all->size() > 2 && fit_on_stack(task, *all))
            ways.push_back({task, dim, across, *all, "_" + turn + "_any"});
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
        if (!all || (all->size() > 2 && !fit_on_stack(task, *all))) return false;
    }
    return true;
}

bool turned_map(const Task& task, const std::vector<StraightWay>& straight) {
    if (task.host.dims.size() < 2 || task.fused_dims > 0 || !task.host.output) return false;
    Steps host = task.stage(task.host.func);
    for (const Way& way : ways_of(task))
        host.specialize(way.name, way.when(), [&](Steps& inside) { way.loops(inside); });
    const std::vector<AnyWay> ways = any_ways_of(task);
    if (ways.empty()) return false;
    std::vector<Choice> choices;
    for (const StraightWay& way : straight)
        choices.push_back({task.host.func + "_" + task.host.dims[way.dim] + "_all", way.unit, way.loops});
    for (const AnyWay& way : ways)
        choices.push_back({way.values(), way.when(), [&](Steps& inside) { way.loops(inside); }});
    for (auto choice = choices.rbegin(); choice != choices.rend(); ++choice)
        host.twin(choice->values, choice->when);  // the last decides first
    for (const Choice& choice : choices)
        host.specialize("along" + choice.values.substr(task.host.func.size()), choice.when, choice.loops);
    for (const AnyWay& way : ways)
        for (const Operand& o : way.operands) way.copy(o);
    return true;
}

}  // namespace halogen::recipes
