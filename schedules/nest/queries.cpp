#include "schedules/nest/queries.h"

#include "frontend/operations.h"
#include "schedules/nest/regions.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

void add_box(std::map<std::string, IndexBox>& boxes, const std::string& tensor, const NestRegion& region) {
    if (region.empty || !region.known) return;
    IndexBox box;
    for (const PlaceRange& range : region.dims) box.push_back({range.low, range.high});
    boxes[tensor] = box;
}

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
            for (std::int64_t i = min; i < min + extent; i++) {
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
};

std::string label(const NestStatement& s) { return fmt::format("{}.{}", s.func, s.stage); }

std::optional<std::vector<std::int64_t>> element(const NestAccess& access, const Bindings& values) {
    std::vector<std::int64_t> at;
    for (const auto& place : access.at) {
        if (!place) return std::nullopt;
        at.push_back(evaluate(*place, values));
    }
    return at;
}

}  // namespace

NestBounds bounds_of(const Nest& nest, int loop_id) {
    NestBounds bounds;
    std::set<std::string> tensors;
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        for (const NestAccess& access : accesses_of(nest, s)) tensors.insert(access.tensor);
    });
    for (const std::string& tensor : tensors)
        for (const bool write : {true, false})
            add_box(write ? bounds.writes : bounds.reads, tensor,
                    region_of(nest, tensor, loop_id, true,
                              [&](const NestStatement&, const NestAccess& a) { return a.write == write; }));
    return bounds;
}

std::map<std::string, std::set<std::string>> flows_of(const Nest& nest, const Bindings& sizes) {
    std::map<std::string, std::set<std::string>> flows;
    std::map<std::pair<std::string, std::vector<std::int64_t>>, std::string> writers;
    Walker(nest, sizes, [&](const NestStatement& s, const Bindings& values) {
        const auto accesses = accesses_of(nest, s);
        const bool reduces = !s.start && s.equation.op != Op::assign;
        for (const NestAccess& access : accesses) {
            if (access.write && !reduces) continue;
            const auto at = element(access, values);
            if (!at) continue;
            const auto writer = writers.find({access.tensor, *at});
            flows[label(s)].insert(writer == writers.end() ? access.tensor : writer->second);
        }
        if (const auto at = element(accesses.front(), values)) writers[{accesses.front().tensor, *at}] = label(s);
    }).run();
    return flows;
}

std::map<std::string, std::pair<int, int>> live_ranges_of(const Nest& nest) {
    std::map<std::string, std::pair<int, int>> ranges;
    int position = 0;
    each_statement(nest, [&](const NestPath&, const NestStatement& s) {
        for (const NestAccess& access : accesses_of(nest, s)) {
            const auto [range, is_new] = ranges.emplace(access.tensor, std::pair(position, position));
            range->second.second = position;
        }
        position++;
    });
    return ranges;
}

std::set<std::string> live_funcs(const Nest& nest) {
    std::set<std::string> live;
    for (const Tensor* output : nest.kernel.outputs()) live.insert(output->name);
    for (std::size_t before = 0; before != live.size();) {
        before = live.size();
        each_statement(nest, [&](const NestPath&, const NestStatement& s) {
            if (!live.count(s.equation.left.tensor)) return;
            for (const NestAccess& access : accesses_of(nest, s))
                if (!access.write) live.insert(access.tensor);
        });
    }
    return live;
}

NestEffect effect_of(const Nest& nest, const Bindings& sizes) {
    NestEffect effect;
    Walker walker(nest, sizes, [&](const NestStatement& s, const Bindings&) {
        effect.executions++;
        effect.stores++;
        effect.computed[s.func]++;
        int loads = 0;
        if (s.equation.right.defined()) walk(s.equation.right, [&](const Expr& e) { loads += e.as<Access>() ? 1 : 0; });
        effect.loads += loads;
        effect.cost += walker.share() * (1 + loads + (s.start ? 0 : operations_per_point(s.equation)));
    });
    walker.run();
    effect.cost += walker.steps();
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
