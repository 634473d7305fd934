#include "frontend/shapes/slicing.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// a - max(b, c, …) as min(a - b, a - c, …).
Formula minus_largest(const Formula& a, const Formula& b, const LowerBounds& least) {
    const auto* atom = b.as_atom();
    if (!atom || atom->kind != Formula::Atom::Kind::max) return a - b;
    return smaller(minus_largest(a, atom->a, least), minus_largest(a, atom->b, least), least);
}

}  // namespace

Formula counted_from_front(Call& call, const Formula& position, const Formula& extent) {
    return call.decide(at_least(position, 0)) ? position : position + extent;
}

Formula slice_extent(Call& call, const Formula& extent) {
    const Formula& step = call.size("step");
    call.require(at_least(step, 1), Refused::not_positive, "`step` of 1 or more");
    const auto bounded = [&](const Formula& f, const Formula& least) {
        return larger(smaller(f, extent, call.least()), least, call.least());
    };
    const Formula begin =
        call.has("start") ? bounded(counted_from_front(call, call.size("start"), extent), 0) : Formula(0);
    const Formula end = call.has("end") ? bounded(counted_from_front(call, call.size("end"), extent), begin) : extent;
    return ceil_div(minus_largest(end, begin, call.least()), step);
}

void require_inside(Call& call, std::string_view name, const Formula& extent) {
    const Formula& index = call.size(name);
    call.require(at_least(index, -extent) && at_most(index + Formula(1), extent), Refused::index_out_of_range, [&] {
        return fmt::format("`{}` from {} to {}", name, halogen::print(-extent), halogen::print(extent - Formula(1)));
    });
}

}  // namespace halogen::shapes
