// Steps that give values other places to lie: copies of what is read or written, partial results, smaller storage.

#include "schedules/nest/copies.h"

#include "frontend/notation/parts.h"
#include "schedules/history/print_step.h"
#include "schedules/nest/regions.h"
#include "schedules/nest/step_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::nesting {

namespace {

std::vector<int> level_loops(const Nest& nest, const Step& step) {
    std::vector<int> ids;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (s.func != step.at_func) return;
        for (const NestLoop* loop : path)
            if (loop->name == step.at_loop && std::find(ids.begin(), ids.end(), loop->id) == ids.end())
                ids.push_back(loop->id);
    });
    if (ids.empty())
        refuse_step(step, fmt::format("there is no loop `{}` in `{}`", step.at_loop, step.at_func),
                    "remove the step or name an existing loop");
    return ids;
}

std::vector<std::string> dim_names(const std::string& tensor, std::size_t rank) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < rank; d++) names.push_back(fmt::format("{}_d{}", tensor, d));
    return names;
}

/// `to[d...] op= from[d...]` at loop values.
NestStatement copy_statement(const std::string& to, Op op, const std::string& from, const std::vector<Formula>& at) {
    NestStatement s;
    s.equation.op = op;
    s.equation.left.tensor = to;
    Access read{from, {}, {}};
    for (std::size_t d = 0; d < at.size(); d++) {
        const std::string index = "d" + std::to_string(d);
        s.at[index] = at[d];
        s.equation.left.at.push_back(Expr(ExprNode(IndexRef{index})));
        read.at.push_back(Expr(ExprNode(IndexRef{index})));
    }
    s.equation.right = Expr(ExprNode{std::move(read)});
    return s;
}

NestStatement start_statement(const std::string& tensor, Op op, const std::vector<Formula>& at) {
    NestStatement s = copy_statement(tensor, op, tensor, at);
    s.equation.right = {};
    s.start = true;
    return s;
}

/// What an assignment writes below a loop has no gaps: one statement without guards, each dim by a loop of its own.
void check_no_gaps(const Nest& nest, const Step& step, const NestStatement& s) {
    std::set<std::string> used;
    bool plain = s.guards.empty();
    for (const Expr& place : s.equation.left.at) {
        const auto f = formula_of(nest, s, place);
        std::set<std::string> loops;
        if (f)
            for (const std::string& symbol : f->symbols())
                if (symbol[0] == '#') loops.insert(symbol);
        plain = plain && f && loops.size() <= 1;
        if (!plain || loops.empty()) continue;
        for (const std::string& symbol : (*f - Formula::symbol(*loops.begin())).symbols())
            plain = plain && symbol[0] != '#';
        plain = plain && used.insert(*loops.begin()).second;
    }
    plain = plain && predicates_of(s.equation).empty();
    if (!plain)
        refuse_step(step, "it may leave gaps in what it writes", "cache plain writes, before their loops are cut");
}

std::string copy_name(const Step& step, int copy) {
    return copy == 0 ? step.made.at(0) : fmt::format("{}_{}", step.made.at(0), copy + 1);
}

int level_of(const NestPlace& place) { return place.around.empty() ? 0 : place.around.back()->id; }

/// The storage of a tensor is there where a copy would be made.
void check_in_reach(const Nest& nest, const Step& step, const std::string& tensor, const NestPlace& place) {
    const auto storage = nest.storage.find(tensor);
    if (storage == nest.storage.end() || storage->second.level == 0) return;
    for (const NestLoop* loop : place.around)
        if (loop->id == storage->second.level) return;
    refuse_step(step, fmt::format("the storage of `{}` lies inside this loop", tensor), "name a loop further in");
}

