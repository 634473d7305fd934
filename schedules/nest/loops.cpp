// Steps that change loops alone: the points that run stay the same, their order follows the step.

#include "schedules/nest/loops.h"

#include "schedules/history/print_step.h"
#include "schedules/nest/conflicts.h"
#include "schedules/nest/places.h"
#include "schedules/nest/print.h"
#include "schedules/nest/siblings.h"
#include "schedules/nest/simplify.h"
#include "schedules/nest/step_checks.h"

#include "frontend/formula/sign.h"
#include "schedules/nest/substitute.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::nesting {

namespace {

std::int64_t positive_factor(const Step& step, const Formula& factor) {
    const auto value = factor.constant();
    if (value && *value < 1)
        refuse_step(step, fmt::format("the factor is {}, and must be at least 1", *value), "give a positive factor");
    return value.value_or(0);
}

void add_guard(std::vector<NestNode>& body, const Formula& guard) {
    each_statement(body, [&](NestStatement& s) {
        if (std::find(s.guards.begin(), s.guards.end(), guard) == s.guards.end()) s.guards.push_back(guard);
    });
}

/// A loop like `old` with another name and range, empty.
NestLoop part_of(Nest& nest, const NestLoop& old, const std::string& name, const Formula& min, const Formula& extent) {
    return {++nest.last_id, name, old.func, old.stage, min, extent, old.reduced, LoopMark::serial, {}};
}

/// `body` with the old loop's value replaced, inside `loop`.
NestNode filled(NestLoop loop, std::vector<NestNode> body, const NestLoop& old, const Formula& value) {
    substitute(body, {{loop_symbol(old.id), value}});
    loop.body = std::move(body);
    return NestNode{std::move(loop)};
}

void replace(const NestPlace& place, std::vector<NestNode> nodes) {
    auto at = place.list->erase(place.list->begin() + static_cast<std::ptrdiff_t>(place.index));
    place.list->insert(at, std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
}

bool divides(const Formula& extent, const Formula& factor) { return remainder(extent, factor) == Formula(0); }

struct SplitNames {
    std::string outer, inner, rest;
};

/// Outer and inner loops whose blocks number `blocks`; the body sees `min + outer*factor + inner`.
NestNode blocks_of(Nest& nest, const NestLoop& old, const SplitNames& names, const Formula& blocks,
                   const Formula& factor, const std::optional<Formula>& guard, const Formula& last_start) {
    NestLoop outer = part_of(nest, old, names.outer, 0, blocks), inner = part_of(nest, old, names.inner, 0, factor);
    outer.mark = old.mark;
    Formula start = loop_value(outer) * factor;
    if (!(last_start == Formula(0))) start = min(start, last_start);
    const Formula value = start + loop_value(inner);
    std::vector<NestNode> body = old.body;
    if (guard) add_guard(body, *guard - value);
    NestNode inside = filled(std::move(inner), std::move(body), old, old.min + value);
    outer.body.push_back(std::move(inside));
    return NestNode{std::move(outer)};
}

/// Iterations may run a second time: nothing adds up, and nothing reads what the loop writes.
void check_repeatable(const Nest& nest, const Step& step, const NestLoop& loop) {
    std::set<std::string> written;
    std::vector<NestNode> body = loop.body;
    const auto repeats = [](Op op) { return op != Op::add && op != Op::mul; };
    each_statement(body, [&](NestStatement& s) {
        written.insert(s.equation.left.tensor);
        if (!s.start && !repeats(s.equation.op))
            refuse_step(
                step,
                fmt::format("iterations of `{}` would run twice, and `{}.{}` adds up", loop.name, s.func, s.stage),
                "use tail guard");
    });
    each_statement(body, [&](NestStatement& s) {
        for (const NestAccess& access : accesses_of(nest, s))
            if (!access.write && written.count(access.tensor))
                refuse_step(step,
                            fmt::format("iterations of `{}` would run twice, and `{}.{}` reads what they write",
                                        loop.name, s.func, s.stage),
                            "use tail guard");
    });
}

std::vector<NestNode> split_parts(Nest& nest, const Step& step, const NestLoop& old, const SplitNames& names,
                                  const Formula& factor) {
    const Formula extent = old.extent;
    if (divides(extent, factor))
        return {blocks_of(nest, old, names, floor_div(extent, factor), factor, std::nullopt, 0)};
    const auto whole = extent.constant();
    switch (step.tail) {
    case Tail::exact:
        refuse_step(step, fmt::format("{} iterations are no multiple of {}", print_in(nest, extent), print(factor)),
                    "give the split a tail");
    case Tail::round_up:
        refuse_step(step, fmt::format("it would run past the end of {} iterations", print_in(nest, extent)),
                    "use tail guard, or a factor that divides");
    case Tail::shift_inwards:
        if (old.reduced)
            refuse_step(step, fmt::format("iterations of the reduced loop `{}` would run twice", old.name),
                        "use tail guard");
        if (!whole || *whole < *factor.constant())
            refuse_step(step, "the loop may be shorter than one block", "use tail guard");
        return {blocks_of(nest, old, names, ceil_div(extent, factor), factor, std::nullopt, extent - factor)};
    case Tail::separate: break;
    default: return {blocks_of(nest, old, names, ceil_div(extent, factor), factor, extent - Formula(1), 0)};
    }
    const Formula blocks = floor_div(extent, factor);
    std::vector<NestNode> parts;
    if (!(blocks == Formula(0))) parts.push_back(blocks_of(nest, old, names, blocks, factor, std::nullopt, 0));
    NestLoop rest = part_of(nest, old, names.rest, 0, extent - blocks * factor);
    std::vector<NestNode> body = old.body;
    if (!parts.empty()) renumber(nest, body);
    const Formula value = old.min + blocks * factor + loop_value(rest);
    parts.push_back(filled(std::move(rest), std::move(body), old, value));
    return parts;
}

void split_loop(Nest& nest, const Step& step, const std::string& loop, const SplitNames& names, const Formula& factor) {
    positive_factor(step, factor);
    for (const int id : loops_of(nest, step, loop)) {
        const NestPlace place = place_of(nest, id);
        check_free_of_storage(nest, step, place.loop());
        if (place.loop().mark == LoopMark::vectorized)
            refuse_step(step, fmt::format("loop `{}` is vectorized", loop), "split before vectorizing");
        if (step.tail == Tail::shift_inwards) check_repeatable(nest, step, place.loop());
        replace(place, split_parts(nest, step, place.loop(), names, factor));
    }
    remove_handle(nest, step, loop);
}

/// The chain of perfectly nested loops from the outermost of `names` to the innermost; errors name what stands between.
std::vector<NestLoop*> perfect_chain(Nest& nest, const Step& step, const std::vector<int>& ids) {
    std::vector<NestLoop*> chain;
    NestPlace first{};
    for (const int id : ids) {
        const NestPlace place = place_of(nest, id);
        if (!first.list || place.around.size() < first.around.size()) first = place;
    }
    NestLoop* loop = &first.loop();
    std::size_t left = ids.size();
    while (true) {
        chain.push_back(loop);
        if (std::find(ids.begin(), ids.end(), loop->id) != ids.end() && --left == 0) return chain;
        NestLoop* next = loop->body.size() == 1 ? loop->body[0].loop() : nullptr;
        if (!next) {
            const bool several = loop->body.size() > 1;
            refuse_step(step,
                        several ? fmt::format("loop `{}` holds {} things side by side: the nest is not perfect",
                                              loop->name, loop->body.size())
                                : "the loops are not nested in each other",
                        several ? "distribute the loop first" : "name loops of one nest");
        }
        loop = next;
    }
}

void check_rectangular(const Step& step, const std::vector<NestLoop*>& chain) {
    for (const NestLoop* inner : chain)
        for (const NestLoop* outer : chain) {
            const auto low = inner->min.symbols(), size = inner->extent.symbols();
            if (low.count(loop_symbol(outer->id)) || size.count(loop_symbol(outer->id)))
                refuse_step(step, fmt::format("the range of `{}` depends on `{}`", inner->name, outer->name),
                            "reorder loops with ranges of their own");
        }
}

/// An order of loops that reverses a dependence: carried by loop p before, by loop q the other way round after.
std::optional<Meeting> reversed_by(const Nest& nest, const NestLoop& top, const std::vector<int>& before,
                                   const std::vector<int>& after) {
    const auto runs = runs_below(nest, top.id);
    for (const NestRun& a : runs)
        for (const NestRun& b : runs)
            for (std::size_t p = 0; p < before.size(); p++)
                for (std::size_t q = 0; q < after.size(); q++) {
                    std::vector<LoopOrder> order;
                    for (const NestLoop* loop : a.path) {
                        if (loop->id == top.id) break;
                        order.push_back({loop->id, loop->id, LoopOrder::Kind::equal});
                    }
                    for (std::size_t i = 0; i < p; i++) order.push_back({before[i], before[i], LoopOrder::Kind::equal});
                    order.push_back({before[p], before[p], LoopOrder::Kind::before});
                    for (std::size_t i = 0; i < q; i++) order.push_back({after[i], after[i], LoopOrder::Kind::equal});
                    order.push_back({after[q], after[q], LoopOrder::Kind::after});
                    if (before[p] == after[q]) continue;
                    if (auto found = meeting(nest, a, b, order, Meetings::order)) return found;
                }
    return std::nullopt;
}

/// One id for each loop of the step, for every copy of the nest that holds them all.
std::vector<std::vector<int>> copies_of(const Nest& nest, const Step& step) {
    std::vector<std::vector<int>> known, groups;
    for (const std::string& name : step.loops) known.push_back(loops_of(nest, step, name));
    each_statement(nest, [&](const NestPath& path, const NestStatement&) {
        std::vector<int> group;
        for (const std::vector<int>& ids : known)
            for (const NestLoop* loop : path)
                if (std::find(ids.begin(), ids.end(), loop->id) != ids.end()) {
                    group.push_back(loop->id);
                    break;
                }
        if (group.size() == known.size() && std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(group);
    });
    if (groups.empty()) refuse_step(step, "the loops are not nested in each other", "name loops of one nest");
    return groups;
}

void check_distinct(const Step& step) {
    for (std::size_t i = 0; i < step.loops.size(); i++)
        for (std::size_t j = 0; j < i; j++)
            if (step.loops[i] == step.loops[j])
                refuse_step(step, fmt::format("loop `{}` is named twice", step.loops[i]), "name each loop once");
}

void permute(Nest& nest, const Step& step, const std::vector<int>& innermost_first) {
    const std::vector<NestLoop*> chain = perfect_chain(nest, step, innermost_first);
    std::vector<std::size_t> slots;
    std::vector<int> before, after;
    for (std::size_t i = 0; i < chain.size(); i++) {
        before.push_back(chain[i]->id);
        if (std::find(innermost_first.begin(), innermost_first.end(), chain[i]->id) != innermost_first.end())
            slots.push_back(i);
    }
    after = before;
    for (std::size_t i = 0; i < slots.size(); i++) after[slots[i]] = innermost_first[innermost_first.size() - 1 - i];
    if (before == after) return;
    check_free_of_storage(nest, step, *chain.front());
    check_rectangular(step, chain);
    if (auto found = reversed_by(nest, *chain.front(), before, after))
        refuse_step(step, "the new order reverses a dependence: " + found->text, "keep the order of these loops");
    std::map<int, NestLoop> heads;
    for (const NestLoop* loop : chain) {
        NestLoop head{loop->id,     loop->name,    loop->func, loop->stage, loop->min,
                      loop->extent, loop->reduced, loop->mark, {}};
        heads.emplace(loop->id, std::move(head));
    }
    std::vector<NestNode> body = std::move(chain.back()->body);
    for (std::size_t i = after.size(); i-- > 1;) {
        NestLoop loop = heads.at(after[i]);
        loop.body = std::move(body);
        body.clear();
        body.push_back(NestNode{std::move(loop)});
    }
    NestLoop top = heads.at(after[0]);
    top.body = std::move(body);
    *chain.front() = std::move(top);
}

void fuse_pair(Nest& nest, const Step& step, int inner_id, int outer_id, const std::string& name) {
    const std::vector<NestLoop*> chain = perfect_chain(nest, step, {inner_id, outer_id});
    if (chain.size() != 2 || chain[0]->id != outer_id)
        refuse_step(step,
                    fmt::format("`{}` does not stand directly inside `{}`", place_of(nest, inner_id).loop().name,
                                place_of(nest, outer_id).loop().name),
                    "name the inner loop first");
    check_rectangular(step, chain);
    check_free_of_storage(nest, step, *chain.front());
    NestLoop &outer = *chain[0], &inner = *chain[1];
    if (outer.reduced != inner.reduced)
        refuse_step(step,
                    fmt::format("`{}` is a reduced loop and `{}` is not", (outer.reduced ? outer : inner).name,
                                (outer.reduced ? inner : outer).name),
                    "fuse loops of one sort");
    if (outer.mark != LoopMark::serial || inner.mark != LoopMark::serial)
        refuse_step(step, "a loop that is marked cannot be fused", "mark the fused loop instead");
    NestLoop fused = part_of(nest, outer, name, 0, outer.extent * inner.extent);
    const Formula t = loop_value(fused);
    std::vector<NestNode> body = std::move(inner.body);
    const auto quotient = [&]() { return inner.extent == Formula(1) ? t : floor_div(t, inner.extent); };
    substitute(body, {{loop_symbol(outer.id), outer.min + quotient()},
                      {loop_symbol(inner.id), inner.min + remainder(t, inner.extent)}});
    fused.body = std::move(body);
    outer = std::move(fused);
}

}  // namespace

void split(Nest& nest, const Step& step) {
    check_new_names(nest, step);
    split_loop(nest, step, step.loops.at(0),
               {step.made.at(0), step.made.at(1), step.made.size() > 2 ? step.made[2] : ""}, step.factor);
}

void tile(Nest& nest, const Step& step) {
    check_distinct(step);
    check_new_names(nest, step);
    const std::vector<std::string>& made = step.made;
    split_loop(nest, step, step.loops.at(0), {made.at(0), made.at(2), made.size() > 4 ? made[4] : made[0] + "_tail"},
               step.factor);
    split_loop(nest, step, step.loops.at(1), {made.at(1), made.at(3), made.size() > 5 ? made[5] : made[1] + "_tail"},
               step.second);
    if (step.tail == Tail::separate) {
        // The loop over blocks of the first dim now holds the second dim's blocks and its tail: they part.
        for (const std::string& name : {made.at(2), made.at(0)}) {
            Step parting{StepKind::distribute, step.func, step.stage, {name}};
            for (const int id : loops_of(nest, step, name))
                if (place_of(nest, id).loop().body.size() > 1) {
                    distribute(nest, parting);
                    break;
                }
        }
    }
    // Only the copy that holds both block loops is reordered.
    const auto outer = loops_of(nest, step, made.at(0)), inner = loops_of(nest, step, made.at(3));
    for (const int id : inner) {
        const NestPlace place = place_of(nest, id);
        std::vector<int> order{id};
        for (const std::string& name : {made.at(2), made.at(1), made.at(0)})
            for (const NestLoop* loop : place.around)
                if (loop->name == name) order.push_back(loop->id);
        if (order.size() == 4) permute(nest, step, order);
    }
}

void fuse(Nest& nest, const Step& step) {
    check_distinct(step);
    check_new_names(nest, step);
    for (const std::vector<int>& ids : copies_of(nest, step)) {
        if (step.kind == StepKind::flatten)
            for (const int id : ids)
                if (place_of(nest, id).loop().reduced)
                    refuse_step(step, fmt::format("`{}` is a reduced loop", place_of(nest, id).loop().name),
                                "fuse reduced loops, or flatten the others");
        int inner = ids[0];
        for (std::size_t i = 1; i < ids.size(); i++) {
            fuse_pair(nest, step, inner, ids[i], step.made.at(0));
            inner = nest.last_id;
        }
    }
    for (const std::string& name : step.loops) remove_handle(nest, step, name);
}

void slice(Nest& nest, const Step& step) {
    check_new_names(nest, step);
    positive_factor(step, step.factor);
    const bool head = step.kind == StepKind::slice_head;
    for (const int id : loops_of(nest, step, step.loops.at(0))) {
        const NestPlace place = place_of(nest, id);
        const NestLoop& old = place.loop();
        check_free_of_storage(nest, step, old);
        const Formula taken = smaller(step.factor, old.extent), kept = old.extent - taken;
        const Formula first = head ? taken : kept, second = old.extent - first;
        std::vector<NestNode> parts;
        for (const bool front : {true, false}) {
            const Formula extent = front ? first : second;
            if (extent == Formula(0)) continue;
            NestLoop loop = part_of(nest, old, step.made.at(front ? 0 : 1), front ? old.min : old.min + first, extent);
            loop.mark = old.mark;
            std::vector<NestNode> body = old.body;
            if (!parts.empty()) renumber(nest, body);
            const Formula value = loop_value(loop);
            parts.push_back(filled(std::move(loop), std::move(body), old, value));
        }
        if (!parts.empty()) replace(place, std::move(parts));
    }
    drop_decided_conditions(nest);
    if (std::find(step.made.begin(), step.made.end(), step.loops[0]) == step.made.end())
        remove_handle(nest, step, step.loops[0]);
}

void reorder(Nest& nest, const Step& step) {
    check_distinct(step);
    for (const std::vector<int>& ids : copies_of(nest, step)) permute(nest, step, ids);
}

void rename(Nest& nest, const Step& step) {
    check_new_names(nest, step);
    for (const int id : loops_of(nest, step, step.loops.at(0))) place_of(nest, id).loop().name = step.made.at(0);
    remove_handle(nest, step, step.loops[0]);
}

void normalize(Nest& nest, const Step& step) {
    for (const int id : loops_of(nest, step, step.loops.at(0))) {
        NestLoop& loop = place_of(nest, id).loop();
        check_free_of_storage(nest, step, loop);
        const Formula min = loop.min;
        loop.min = 0;
        substitute(loop.body, {{loop_symbol(id), min + loop_value(loop)}});
    }
}

}  // namespace halogen::nesting
