// Products of matrices and vectors.
#include "halogen/kernels/batched_matmul.h"
#include "halogen/kernels/gelu_linear.h"
#include "halogen/kernels/gemv.h"
#include "halogen/kernels/matmul.h"
#include "halogen/kernels/matmul_nt.h"
#include "tests/bench/bench.h"

#include <unsupported/Eigen/SpecialFunctions>

namespace halogen::bench {
namespace {

using Index = Eigen::Index;

std::string size(Index n) { return std::to_string(n); }

NamedCase matmul(Index n) {
    return {"matmul", size(n), [n] {
                return make_case(
                    std::make_shared<Memory<>>(std::vector<std::pair<Index, Index>>{{n, n}, {n, n}}, n, n),
                    2.0 * n * n * n, [](auto& m) { return kernels::matmul(m.in[0], m.in[1], m.ours); },
                    [](auto& m) { m.theirs.noalias() = m.in[0] * m.in[1]; });
            }};
}

NamedCase matmul_nt(Index n) {
    return {"matmul_nt", size(n), [n] {
                return make_case(
                    std::make_shared<Memory<>>(std::vector<std::pair<Index, Index>>{{n, n}, {n, n}}, n, n),
                    2.0 * n * n * n, [](auto& m) { return kernels::matmul_nt(m.in[0], m.in[1], m.ours); },
                    [](auto& m) { m.theirs.noalias() = m.in[0] * m.in[1].transpose(); });
            }};
}

NamedCase batched_matmul(Index b, Index n) {
    return {"batched_matmul", size(b) + " x " + size(n), [b, n] {
                return make_case(
                    std::make_shared<Memory<>>(std::vector<std::pair<Index, Index>>{{b * n, n}, {b * n, n}}, b * n, n),
                    2.0 * b * n * n * n,
                    [b, n](auto& m) {
                        return kernels::batched_matmul(view(m.in[0].data(), {b, n, n}), view(m.in[1].data(), {b, n, n}),
                                                       view(m.ours.data(), {b, n, n}));
                    },
                    [b, n](auto& m) {
                        for (Index i = 0; i < b; i++) {
                            m.theirs.middleRows(i * n, n).noalias() =
                                m.in[0].middleRows(i * n, n) * m.in[1].middleRows(i * n, n);
                        }
                    });
            }};
}

NamedCase gemv(Index m_, Index n) {
    return {"gemv", size(m_) + "x" + size(n), [m_, n] {
                return make_case(
                    std::make_shared<Memory<>>(std::vector<std::pair<Index, Index>>{{m_, n}, {n, 1}}, m_, 1),
                    2.0 * m_ * n,
                    [m_, n](auto& m) {
                        return kernels::gemv(m.in[0], view(m.in[1].data(), {n}), view(m.ours.data(), {m_}));
                    },
                    [](auto& m) { m.theirs.noalias() = m.in[0] * m.in[1]; });
            }};
}

NamedCase gemv_by_columns(Index m_, Index n) {
    return {"gemv", size(m_) + "x" + size(n) + " by columns", [m_, n] {
                return make_case(
                    std::make_shared<Memory<>>(std::vector<std::pair<Index, Index>>{{n, m_}, {n, 1}}, m_, 1),
                    2.0 * m_ * n,
                    [m_, n](auto& m) {
                        return kernels::gemv(m.in[0].transpose(), view(m.in[1].data(), {n}), view(m.ours.data(), {m_}));
                    },
                    [](auto& m) { m.theirs.noalias() = m.in[0].transpose() * m.in[1]; });
            }};
}

NamedCase gelu_linear(Index m_, Index n, Index k) {
    return {"gelu_linear", size(m_) + " x " + size(n) + " x " + size(k), [m_, n, k] {
                return make_case(
                    std::make_shared<Memory<>>(std::vector<std::pair<Index, Index>>{{m_, k}, {n, k}, {1, n}}, m_, n),
                    2.0 * m_ * n * k,
                    [n](auto& m) { return kernels::gelu_linear(m.in[0], m.in[1], view(m.in[2].data(), {n}), m.ours); },
                    [](auto& m) {
                        m.theirs.noalias() = m.in[0] * m.in[1].transpose();
                        m.theirs.rowwise() += m.in[2].row(0);
                        auto z = m.theirs.array();
                        z = 0.5f * z * (1 + (z * 0.70710678f).erf());
                    });
            }};
}

}  // namespace

std::vector<NamedCase> linear_cases() {
    return {matmul(64),
            matmul(100),
            matmul(512),
            matmul(1000),
            matmul(2048),
            matmul_nt(64),
            matmul_nt(512),
            batched_matmul(16, 32),
            batched_matmul(16, 128),
            gemv(61, 67),
            gemv(256, 256),
            gemv(2048, 2048),
            gemv_by_columns(61, 67),
            gemv_by_columns(256, 256),
            gemv_by_columns(2048, 2048),
            gelu_linear(128, 768, 768)};
}

}  // namespace halogen::bench
