// Filters of image planes, colours, stencils, transposition.
#include "halogen/kernels/color_matrix.h"
#include "halogen/kernels/gaussian_blur.h"
#include "halogen/kernels/jacobi2d.h"
#include "halogen/kernels/sobel.h"
#include "halogen/kernels/transpose.h"
#include "tests/bench/bench.h"

namespace halogen::bench {
namespace {

using Index = Eigen::Index;
using Shape = std::vector<std::pair<Index, Index>>;

constexpr Index radius = 2;
constexpr float sigma = 1;

std::string plane(Index n) { return std::to_string(n) + "x" + std::to_string(n); }

/// x continued by `by` elements of its border on each side.
Matrix continued(const Matrix& x, Index by) {
    Matrix p(x.rows() + 2 * by, x.cols() + 2 * by);
    p.block(by, by, x.rows(), x.cols()) = x;
    p.leftCols(by).middleRows(by, x.rows()).colwise() = x.col(0);
    p.rightCols(by).middleRows(by, x.rows()).colwise() = x.col(x.cols() - 1);
    const Eigen::RowVectorXf top = p.row(by), bottom = p.row(by + x.rows() - 1);
    p.topRows(by).rowwise() = top;
    p.bottomRows(by).rowwise() = bottom;
    return p;
}

NamedCase blur(Index n) {
    return {"gaussian_blur", plane(n) + " 5x5", [n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{n, n}}, n, n), 2.0 * n * n * 10,
                    [](auto& m) { return kernels::gaussian_blur(m.in[0], m.ours, {.sigma = sigma, .R = radius}); },
                    [n](auto& m) {
                        Eigen::ArrayXf g = Eigen::ArrayXf::LinSpaced(5, -2, 2);
                        g = (-0.5f * (g / sigma).square()).exp();
                        g /= g.sum();
                        const Matrix p = continued(m.in[0], radius);
                        Matrix u = g(0) * p.middleCols(0, n);
                        for (Index t = 1; t < 5; t++) u += g(t) * p.middleCols(t, n);
                        m.theirs = g(0) * u.middleRows(0, n);
                        for (Index t = 1; t < 5; t++) m.theirs += g(t) * u.middleRows(t, n);
                    });
            }};
}

NamedCase sobel(Index n) {
    return {"sobel", plane(n), [n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{n, n}}, n, n), 18.0 * n * n,
                    [](auto& m) { return kernels::sobel(m.in[0], m.ours); },
                    [n](auto& m) {
                        const Matrix p = continued(m.in[0], 1);
                        const auto at = [&](int i, int j) { return p.block(i, j, n, n).array(); };
                        const auto u = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0);
                        const auto v = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2);
                        m.theirs = (u.square() + v.square()).sqrt().matrix();
                    });
            }};
}

NamedCase color(Index n, Index k) {
    return {"color_matrix", plane(n) + " 3 to " + std::to_string(k), [n, k] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{n * n, 3}, {k, 3}}, n * n, k), 6.0 * n * n * k,
                    [n, k](auto& m) {
                        return kernels::color_matrix(view(m.in[0].data(), {n, n, 3}), m.in[1],
                                                     view(m.ours.data(), {n, n, k}));
                    },
                    [](auto& m) { m.theirs.noalias() = m.in[0] * m.in[1].transpose(); });
            }};
}

NamedCase jacobi(Index n) {
    return {"jacobi2d", plane(n), [n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{n, n}}, n, n), 5.0 * (n - 2) * (n - 2),
                    [](auto& m) { return kernels::jacobi2d(m.in[0], m.ours); },
                    [n](auto& m) {
                        const Matrix& x = m.in[0];
                        const auto at = [&](int i, int j) { return x.block(i, j, n - 2, n - 2); };
                        m.theirs.row(0) = x.row(0);
                        m.theirs.row(n - 1) = x.row(n - 1);
                        m.theirs.col(0) = x.col(0);
                        m.theirs.col(n - 1) = x.col(n - 1);
                        m.theirs.block(1, 1, n - 2, n - 2) =
                            0.2f * (at(1, 1) + at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2));
                    });
            }};
}

NamedCase transpose(Index n) {
    return {"transpose", plane(n), [n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{n, n}}, n, n), 0,
                    [](auto& m) { return kernels::transpose(m.in[0], m.ours); },
                    [](auto& m) { m.theirs = m.in[0].transpose(); });
            }};
}

}  // namespace

std::vector<NamedCase> image_cases() {
    return {blur(512),     blur(2048),  sobel(512),   sobel(2048),    color(512, 3),
            color(512, 1), jacobi(512), jacobi(1300), transpose(512), transpose(2048)};
}

}  // namespace halogen::bench
