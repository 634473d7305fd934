// Where a tensor is computed: pasted into its readers, inside a loop of one, or whole.

#include "schedules/nest/producers.h"

#include "frontend/notation/parts.h"
#include "schedules/history/print_step.h"
#include "schedules/nest/regions.h"
#include "schedules/nest/step_checks.h"
#include "schedules/nest/substitute.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::nesting {

namespace {

struct Stage {
    int number;
    NestStatement statement;
    bool transformed;
};

/// The stages of a Func, one statement of each.
std::vector<Stage> stages_of(const Nest& nest, const std::string& func) {
    std::vector<Stage> stages;
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        if (s.func != func) return;
        bool plain = s.guards.empty();
        for (const auto& [index, value] : s.at) plain = plain && value.as_symbol();
        for (Stage& stage : stages)
            if (stage.number == s.stage) {
                stage.transformed = true;  // several copies
                return;
            }
        stages.push_back({s.stage, s, !plain});
    });
    return stages;
}

/// What the Func reads is there wherever its readers stand, and is the same there.
void check_operands_stay(const Nest& nest, const Step& step) {
    std::set<std::string> operands;
    bool behind = false;
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        if (s.func == step.func) {
            behind = true;
            for (const NestAccess& access : accesses_of(nest, s)) {
                const auto storage = nest.storage.find(access.tensor);
                if (access.write || access.tensor == step.func || storage == nest.storage.end()) continue;
                operands.insert(access.tensor);
                if (storage->second.level)
                    refuse_step(step, fmt::format("it reads `{}`, whose storage lies in a loop", access.tensor),
                                "take this step before the one that places the storage");
            }
        } else if (behind && operands.count(s.equation.left.tensor)) {
            refuse_step(step,
                        fmt::format("`{}` is written again before `{}` is read", s.equation.left.tensor, step.func),
                        "leave it where it is");
        }
    });
}

std::vector<Stage> existing_stages(const Nest& nest, const Step& step) {
    auto stages = stages_of(nest, step.func);
    if (stages.empty())
        refuse_step(step, fmt::format("there is no Func `{}`", step.func), "name a tensor that is computed");
    check_writes_itself(nest, step);
    return stages;
}

/// Removes the statements of a Func, and loops that are left empty.
void remove_func(std::vector<NestNode>& body, const std::string& func) {
    std::erase_if(body, [&](NestNode& node) {
        if (auto* s = node.statement()) return s->func == func;
        remove_func(node.loop()->body, func);
        return node.loop()->body.empty();
    });
}

bool is_output(const Nest& nest, const std::string& tensor) { return nest.kernel.tensor(tensor).role == Role::output; }

/// `e` of the producer as its reader sees it; an index that counts as a value gets the producer's type.
Expr pasted(const Expr& e, const std::map<std::string, Expr>& places, Type type, bool in_brackets) {
    if (auto* index = e.as<IndexRef>()) {
        const auto at = places.find(index->name);
        const Expr place = at == places.end() ? e : at->second;
        return in_brackets || type == Type::i64 ? place : make_cast(type, place);
    }
    if (auto* access = e.as<Access>()) {
        Access fresh{access->tensor, {}, access->position};
        for (const Expr& place : access->at) fresh.at.push_back(pasted(place, places, type, true));
        return Expr(ExprNode{std::move(fresh)}, e.position());
    }
    const auto inner = [&](const Expr& x) { return pasted(x, places, type, in_brackets); };
    if (auto* call = e.as<Call>()) {
        std::vector<Expr> arguments;
        for (const Expr& x : call->arguments) arguments.push_back(inner(x));
        return make_call(call->function, std::move(arguments));
    }
    if (auto* cast = e.as<Cast>()) return make_cast(cast->to, inner(*cast->value));
    if (auto* u = e.as<Unary>()) return make_unary(u->op, inner(*u->value));
    if (auto* b = e.as<Binary>()) return make_binary(b->op, inner(*b->left), inner(*b->right));
    return Expr(ExprNode(e.node()), e.position());
}

