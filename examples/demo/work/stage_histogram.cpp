// How often each value occurs, channel by channel: each channel is a view of the photograph's bytes with stride 3.
#include "session.h"

#include "halogen/kernels/histogram.h"

#include <Eigen/Core>

#include <array>

namespace halogen::demo {
namespace {

using Counts = Eigen::Array<std::int32_t, 256, 4>;
using Channel = Eigen::Map<const Eigen::Array<std::uint8_t, Eigen::Dynamic, 1>, 0, Eigen::InnerStride<3>>;

/// Eigen has no scatter: a plain loop over a strided map, with four tables so that equal neighbours need not wait.
void count(const std::uint8_t* samples, Eigen::Index n, Counts& counts) {
    const Channel x(samples, n);
    Eigen::Index i = 0;
    for (; i + 4 <= n; i += 4) {
        counts(x(i), 0)++;
        counts(x(i + 1), 1)++;
        counts(x(i + 2), 2)++;
        counts(x(i + 3), 3)++;
    }
    for (; i < n; i++) counts(x(i), 0)++;
}

}  // namespace

void histogram_stage(Session& s) {
    const std::int64_t n = s.height() * s.width();
    const std::uint8_t* samples = s.photo().samples.data();
    const auto channel = [&](int c) { return View<const std::uint8_t, 1>{samples + c, {n}, {3}}; };
    std::array<Array<std::int32_t, 1>, 3> counts{must(kernels::histogram.make_output(channel(0))),
                                                 must(kernels::histogram.make_output(channel(1))),
                                                 must(kernels::histogram.make_output(channel(2)))};
    Array<std::int32_t, 1>& green = counts[1];
    auto expected = make_array<std::int32_t, 1>({256});
    std::array<Counts, 2> tables;

    Contest c;
    c.call = {
        .stage = "histogram",
        .kernel = "histogram",
        .operands = {operand("X", channel(1)), operand("Y", green)},
        .flops = static_cast<double>(n),
        .bytes = static_cast<double>(n) + 4 * 256,
        .eigen = "a plain loop over a map with inner stride 3, four tables summed at the end (Eigen has no scatter)"};
    c.halogen = [&](int threads) {
        return kernels::histogram(channel(1), green, {.threads = threads, .leg = s.leg()});
    };
    c.rows = n;
    c.eigen = [&](std::int64_t begin, std::int64_t end, int part) {
        Counts& table = tables[static_cast<std::size_t>(part)];
        table.setZero();
        if (end - begin == n) tables[1].setZero();  // one part alone: there is no second half
        count(samples + 1 + 3 * begin, end - begin, table);
    };
    c.merge = [&] {
        Eigen::Map<Eigen::Array<std::int32_t, 256, 1>>(expected.data()) = (tables[0] + tables[1]).rowwise().sum();
    };
    c.compare = [&] { return compare(green, expected, [](std::int64_t) { return 0.0; }); };
    s.hold(c);
    for (int i : {0, 2}) must(kernels::histogram(channel(i), counts[static_cast<std::size_t>(i)], {.leg = s.leg()}));
    send("histogram", "histogram", histogram_picture(counts[0].data(), counts[1].data(), counts[2].data()));
}

}  // namespace halogen::demo
