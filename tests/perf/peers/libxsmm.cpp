// libxsmm: its kernels for small products, alone and as the innermost part of a plain blocked loop over packed operands.
#include <libxsmm.h>

#include "harness.h"

using namespace bench;
using Size = libxsmm_blasint;

namespace {

/// A kernel for row-major products (the library's are column-major: operands change places), storing or adding.
libxsmm_smmfunction kernel(Size m, Size n, Size k, Size step_a, Size step_b, Size step_c, bool adds) {
    static const float one = 1, zero = 0;
    static const int flags = LIBXSMM_GEMM_FLAG_NONE;
    return libxsmm_smmdispatch(n, m, k, &step_b, &step_a, &step_c, &one, adds ? &one : &zero, &flags, nullptr);
}

/// a[rows, columns] as blocks of r x c, block after block of a row of blocks.
const float* in_blocks(Operation& op, const std::string& name, std::int64_t rows, std::int64_t columns, std::int64_t r,
                       std::int64_t c, bool columns_outermost) {
    const float* a = op.input<float>(name);
    float* to = op.scratch<float>(name + "-blocks", rows * columns);
    for (std::int64_t i = 0; i < rows; i++) {
        for (std::int64_t j = 0; j < columns; j++) {
            const auto block = columns_outermost ? j / c * (rows / r) + i / r : i / r * (columns / c) + j / c;
            to[(block * r + i % r) * c + j % c] = a[i * columns + j];
        }
    }
    return to;
}

void gemm(Operation& op) {
    const auto m = static_cast<Size>(op["m"]), n = static_cast<Size>(op["n"]), k = static_cast<Size>(op["k"]);
    if (op.word("type") != "f32") return;
    float* c = op.result<float>();
    if (m < 128 && n < 128 && k < 128) {
        const float *a = op.input<float>("A"), *b = op.input<float>("B");
        if (const auto f = kernel(m, n, k, k, n, n, false)) op.add("kernel", [=] { f(b, a, c); });
        return;
    }
    if (m % 16 != 0 || n % 64 != 0 || k % 64 != 0) return;
    const Size rows = m % 64 == 0 ? 64 : 16, side = 64, threads = op.threads;
    const float* a = in_blocks(op, "A", m, k, rows, side, false);
    const float* b = in_blocks(op, "B", k, n, side, side, true);
    const auto store = kernel(rows, side, side, side, side, n, false),
               add = kernel(rows, side, side, side, side, n, true);
    if (!store || !add) return;
    op.add("packed", [=] {
#pragma omp parallel for collapse(2) num_threads(threads)
        for (Size j = 0; j < n / side; j++) {
            for (Size i = 0; i < m / rows; i++) {
                for (Size p = 0; p < k / side; p++) {
                    (p ? add : store)(b + (j * (k / side) + p) * side * side, a + (i * (k / side) + p) * rows * side,
                                      c + i * rows * n + j * side);
                }
            }
        }
    });
}

void bgemm(Operation& op) {
    const auto m = static_cast<Size>(op["m"]), n = static_cast<Size>(op["n"]), k = static_cast<Size>(op["k"]);
    const auto f = op["transposed"] ? nullptr : kernel(m, n, k, k, n, n, false);
    if (!f) return;
    const Size batch = static_cast<Size>(op["b"]), threads = op.threads;
    const float *a = op.input<float>("A"), *b = op.input<float>("B");
    float* c = op.result<float>();
    op.add("kernel", [=] {
#pragma omp parallel for num_threads(threads)
        for (Size i = 0; i < batch; i++) f(b + i * k * n, a + i * m * k, c + i * m * n);
    });
}

}  // namespace

int main(int argc, char** argv) {
    libxsmm_init();
    return serve(argc, argv, "libxsmm " LIBXSMM_VERSION, [](Operation& op) {
        if (op.kind == "gemm") gemm(op);
        if (op.kind == "bgemm") bgemm(op);
    });
}
