// Calls three kernels on Eigen's objects and on plain memory, on every leg this processor has, and compares with Eigen.

#include <halogen/kernels/leaky_layer.h>
#include <halogen/kernels/moving_average.h>
#include <halogen/kernels/pick.h>

#include <Eigen/Core>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using Eigen::MatrixXf;
using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
namespace kernels = halogen::kernels;

int failures = 0;

void expect(bool good, const std::string& what) {
    std::printf("%s %s\n", good ? "ok  " : "FAIL", what.c_str());
    failures += good ? 0 : 1;
}

/// A message that must hold some words.
void expect_refused(const halogen::Status& status, halogen::StatusCode code, const std::string& words) {
    expect(status.code() == code && status.message().find(words) != std::string::npos,
           "refused: " + std::string(status.message()));
}

void layer(const std::string& leg) {
    const RowMatrix x = RowMatrix::Random(37, 19);
    const MatrixXf w = MatrixXf::Random(19, 53);  // column-major beside row-major
    const Eigen::VectorXf bias = Eigen::VectorXf::Random(53);
    RowMatrix y(37, 53);
    const auto status = kernels::leaky_layer(x, w, bias, y, {.slope = 0.1f, .leg = leg});
    if (!status) return expect(false, std::string(status.message()));
    const RowMatrix z = (x * w).rowwise() + bias.transpose();
    const RowMatrix expected = z.array().max(0) + 0.1f * z.array().min(0);
    const float error = (y - expected).cwiseAbs().maxCoeff();
    expect(error < 19 * 1.2e-7f * 4, "leaky_layer on " + leg + " is Eigen's, but for " + std::to_string(error));
}

void average(const std::string& leg) {
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(3, 20);
    for (int i = 0; i < 60; i++) x(i % 3, i / 3) = i;  // whole numbers: sums are exact
    auto y = kernels::moving_average.make_output(x, {.R = 4, .T = 2, .leg = leg});
    if (!y) return expect(false, std::string(y.status().message()));
    expect(y->extent(0) == 3 && y->extent(1) == 9,
           "moving_average of 20 samples, 4 at a time and 2 apart, has 9 values");
    const auto status = kernels::moving_average(x, *y, {.R = 4, .T = 2, .leg = leg});
    if (!status) return expect(false, std::string(status.message()));
    bool same = true;
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 9; i++) same = same && (*y)(c, i) == x.block(c, 2 * i, 1, 4).sum() / 4;
    }
    expect(same, "moving_average on " + leg + " is Eigen's");
}

void rows(const std::string& leg) {
    std::vector<float> table(5 * 8), y(3 * 8);
    for (std::size_t i = 0; i < table.size(); i++) table[i] = static_cast<float>(i);
    const std::vector<int> row{4, 0, 2};
    auto out = halogen::view(y.data(), {3, 8});
    const auto status = kernels::pick(halogen::view(table.data(), {5, 8}), row, out, {.leg = leg});
    if (!status) return expect(false, std::string(status.message()));
    expect(y[0] == 32 && y[8] == 0 && y[23] == 23, "pick on " + leg + " takes rows 4, 0 and 2");
}

void refusals() {
    const RowMatrix x = RowMatrix::Zero(4, 3), w = RowMatrix::Zero(5, 6);
    const Eigen::VectorXf bias = Eigen::VectorXf::Zero(6);
    RowMatrix y(4, 6);
    expect_refused(kernels::leaky_layer(x, w, bias, y, {.slope = 0}), halogen::StatusCode::size,
                   "index `k` has extent 3 in X[m, k] but 5 in W[k, n]");
    RowMatrix square = RowMatrix::Zero(6, 6);
    expect_refused(kernels::leaky_layer(square, square, bias, square, {.slope = 0}), halogen::StatusCode::alias,
                   "output Y and input X share memory");
    expect_refused(kernels::leaky_layer(square, square, bias, square, {.slope = 0, .leg = "avx1024"}),
                   halogen::StatusCode::alias, "share");
    const std::vector<int> row{1, 7};
    MatrixXf table = MatrixXf::Zero(5, 2), picked = MatrixXf::Constant(2, 2, 9);
    expect_refused(kernels::pick(table, row, picked), halogen::StatusCode::index,
                   "Row[m] = 7 is outside dim 0 of Table, which has extent 5");
    expect(picked == MatrixXf::Constant(2, 2, 9), "nothing was written by the refused call");
    expect_refused(kernels::pick(table, std::vector<int>{1, 2}, picked, {.leg = "avx1024"}), halogen::StatusCode::leg,
                   "unknown leg \"avx1024\"");
}

}  // namespace

int main() {
    for (const char* leg : {"sse41", "avx2", "avx512", "zen4", "best"}) {
        if (!halogen::force_leg(leg)) {
            std::printf("     this processor has no %s\n", leg);
            continue;
        }
        (void)halogen::force_leg("best");
        layer(leg);
        average(leg);
        rows(leg);
    }
    refusals();
    std::printf(failures == 0 ? "all good\n" : "%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
