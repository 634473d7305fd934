// Colour to grey: a 1 x 3 colour matrix with the weights of ITU-R BT.601.
#include "session.h"

#include "halogen/kernels/color_matrix.h"

#include <Eigen/Core>

namespace halogen::demo {
namespace {

using Channel = Eigen::Map<const Eigen::ArrayXf, 0, Eigen::InnerStride<3>>;

void eigen_grey(const float* colors, const float* weights, float* grey, Eigen::Index pixels) {
    Eigen::Map<Eigen::ArrayXf>(grey, pixels) = weights[0] * Channel(colors, pixels) +
                                               weights[1] * Channel(colors + 1, pixels) +
                                               weights[2] * Channel(colors + 2, pixels);
}

}  // namespace

void grey_stage(Session& s) {
    const Array<float, 3>& x = s.colors();
    auto weights = make_array<float, 2>({1, 3});
    weights(0, 0) = 0.299f;
    weights(0, 1) = 0.587f;
    weights(0, 2) = 0.114f;
    auto grey = must(kernels::color_matrix.make_output(x, weights));
    auto expected = make_array<float, 3>(grey.extents());
    const double pixels = static_cast<double>(s.height() * s.width());

    Contest c;
    c.call = {.stage = "grey",
              .kernel = "color_matrix",
              .operands = {operand("X", x), operand("M", weights), operand("Y", grey)},
              .flops = 6 * pixels,
              .bytes = 16 * pixels,
              .eigen = "one array expression over the three channels, each a map with inner stride 3"};
    c.halogen = [&](int threads) {
        return kernels::color_matrix(x, weights, grey, {.threads = threads, .leg = s.leg()});
    };
    c.rows = s.height();
    c.eigen = [&](std::int64_t begin, std::int64_t end, int) {
        eigen_grey(x.data() + 3 * begin * s.width(), weights.data(), expected.data() + begin * s.width(),
                   (end - begin) * s.width());
    };
    // All terms are positive: the sum is its own magnitude.
    c.compare = [&] {
        return compare(grey, expected, [&](std::int64_t i) {
            return 2 * rounding_from_magnitudes(3) * static_cast<double>(expected.data()[i]);
        });
    };
    s.hold(c);
    send("grey", "grey", grey_picture(grey.data(), s.photo().height, s.photo().width, 1));
    s.grey.emplace(std::move(grey));
}

}  // namespace halogen::demo
