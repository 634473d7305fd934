#include "schedules/bind/lanes.h"

namespace halogen {

using namespace Halide::Internal;

Halide::Expr same_in_all(const Halide::Expr& e) {
    const auto* all = e.as<Broadcast>();
    return all && all->value.type().is_scalar() ? all->value : Halide::Expr();
}

Halide::Expr first_lane(const Halide::Expr& e) {
    if (const auto* broadcast = e.as<Broadcast>()) return broadcast->value;
    const auto* ramp = e.as<Ramp>();
    return ramp && is_const(ramp->stride) ? ramp->base : Halide::Expr();
}

Halide::Expr last_lane(const Halide::Expr& e) {
    const auto* ramp = e.as<Ramp>();
    return ramp ? simplify(ramp->base + ramp->stride * (ramp->lanes - 1)) : first_lane(e);
}

const Ramp* ramp_of(const Halide::Expr& simplified) {
    const auto* ramp = simplified.as<Ramp>();
    return ramp && ramp->base.type().is_scalar() && as_const_int(ramp->stride) ? ramp : nullptr;
}

}  // namespace halogen
