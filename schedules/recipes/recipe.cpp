#include "schedules/recipes/recipe.h"

#include "frontend/notation/reversed.h"
#include "frontend/plan/named_loops.h"
#include "schedules/recipes/decided.h"
#include "schedules/recipes/recipes.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace halogen {

namespace {

/// How far the loops that were chosen for a host can follow buffers in other orders.
enum class Follows {
    any_order,  // dense or turned around in registers
    one_order,  // row-major or column-major, when all buffers lie that way
    rows        // row-major alone
};

/// Chooses the recipe of a host.
Follows schedule(const recipes::Task& task) {
    Follows follows = Follows::rows;
    if (task.host.cores.empty()) {
        recipes::map(task);
        follows = recipes::map_turns(task) ? Follows::any_order : Follows::one_order;
    } else if (!task.host.runs_in_order() && recipes::fits_rows(task)) {
        if (recipes::rows(task)) follows = Follows::any_order;
    } else if (!task.host.runs_in_order() && recipes::fits_tiles(task)) {
        if (recipes::tiles(task)) follows = Follows::any_order;
    } else {
        recipes::serial(task);
    }
    return task.fused_dims > 0 || task.strips ? Follows::rows : follows;
}

/// Some reader takes rows of the host beside its own: those it has read before are kept. (Where rows are not the outermost dim, a
/// block would keep all rows of an image.)
bool slides(const Structure& structure, const Host& host) {
    if (structure.fused_dims != 1) return false;
    for (const Host& reader : structure.hosts)
        for (const Read& read : reader.reads)
            if (read.tensor == host.tensor && !read.at.front().is_index(reader.dims.front())) return true;
    return false;
}

/// Rows of intermediates have an extent known at run time alone and come from the heap: once for a block of rows.
void hoist_rows(const Structure& structure, const std::vector<const Host*>& inside, History& history) {
    const Host& last = structure.hosts.back();
    const auto has_rows = [&](const Host& host) { return static_cast<int>(host.dims.size()) > structure.fused_dims; };
    if (inside.empty() || !has_rows(last) || !made_loops(history.steps).count({last.func, recipes::block_loop(last)}))
        return;
    for (const Host* host : inside) {
        if (!has_rows(*host)) continue;
        Steps steps(history.steps, host->func);
        if (slides(structure, *host))
            steps.store_at(last.func, recipes::block_loop(last));
        else
            steps.hoist_storage(last.func, recipes::block_loop(last));
    }
}

/// Some equation's loops move along each dim of the tensor.
bool is_swept(const Kernel& kernel, const Solution& solution, const Tensor& tensor) {
    const auto moves = [](const LinearPlace& place) { return place.affine && !place.coefficients.empty(); };
    bool swept = false;
    for (int e = 0; e < static_cast<int>(kernel.equations.size()); e++)
        for (const Read& r : reads_of(kernel, solution, e))
            swept = swept || (r.tensor == tensor.name && std::all_of(r.at.begin(), r.at.end(), moves));
    return swept;
}

/// Some branch is for buffers that lie the other way round.
bool asks_for_order(const std::vector<Step>& steps) {
    bool asks = false;
    each_step(steps, [&](const Step& step) {
        for (const Condition::Term& term : step.when.all)
            asks = asks || term.kind == Condition::Term::Kind::stride_below;
    });
    return asks;
}

/// Somebody reads the host, and all that do stay at one place of dim `d` while the loops that all hosts share stand still.
bool is_read_at_one_place(const Structure& structure, const Host& host, std::size_t d) {
    bool is_read = false;
    for (const Host& reader : structure.hosts) {
        const std::set<std::string> shared(reader.dims.begin(), reader.dims.begin() + structure.fused_dims);
        const auto stands = [&](const std::string& index) { return shared.contains(index); };
        for (const Read& read : reader.reads) {
            if (read.tensor != host.tensor) continue;
            const LinearPlace& place = read.at[d];
            if (!std::ranges::all_of(place.bent, stands) ||
                !std::ranges::all_of(std::views::keys(place.coefficients), stands))
                return false;
            is_read = true;
        }
    }
    return is_read;
}

/// Makes whole what is read at one place, such as `u` of `Y[u]` in `O[1] = Y[G[0]]`: else Halide makes that place alone, and vectors that
/// move inwards begin before it. Of maps, whose vectors and rows are asked to fit; tiles of sums may be larger than the tensor, and begin
/// before it anyway.
void make_whole(const Structure& structure, const Host& host, const Solution& solution, History& history) {
    if (!host.cores.empty()) return;
    for (auto d = static_cast<std::size_t>(structure.fused_dims); d < host.dims.size(); d++)
        if (is_read_at_one_place(structure, host, d))
            Steps(history.steps, host.func).bound(host.dims[d], solution.extents.at(host.tensor)[d]);
}

/// Nobody but `reader` reads the host.
bool is_read_by(const Structure& structure, const Host& host, const Host& reader) {
    return std::ranges::all_of(structure.hosts, [&](const Host& other) {
        return &other == &reader ||
               std::ranges::none_of(other.reads, [&](const Read& read) { return read.tensor == host.tensor; });
    });
}

/// All hosts are recurrences along rows, from the first one to the last: of each, some rows are computed at a time.
template<class TaskOf>
bool is_chain_of_scans(const Structure& structure, const TaskOf& task_of) {
    const Host& last = structure.hosts.back();
    if (structure.fused_dims != 1 || structure.hosts.size() < 2 || !recipes::fits_rows_in_order(task_of(last, false)))
        return false;
    return std::all_of(structure.hosts.begin(), structure.hosts.end() - 1, [&](const Host& host) {
        return host.runs_in_order() && recipes::fits_serial_rows(task_of(host, true), last, true);
    });
}

struct Scheduled {
    History history;
    Follows follows = Follows::any_order;  // the least that some host does
};

Scheduled scheduled(const Kernel& written, const Solution& solved, const Machine& machine, const KnobValues& chosen,
                    const Facts& facts, bool turns = true) {
    const auto [kernel, solution] = with_named_loops(written, solved);
    Scheduled result;
    History& history = result.history;
    const Structure structure = structure_of(kernel, solution);
    const Host& last = structure.hosts.back();
    const auto task_of = [&](const Host& host, bool inside) {
        recipes::Task task{kernel, solution, machine, host, structure.fused_dims, !inside, history, chosen};
        task.turns = turns;
        return task;
    };
    recipes::Task end = task_of(last, false);
    std::vector<const Host*> near;                       // computed beside strips of the last one's rows
    std::vector<const Host*> in_row;                     // computed inside the last one's fused loops
    std::vector<const Host*> blocked;                    // computed for blocks of the last one's first loop
    std::vector<const Host*> scans;                      // computed for blocks of the last one's rows
    std::vector<std::pair<const Host*, LoopOf>> points;  // computed beside those that strips of the last one add up
    const bool chained = is_chain_of_scans(structure, task_of);
    const std::vector<const Host*> in_columns =
        recipes::beside_columns(structure, [&](const Host& host) { return task_of(host, true); });
    for (const Host& host : structure.hosts) {
        if (&host == &last) break;
        if (std::ranges::find(in_columns, &host) != in_columns.end()) continue;
        if (structure.fused_dims == 0 && recipes::fits_strips(end, host)) near.push_back(&host);
        const auto together = is_read_by(structure, host, last) ? recipes::strips_beside(end, host) : std::nullopt;
        end.together = end.together || together;
        if (together && always_holds(kernel, solution, facts, together->when)) {
            points.emplace_back(&host, together->loop);
            recipes::Task sum = task_of(host, true);
            sum.turns = false;
            schedule(sum);
            continue;
        }
        const bool beside = !near.empty() && near.back() == &host, inside = !host.output && structure.fused_dims > 0;
        const bool in_block = !host.output && !beside && structure.blocked && !host.runs_in_order();
        const recipes::Task own = task_of(host, inside || beside || in_block);
        if (chained || (inside && host.runs_in_order() && recipes::fits_serial_rows(own, last))) {
            scans.push_back(&host);
            continue;
        }
        if (inside) {
            in_row.push_back(&host);
            Steps(history.steps, host.func).compute_at(last.func, last.dims[structure.fused_dims - 1]);
        } else if (in_block) {
            blocked.push_back(&host);
        } else if (!host.output && !beside)
            Steps(history.steps, host.func).compute_root();
        if (!host.output && !beside) make_whole(structure, host, solution, history);
        result.follows = std::max(result.follows, schedule(own));
    }
    end.strips = !near.empty();
    end.blocks = structure.blocked;
    end.scans = !scans.empty();
    end.slides = std::ranges::any_of(in_row, [&](const Host* host) { return slides(structure, *host); });
    if (in_columns.empty()) {
        result.follows = std::max(result.follows, schedule(end));
    } else {
        std::vector<recipes::Task> beside;
        for (const Host* host : in_columns) beside.push_back(task_of(*host, true));
        recipes::columns(end, beside);
        result.follows = Follows::rows;
    }
    for (const Host* host : scans) recipes::serial_rows(task_of(*host, true), last);
    for (const Host* host : near) Steps(history.steps, host->func).compute_at(last.func, recipes::strip_loop(last));
    for (const auto& [host, loop] : points) Steps(history.steps, host->func).compute_at(loop.func, loop.loop);
    for (const Host* host : blocked) Steps(history.steps, host->func).compute_at(last.func, recipes::block_loop(last));
    hoist_rows(structure, in_row, history);
    // A kernel that has code of its own for buffers that lie the other way round needs no branches for them.
    if (result.follows == Follows::rows && reversible(written) && asks_for_order(history.steps))
        return scheduled(written, solved, machine, chosen, facts, false);
    history.steps = without_decided_branches(kernel, solution, history.steps, facts);
    return result;
}

}  // namespace

