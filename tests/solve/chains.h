#pragma once
// Chains of convolutions, stride 2 in every 25th layer: as kernels and as constraint systems.

#include "frontend/solve/solution.h"
#include "frontend/systems/case.h"
#include "frontend/systems/expr.h"

#include <fmt/format.h>

#include <string>

namespace halogen::test {

inline bool is_strided(std::int64_t layer) { return layer % 25 == 24; }

/// A chain as a kernel, and what to set to solve it in either direction.
struct Chain {
    std::string text;
    Settings forward, backward;
    std::string first, last;  // the names of the sizes at its ends
    std::int64_t first_extent = 0, last_extent = 0;
};

/// The least extent in front of `layers` layers with windows of 3 and `pad` at each end that leaves `extent` behind them.
inline std::int64_t extent_in_front(std::int64_t layers, std::int64_t extent, std::int64_t pad) {
    for (std::int64_t i = layers - 1; i >= 0; --i)
        extent = (is_strided(i) ? 2 * (extent - 1) + 1 : extent) + 2 - 2 * pad;
    return extent;
}

/// T1[x] += T0[x + k]*W[k]; T2[x] += …
inline Chain plain_chain(std::int64_t layers) {
    Chain chain;
    for (std::int64_t i = 0; i < layers; ++i)
        chain.text += "T" + std::to_string(i + 1) + "[x] += T" + std::to_string(i) +
                      (is_strided(i) ? "[2*x + k]" : "[x + k]") + "*W[k]; ";
    chain.first = "T0.0";
    chain.last = "T" + std::to_string(layers) + ".0";
    chain.last_extent = 100;
    chain.first_extent = extent_in_front(layers, 100, 0);
    chain.forward = {{chain.first, chain.first_extent}, {"W.0", 3}};
    chain.backward = {{chain.last, 100}, {"W.0", 3}};
    return chain;
}

/// T1 from T0, T2 from T1, … by one rule each: `{1}` in `rule` is the tensor that an equation writes, `{0}` the one it reads.
inline std::string chain_of(std::int64_t layers, const char* rule) {
    std::string text = fmt::format("kernel chain(T0: f32[N]) -> T{}: f32 {{ ", layers);
    for (std::int64_t i = 0; i < layers; ++i)
        text += fmt::format(fmt::runtime(rule), fmt::format("T{}", i), fmt::format("T{}", i + 1)) + "; ";
    return text + "}";
}

/// Rules whose formulas nest: the extent of one is a quotient, or the lesser of two, of the one before.
inline const char* const nested_rules[] = {"{1}[i] = {0}[i+1]*{0}[2*i/3]", "{1}[i] = {0}[2*i/3]*{0}[3*i/4]",
                                           "{1}[i] = {0}[i+1]*{0}[2*i/3 + 5]",
                                           "{1}[i] = {0}[i/2 + 3]*{0}[3*i] + {0}[2*i/3 + 1]"};
/// Rules whose formulas stay short.
inline const char* const short_rules[] = {"{1}[i] = {0}[i]", "{1}[i] = {0}[i+1]",
                                          "{1}[i] = {0}[i] + {0}[i+1] + {0}[i+2]", "{1}[i] = {0}[2*i] + {0}[2*i + 1]"};

/// Every tensor padded by 1 at both ends, so each is declared: all but the first are outputs.
inline Chain padded_chain(std::int64_t layers) {
    Chain chain;
    chain.text = "kernel chain(T0: f32[H pad 1] else 0, W: f32[R]) -> (";
    for (std::int64_t i = 1; i <= layers; ++i)
        chain.text += (i > 1 ? ", T" : "T") + std::to_string(i) + ": f32[_ pad 1] else 0";
    chain.text += ") { ";
    for (std::int64_t i = 0; i < layers; ++i)
        chain.text += "T" + std::to_string(i + 1) + "[x] += T" + std::to_string(i) +
                      (is_strided(i) ? "[2*x + k - 1]" : "[x + k - 1]") + "*W[k]; ";
    chain.text += "}";
    chain.first = "H";
    chain.last = "T" + std::to_string(layers) + ".0";
    chain.last_extent = 100;
    chain.first_extent = extent_in_front(layers, 100, 1);
    chain.forward = {{"H", chain.first_extent}, {"R", 3}};
    chain.backward = {{chain.last, 100}, {"R", 3}};
    return chain;
}

/// The padded chain as a constraint system, each layer with its own window of 3; backward, the least sizes are chosen.
inline SystemCase system_chain(std::int64_t layers, bool forward) {
    SystemCase c;
    const auto axis = [](const char* sort, std::int64_t i) { return sort + std::to_string(i); };
    for (std::int64_t i = 0; i < layers; ++i) {
        SystemCase::Relation r;
        r.axes = {axis("x", i)};
        const std::string text = axis("x", i + 1) + (is_strided(i) ? "*2 + " : " + ") + axis("k", i) + " - 1";
        const auto right = parse_system_relation(text, {}, true);
        r.expressions = {right.left};
        r.indices = {right.indices};
        r.pad_low = r.pad_high = 1;
        r.text = axis("x", i) + " = " + text;
        c.relations.push_back(std::move(r));
        c.maximal.push_back(axis("x", i + 1));
        c.known[axis("k", i)] = 3;
        if (!forward) c.choose.push_back(axis("x", i));
    }
    c.tensors = {{"X", {"x0"}}, {"Y", {axis("x", layers)}}};
    if (forward)
        c.known["x0"] = extent_in_front(layers, 100, 1);
    else
        c.known[axis("x", layers)] = 100;
    return c;
}

}  // namespace halogen::test
