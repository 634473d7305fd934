#include "tests/schedule/nest_queries.h"

#include "schedules/nest/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <vector>

namespace halogen {

namespace {

void add_box(std::map<std::string, IndexBox>& boxes, const std::string& tensor, const NestRegion& region) {
    if (region.empty || !region.known) return;
    IndexBox box;
    for (const Hull& range : region.dims) box.push_back({range.low, range.high});
    boxes[tensor] = box;
}

/// Calls `visit` at every execution, with the values of the loops.
void each_execution(const std::vector<NestNode>& body, const Bindings& values,
                    const std::function<void(const NestStatement&, const Bindings&)>& visit) {
    for (const NestNode& node : body) {
        if (auto* s = node.statement()) {
            if (std::all_of(s->guards.begin(), s->guards.end(),
                            [&](const Formula& g) { return evaluate(g, values) >= 0; }))
                visit(*s, values);
            continue;
        }
        const NestLoop& loop = *node.loop();
        const std::int64_t min = evaluate(loop.min, values), extent = evaluate(loop.extent, values);
        for (Bindings inner = values; std::int64_t i : std::views::iota(min, min + std::max<std::int64_t>(extent, 0))) {
            inner[loop_symbol(loop.id)] = i;
            each_execution(loop.body, inner, visit);
        }
    }
}

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
    each_execution(nest.body, sizes, [&](const NestStatement& s, const Bindings& values) {
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
    });
    return flows;
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

}  // namespace halogen
