#include "schedules/nest/effect.h"

#include "frontend/notation/operations.h"
#include "frontend/notation/parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

/// Calls `visit` at every execution, with the values of the loops.
class Walker {
public:
    using Visit = std::function<void(const NestStatement&, const Bindings&)>;
    Walker(const Nest& nest, const Bindings& sizes, Visit visit)
        : nest_(nest), values_(sizes), visit_(std::move(visit)) {}

    void run() { run(nest_.body); }
    /// What an execution counts for: it is one of as many that a vector holds.
    double share() const { return share_; }
    /// The steps of all loops but vectorized ones.
    double steps() const { return steps_; }
    bool is_whole() const { return left_ >= 0; }

private:
    void run(const std::vector<NestNode>& body) {
        for (const NestNode& node : body) {
            if (auto* s = node.statement()) {
                const bool runs = std::all_of(s->guards.begin(), s->guards.end(),
                                              [&](const Formula& g) { return evaluate(g, values_) >= 0; });
                if (runs) visit_(*s, values_);
                continue;
            }
            const NestLoop& loop = *node.loop();
            const std::int64_t min = evaluate(loop.min, values_), extent = evaluate(loop.extent, values_);
            const double share = share_;
            if (loop.mark == LoopMark::vectorized)
                share_ /= static_cast<double>(std::max<std::int64_t>(extent, 1));
            else
                steps_ += share_ * static_cast<double>(std::max<std::int64_t>(extent, 0));
            for (std::int64_t i = min; i < min + extent && --left_ >= 0; i++) {
                values_[loop_symbol(loop.id)] = i;
                run(loop.body);
            }
            values_.erase(loop_symbol(loop.id));
            share_ = share;
        }
    }

    const Nest& nest_;
    Bindings values_;
    Visit visit_;
    double share_ = 1, steps_ = 0;
    std::int64_t left_ = most_loop_steps;
};

}  // namespace

namespace {

/// Reads a point makes: on the right, in predicates and in the brackets of the left side.
int loads_of(const Equation& equation) {
    int loads = 0;
    each_read(equation, [&](const Access&) { loads++; });
    return loads;
}

}  // namespace

NestEffect effect_of(const Nest& nest, const Bindings& sizes) {
    NestEffect effect;
    Walker walker(nest, sizes, [&](const NestStatement& s, const Bindings&) {
        effect.executions++;
        effect.stores++;
        effect.computed[s.func]++;
        const int loads = loads_of(s.equation);
        effect.loads += loads;
        effect.cost += walker.share() * (1 + loads + (s.start ? 0 : operations_per_point(s.equation)));
    });
    walker.run();
    effect.cost += walker.steps();
    effect.is_whole = walker.is_whole();
    for (const auto& [name, storage] : nest.storage) {
        if (nest.kernel.tensor(name).role == Role::output) continue;
        std::int64_t elements = 1;
        bool known = true;
        for (const Formula& extent : storage.extents) {
            for (const std::string& symbol : extent.symbols()) known = known && symbol[0] != '#';
            if (known) elements *= evaluate(extent, sizes);
        }
        if (known) effect.storage += elements;
    }
    return effect;
}

}  // namespace halogen
