// Steps that say how the iterations of a loop run.

#include "schedules/nest/marks.h"

#include "schedules/history/print_step.h"
#include "schedules/nest/conflicts.h"
#include "schedules/nest/print.h"
#include "schedules/nest/step_checks.h"
#include "schedules/nest/substitute.h"

#include <fmt/format.h>

namespace halogen::nesting {

namespace {

constexpr std::int64_t most_copies = 1024;  // of a body that is written out

std::int64_t constant_extent(const Nest& nest, const Step& step, const NestLoop& loop) {
    const auto extent = loop.extent.constant();
    if (!extent)
        refuse_step(
            step,
            fmt::format("loop `{}` has {} iterations, which is no constant", loop.name, print_in(nest, loop.extent)),
            "split the loop by a constant first");
    return *extent;
}

/// Iterations in any order, or at once.
void check_independent(const Nest& nest, const Step& step, int id) {
    const bool meets_allowed = nest.atomic.count({step.func, step.stage}) > 0;
    const auto found = carried(nest, id, meets_allowed ? Meetings::order : Meetings::any);
    if (found)
        refuse_step(step, fmt::format("iterations of `{}` depend on each other: {}", step.loops.at(0), found->text),
                    "choose another loop, or factor the reduction with rfactor");
}

void mark(Nest& nest, const Step& step, LoopMark mark) {
    for (const int id : loops_of(nest, step, step.loops.at(0))) place_of(nest, id).loop().mark = mark;
}

}  // namespace

void vectorize(Nest& nest, const Step& step) {
    for (const int id : loops_of(nest, step, step.loops.at(0))) {
        constant_extent(nest, step, place_of(nest, id).loop());
        check_independent(nest, step, id);
    }
    mark(nest, step, LoopMark::vectorized);
}

void parallel(Nest& nest, const Step& step) {
    for (const int id : loops_of(nest, step, step.loops.at(0))) check_independent(nest, step, id);
    mark(nest, step, LoopMark::parallel);
}

void serial(Nest& nest, const Step& step) { mark(nest, step, LoopMark::serial); }

void unroll(Nest& nest, const Step& step) {
    for (const int id : loops_of(nest, step, step.loops.at(0))) {
        const NestPlace place = place_of(nest, id);
        const NestLoop loop = place.loop();  // NOLINT(performance-unnecessary-copy-initialization): erased below
        check_free_of_storage(nest, step, loop);
        const std::int64_t extent = constant_extent(nest, step, loop);
        if (extent > most_copies)
            refuse_step(
                step,
                fmt::format("loop `{}` has {} iterations; at most {} are written out", loop.name, extent, most_copies),
                "split the loop and unroll the inner one");
        auto at = place.list->erase(place.list->begin() + static_cast<std::ptrdiff_t>(place.index));
        std::vector<NestNode> copies;
        for (std::int64_t i = 0; i < extent; i++) {
            std::vector<NestNode> body = loop.body;
            if (i > 0) renumber(nest, body);
            substitute(body, {{loop_symbol(id), loop.min + Formula(i)}});
            copies.insert(copies.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
        }
        place.list->insert(at, std::make_move_iterator(copies.begin()), std::make_move_iterator(copies.end()));
    }
    remove_handle(nest, step, step.loops.at(0));
}

void atomic(Nest& nest, const Step& step) {
    if (!has_stage(nest, step.func, step.stage))
        refuse_step(step, fmt::format("there is no stage `{}.{}`", step.func, step.stage),
                    "name a stage of the kernel");
    nest.atomic.insert({step.func, step.stage});
}

}  // namespace halogen::nesting
