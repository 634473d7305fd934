#pragma once
// Sliding windows over images, channels last: the references of convolution and pooling.

#include "tests/kernels/array.h"

namespace halogen::testing {

/// Stride, dilation and padding.
struct Steps {
    std::int64_t T = 1, D = 1, P = 0;

    /// How many windows of `taps` taps fit into `extent` elements; below 1 when not even one does.
    std::int64_t windows(std::int64_t extent, std::int64_t taps) const {
        const std::int64_t room = extent + 2 * P - D * (taps - 1) - 1;
        return room < 0 ? 0 : room / T + 1;
    }
};

/// X[n, y, x, c] with `rows` and `columns` of `value` around each image.
inline Array<double, 4> padded(const Array<double, 4>& x, std::int64_t rows, std::int64_t columns, double value) {
    const auto [N, H, W, C] = x.extents;
    Array<double, 4> p({N, H + 2 * rows, W + 2 * columns, C}, value);
    for (std::int64_t n = 0; n < N; n++) {
        for (std::int64_t y = 0; y < H && W * C > 0; y++) {
            std::copy_n(&x.values[x.place(n, y, 0, 0)], W * C, &p.values[p.place(n, y + rows, columns, 0)]);
        }
    }
    return p;
}

/// For every output row (n, y) and tap (r, s), calls `body(out, in, r, s)`: `out` is the row Y[n, y] as OW x K, `in`
/// the elements that the tap sees of the padded image, OW x C.
template<typename Body>
void for_each_tap(Array<double, 4>& y, const Array<double, 4>& padded_x, std::int64_t R, std::int64_t S,
                  const Steps& steps, Body&& body) {
    const auto [N, OH, OW, K] = y.extents;
    const std::int64_t C = padded_x.extents[3];
    for (std::int64_t n = 0; n < N; n++) {
        for (std::int64_t i = 0; i < OH; i++) {
            Window out(y.values.data() + y.place(n, i, 0, 0), OW, K, Eigen::OuterStride<>(K));
            for (std::int64_t r = 0; r < R; r++) {
                for (std::int64_t s = 0; s < S; s++) {
                    const auto place = padded_x.place(n, steps.T * i + steps.D * r, steps.D * s, 0);
                    body(out, ConstWindow(padded_x.values.data() + place, OW, C, Eigen::OuterStride<>(steps.T * C)), r,
                         s);
                }
            }
        }
    }
}

/// Y += X * F, F[r, s, c, k]; the padding of rows may differ from that of columns (an image of one row has none).
inline void convolve(Array<double, 4>& y, const Array<double, 4>& x, const Array<double, 4>& f, const Steps& steps,
                     std::int64_t row_padding) {
    const auto [R, S, C, K] = f.extents;
    for_each_tap(y, padded(x, row_padding, steps.P, 0), R, S, steps, [&](auto& out, const auto& in, auto r, auto s) {
        out.noalias() += in * ConstWindow(f.values.data() + f.place(r, s, 0, 0), C, K, Eigen::OuterStride<>(K));
    });
}

}  // namespace halogen::testing
