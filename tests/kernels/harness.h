#pragma once
// Runs a compiled kernel on every leg, layout and placement and compares it with what was expected.

#include <halogen/leg.h>
#include <halogen/status.h>
#include <halogen/view.h>
#include "tests/kernels/array.h"
#include "tests/kernels/bound.h"
#include "tests/kernels/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace halogen::testing {

using cpu::Leg;

/// The legs this machine can run. HALOGEN_LEG=name keeps that one alone.
std::vector<Leg> legs_here();

/// The extents worth a test: nothing, one, and one below, at and above each multiple of a register tile; primes; large.
inline constexpr std::array<std::int64_t, 29> edges = {0,  1,  2,  3,  4,  5,  7,  8,  9,  11, 12, 13,  15,  16, 17,
                                                       23, 31, 32, 33, 47, 48, 49, 61, 63, 64, 65, 101, 127, 131};

/// Shapes for a kernel with `free` sizes: each in turn over `edges` (up to `most`) while the others stay at `small`;
/// then `mixtures` shapes with every size drawn from `edges`, up to `most_mixed`.
template<std::size_t free>
std::vector<std::array<std::int64_t, free>> shapes(const std::array<std::int64_t, free>& small, std::int64_t most = 131,
                                                   int mixtures = 12, std::int64_t most_mixed = 65) {
    std::vector<std::array<std::int64_t, free>> all;
    for (std::size_t d = 0; d < free; d++) {
        for (auto extent : edges) {
            if (extent > most) continue;
            auto shape = small;
            shape[d] = extent;
            all.push_back(shape);
        }
    }
    Random random;
    const auto usable = std::upper_bound(edges.begin(), edges.end(), most_mixed) - edges.begin();
    for (int i = 0; i < mixtures; i++) {
        std::array<std::int64_t, free> shape;
        for (auto& extent : shape) extent = edges[random.integer(0, usable - 1)];
        all.push_back(shape);
    }
    return all;
}

/// How one call is made.
struct Setup {
    Leg leg;
    Layout layout;
    Placement placement;

    /// The layout of tensor number `tensor` of the call.
    Layout layout_of(int tensor) const {
        if (layout != Layout::mixed) return layout;
        return static_cast<Layout>((tensor * 3 + static_cast<int>(placement)) % (layouts - 1));
    }
};
std::string to_string(const Setup&);

/// Every leg with every layout; the placements take turns. `few` keeps three layouts: for large shapes.
std::vector<Setup> setups(int turn, bool few);

template<std::size_t rank>
std::string print(const std::array<std::int64_t, rank>& extents) {
    std::string text = "[";
    for (std::size_t d = 0; d < rank; d++) text += (d ? ", " : "") + std::to_string(extents[d]);
    return text + "]";
}

/// What went wrong with an output, or "".
template<typename T, std::size_t rank>
std::string difference(const Placed<T, rank>& got, const Expected<T, rank>& expected) {
    std::string text;
    std::int64_t wrong = 0;
    got.visit([&](const Extents<rank>& place, std::int64_t i) {
        const double value = static_cast<double>(got.at(place));
        if (expected.allows(value, i)) return;
        if (wrong++ == 0) {
            std::ostringstream out;
            out << std::setprecision(9) << "element " << print(place) << " is " << value << ", not "
                << expected.value.values[i] << " within " << expected.bound.values[i];
            text = out.str();
        }
    });
    if (wrong > 1) text += " (and " + std::to_string(wrong - 1) + " more)";
    if (text.empty() && !got.gaps_untouched()) text = "a byte beside the output's elements was written";
    return text;
}

template<typename Values>
using PlacedFor = Placed<typename Values::Value, Values::rank>;

/// Calls `body(size...)` for each shape, until a check fails.
template<typename Shapes, typename Body>
void each(const Shapes& all, Body&& body) {
    for (const auto& shape : all) {
        std::apply(body, shape);
        if (::testing::Test::HasFailure()) return;
    }
}

