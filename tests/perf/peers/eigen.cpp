// Eigen 3.4: matrix and array expressions, and tensors where a matrix has no words for it. Rows are shared among threads by
// OpenMP where Eigen itself would use one.
#define EIGEN_USE_THREADS
#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include "harness.h"

using namespace bench;

namespace {

using Eigen::Index;
template<typename T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template<typename T>
using Matrix = Eigen::Map<Rows<T>>;
template<typename T>
using Vector = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;
template<typename T, int Rank>
using Tensor = Eigen::TensorMap<Eigen::Tensor<T, Rank, Eigen::RowMajor>>;
using Pairs1 = Eigen::array<Eigen::IndexPair<int>, 1>;

Eigen::ThreadPoolDevice* device = nullptr;
constexpr float sqrt_half = 0.70710678f;

template<typename F>
auto by_rows(Index rows, int threads, F row) {
    return [=]() mutable {
#pragma omp parallel for num_threads(threads)
        for (Index i = 0; i < rows; i++) row(i);
    };
}

template<typename T>
void product(Operation& op) {
    const Index m = op["m"], n = op["n"], k = op["k"];
    Matrix<T> a(op.input<T>("A"), m, k), b(op.input<T>("B"), k, n), c(op.result<T>(), m, n);
    if (m == 1) {
        Vector<T> x(a.data(), k), y(c.data(), n);
        op.add("matrix", [=]() mutable { y.noalias() = b.transpose() * x; });
    } else {
        op.add("matrix", [=]() mutable { c.noalias() = a * b; });
    }
    if (sizeof(T) == 8) return;
    Tensor<T, 2> ta(a.data(), m, k), tb(b.data(), k, n), tc(c.data(), m, n);
    op.add("tensor", [=]() mutable { tc.device(*device) = ta.contract(tb, Pairs1{Eigen::IndexPair<int>(1, 0)}); });
}

void gemm(Operation& op) {
    if (op.word("type") == "f32") product<float>(op);
    if (op.word("type") == "f64") product<double>(op);
}

void bgemm(Operation& op) {
    const Index m = op["m"], n = op["n"], k = op["k"];
    const bool transposed = op["transposed"];
    float *a = op.input<float>("A"), *b = op.input<float>("B"), *c = op.result<float>();
    op.add("loop", by_rows(op["b"], op.threads, [=](Index i) {
               Matrix<float> x(a + i * m * k, m, k), y(c + i * m * n, m, n);
               if (transposed) {
                   y.noalias() = x * Matrix<float>(b + i * k * n, n, k).transpose();
               } else {
                   y.noalias() = x * Matrix<float>(b + i * k * n, k, n);
               }
           }));
}

template<typename Row>
void softmax_of(Row&& y) {
    const float top = y.maxCoeff();
    y.array() = (y.array() - top).exp();
    y *= 1.f / y.sum();
}

void rowwise(Operation& op) {
    const Index rows = op["rows"], columns = op["columns"];
    Matrix<float> x(op.input<float>("X"), rows, columns), y(op.result<float>(), rows, columns);
    if (op.kind == "gelu") {
        Tensor<float, 1> in(x.data(), x.size()), out(y.data(), y.size());
        if (op.word("what") == "gelu_erf") {
            op.add("tensor", [=]() mutable { out.device(*device) = 0.5f * in * (1.f + (in * sqrt_half).erf()); });
        } else {
            op.add("tensor", [=]() mutable {
                out.device(*device) = 0.5f * in * (1.f + (0.79788456f * (in + 0.044715f * in * in * in)).tanh());
            });
        }
    } else if (op.kind == "softmax") {
        op.add("array", by_rows(rows, op.threads, [=](Index i) mutable {
                   y.row(i) = x.row(i);
                   softmax_of(y.row(i));
               }));
    } else {
        const bool centred = op.kind == "layernorm";
        Matrix<float> gamma(op.input<float>("G"), 1, columns);
        Matrix<float> beta(centred ? op.input<float>("B") : gamma.data(), 1, columns);
        op.add("array", by_rows(rows, op.threads, [=](Index i) mutable {
                   if (centred) {
                       const float mean = x.row(i).mean(), variance = (x.row(i).array() - mean).square().mean();
                       y.row(i).array() =
                           (x.row(i).array() - mean) * (1.f / std::sqrt(variance + 1e-5f)) * gamma.row(0).array() +
                           beta.row(0).array();
                   } else {
                       const float square = x.row(i).squaredNorm() / static_cast<float>(columns);
                       y.row(i).array() = x.row(i).array() * (1.f / std::sqrt(square + 1e-5f)) * gamma.row(0).array();
                   }
               }));
    }
}

void mlp(Operation& op) {
    const Index m = op["m"], n = op["n"], k = op["k"];
    Matrix<float> x(op.input<float>("X"), m, k), w(op.input<float>("W"), k, n), bias(op.input<float>("B"), 1, n);
    Matrix<float> z(op.scratch<float>("z", m * n), m, n);
    Tensor<float, 1> tz(z.data(), m * n), y(op.result<float>(), m * n);
    op.add("matrix+tensor", [=]() mutable {
        z.noalias() = x * w;
        z.rowwise() += bias.row(0);
        y.device(*device) = 0.5f * tz * (1.f + (tz * sqrt_half).erf());
    });
}

void add(Operation& op) {
    const Index rows = op["rows"], columns = op["columns"];
    Matrix<float> a(op.input<float>("A"), rows, columns), b(op.input<float>("B"), 1, columns);
    Matrix<float> y(op.result<float>(), rows, columns);
    op.add("matrix", [=]() mutable { y = a.rowwise() + b.row(0); });
    if (rows > 1) return;
    Tensor<float, 1> ta(a.data(), columns), tb(b.data(), columns), ty(y.data(), columns);
    op.add("tensor", [=]() mutable { ty.device(*device) = ta + tb; });
}

void reduce(Operation& op) {
    const bool whole = op.kind == "reduceall";
    const Index rows = whole ? 1 : op["rows"], columns = whole ? op["n"] : op["columns"];
    const int axis = whole ? 1 : static_cast<int>(op["axis"]);
    const std::string what = op.word("what");
    Matrix<float> x(op.input<float>("X"), rows, columns);
    Vector<float> y(op.result<float>(), op.result_size());
    const auto of = [what](const auto& lines) -> Eigen::VectorXf {
        if (what == "sum") return lines.sum();
        return what == "mean" ? Eigen::VectorXf(lines.mean()) : Eigen::VectorXf(lines.maxCoeff());
    };
    op.add("matrix", [=]() mutable {
        if (whole)
            y[0] = what == "sum" ? x.sum() : what == "mean" ? x.mean() : x.maxCoeff();
        else if (axis == 0)
            y = of(x.colwise());
        else
            y = of(x.rowwise());
    });
}

void einsum(Operation& op) {
    const bool four = op.kind == "einsum4";
    const Index rows = four ? op["n"] * op["n"] : op["i"] * op["j"];
    const Index k = four ? rows : op["k"], l = four ? rows : op["l"];
    Matrix<float> a(op.input<float>("A"), rows, k), b(op.input<float>("B"), k, l), y(op.result<float>(), rows, l);
    op.add("matrix", [=]() mutable { y.noalias() = a * b; });
}

void mttkrp(Operation& op) {
    const Index n = op["n"];
    Matrix<float> x(op.input<float>("X"), n * n, n), p(op.input<float>("P"), n, n), q(op.input<float>("Q"), n, n);
    Matrix<float> t(op.scratch<float>("t", n * n * n), n * n, n), y(op.result<float>(), n, n);
    op.add("matrix", [=]() mutable {
        t.noalias() = x * q;
        for (Index i = 0; i < n; i++) {
            y.row(i) = (t.middleRows(i * n, n).array() * p.array()).colwise().sum().matrix();
        }
    });
}

template<typename T>
void products_with_vectors(Operation& op) {
    const Index n = op["n"];
    const auto vector = [&](const char* name) { return Vector<T>(op.input<T>(name), op.tensor(name).size()); };
    const auto& shape = op.tensor("A").extents;
    Matrix<T> a(op.input<T>("A"), shape[0], shape[1]);
    T* out = op.result<T>();
    const T alpha = T(1.5), beta = T(1.2);
    if (op.kind == "gemver") {
        auto u1 = vector("u1"), v1 = vector("v1"), u2 = vector("u2"), v2 = vector("v2"), y = vector("y"),
             z = vector("z");
        Matrix<T> b(op.scratch<T>("b", n * n), n, n);
        Vector<T> x(op.scratch<T>("x", n), n), w(out, n);
        op.add("", [=]() mutable {
            b.noalias() = a;
            b.noalias() += u1 * v1.transpose();
            b.noalias() += u2 * v2.transpose();
            x = z;
            x.noalias() += beta * (b.transpose() * y);
            w.noalias() = alpha * (b * x);
        });
    } else if (op.kind == "atax") {
        auto x = vector("X");
        Vector<T> t(op.scratch<T>("t", a.rows()), a.rows()), y(out, a.cols());
        op.add("", [=]() mutable { t.noalias() = a * x, y.noalias() = a.transpose() * t; });
    } else if (op.kind == "bicg") {
        auto p = vector("P"), r = vector("R");
        Vector<T> s(out, a.cols()), q(out + a.cols(), a.rows());
        op.add("", [=]() mutable { s.noalias() = a.transpose() * r, q.noalias() = a * p; });
    } else {
        auto x1 = vector("X1"), x2 = vector("X2"), y1 = vector("Y1"), y2 = vector("Y2");
        Vector<T> s(out, n), t(out + n, n);
        op.add("", [=]() mutable {
            s = x1, s.noalias() += a * y1;
            t = x2, t.noalias() += a.transpose() * y2;
        });
    }
}

template<typename T>
void products_of_matrices(Operation& op) {
    const auto matrix = [&](const char* name) {
        const auto& e = op.tensor(name).extents;
        return Matrix<T>(op.input<T>(name), op.tensor(name).size() / e.back(), e.back());
    };
    const auto whole = [&](const char* name, Index rows, Index columns) {
        return Matrix<T>(op.scratch<T>(name, rows * columns), rows, columns);
    };
    const T alpha = T(1.5), beta = T(1.2);
    auto a = matrix("A"), c = matrix("C");
    if (op.kind == "doitgen") {
        Matrix<T> y(op.result<T>(), a.rows(), c.cols());
        op.add("", [=]() mutable { y.noalias() = a * c; });
    } else if (op.kind == "syrk") {
        Matrix<T> y(op.result<T>(), a.rows(), a.rows());
        op.add("", [=]() mutable {
            y.template triangularView<Eigen::Lower>() = beta * c;
            y.template selfadjointView<Eigen::Lower>().rankUpdate(a, alpha);
        });
    } else {
        auto b = matrix("B"), d = matrix("D"), t = whole("t", a.rows(), b.cols()), u = whole("u", c.rows(), d.cols());
        Matrix<T> y(op.result<T>(), op["i"], op["l"]);
        if (op.kind == "2mm") {
            op.add("", [=]() mutable { t.noalias() = alpha * (a * b), y = beta * d, y.noalias() += t * c; });
        } else {
            op.add("", [=]() mutable { t.noalias() = a * b, u.noalias() = c * d, y.noalias() = t * u; });
        }
    }
}

template<void single(Operation&), void twice(Operation&)>
void by_type(Operation& op) {
    (op.word("type") == "f64" ? twice : single)(op);
}
constexpr auto vectors = &by_type<products_with_vectors<float>, products_with_vectors<double>>;
constexpr auto matrices = &by_type<products_of_matrices<float>, products_of_matrices<double>>;

const std::map<std::string, void (*)(Operation&)> kinds = {
    {"gemm", gemm},      {"bgemm", bgemm},    {"softmax", rowwise}, {"layernorm", rowwise}, {"rmsnorm", rowwise},
    {"gelu", rowwise},   {"mlp", mlp},        {"add", add},         {"reduce", reduce},     {"reduceall", reduce},
    {"einsum4", einsum}, {"einsum3", einsum}, {"mttkrp", mttkrp},   {"gemver", vectors},    {"atax", vectors},
    {"bicg", vectors},   {"mvt", vectors},    {"2mm", matrices},    {"3mm", matrices},      {"doitgen", matrices},
    {"syrk", matrices},
};

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    Eigen::setNbThreads(threads);
    Eigen::ThreadPool pool(threads);
    Eigen::ThreadPoolDevice of_pool(&pool, threads);
    device = &of_pool;
    return serve(argc, argv, "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION),
                 [](Operation& op) {
                     if (const auto kind = kinds.find(op.kind); kind != kinds.end()) kind->second(op);
                 });
}
