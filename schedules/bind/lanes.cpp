#include "schedules/bind/lanes.h"

namespace halogen {

using namespace Halide::Internal;

Halide::Expr same_in_all(const Halide::Expr& e) {
    const auto* all = e.as<Broadcast>();
    return all && all->value.type().is_scalar() ? all->value : Halide::Expr();
}

const Ramp* ramp_of(const Halide::Expr& simplified) {
    const auto* ramp = simplified.as<Ramp>();
    return ramp && ramp->base.type().is_scalar() && as_const_int(ramp->stride) ? ramp : nullptr;
}

}  // namespace halogen
