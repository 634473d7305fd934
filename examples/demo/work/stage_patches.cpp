// The photograph as patches of 8 x 8 pixels: their principal patterns, what each patch holds of every pattern, and the
// photograph rebuilt from the first 24 of 192.
#include "session.h"

#include "halogen/kernels/matmul.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace halogen::demo {
namespace {

constexpr int side = 8, values = side * side * 3, kept = 24;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using Window = Eigen::Map<const Rows, 0, Strides>;

/// Copies patch p of `across` per row between its row of values and its place in the photograph.
template<typename Copy>
void each_value(std::int64_t across, std::int64_t patches, Copy&& copy) {
    for (std::int64_t p = 0; p < patches; p++) {
        for (int v = 0; v < values; v++)
            copy(p, v, p / across * side + v / (side * 3), (p % across) * side + v / 3 % side, v % 3);
    }
}

/// The directions in which patches differ most, strongest first, one per column. The first is their mean brightness.
Array<float, 2> principal_patterns(const Array<float, 2>& patches) {
    const Eigen::Map<const Rows> rows(patches.data(), patches.extent(0), values);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver((rows.transpose() * rows).cast<double>());
    auto patterns = make_array<float, 2>({values, values});
    for (int k = 0; k < values; k++) {
        const Eigen::VectorXd v = solver.eigenvectors().col(values - 1 - k);
        const double sign = v.sum() < 0 ? -1 : 1;
        for (int i = 0; i < values; i++) patterns(i, k) = static_cast<float>(sign * v(i));
    }
    return patterns;
}

Window window(const View<const float, 2>& v) {
    return {v.data, v.extents[0], v.extents[1], Strides(v.strides[0], v.strides[1])};
}

/// C = A B on both sides. `expected` and `magnitude` are as large as C.
Contest product(const Session& s, const View<const float, 2>& a, const View<const float, 2>& b, Array<float, 2>& c,
                Array<float, 2>& expected, const Array<float, 2>& magnitude, bool transposed) {
    const double m = static_cast<double>(a.extents[0]), k = static_cast<double>(a.extents[1]),
                 n = static_cast<double>(b.extents[1]);
    Contest contest;
    contest.call = {.stage = "patches",
                    .kernel = "matmul",
                    .operands = {operand("A", a), operand("B", b), operand("C", c)},
                    .flops = 2 * m * n * k,
                    .bytes = 4 * (m * k + k * n + m * n),
                    .eigen = transposed ? "its own matrix product, on the same windows of both matrices"
                                        : "its own matrix product"};
    contest.halogen = [&s, a, b, &c](int threads) {
        return kernels::matmul(a, b, c, {.threads = threads, .leg = s.leg()});
    };
    contest.rows = a.extents[0];
    contest.eigen = [a, b, transposed, &expected](std::int64_t begin, std::int64_t end, int) {
        Eigen::Map<Rows> to(expected.data(), expected.extent(0), expected.extent(1));
        const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> from(a.data, a.extents[0], a.extents[1],
                                                                   Eigen::OuterStride<>(a.strides[0]));
        if (transposed) {  // unit strides that Eigen knows when it compiles: general ones would cost it its fast path
            const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> turned(b.data, b.extents[1], b.extents[0],
                                                                         Eigen::OuterStride<>(b.strides[1]));
            to.middleRows(begin, end - begin).noalias() = from.middleRows(begin, end - begin) * turned.transpose();
        } else {
            const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> right(b.data, b.extents[0], b.extents[1],
                                                                        Eigen::OuterStride<>(b.strides[0]));
            to.middleRows(begin, end - begin).noalias() = from.middleRows(begin, end - begin) * right;
        }
    };
    contest.compare = [k, &c, &expected, &magnitude] {
        return compare(c, expected, [&](std::int64_t i) {
            return 2 * rounding_from_magnitudes(k) * static_cast<double>(magnitude.data()[i]);
        });
    };
    return contest;
}

/// |A| |B|, which bounds the rounding of A B.
Array<float, 2> magnitude_of_product(const View<const float, 2>& a, const View<const float, 2>& b) {
    auto m = make_array<float, 2>({a.extents[0], b.extents[1]});
    const Rows left = window(a).cwiseAbs(), right = window(b).cwiseAbs();
    Eigen::Map<Rows>(m.data(), m.extent(0), m.extent(1)).noalias() = left * right;
    return m;
}

/// The kept patterns as enlarged patches, four rows of six; each is scaled to its own range.
Picture patterns_picture(const Array<float, 2>& patterns) {
    constexpr int times = 20, gap = 8, across = 6;
    Picture whole(kept / across * (side * times + gap) - gap, across * (side * times + gap) - gap, {128, 128, 128});
    for (int k = 0; k < kept; k++) {
        float most = 0;
        for (int v = 0; v < values; v++) most = std::max(most, std::abs(patterns(v, k)));
        Picture small(side, side);
        for (int v = 0; v < values; v++)
            small.at(v / (side * 3), v / 3 % side)[v % 3] =
                to_sample(127.5 + 127.5 * static_cast<double>(patterns(v, k) / most));
        whole.paste(k / across * (side * times + gap), k % across * (side * times + gap), enlarge(small, times));
    }
    return whole;
}

}  // namespace

void patches_stage(Session& s) {
    const std::int64_t across = s.width() / side, count = across * (s.height() / side);
    auto patches = make_array<float, 2>({count, values});
    each_value(across, count, [&](std::int64_t p, int v, std::int64_t y, std::int64_t x, int c) {
        patches(p, v) = s.colors()(y, x, c);
    });
    const auto patterns = principal_patterns(patches);

    auto shares = must(kernels::matmul.make_output(patches, patterns));
    auto expected = make_array<float, 2>(shares.extents());
    const auto magnitude = magnitude_of_product(patches.view(), patterns.view());
    s.hold(product(s, patches.view(), patterns.view(), shares, expected, magnitude, false));

    // The first 24 columns of the shares, and the first 24 patterns transposed: two windows, nothing is copied.
    const View<const float, 2> first{shares.data(), {count, kept}, {values, 1}},
        turned{patterns.data(), {kept, values}, {1, values}};
    auto rebuilt = must(kernels::matmul.make_output(first, turned));
    const auto magnitude_of_rebuilt = magnitude_of_product(first, turned);
    s.hold(product(s, first, turned, rebuilt, expected, magnitude_of_rebuilt, true));

    Picture picture(static_cast<int>(count / across) * side, static_cast<int>(across) * side);
    each_value(across, count, [&](std::int64_t p, int v, std::int64_t y, std::int64_t x, int c) {
        picture.at(static_cast<int>(y), static_cast<int>(x))[c] = to_sample(static_cast<double>(rebuilt(p, v)));
    });
    send("patches", "patterns", patterns_picture(patterns));
    send("patches", "rebuilt", picture);
}

}  // namespace halogen::demo
