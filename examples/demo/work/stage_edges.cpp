// Edges of the blurred picture: the magnitude of its Sobel gradient.
#include "border.h"
#include "session.h"

#include "halogen/kernels/sobel.h"

#include <array>
#include <cmath>

namespace halogen::demo {
namespace {

struct Scratch {
    Rows continued;
    Eigen::ArrayXf smooth, step;  // one row: [1 2 1] and [-1 0 1] down the columns
};

void eigen_sobel(const ConstRows& x, float* edges, Eigen::Index begin, Eigen::Index end, Scratch& scratch) {
    continue_border(x, begin, end, 1, scratch.continued);
    const Eigen::Index w = x.cols();
    for (Eigen::Index y = 0; y < end - begin; y++) {
        const auto row = [&](Eigen::Index i) { return scratch.continued.row(y + i).transpose().array(); };
        scratch.smooth = row(0) + 2 * row(1) + row(2);
        scratch.step = row(2) - row(0);
        const auto across = scratch.smooth.segment(2, w) - scratch.smooth.segment(0, w);
        const auto down = scratch.step.segment(0, w) + 2 * scratch.step.segment(1, w) + scratch.step.segment(2, w);
        Eigen::Map<Eigen::ArrayXf>(edges + (begin + y) * w, w) = (across.square() + down.square()).sqrt();
    }
}

/// The sums of the magnitudes of both gradients' terms; samples are not negative, so all signs are plus.
Rows magnitudes(const ConstRows& x) {
    Rows p;
    continue_border(x, 0, x.rows(), 1, p);
    const auto at = [&](int i, int j) { return p.block(i, j, x.rows(), x.cols()); };
    return 2 * (at(0, 0) + at(0, 1) + at(0, 2) + at(1, 0) + at(1, 2) + at(2, 0) + at(2, 1) + at(2, 2));
}

}  // namespace

void edges_stage(Session& s) {
    const Array<float, 2>& x = *s.blurred;
    auto edges = must(kernels::sobel.make_output(x));
    auto expected = make_array<float, 2>(edges.extents());
    const ConstRows rows(x.data(), s.height(), s.width());
    const Rows magnitude = magnitudes(rows);
    std::array<Scratch, 2> scratch;
    const double pixels = static_cast<double>(s.height() * s.width());

    Contest c;
    c.call = {.stage = "edges",
              .kernel = "sobel",
              .operands = {operand("X", x), operand("Y", edges)},
              .flops = 18 * pixels,
              .bytes = 8 * pixels,
              .eigen = "border copied, then three array expressions per row that share the column sums"};
    c.halogen = [&](int threads) { return kernels::sobel(x, edges, {.threads = threads, .leg = s.leg()}); };
    c.rows = s.height();
    c.eigen = [&](std::int64_t begin, std::int64_t end, int part) {
        eigen_sobel(rows, expected.data(), begin, end, scratch[static_cast<std::size_t>(part)]);
    };
    // Six terms in each gradient; the length moves by no more than the sum of both, and is rounded three times itself.
    c.compare = [&] {
        return compare(edges, expected, [&](std::int64_t i) {
            return 2 * (rounding_from_magnitudes(6) * static_cast<double>(magnitude.data()[i]) +
                        rounding(3) * static_cast<double>(expected.data()[i]));
        });
    };
    s.hold(c);
    send("edges", "edges", grey_picture(edges.data(), s.photo().height, s.photo().width, 0.8));
}

}  // namespace halogen::demo
