// Convolution and pooling. Eigen's side gathers the patches and multiplies matrices, or works tap by tap on strided maps.
#include "halogen/kernels/avg_pool2d.h"
#include "halogen/kernels/conv1d.h"
#include "halogen/kernels/conv2d.h"
#include "halogen/kernels/conv2d_u8.h"
#include "halogen/kernels/depthwise_conv2d.h"
#include "halogen/kernels/max_pool2d.h"
#include "tests/bench/bench.h"

#include <limits>

namespace halogen::bench {
namespace {

using Index = Eigen::Index;
using Shape = std::vector<std::pair<Index, Index>>;

std::string image(Index h, Index w, Index c) {
    return std::to_string(h) + "x" + std::to_string(w) + "x" + std::to_string(c);
}

/// x with `p` zeros around the image, h*w rows of pixels, c columns.
template<typename M>
M pad(const M& x, Index h, Index w, Index p) {
    M out = M::Zero((h + 2 * p) * (w + 2 * p), x.cols());
    for (Index y = 0; y < h; y++) out.middleRows((y + p) * (w + 2 * p) + p, w) = x.middleRows(y * w, w);
    return out;
}

/// One row per output pixel: the 3 x 3 x c values its filter sees (im2col), padding 1, stride 1.
template<typename M>
M patches(const M& x, Index h, Index w) {
    const M padded = pad(x, h, w, 1);
    const Index c = x.cols();
    M out(h * w, 9 * c);
    for (Index y = 0; y < h; y++) {
        for (Index r = 0; r < 3; r++) {
            for (Index s = 0; s < 3; s++) {
                out.block(y * w, (r * 3 + s) * c, w, c) = padded.middleRows((y + r) * (w + 2) + s, w);
            }
        }
    }
    return out;
}

NamedCase conv2d(Index h, Index c) {
    return {"conv2d", image(h, h, c) + " 3x3", [h, c] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{h * h, c}, {9 * c, c}}, h * h, c),
                    2.0 * (3 * h - 2) * (3 * h - 2) * c * c,
                    [h, c](auto& m) {
                        return kernels::conv2d(view(m.in[0].data(), {1, h, h, c}), view(m.in[1].data(), {3, 3, c, c}),
                                               view(m.ours.data(), {1, h, h, c}), {.P = 1});
                    },
                    [h](auto& m) { m.theirs.noalias() = patches(m.in[0], h, h) * m.in[1]; });
            }};
}

/// A first layer: few channels in, few filters out.
NamedCase first_layer(Index h, Index c, Index k) {
    return {"conv2d", image(h, h, c) + " to " + std::to_string(k) + " 3x3", [h, c, k] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{h * h, c}, {9 * c, k}}, h * h, k),
                    2.0 * (3 * h - 2) * (3 * h - 2) * c * k,
                    [h, c, k](auto& m) {
                        return kernels::conv2d(view(m.in[0].data(), {1, h, h, c}), view(m.in[1].data(), {3, 3, c, k}),
                                               view(m.ours.data(), {1, h, h, k}), {.P = 1});
                    },
                    [h](auto& m) { m.theirs.noalias() = patches(m.in[0], h, h) * m.in[1]; });
            }};
}

NamedCase conv1d(Index w, Index c, Index k) {
    return {
        "conv1d", std::to_string(w) + "x" + std::to_string(c) + " to " + std::to_string(k) + ", 5 taps", [w, c, k] {
            const Index ow = w - 4;
            return make_case(
                std::make_shared<Memory<>>(Shape{{w, c}, {5 * c, k}}, ow, k), 2.0 * ow * k * 5 * c,
                [=](auto& m) {
                    return kernels::conv1d(view(m.in[0].data(), {1, w, c}), view(m.in[1].data(), {5, c, k}),
                                           view(m.ours.data(), {1, ow, k}));
                },
                [=](auto& m) {  // the patches of channels-last rows overlap in memory: a map with a stride of one pixel
                    m.theirs.noalias() = Window(m.in[0].data(), ow, 5 * c, Strides(c, 1)) * m.in[1];
                });
        }};
}

NamedCase depthwise(Index h, Index c) {
    return {"depthwise_conv2d", image(h, h, c) + " 3x3", [h, c] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{h * h, c}, {9, c}}, h * h, c),
                    2.0 * (3 * h - 2) * (3 * h - 2) * c,
                    [h, c](auto& m) {
                        return kernels::depthwise_conv2d(view(m.in[0].data(), {1, h, h, c}),
                                                         view(m.in[1].data(), {3, 3, c}),
                                                         view(m.ours.data(), {1, h, h, c}), {.P = 1});
                    },
                    [h](auto& m) {
                        const Matrix p = pad(m.in[0], h, h, 1);
                        for (Index y = 0; y < h; y++) {
                            auto out = m.theirs.middleRows(y * h, h).array();
                            out.setZero();
                            for (Index t = 0; t < 9; t++) {
                                out += p.middleRows((y + t / 3) * (h + 2) + t % 3, h).array().rowwise() *
                                       m.in[1].row(t).array();
                            }
                        }
                    });
            }};
}

