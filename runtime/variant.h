#pragma once
// Which code of a leg serves a call, and how the call's tensors look to it.

#include "info.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace halogen::detail {

/// Row-major without gaps. A dim of extent 1 has whatever stride that wants, and so has every dim of a tensor without elements.
inline bool is_dense(int rank, const Buffer& b) {
    bool dense = true;
    std::int64_t stride = 1;
    for (int d = rank; d-- > 0;) {
        if (b.extents[d] == 0) return true;
        dense = dense && (b.extents[d] == 1 || b.strides[d] == stride);
        stride = dense ? stride * b.extents[d] : 0;
    }
    return dense;
}

/// The stride of a dim as the code of a variant is told it (see `fill_dims`): that of an extent of 1 is what it would be if all behind
/// it were dense.
inline std::int64_t stride_of(int rank, const Buffer& b, int dim) {
    std::int64_t inner = 1;
    for (int d = rank; --d > dim;) inner = b.extents[d] == 1 ? inner : b.strides[d] * b.extents[d];
    return b.extents[dim] == 1 ? inner : b.strides[dim];
}

constexpr int every_call = -1;  // the number of the variant that asks for nothing

inline Status refused(const KernelInfo& info, const std::string& text) {
    return Status(StatusCode::variant, std::string(info.name) + ": " + text);
}

/// The first variant that serves a call with these tensors on so many threads.
inline int first_serving(const Call& c, const LegInfo& leg, const Buffer* tensors, int threads) {
    for (int v = 0; v < c.info.variant_count; v++)
        if (leg.variants[v] && c.info.serves(v, tensors, c.sizes, threads)) return v;
    return every_call;
}

/// The variant that `wanted` names. Errors: unknown, without code in this leg, facts that do not hold for the call.
inline Status forced_variant(const Call& c, const LegInfo& leg, std::string_view wanted, int threads, int& chosen) {
    chosen = every_call;
    if (wanted == "any") return {};
    const std::string name = "variant " + std::string(wanted);
    std::string known;
    bool found = false;
    for (int v = 0; v < c.info.variant_count; v++) {
        const std::string_view own = c.info.variants[v].name;
        const bool again = std::any_of(c.info.variants, c.info.variants + v,
                                       [&](const VariantInfo& before) { return own == before.name; });
        if (!again) known += std::string(own) + ", ";
        if (wanted != own) continue;
        found = true;  // legs may have variants of one name for different calls
        if (!leg.variants[v]) continue;
        if (!c.info.serves(v, c.tensors, c.sizes, threads))
            return refused(c.info, name + " does not serve this call, which must have " + c.info.variants[v].when +
                                       "\n  fix  leave the choice to the kernel");
        chosen = v;
        return {};
    }
    if (found)
        return refused(c.info, "leg " + std::string(to_string(leg.leg)) + " has no code of " + name +
                                   "\n  fix  leave the choice to the kernel");
    return refused(c.info, "unknown " + name + "\n  fix  one of " + known + "any");
}

/// The first variant that serves the call, or the one its options name.
inline Status choose_variant(const Call& c, const LegInfo& leg, int threads, int& chosen) {
    if (!c.options.variant.empty()) return forced_variant(c, leg, c.options.variant, threads, chosen);
    chosen = first_serving(c, leg, c.tensors, threads);
    return {};
}

/// `b` as the code of a variant takes it: runs of dims as one, and dims of extent 1 with the stride that a dense tensor has.
/// Returns where the runs of the next tensor begin. An empty tensor has strides of 0, which fit.
inline const DimRun* fill_dims(const Buffer& b, int rank, bool empty, const DimRun* runs, halide_buffer_t& out) {
    int count = rank;
    if (runs && rank > 0)
        count = static_cast<int>(std::find_if(runs, runs + rank, [&](const DimRun& r) { return r.last == rank - 1; }) -
                                 runs) +
                1;
    std::int64_t inner = 1;
    for (int k = 0; k < count; k++) {  // Halide's first dim is the notation's last
        const DimRun run = runs && rank > 0 ? runs[count - 1 - k] : DimRun{rank - 1 - k, rank - 1 - k};
        std::int64_t extent = 1, stride = inner;
        for (int d = run.last; d >= run.first; d--) {
            if (extent == 1 && b.extents[d] != 1) stride = b.strides[d];
            extent *= b.extents[d];
        }
        inner = stride * extent;
        out.dim[k] = {0, static_cast<std::int32_t>(extent), empty ? 0 : static_cast<std::int32_t>(stride)};
    }
    out.dimensions = count;
    return runs ? runs + (rank > 0 ? count : 0) : nullptr;
}

}  // namespace halogen::detail
