// Loops with several statements: taken apart, and made from neighbours.

#include "schedules/nest/siblings.h"

#include "schedules/history/print_step.h"
#include "schedules/nest/conflicts.h"
#include "schedules/nest/print.h"
#include "schedules/nest/step_checks.h"
#include "schedules/nest/substitute.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen::nesting {

namespace {

bool is_below(const NestNode& node, const NestStatement* statement) {
    if (node.statement()) return node.statement() == statement;
    const auto& body = node.loop()->body;
    return std::any_of(body.begin(), body.end(), [&](const NestNode& n) { return is_below(n, statement); });
}

std::vector<NestRun> runs_of(const Nest& nest, const NestNode& node) {
    std::vector<NestRun> runs;
    for (NestRun& run : all_runs(nest))
        if (is_below(node, run.statement)) runs.push_back(run);
    return runs;
}

std::vector<LoopOrder> standing_still(const std::vector<NestLoop*>& around) {
    std::vector<LoopOrder> order;
    for (const NestLoop* loop : around) order.push_back({loop->id, loop->id, LoopOrder::Kind::equal});
    return order;
}

/// Later runs of `first` that must come before earlier ones of `second`.
std::optional<Meeting> backward(const Nest& nest, const NestNode& first, const NestNode& second,
                                const std::vector<NestLoop*>& around, int first_loop, int second_loop) {
    std::vector<LoopOrder> order = standing_still(around);
    order.push_back({first_loop, second_loop, LoopOrder::Kind::after});
    for (const NestRun& a : runs_of(nest, first))
        for (const NestRun& b : runs_of(nest, second))
            if (auto found = meeting(nest, a, b, order, Meetings::order)) return found;
    return std::nullopt;
}

/// The first of the loops a step names that holds several nodes; 0 without one.
int with_several_nodes(Nest& nest, const Step& step) {
    for (const int id : loops_of(nest, step, step.loops.at(0)))
        if (place_of(nest, id).loop().body.size() > 1) return id;
    return 0;
}

}  // namespace

void distribute(Nest& nest, const Step& step) {
    // Copies get new ids, also of loops inside: what is left is looked for again.
    while (const int id = with_several_nodes(nest, step)) {
        const NestPlace place = place_of(nest, id);
        const NestLoop& loop = place.loop();
        check_free_of_storage(nest, step, loop);
        const std::vector<NestNode>& body = loop.body;
        for (std::size_t b = 0; b < body.size(); b++)
            for (std::size_t a = 0; a < b; a++)
                if (auto found = backward(nest, place.loop().body[a], place.loop().body[b], place.around, id, id))
                    refuse_step(step, "an iteration needs what an earlier one did: " + found->text,
                                "leave these statements together");
        std::vector<NestNode> parts;
        for (const NestNode& node : body) {
            NestLoop part = loop;
            part.body = {node};
            if (auto* statement = node.statement()) {
                part.func = statement->func;
                part.stage = statement->stage;
            }
            std::vector<NestNode> copy{NestNode{std::move(part)}};
            if (!parts.empty()) renumber(nest, copy);
            parts.push_back(std::move(copy[0]));
        }
        auto at = place.list->erase(place.list->begin() + static_cast<std::ptrdiff_t>(place.index));
        place.list->insert(at, std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    }
}

void fuse_siblings(Nest& nest, const Step& step) {
    const auto one = loops_of(nest, step, step.loops.at(0));
    const auto other = find_loops(nest, step.at_func, step.at_stage, step.at_loop);
    if (other.empty())
        refuse_step(step, fmt::format("there is no loop `{}` in `{}.{}`", step.at_loop, step.at_func, step.at_stage),
                    "name a loop of the other stage");
    if (one.size() != 1 || other.size() != 1)
        refuse_step(step, "a loop has several copies", "fuse before the loops are copied");
    NestPlace first = place_of(nest, one[0]), second = place_of(nest, other[0]);
    if (first.list != second.list)
        refuse_step(step, "the loops stand in different loops", "fuse the loops around them first");
    if (first.index > second.index) std::swap(first, second);
    if (second.index != first.index + 1)
        refuse_step(step, "other statements stand between the loops", "fuse neighbours");
    NestLoop &a = first.loop(), &b = second.loop();
    if (!(a.min == b.min) || !(a.extent == b.extent))
        refuse_step(step,
                    fmt::format("`{}` runs over {}:{} and `{}` over {}:{}", a.name, print_in(nest, a.min),
                                print_in(nest, a.min + a.extent), b.name, print_in(nest, b.min),
                                print_in(nest, b.min + b.extent)),
                    "fuse loops of equal range");
    check_free_of_storage(nest, step, b);
    if (a.mark != b.mark) refuse_step(step, "the loops run in different ways", "mark the fused loop instead");
    if (auto found = backward(nest, (*first.list)[first.index], (*second.list)[second.index], first.around, a.id, b.id))
        refuse_step(step, "the second loop needs later iterations of the first: " + found->text,
                    "leave the loops apart");
    std::vector<NestNode> body = std::move(b.body);
    substitute(body, {{loop_symbol(b.id), loop_value(a)}});
    a.body.insert(a.body.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    a.name = step.made.at(0);
    a.reduced = a.reduced && b.reduced;
    second.list->erase(second.list->begin() + static_cast<std::ptrdiff_t>(second.index));
    remove_handle(nest, step, step.loops[0]);
}

}  // namespace halogen::nesting
