#include "schedules/bind/backward_vectors.h"

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

class ReadBackwardsByLanes : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Load* load) override {
        const auto* ramp = load->index.as<Ramp>();
        const auto first = ramp && ramp->base.type().is_scalar() ? as_const_int(ramp->base) : std::nullopt;
        if (!first || as_const_int(ramp->stride) != -1 || *first >= ramp->lanes - 1) return IRMutator::visit(load);
        const Expr places =
            Broadcast::make(ramp->base, ramp->lanes) - Ramp::make(make_zero(ramp->base.type()), 1, ramp->lanes);
        return Load::make(load->type, load->name, places, load->image, load->param, mutate(load->predicate),
                          load->alignment);
    }
};

}  // namespace

void read_backwards_by_lanes(Halide::Pipeline& pipeline) {
    pipeline.add_custom_lowering_pass(new ReadBackwardsByLanes);
}

}  // namespace halogen
