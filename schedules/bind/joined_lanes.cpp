#include "schedules/bind/joined_lanes.h"

#include "frontend/lower/number.h"

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

class JoinedLanes : public IRMutator {
private:
    using IRMutator::visit;

    Expr visit(const Halide::Internal::Call* call) override {
        const auto op = joins_keys(call);
        if (!op) return IRMutator::visit(call);
        const std::vector<Expr> lanes = mutate(call->args);
        if (!call->type.is_scalar()) return tree_of_keys(*op, lanes);  // of several rows at once, each in a lane
        return VectorReduce::make(*op == Op::max ? VectorReduce::Max : VectorReduce::Min,
                                  sort_key(Shuffle::make_concat(lanes)), 1);
    }
};

}  // namespace

void join_lanes(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new JoinedLanes); }

}  // namespace halogen