/// The writes of one stage below a loop go to a copy.
void cache_writes_at(Nest& nest, const Step& step, int id, const std::string& name) {
    const std::string tensor = step.func;
    check_writes_itself(nest, step);
    check_in_reach(nest, step, tensor, place_of(nest, id));
    const auto own = [&](const NestStatement& s) { return s.func == step.func && s.stage == step.stage; };
    Op op = Op::assign;
    bool found = false;
    int writers = 0;
    std::vector<NestNode> one{(*place_of(nest, id).list)[place_of(nest, id).index]};
    each_statement(one, [&](NestStatement& s) {
        if (!own(s)) return;
        found = true;
        op = s.equation.op;
    });
    each_statement(one, [&](NestStatement& s) {
        // Steps of one reduction may come in any order; other stages would write before or behind the copy.
        const bool writes = s.equation.left.tensor == tensor && (s.start || op == Op::assign || s.equation.op != op);
        if (!own(s) && writes)
            refuse_step(step, fmt::format("`{}.{}` writes `{}` in this loop too", s.func, s.stage, tensor),
                        "cache it further in");
        for (const NestAccess& access : accesses_of(nest, s))
            if (!access.write && access.tensor == tensor)
                refuse_step(step, fmt::format("`{}.{}` reads `{}` in this loop", s.func, s.stage, tensor),
                            "cache it further in");
        if (!own(s)) return;
        if (s.start) refuse_step(step, "a start is written once and needs no copy", "name the stage that reduces");
        if (op == Op::assign) check_no_gaps(nest, step, s);
        if (op == Op::assign && writers++ > 0)
            refuse_step(step, "several statements write in this loop", "cache them further in");
    });
    if (!found)
        refuse_step(step, fmt::format("`{}.{}` does not write in this loop", step.func, step.stage),
                    "name a loop around the stage");
    NestRegion region = region_of(nest, tensor, id, true,
                                  [&](const NestStatement& s, const NestAccess& a) { return own(s) && a.write; });
    if (!region.known) refuse_step(step, "where it writes depends on data", "leave it without a copy");
    clip(region, places_that_exist(nest, tensor));
    const NestPlace place = place_of(nest, id);
    const Type type = compute_type(nest.kernel.tensor(tensor).type);
    add_tensor(nest, step, name, type, storage_of(region, level_of(place)));
    std::vector<NestNode> moved{std::move((*place.list)[place.index])};
    each_statement(moved, [&](NestStatement& s) {
        if (own(s)) s.equation.left.tensor = name;
    });
    const auto names = dim_names(name, region.dims.size());
    std::vector<NestNode> nodes;
    if (op != Op::assign)
        nodes.push_back(nest_over(nest, name, 0, names, region.dims,
                                  [&](const auto& at) { return start_statement(name, op, at); }));
    nodes.push_back(std::move(moved[0]));
    nodes.push_back(nest_over(nest, name, 1, names, region.dims,
                              [&](const auto& at) { return copy_statement(tensor, op, name, at); }));
    auto at = place.list->erase(place.list->begin() + static_cast<std::ptrdiff_t>(place.index));
    place.list->insert(at, std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
}

/// The loop that a place is, when it is one loop's value and nothing else.
std::optional<int> single_loop(const std::optional<Formula>& place) {
    const auto symbol = place ? place->as_symbol() : std::nullopt;
    if (!symbol || (*symbol)[0] != '#') return std::nullopt;
    return std::stoi(symbol->substr(1));
}

/// What rfactor needs to know of its reduction.
struct Reduction {
    std::vector<NestLoop> kept;  // without bodies
    NestStatement statement;
    std::size_t root = 0;  // the node of the nest's body that holds it
};

Reduction reduction_of(Nest& nest, const Step& step) {
    Reduction r;
    for (const std::string& name : step.loops) {
        const auto ids = loops_of(nest, step, name);
        if (ids.size() != 1)
            refuse_step(step, fmt::format("loop `{}` has several copies", name), "factor before the loop is copied");
        NestLoop loop = place_of(nest, ids[0]).loop();
        if (!loop.reduced) refuse_step(step, fmt::format("`{}` is no reduced loop", name), "name reduced loops");
        for (const std::string& symbol : (loop.min + loop.extent).symbols())
            if (symbol[0] == '#')
                refuse_step(step, fmt::format("the range of `{}` depends on other loops", name),
                            "name a loop with a range of its own");
        int statements = 0;
        each_statement(loop.body, [&](NestStatement& s) {
            statements++;
            r.statement = s;
        });
        if (statements != 1 || r.statement.func != step.func)
            refuse_step(step, fmt::format("loop `{}` holds other statements", name), "distribute the loop first");
        loop.body.clear();
        r.kept.push_back(std::move(loop));
    }
    const Equation& e = r.statement.equation;
    if (e.op == Op::assign || reads_itself(e))
        refuse_step(step,
                    fmt::format("the update `{}` is not known to be associative", e.text.empty() ? print(e) : e.text),
                    "factor a reduction by +=, *=, max=, min=, and= or or=");
    for (r.root = 0; r.root < nest.body.size(); r.root++) {
        std::vector<NestNode> one{nest.body[r.root]};
        bool inside = false, alone = true;
        each_statement(one, [&](NestStatement& s) {
            inside = inside || (s.func == step.func && s.stage == step.stage);
            alone = alone && s.func == step.func && s.stage == step.stage;
        });
        if (inside && !alone) refuse_step(step, "its loops hold other statements", "distribute them first");
        if (inside) return r;
    }
    return r;
}

/// The statements inside the kept loops write partial results; others of the stage, such as a tail, stay as they are.
void turn_into_partial(std::vector<NestNode>& body, const Reduction& r, const Step& step, std::size_t inside = 0) {
    for (NestNode& node : body) {
        if (auto* s = node.statement()) {
            if (inside < r.kept.size()) continue;
            s->func = step.made[0];
            s->stage = 1;
            s->equation.left.tensor = step.made[0];
            for (const NestLoop& loop : r.kept) s->equation.left.at.push_back(expr_of(loop_value(loop)));
            continue;
        }
        NestLoop& loop = *node.loop();
        std::size_t now = inside;
        for (std::size_t i = 0; i < r.kept.size(); i++)
            if (loop.id == r.kept[i].id) {
                now++;
                loop.name = step.made[i + 1];
                loop.reduced = false;
            }
        if (now > 0) {
            loop.func = step.made[0];
            loop.stage = 1;
        }
        turn_into_partial(loop.body, r, step, now);
    }
}

void check_partial_names(const Nest& nest, const Step& step) {
    if (step.made.size() != step.loops.size() + 1)
        refuse_step(step, fmt::format("{} loops are factored and {} names given", step.loops.size(), step.made.size()),
                    "give a name for the partial results, and one for each loop");
    if (nest.kernel.find_tensor(step.made[0]))
        refuse_step(step, fmt::format("the name `{}` is taken", step.made[0]), "choose another name");
}

}  // namespace

