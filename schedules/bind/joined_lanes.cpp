#include "schedules/bind/joined_lanes.h"

#include "frontend/lower/number.h"

namespace halogen {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

class JoinedLanes : public IRMutator {
private:
    using IRMutator::visit;

    Expr visit(const VectorReduce* reduce) override {
        const bool adds = reduce->op == VectorReduce::Add, several = !reduce->type.is_scalar();
        if (several || !reduce->type.is_float() || !(adds || reduce->op == VectorReduce::Mul))
            return IRMutator::visit(reduce);
        Expr value = mutate(reduce->value);
        while (value.type().lanes() % 2 == 0) {
            const int half = value.type().lanes() / 2;
            const Expr low = Shuffle::make_slice(value, 0, 1, half), high = Shuffle::make_slice(value, half, 1, half);
            value = adds ? low + high : low * high;
        }
        return value.type().is_scalar() ? value : VectorReduce::make(reduce->op, value, 1);
    }

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
