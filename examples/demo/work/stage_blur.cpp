// Gaussian blur of the grey picture: two passes of 13 weights.
#include "border.h"
#include "session.h"

#include "halogen/kernels/gaussian_blur.h"

#include <array>
#include <cmath>

namespace halogen::demo {
namespace {

constexpr int radius = 6, taps = 2 * radius + 1;
constexpr float sigma = 2;

/// What one half of Eigen's work needs beside its result.
struct Scratch {
    Rows continued, columns;
};

Eigen::VectorXf gaussian_weights() {
    Eigen::VectorXd w(taps);
    for (int t = 0; t < taps; t++) w(t) = std::exp(-0.5 * (t - radius) / sigma * (t - radius) / sigma);
    return (w / w.sum()).cast<float>();
}

/// Both passes are products of a matrix and a vector: rows of the picture as columns, then a map whose columns overlap.
void eigen_blur(const ConstRows& x, float* blurred, Eigen::Index begin, Eigen::Index end, Scratch& scratch) {
    const Eigen::VectorXf weights = gaussian_weights();
    continue_border(x, begin, end, radius, scratch.continued);
    scratch.columns.resize(1, x.cols() + 2 * radius);
    for (Eigen::Index y = begin; y < end; y++) {
        scratch.columns.row(0).transpose().noalias() =
            scratch.continued.middleRows(y - begin, taps).transpose() * weights;
        const Eigen::Map<const Eigen::MatrixXf, 0, Eigen::OuterStride<1>> windows(scratch.columns.data(), x.cols(),
                                                                                  taps);
        Eigen::Map<Eigen::VectorXf>(blurred + y * x.cols(), x.cols()).noalias() = windows * weights;
    }
}

/// Relative: n positive products in each of two passes on both sides; Halogen's weights with n exponentials (relative error
/// 5e-7 each, and four roundings of exponents up to R^2 / (2 sigma^2)), their sum and a division; Eigen's rounded once.
double relative_bound() {
    const double of_exponential = 5e-7 + rounding(4) * 0.5 * radius * radius / (sigma * sigma);
    const double of_weight = 2 * of_exponential + rounding(taps + 1) + rounding(1);
    return 2 * (of_weight + 2 * rounding_from_magnitudes(taps));
}

}  // namespace

void blur_stage(Session& s) {
    const View<const float, 2> x{s.grey->data(), {s.height(), s.width()}, {s.width(), 1}};
    auto blurred = must(kernels::gaussian_blur.make_output(x, {.sigma = sigma, .R = radius}));
    auto expected = make_array<float, 2>(blurred.extents());
    std::array<Scratch, 2> scratch;
    const double pixels = static_cast<double>(s.height() * s.width());

    Contest c;
    c.call = {
        .stage = "blur",
        .kernel = "gaussian_blur",
        .operands = {operand("X", x), operand("Y", blurred)},
        .settings = {{"sigma", sigma}, {"R", radius}},
        .flops = 2.0 * 2 * taps * pixels,
        .bytes = 8 * pixels,
        .eigen = "border copied, then two matrix-vector products per row, the second on a map whose columns overlap"};
    c.halogen = [&](int threads) {
        return kernels::gaussian_blur(x, blurred, {.sigma = sigma, .R = radius, .threads = threads, .leg = s.leg()});
    };
    c.rows = s.height();
    c.eigen = [&](std::int64_t begin, std::int64_t end, int part) {
        eigen_blur(ConstRows(x.data, s.height(), s.width()), expected.data(), begin, end,
                   scratch[static_cast<std::size_t>(part)]);
    };
    c.compare = [&] {
        return compare(blurred, expected,
                       [&](std::int64_t i) { return relative_bound() * static_cast<double>(expected.data()[i]); });
    };
    s.hold(c);
    send("blur", "blur", grey_picture(blurred.data(), s.photo().height, s.photo().width, 1));
    s.blurred.emplace(std::move(blurred));
}

}  // namespace halogen::demo