void cache_reads(Nest& nest, const Step& step) {
    const Tensor* const tensor = nest.kernel.find_tensor(step.tensor);
    if (!tensor) refuse_step(step, fmt::format("there is no tensor `{}`", step.tensor), "name a tensor that is read");
    const Type type = tensor->type;
    int copy = 0;
    for (const int id : level_loops(nest, step)) {
        const auto reader = [&](const NestStatement& s, const NestAccess& a) {
            return s.func == step.func && !a.write;
        };
        NestRegion region = region_of(nest, step.tensor, id, true, reader);
        if (!region.empty) check_in_reach(nest, step, step.tensor, place_of(nest, id));
        if (region.empty) continue;
        if (!region.known)
            refuse_step(step, fmt::format("where `{}` is read depends on data", step.tensor),
                        "leave it without a copy");
        clip(region, places_that_exist(nest, step.tensor));
        bool written = false;
        std::vector<NestNode> one{(*place_of(nest, id).list)[place_of(nest, id).index]};
        each_statement(one, [&](NestStatement& s) { written = written || s.equation.left.tensor == step.tensor; });
        if (written)
            refuse_step(step, fmt::format("`{}` is written in this loop", step.tensor),
                        "copy it where it is only read");
        const std::string name = copy_name(step, copy++);
        const NestPlace place = place_of(nest, id);
        add_tensor(nest, step, name, type, storage_of(region, level_of(place)));
        std::vector<NestNode> moved{std::move((*place.list)[place.index])};
        each_statement(moved, [&](NestStatement& s) {
            if (s.func == step.func)
                rewrite_reads(s, step.tensor, [&](const Access& a) { return Expr(ExprNode(Access{name, a.at, {}})); });
        });
        (*place.list)[place.index] = std::move(moved[0]);
        NestNode filling = nest_over(nest, name, 0, dim_names(name, region.dims.size()), region.dims,
                                     [&](const auto& at) { return copy_statement(name, Op::assign, step.tensor, at); });
        place.list->insert(place.list->begin() + static_cast<std::ptrdiff_t>(place.index), std::move(filling));
    }
    if (copy == 0)
        refuse_step(step, fmt::format("`{}` does not read `{}` in this loop", step.func, step.tensor),
                    "name a loop around its reads");
}