template<typename T, std::size_t rank>
View<T, static_cast<int>(rank)> view_of(const Placed<T, rank>& p) {
    return {p.data(), p.extents(), p.strides()};
}
/// As an input: nothing may be written through it.
template<typename T, std::size_t rank>
View<const T, static_cast<int>(rank)> input_of(const Placed<T, rank>& p) {
    return view_of(p);
}

/// One call in guarded memory: its tensors, and what it is for the reader of a failure.
template<typename Output, typename... Inputs>
class GuardedCall {
public:
    GuardedCall(const Setup& setup, const Extents<Output::rank>& out, const Inputs&... in)
        : inputs_{std::make_unique<PlacedFor<Inputs>>(in.extents, next_layout(setup), setup.placement)...},
          output_(out, next_layout(setup), setup.placement),
          leg_(setup.leg) {
        where_ = (std::string() + ... + print(in.extents)) + " -> " + print(out) + ", " + to_string(setup) +
                 ", HALOGEN_SEED=" + std::to_string(seed());
        announce(where_);
        std::apply([&](const auto&... p) { (p->fill(in), ...); }, inputs_);
        before_ = input_bytes();
    }

    template<typename Kernel>
    Status run(Kernel&& kernel) const {
        if (Status forced = force_leg(cpu::to_string(leg_)); !forced) return forced;
        const Status status =
            std::apply([&](const auto&... p) { return kernel(input_of(*p)..., view_of(output_)); }, inputs_);
        detail::forced_leg().store(Leg::best);
        return status;
    }
    const PlacedFor<Output>& output() const { return output_; }
    const std::string& where() const { return where_; }
    bool inputs_unchanged() const { return input_bytes() == before_; }

private:
    Layout next_layout(const Setup& setup) { return setup.layout_of(tensors_++); }
    std::vector<std::vector<std::byte>> input_bytes() const {
        return std::apply([](const auto&... p) { return std::vector<std::vector<std::byte>>{p->bytes()...}; }, inputs_);
    }

    int tensors_ = 0;
    std::tuple<std::unique_ptr<PlacedFor<Inputs>>...> inputs_;
    PlacedFor<Output> output_;
    Leg leg_;
    std::string where_;
    std::vector<std::vector<std::byte>> before_;
};

/// Calls `kernel(views of inputs..., view of output)` on every setup and checks the status, the output's elements,
/// the bytes around them, and that no input changed.
template<typename Kernel, typename Output, typename... Inputs>
void check(Kernel&& kernel, const Output& expected, const Inputs&... inputs) {
    static int turn = 0;
    const bool few = elements(expected.value.extents) > 10000;
    for (const Setup& setup : setups(turn++, few)) {
        const GuardedCall<Output, Inputs...> call(setup, expected.value.extents, inputs...);
        const Status status = call.run(kernel);
        ASSERT_TRUE(status.ok()) << status.message() << "\n" << call.where();
        EXPECT_EQ(difference(call.output(), expected), "") << call.where();
        EXPECT_TRUE(call.inputs_unchanged()) << "an input was changed: " << call.where();
        if (::testing::Test::HasFailure()) return;
    }
}

/// The call must answer `code` on every leg and leave the output alone, which has the extents of `output`.
template<typename Kernel, typename Output, typename... Inputs>
void refuses(Kernel&& kernel, StatusCode code, const Output& output, const Inputs&... inputs) {
    for (const Leg leg : legs_here()) {
        const GuardedCall<Output, Inputs...> call({leg, Layout::row_major, Placement::at_end}, output.extents,
                                                  inputs...);
        const auto before = call.output().bytes();
        EXPECT_EQ(call.run(kernel).code(), code) << call.where();
        EXPECT_TRUE(call.output().bytes() == before) << "the output was written: " << call.where();
        EXPECT_TRUE(call.inputs_unchanged()) << "an input was changed: " << call.where();
    }
}

}  // namespace halogen::testing