void check_pasteable(const Step& step, const std::vector<Stage>& stages) {
    const NestStatement& s = stages.front().statement;
    if (stages.size() > 1 || s.equation.op != Op::assign)
        refuse_step(
            step, fmt::format("`{}` is a reduction or has several equations, and is no expression to paste", step.func),
            "compute it at a loop of its reader");
    std::set<std::string> seen;
    for (const Expr& place : s.equation.left.at) {
        auto* index = place.as<IndexRef>();
        if (!index || !seen.insert(index->name).second)
            refuse_step(step, fmt::format("`{}` is defined at places that are no plain indices", step.func),
                        "compute it at a loop of its reader");
    }
    if (!predicates_of(s.equation).empty())
        refuse_step(step, fmt::format("`{}` is defined in part only", step.func), "compute it at a loop of its reader");
}

/// The loops of a producer's stage, restricted to what is needed.
void restrict(std::vector<NestNode>& body, const NestStatement& s, const NestRegion& region) {
    std::map<int, std::size_t> dims;
    for (std::size_t d = 0; d < s.equation.left.at.size(); d++)
        if (auto* index = s.equation.left.at[d].as<IndexRef>()) {
            const auto value = s.at.find(index->name);  // a kept loop of rfactor stands for itself
            const auto symbol = value == s.at.end() ? std::optional(index->name) : value->second.as_symbol();
            if (symbol) dims[std::stoi(symbol->substr(1))] = d;
        }
    each_loop(body, [&](NestLoop& loop) {
        const auto dim = dims.find(loop.id);
        if (dim == dims.end()) return;
        const Hull& range = region.dims[dim->second];
        loop.min = range.low;
        loop.extent = range.extent();
    });
}

/// True when each stage may be restricted to any box of its tensor: it reads no element of it but the one it writes.
bool may_be_restricted(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages) {
        const Equation& equation = stage.statement.equation;
        bool elsewhere = false;
        each_self_read(equation, [&](const Access& read) { elsewhere = elsewhere || !(read.at == equation.left.at); });
        if (elsewhere) return false;
        for (const Expr& place : equation.left.at)
            if (!place.as<IndexRef>()) return false;
    }
    return true;
}

std::vector<int> level_loops(const Nest& nest, const Step& step) {
    std::vector<int> ids;
    for (const Stage& stage : stages_of(nest, step.at_func))
        for (const int id : find_loops(nest, step.at_func, stage.number, step.at_loop))
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    if (ids.empty())
        refuse_step(step, fmt::format("there is no loop `{}` in `{}`", step.at_loop, step.at_func),
                    "remove the step or name an existing loop");
    return ids;
}

/// Every reader stands below one of the loops.
void check_readers(const Nest& nest, const Step& step, const std::vector<int>& ids) {
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        if (s.func == step.func) return;
        bool reads = false;
        for (const NestAccess& access : accesses_of(nest, s))
            reads = reads || (!access.write && access.tensor == step.func);
        const bool inside = std::any_of(path.begin(), path.end(), [&](const NestLoop* loop) {
            return std::find(ids.begin(), ids.end(), loop->id) != ids.end();
        });
        if (reads && !inside)
            refuse_step(step, fmt::format("`{}.{}` reads `{}` outside this loop", s.func, s.stage, step.func),
                        "choose a loop around every reader");
    });
}

/// The producer's nests, as they stand at the root.
std::vector<NestNode> nests_of(const Nest& nest, const std::string& func) {
    std::vector<NestNode> nests;
    for (const NestNode& node : nest.body) {
        std::vector<NestNode> one{node};
        bool own = true;
        each_statement(one, [&](NestStatement& s) { own = own && s.func == func; });
        if (own) nests.push_back(node);
    }
    return nests;
}

bool reads_below(const Nest& nest, const NestNode& node, const std::string& tensor) {
    std::vector<NestNode> one{node};
    bool found = false;
    each_statement(one, [&](NestStatement& s) {
        for (const NestAccess& access : accesses_of(nest, s))
            found = found || (!access.write && access.tensor == tensor);
    });
    return found;
}

