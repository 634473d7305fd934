#include "schedules/nest/apply.h"

#include "schedules/history/kinds.h"
#include "schedules/history/print_step.h"
#include "schedules/nest/copies.h"
#include "schedules/nest/loops.h"
#include "schedules/nest/marks.h"
#include "schedules/nest/producers.h"
#include "schedules/nest/siblings.h"

namespace halogen {

namespace {

/// What a step does to the shadow nest. Errors: Failure(schedule).
using OnNest = void (*)(Nest&, const Step&);

/// Null for kinds that leave the nest as it is.
OnNest on_nest(StepKind kind) {
    using namespace nesting;
    using K = StepKind;
    switch (kind) {
    case K::compute_root: return compute_root;
    case K::compute_at: return compute_at;
    case K::compute_inline: return compute_inline;
    case K::compress: return compress;
    case K::split: return split;
    case K::tile: return tile;
    case K::fuse:
    case K::flatten: return fuse;
    case K::reorder: return reorder;
    case K::rename: return rename;
    case K::vectorize: return vectorize;
    case K::unroll: return unroll;
    case K::parallel: return parallel;
    case K::serial: return serial;
    case K::rfactor: return rfactor;
    case K::atomic: return atomic;
    case K::slice_head:
    case K::slice_tail: return slice;
    case K::normalize: return normalize;
    case K::distribute: return distribute;
    case K::fuse_siblings: return fuse_siblings;
    case K::cache_reads: return cache_reads;
    case K::cache_writes: return cache_writes;
    default: return nullptr;
    }
}

/// What a step on several loops, or one that cuts its loop and marks a part, does one after the other.
std::vector<Step> parts_of(const Step& step) {
    std::vector<Step> parts;
    Step mark = step;
    mark.made.clear();
    if (fuses_first(step)) {
        parts.push_back(step);
        parts.back().kind = StepKind::flatten;
        parts.back().made = {step.made.at(1)};
    }
    if (cuts(step))
        for (Step& cut : cuts_of(step)) parts.push_back(std::move(cut));
    if (cuts(step) && step.second != Formula(0)) {
        parts.push_back(mark);
        parts.back().kind = StepKind::unroll;
        parts.back().loops = {step.made.at(1)};
    }
    for (const std::string& loop : marked_loops(step)) {
        parts.push_back(mark);
        parts.back().loops = {loop};
    }
    const std::string whole = print(step);
    for (Step& part : parts) part.whole = whole;
    return parts;
}

bool marks_loops(StepKind kind) {
    return kind == StepKind::vectorize || kind == StepKind::unroll || kind == StepKind::parallel ||
           kind == StepKind::serial;
}

}  // namespace

bool changes_nest(StepKind kind) { return on_nest(kind) != nullptr; }

Result<Nest> apply_to_nest(const Nest& nest, const Step& step) {
    return guarded([&] {
        Nest after = nest;
        if (!marks_loops(step.kind)) {
            if (const OnNest change = on_nest(step.kind)) change(after, step);
            return after;
        }
        for (const Step& part : parts_of(step)) on_nest(part.kind)(after, part);
        return after;
    });
}

Result<Nest> apply_to_nest(const Nest& nest, const std::vector<Step>& steps) {
    return guarded([&] {
        Nest after = nest;
        for (const Step& step : steps) after = apply_to_nest(after, step).value();
        return after;
    });
}

}  // namespace halogen