void cache_writes(Nest& nest, const Step& step) {
    int copy = 0;
    for (const int id : level_loops(nest, step)) cache_writes_at(nest, step, id, copy_name(step, copy++));
}

void compress(Nest& nest, const Step& step) {
    const Tensor* const tensor = nest.kernel.find_tensor(step.func);
    const auto storage = nest.storage.find(step.func);
    if (!tensor || storage == nest.storage.end())
        refuse_step(step, fmt::format("there is no Func `{}`", step.func), "name a tensor that is computed");
    if (tensor->role == Role::output) refuse_step(step, "an output keeps all its elements", "compress intermediates");
    const std::size_t rank = storage->second.extents.size();
    std::vector<std::optional<int>> loop(rank);
    std::vector<bool> fits(rank, true), met(rank, false);
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        for (const NestAccess& access : accesses_of(nest, s)) {
            if (access.tensor != step.func) continue;
            for (std::size_t d = 0; d < rank; d++) {
                const auto here = single_loop(access.at[d]);
                fits[d] = fits[d] && here && (!met[d] || here == loop[d]);
                loop[d] = here;
                met[d] = true;
            }
        }
    });
    const auto first_place = [&](Access access) {
        for (std::size_t d = 0; d < rank; d++)
            if (fits[d] && met[d]) access.at[d] = Expr(0);
        return access;
    };
    each_statement(nest.body, [&](NestStatement& s) {
        if (s.equation.left.tensor == step.func) s.equation.left = first_place(s.equation.left);
        rewrite_reads(s, step.func, [&](const Access& a) { return Expr(ExprNode(first_place(a))); });
    });
    for (std::size_t d = 0; d < rank; d++)
        if (fits[d] && met[d]) {
            storage->second.extents[d] = 1;
            storage->second.base[d] = 0;
        }
}

void rfactor(Nest& nest, const Step& step) {
    check_partial_names(nest, step);
    check_writes_itself(nest, step);
    const Reduction r = reduction_of(nest, step);
    const std::string partial = step.made[0], tensor = r.statement.equation.left.tensor;
    const Op op = r.statement.equation.op;
    std::vector<Hull> dims;
    std::vector<Formula> extents = nest.solution.extents.at(tensor), base(extents.size(), Formula(0));
    for (const Formula& extent : extents) dims.push_back({0, extent - Formula(1)});
    for (const NestLoop& loop : r.kept) {
        extents.push_back(loop.extent);
        base.push_back(loop.min);
        dims.push_back({loop.min, loop.min + loop.extent - Formula(1)});
    }
    const std::size_t rank = base.size() - r.kept.size();
    add_tensor(nest, step, partial, compute_type(nest.kernel.tensor(tensor).type), {extents, base, 0});
    std::vector<NestNode> nodes{std::move(nest.body[r.root])};
    turn_into_partial(nodes, r, step);
    std::vector<std::string> start_names = dim_names(partial, rank), sum_names = dim_names(tensor, rank);
    for (std::size_t i = 0; i < r.kept.size(); i++) {
        start_names.push_back(step.made[i + 1]);
        sum_names.push_back(step.loops[i]);
    }
    nodes.insert(nodes.begin(), nest_over(nest, partial, 0, start_names, dims,
                                          [&](const auto& at) { return start_statement(partial, op, at); }));
    nodes.push_back(nest_over(nest, step.func, step.stage, sum_names, dims, [&](const std::vector<Formula>& at) {
        NestStatement s = copy_statement(tensor, op, partial, at);
        s.equation.left.at.resize(rank);
        return s;
    }));
    std::vector<NestNode> last{std::move(nodes.back())};
    each_loop(last, [&](NestLoop& loop) {
        loop.reduced = std::find(step.loops.begin(), step.loops.end(), loop.name) != step.loops.end();
    });
    nodes.back() = std::move(last[0]);
    auto at = nest.body.erase(nest.body.begin() + static_cast<std::ptrdiff_t>(r.root));
    nest.body.insert(at, std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
}

}  // namespace halogen::nesting