/// Puts the producer into one loop, before its first reader there, with storage `tensor` of its own.
void place_in(Nest& nest, const Step& step, const std::vector<Stage>& stages, const std::vector<NestNode>& nests,
              int id, const std::string& tensor, const std::vector<Hull>& whole) {
    NestRegion region = region_of(nest, step.func, id, false, [&](const NestStatement& s, const NestAccess& access) {
        return s.func != step.func && !access.write;
    });
    if (region.empty) return;
    if (!region.known)
        refuse_step(step, fmt::format("where `{}` is read depends on data", step.func), "compute it whole");
    clip(region, whole);
    if (!may_be_restricted(stages)) region.dims = whole;
    if (tensor == step.func)
        nest.storage[tensor] = storage_of(region, id);
    else
        add_tensor(nest, step, tensor, nest.kernel.tensor(step.func).type, storage_of(region, id));
    std::vector<NestNode> copy = nests;
    for (NestNode& node : copy) {
        std::vector<NestNode> one{std::move(node)};
        NestStatement statement;
        each_statement(one, [&](NestStatement& s) { statement = s; });
        restrict(one, statement, region);
        renumber(nest, one);
        each_statement(one, [&](NestStatement& s) {
            s.equation.left.tensor = tensor;
            rewrite_reads(s, step.func, [&](const Access& a) { return Expr(ExprNode(Access{tensor, a.at, {}})); });
        });
        node = std::move(one[0]);
    }
    std::vector<NestNode>& body = place_of(nest, id).loop().body;
    each_statement(body, [&](NestStatement& s) {
        rewrite_reads(s, step.func, [&](const Access& a) { return Expr(ExprNode(Access{tensor, a.at, {}})); });
    });
    const auto reader =
        std::find_if(body.begin(), body.end(), [&](const NestNode& n) { return reads_below(nest, n, tensor); });
    body.insert(reader, std::make_move_iterator(copy.begin()), std::make_move_iterator(copy.end()));
}

}  // namespace

void compute_inline(Nest& nest, const Step& step) {
    const auto stages = existing_stages(nest, step);
    check_pasteable(step, stages);
    check_operands_stay(nest, step);
    const NestStatement producer = stages.front().statement;
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        if (s.func == step.func && !(s.equation == producer.equation))
            refuse_step(step, fmt::format("copies of `{}` read from different places", step.func),
                        "paste it before its reads are cached");
    });
    const Type type = nest.kernel.tensor(step.func).type;
    each_statement(nest.body, [&](NestStatement& s) {
        if (s.func == step.func) return;
        rewrite_reads(s, step.func, [&](const Access& access) {
            std::map<std::string, Expr> places;
            for (std::size_t d = 0; d < access.at.size(); d++)
                places[producer.equation.left.at[d].as<IndexRef>()->name] = access.at[d];
            return make_cast(type, pasted(producer.equation.right, places, type, false));
        });
    });
    if (stages.front().transformed)
        nest.notes.push_back(
            fmt::format("step `{}`: earlier steps on the loops of `{}` have no effect", written(step), step.func));
    if (is_output(nest, step.func)) return;
    remove_func(nest.body, step.func);
    nest.storage.erase(step.func);
}

void compute_at(Nest& nest, const Step& step) {
    const auto stages = existing_stages(nest, step);
    if (is_output(nest, step.func)) refuse_step(step, "an output is stored whole", "leave it at the root");
    if (step.func == step.at_func)
        refuse_step(step, "a Func cannot be computed inside itself", "name a loop of a reader");
    for (const Stage& stage : stages)
        if (stage.transformed)
            refuse_step(step, fmt::format("the loops of `{}.{}` were changed before", step.func, stage.number),
                        "place the Func before the steps on its loops");
    check_operands_stay(nest, step);
    const std::vector<int> ids = level_loops(nest, step);
    check_readers(nest, step, ids);
    const std::vector<NestNode> nests = nests_of(nest, step.func);
    if (nests.size() != stages.size())
        refuse_step(step, fmt::format("`{}` shares loops with others", step.func), "distribute them first");
    for (const NestNode& node : nests)
        if (node.loop()) check_free_of_storage(nest, step, *node.loop());
    remove_func(nest.body, step.func);
    const std::vector<Hull> whole = places_that_exist(nest, step.func);
    int copies = 0;
    for (const int id : ids)
        place_in(nest, step, stages, nests, id, copies++ == 0 ? step.func : fmt::format("{}_{}", step.func, copies),
                 whole);
}

void compute_root(Nest& nest, const Step& step) {
    existing_stages(nest, step);
    const auto storage = nest.storage.find(step.func);
    if (storage != nest.storage.end() && storage->second.level)
        refuse_step(step, fmt::format("`{}` was placed in a loop before", step.func), "remove the earlier step");
}

}  // namespace halogen::nesting