/// Quantised tensors beside the sums of both sides.
struct Quantised {
    Rows<std::uint8_t> x;
    Rows<std::int8_t> f;
    Rows<std::int32_t> ours, theirs;
    double bytes() const { return static_cast<double>(x.size() + f.size() + 4 * ours.size()); }
    double difference() const { return ours == theirs ? 0 : 1; }
};

NamedCase conv2d_u8(Index h, Index c) {
    return {"conv2d_u8", image(h, h, c) + " 3x3", [h, c] {
                auto memory = std::make_shared<Quantised>();
                memory->x = (Matrix::Random(h * h, c).array() * 127 + 128).matrix().cast<std::uint8_t>();
                memory->f = (Matrix::Random(9 * c, c).array() * 127).matrix().cast<std::int8_t>();
                memory->ours.setZero(h * h, c);
                memory->theirs.setZero(h * h, c);
                return make_case(
                    memory, 2.0 * (3 * h - 2) * (3 * h - 2) * c * c,
                    [h, c](auto& m) {
                        return kernels::conv2d_u8(view(m.x.data(), {1, h, h, c}), view(m.f.data(), {3, 3, c, c}),
                                                  view(m.ours.data(), {1, h, h, c}), {.P = 1});
                    },
                    [h](auto& m) {
                        const Rows<std::int32_t> rows = patches(m.x, h, h).template cast<std::int32_t>();
                        m.theirs.noalias() = rows * m.f.template cast<std::int32_t>();
                    });
            }};
}

/// The pixels that tap (r, s) of a 2 x 2 window with stride 2 sees in row `y` of the output.
Window tap(const Matrix& x, Index h, Index y, Index r, Index s) {
    const Index c = x.cols();
    return Window(x.data() + ((2 * y + r) * h + s) * c, h / 2, c, Strides(2 * c, 1));
}

NamedCase max_pool(Index h, Index c) {
    return {"max_pool2d", image(h, h, c) + " 2x2", [h, c] {
                const Index o = h / 2;
                return make_case(
                    std::make_shared<Memory<>>(Shape{{h * h, c}}, o * o, c), 4.0 * o * o * c,
                    [=](auto& m) {
                        return kernels::max_pool2d(view(m.in[0].data(), {1, h, h, c}),
                                                   view(m.ours.data(), {1, o, o, c}));
                    },
                    [=](auto& m) {
                        for (Index y = 0; y < o; y++) {
                            m.theirs.middleRows(y * o, o) = tap(m.in[0], h, y, 0, 0)
                                                                .cwiseMax(tap(m.in[0], h, y, 0, 1))
                                                                .cwiseMax(tap(m.in[0], h, y, 1, 0))
                                                                .cwiseMax(tap(m.in[0], h, y, 1, 1));
                        }
                    });
            }};
}

NamedCase avg_pool(Index h, Index c) {
    return {
        "avg_pool2d", image(h, h, c) + " 2x2", [h, c] {
            const Index o = h / 2;
            return make_case(
                std::make_shared<Memory<>>(Shape{{h * h, c}}, o * o, c), 4.0 * o * o * c,
                [=](auto& m) {
                    return kernels::avg_pool2d(view(m.in[0].data(), {1, h, h, c}), view(m.ours.data(), {1, o, o, c}));
                },
                [=](auto& m) {
                    for (Index y = 0; y < o; y++) {
                        m.theirs.middleRows(y * o, o) = 0.25f * (tap(m.in[0], h, y, 0, 0) + tap(m.in[0], h, y, 0, 1) +
                                                                 tap(m.in[0], h, y, 1, 0) + tap(m.in[0], h, y, 1, 1));
                    }
                });
        }};
}

}  // namespace

std::vector<NamedCase> window_cases() {
    return {conv1d(4096, 64, 64),   conv2d(56, 64),         conv2d(28, 128),    conv2d(14, 256),   conv2d(7, 512),
            first_layer(224, 3, 8), first_layer(224, 1, 8), conv2d_u8(28, 128), depthwise(56, 64), depthwise(112, 3),
            max_pool(112, 64),      max_pool(256, 8),       max_pool(256, 3),   avg_pool(112, 64), avg_pool(256, 8)};
}

}  // namespace halogen::bench
