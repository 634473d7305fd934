// Kernels along rows: normalisation, sums, scans, gather and scatter.
#include "halogen/kernels/cumsum.h"
#include "halogen/kernels/gather_rows.h"
#include "halogen/kernels/histogram.h"
#include "halogen/kernels/layernorm.h"
#include "halogen/kernels/max_first.h"
#include "halogen/kernels/max_last.h"
#include "halogen/kernels/softmax.h"
#include "halogen/kernels/sum_first.h"
#include "halogen/kernels/sum_last.h"
#include "tests/bench/bench.h"

namespace halogen::bench {
namespace {

using Index = Eigen::Index;
using Shape = std::vector<std::pair<Index, Index>>;

std::string shape(Index m, Index n) { return std::to_string(m) + "x" + std::to_string(n); }

NamedCase softmax(Index b, Index n) {
    return {"softmax", shape(b, n), [b, n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{b, n}}, b, n), 5.0 * b * n,
                    [](auto& m) { return kernels::softmax(m.in[0], m.ours); },
                    [b](auto& m) {
                        for (Index i = 0; i < b; i++) {
                            m.theirs.row(i) = (m.in[0].row(i).array() - m.in[0].row(i).maxCoeff()).exp().matrix();
                            m.theirs.row(i) /= m.theirs.row(i).sum();
                        }
                    });
            }};
}

NamedCase layernorm(Index b, Index n) {
    return {"layernorm", shape(b, n), [b, n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{b, n}, {1, n}, {1, n}}, b, n), 8.0 * b * n,
                    [n](auto& m) {
                        return kernels::layernorm(m.in[0], view(m.in[1].data(), {n}), view(m.in[2].data(), {n}), m.ours,
                                                  {.eps = 1e-5f});
                    },
                    [b](auto& m) {
                        for (Index i = 0; i < b; i++) {
                            const auto x = m.in[0].row(i).array();
                            const float mean = x.mean();
                            const float scale = 1 / std::sqrt((x - mean).square().mean() + 1e-5f);
                            m.theirs.row(i) =
                                ((x - mean) * scale * m.in[1].row(0).array() + m.in[2].row(0).array()).matrix();
                        }
                    });
            }};
}

NamedCase cumsum(Index b, Index n) {
    return {"cumsum", shape(b, n), [b, n] {
                return make_case(
                    std::make_shared<Memory<>>(Shape{{b, n}}, b, n), 1.0 * b * n,
                    [](auto& m) { return kernels::cumsum(m.in[0], m.ours); },
                    [b, n](auto& m) {
                        for (Index i = 0; i < b; i++) {
                            float sum = 0;
                            for (Index j = 0; j < n; j++) m.theirs(i, j) = sum += m.in[0](i, j);
                        }
                    });
            }};
}

/// `kernel(x, y)` of an m x n matrix beside `theirs(x)`, a vector of `out` elements; x is stored by rows, then by columns.
template<typename Kernel, typename Theirs>
void reduction(std::vector<NamedCase>& all, const char* name, Index m_, Index n, Index out, Kernel kernel,
               Theirs theirs) {
    all.push_back({name, shape(m_, n), [=] {
                       return make_case(
                           std::make_shared<Memory<>>(Shape{{m_, n}}, 1, out), 1.0 * m_ * n,
                           [=](auto& m) { return kernel(m.in[0], view(m.ours.data(), {out})); },
                           [=](auto& m) { m.theirs.row(0) = theirs(m.in[0]); });
                   }});
    all.push_back({name, shape(m_, n) + " by columns", [=] {
                       return make_case(
                           std::make_shared<Memory<>>(Shape{{n, m_}}, 1, out), 1.0 * m_ * n,
                           [=](auto& m) { return kernel(m.in[0].transpose(), view(m.ours.data(), {out})); },
                           [=](auto& m) { m.theirs.row(0) = theirs(m.in[0].transpose()); });
                   }});
}

/// The data of histogram and gather_rows are integers.
template<typename Index_, typename Out>
struct Indexed {
    Matrix table;
    Eigen::Matrix<Index_, Eigen::Dynamic, 1> places;
    Rows<Out> ours, theirs;
    double bytes() const {
        return static_cast<double>(places.size() * static_cast<Index>(sizeof(Index_)) +
                                   ours.size() * 4 * (table.size() > 0 ? 2 : 1));
    }
    double difference() const { return ours == theirs ? 0 : 1; }
};

NamedCase histogram(Index n) {
    return {"histogram", std::to_string(n), [n] {
                auto memory = std::make_shared<Indexed<std::uint8_t, std::int32_t>>();
                memory->places = (Eigen::VectorXf::Random(n).array() * 127 + 128).matrix().cast<std::uint8_t>();
                memory->ours.setZero(1, 256);
                memory->theirs.setZero(1, 256);
                return make_case(
                    memory, 1.0 * n, [](auto& m) { return kernels::histogram(m.places, view(m.ours.data(), {256})); },
                    [n](auto& m) {
                        m.theirs.setZero();
                        for (Index i = 0; i < n; i++) m.theirs(m.places(i))++;
                    });
            }};
}

NamedCase gather(Index v, Index d, Index n) {
    return {
        "gather_rows", std::to_string(n) + " of " + shape(v, d), [=] {
            auto memory = std::make_shared<Indexed<std::int32_t, float>>();
            memory->table = Matrix::Random(v, d);
            memory->places =
                (Eigen::VectorXf::Random(n).array().abs() * static_cast<float>(v - 1)).matrix().cast<std::int32_t>();
            memory->ours.setZero(n, d);
            memory->theirs.setZero(n, d);
            return make_case(
                memory, 0, [](auto& m) { return kernels::gather_rows(m.table, m.places, m.ours); },
                [](auto& m) { m.theirs = m.table(m.places, Eigen::all); });
        }};
}

}  // namespace

std::vector<NamedCase> row_cases() {
    std::vector<NamedCase> all{softmax(128, 1024), softmax(1000, 17), layernorm(128, 768), layernorm(1000, 33),
                               cumsum(512, 512),   cumsum(1, 65536),  histogram(1 << 20),  gather(30522, 768, 128)};
    for (const auto& [m, n] : Shape{{512, 512}, {61, 67}, {5, 30000}, {30000, 5}}) {
        reduction(
            all, "sum_last", m, n, m, [](auto&& x, auto&& y) { return kernels::sum_last(x, y); },
            [](auto&& x) { return x.rowwise().sum().transpose(); });
        reduction(
            all, "sum_first", m, n, n, [](auto&& x, auto&& y) { return kernels::sum_first(x, y); },
            [](auto&& x) { return x.colwise().sum(); });
        reduction(
            all, "max_last", m, n, m, [](auto&& x, auto&& y) { return kernels::max_last(x, y); },
            [](auto&& x) { return x.rowwise().maxCoeff().transpose(); });
        reduction(
            all, "max_first", m, n, n, [](auto&& x, auto&& y) { return kernels::max_first(x, y); },
            [](auto&& x) { return x.colwise().maxCoeff(); });
    }
    return all;
}

}  // namespace halogen::bench
