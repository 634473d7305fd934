#include "schedules/nest/regions.h"

#include "schedules/history/print_step.h"

#include "frontend/formula/sign.h"

#include <fmt/format.h>

#include <algorithm>

namespace halogen {

namespace {

void widen(std::vector<Hull>& dims, std::size_t d, const Hull& range) {
    if (dims.size() <= d) {
        dims.push_back(range);
        return;
    }
    dims[d].low = smaller(dims[d].low, range.low);
    dims[d].high = larger(dims[d].high, range.high);
}

}  // namespace

NestRegion region_of(const Nest& nest, const std::string& tensor, int loop_id, bool whole,
                     const std::function<bool(const NestStatement&, const NestAccess&)>& accepted) {
    NestRegion region;
    each_statement(nest, [&](const NestPath& path, const NestStatement& s) {
        const auto at = std::find_if(path.begin(), path.end(), [&](const NestLoop* l) { return l->id == loop_id; });
        if (loop_id != 0 && at == path.end()) return;
        const auto begin = loop_id == 0 ? path.begin() : whole ? at : at + 1;
        const std::vector<const NestLoop*> inner(begin, path.end());
        for (const NestAccess& access : accesses_of(nest, s)) {
            if (access.tensor != tensor || !accepted(s, access)) continue;
            for (std::size_t d = 0; d < access.at.size(); d++) {
                if (!access.at[d]) {
                    region.known = false;
                    continue;
                }
                widen(region.dims, d, range_over(*access.at[d], inner));
                widen(region.ever, d, range_over(*access.at[d], path));
            }
            region.empty = false;
        }
    });
    return region;
}

std::vector<Hull> places_that_exist(const Nest& nest, const std::string& tensor) {
    std::vector<Hull> ranges;
    const auto storage = nest.storage.find(tensor);
    if (storage != nest.storage.end()) {
        for (std::size_t d = 0; d < storage->second.extents.size(); d++)
            ranges.push_back(
                {storage->second.base[d], storage->second.base[d] + storage->second.extents[d] - Formula(1)});
        return ranges;
    }
    const Tensor& input = nest.kernel.tensor(tensor);
    const auto pad = [&](const Expr& e) {
        const auto f = formula_of(nest, {}, e);
        return f ? *f : Formula(0);
    };
    const std::vector<Formula>& extents = nest.solution.extents.at(tensor);
    for (std::size_t d = 0; d < extents.size(); d++) {
        ranges.push_back({0, extents[d] - Formula(1)});
        if (!input.dims) continue;
        ranges[d].low = -pad((*input.dims)[d].pad_low);
        ranges[d].high = ranges[d].high + pad((*input.dims)[d].pad_high);
    }
    return ranges;
}

void clip(NestRegion& region, const std::vector<Hull>& existing) {
    for (std::size_t d = 0; d < region.dims.size(); d++) {
        Hull& dim = region.dims[d];
        const bool below = !is_nonnegative(region.ever[d].low - existing[d].low),
                   above = !is_nonnegative(existing[d].high - region.ever[d].high);
        if (below) dim.low = larger(dim.low, existing[d].low);
        if (above) dim.high = smaller(dim.high, existing[d].high);
        // A loop that runs past all places covers nothing there, not less than nothing.
        if (below || above) dim.high = larger(dim.high, dim.low - Formula(1));
    }
}

NestNode nest_over(Nest& nest, const std::string& func, int stage, const std::vector<std::string>& names,
                   const std::vector<Hull>& dims,
                   const std::function<NestStatement(const std::vector<Formula>&)>& statement) {
    std::vector<NestLoop> loops;
    std::vector<Formula> values;
    for (std::size_t d = 0; d < dims.size(); d++) {
        loops.push_back(
            {++nest.last_id, names[d], func, stage, dims[d].low, dims[d].extent(), false, LoopMark::serial, {}});
        values.push_back(loop_value(loops.back()));
    }
    NestStatement inside = statement(values);
    inside.func = func;
    inside.stage = stage;
    NestNode node{std::move(inside)};
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        loop->body.push_back(std::move(node));
        node = NestNode{std::move(*loop)};
    }
    return node;
}

NestStorage storage_of(const NestRegion& region, int level) {
    NestStorage storage{.level = level};
    for (const Hull& range : region.dims) {
        storage.extents.push_back(range.extent());
        storage.base.push_back(range.low);
    }
    return storage;
}

void add_tensor(Nest& nest, const Step& step, const std::string& name, Type type, NestStorage storage) {
    if (nest.kernel.find_tensor(name) || nest.kernel.find_size(name) || nest.kernel.find_scalar(name))
        refuse_step(step, fmt::format("the name `{}` is taken", name), "choose another name");
    Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.role = Role::intermediate;
    tensor.rank = static_cast<int>(storage.extents.size());
    nest.kernel.tensors.push_back(tensor);
    nest.solution.extents[name] = storage.extents;
    nest.storage[name] = std::move(storage);
}

}  // namespace halogen