std::string to_string(EquationClass c) {
    static const char* const names[] = {"map",           "reduction", "contraction",    "convolution", "stencil",
                                        "layout change", "scan",      "gather/scatter", "other"};
    return names[static_cast<int>(c)];
}

History recipe(const Kernel& kernel, const Solution& solution, const Machine& machine, const KnobValues& chosen,
               const Facts& facts) {
    return scheduled(kernel, solution, machine, chosen, facts).history;
}

BufferOrders buffer_orders(const Kernel& kernel, const Solution& solution) {
    BufferOrders orders;
    const Follows all = scheduled(kernel, solution, machine_of(all_legs().front()), {}, {}).follows;
    const auto has_order = [](const Tensor& t) { return t.role != Role::intermediate && t.rank > 1; };
    if (all == Follows::any_order || std::none_of(kernel.tensors.begin(), kernel.tensors.end(), has_order))
        return orders;
    orders.reversed = all == Follows::rows && reversible(kernel);
    orders.rows_only = all == Follows::rows && !orders.reversed;
    for (const Tensor& tensor : kernel.tensors) {
        if (!has_order(tensor)) continue;
        if (tensor.role == Role::output || is_swept(kernel, solution, tensor)) orders.densely.push_back(tensor.name);
    }
    return orders;
}

}  // namespace halogen
