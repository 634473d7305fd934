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
using Pairs2 = Eigen::array<Eigen::IndexPair<int>, 2>;

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

/// Patches of the image contracted with the filter; read as column-major tensors, which Eigen's patches want, dims are reversed.
void conv2d(Operation& op) {
    if (op.word("layout") != "nhwc" || op["groups"] != 1) return;
    const Index h = op["h"], c = op["c"], k = op["k"], r = op["r"], step = op["step"], pad = op["pad"], o = op["o"];
    const Index dilation = op["dilation"];
    Eigen::TensorMap<Eigen::Tensor<float, 4>> x(op.input<float>("X"), c, h, h, 1);
    Eigen::TensorMap<Eigen::Tensor<float, 2>> w(op.input<float>("W_hwio"), k, c * r * r), y(op.result<float>(), k, o * o);
    op.add("tensor-patches", [=]() mutable {
        const auto patches = x.extract_image_patches(r, r, step, step, dilation, dilation, 1, 1, pad, pad, pad, pad, 0.f);
        y.device(*device) = w.contract(patches.reshape(Eigen::array<Index, 2>{c * r * r, o * o}),
                                       Pairs1{Eigen::IndexPair<int>(1, 0)});
    });
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
                       y.row(i).array() = (x.row(i).array() - mean) * (1.f / std::sqrt(variance + 1e-5f)) *
                                              gamma.row(0).array() + beta.row(0).array();
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

void attention(Operation& op) {
    const Index l = op["l"], d = op["d"], heads = op["h"];
    float *q = op.input<float>("Q"), *k = op.input<float>("K"), *v = op.input<float>("V"), *y = op.result<float>();
    float* scores = op.scratch<float>("scores", heads * l * l);
    const float scale = 1.f / std::sqrt(static_cast<float>(d));
    op.add("by-heads", by_rows(heads, op.threads, [=](Index i) {
               const auto at = [&](float* p) { return Matrix<float>(p + i * l * d, l, d); };
               Matrix<float> s(scores + i * l * l, l, l);
               s.noalias() = scale * (at(q) * at(k).transpose());
               for (Index row = 0; row < l; row++) softmax_of(s.row(row));
               at(y).noalias() = s * at(v);
           }));
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
        if (whole) y[0] = what == "sum" ? x.sum() : what == "mean" ? x.mean() : x.maxCoeff();
        else if (axis == 0) y = of(x.colwise());
        else y = of(x.rowwise());
    });
    Tensor<float, 2> tx(x.data(), rows, columns);
    Tensor<float, 1> ty(y.data(), y.size());
    const Eigen::array<int, 1> dims{axis};
    op.add("tensor", [=]() mutable {
        if (what == "sum") ty.device(*device) = tx.sum(dims);
        else if (what == "mean") ty.device(*device) = tx.mean(dims);
        else ty.device(*device) = tx.maximum(dims);
    });
}

void transpose(Operation& op) {
    const Index rows = op["rows"], columns = op["columns"];
    Matrix<float> x(op.input<float>("X"), rows, columns), y(op.result<float>(), columns, rows);
    op.add("matrix", [=]() mutable { y = x.transpose(); });
    Tensor<float, 2> tx(x.data(), rows, columns), ty(y.data(), columns, rows);
    op.add("tensor", [=]() mutable { ty.device(*device) = tx.shuffle(Eigen::array<int, 2>{1, 0}); });
}

void jacobi2d(Operation& op) {
    const Index n = op["n"], m = n - 2, steps = op["steps"];
    float *x = op.input<float>("X"), *first = op.result<float>(), *second = op.scratch<float>("second", n * n);
    Matrix<float> a(first, n, n), b(second, n, n);
    const auto sweep = [m](const Matrix<float>& from, Matrix<float>& to) {
        to.block(1, 1, m, m) = 0.2f * (from.block(1, 1, m, m) + from.block(1, 0, m, m) + from.block(1, 2, m, m) +
                                       from.block(2, 1, m, m) + from.block(0, 1, m, m));
    };
    op.add("matrix", [=]() mutable {
        for (Index t = 0; t < steps; t++) sweep(a, b), sweep(b, a);
    });
    op.forms.back().prepare = [=] {
        for (float* to : {first, second}) std::memcpy(to, x, static_cast<std::size_t>(n * n) * 4);
    };
}

void cumsum(Operation& op) {
    Tensor<float, 2> x(op.input<float>("X"), op["rows"], op["columns"]), y(op.result<float>(), op["rows"], op["columns"]);
    const Index axis = op["axis"];
    op.add("tensor", [=]() mutable { y.device(*device) = x.cumsum(axis); });
}

void gather(Operation& op) {
    Matrix<float> x(op.input<float>("X"), op["rows"], op["columns"]), y(op.result<float>(), op["n"], op["columns"]);
    const std::int64_t* index = op.input<std::int64_t>("I");
    const std::vector<Index> rows(index, index + op["n"]);
    op.add("matrix", [=]() mutable { y = x(rows, Eigen::all); });
}

void einsum4(Operation& op) {
    const Index n = op["n"];
    Tensor<float, 4> a(op.input<float>("A"), n, n, n, n), b(op.input<float>("B"), n, n, n, n), y(op.result<float>(), n, n, n, n);
    op.add("tensor", [=]() mutable {
        y.device(*device) = a.contract(b, Pairs2{Eigen::IndexPair<int>(2, 0), Eigen::IndexPair<int>(3, 1)});
    });
}

void einsum3(Operation& op) {
    const Index rows = op["i"] * op["j"], k = op["k"], l = op["l"];
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
        auto u1 = vector("u1"), v1 = vector("v1"), u2 = vector("u2"), v2 = vector("v2"), y = vector("y"), z = vector("z");
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
    {"gemm", gemm},           {"bgemm", bgemm},       {"conv2d", conv2d},       {"softmax", rowwise},
    {"layernorm", rowwise},   {"rmsnorm", rowwise},   {"gelu", rowwise},        {"mlp", mlp},
    {"attention", attention}, {"add", add},           {"reduce", reduce},       {"reduceall", reduce},
    {"transpose", transpose}, {"jacobi2d", jacobi2d}, {"cumsum", cumsum},       {"gather", gather},
    {"einsum4", einsum4},     {"einsum3", einsum3},   {"mttkrp", mttkrp},       {"gemver", vectors},
    {"atax", vectors},        {"bicg", vectors},      {"mvt", vectors},         {"2mm", matrices},
    {"3mm", matrices},        {"doitgen", matrices},  {"syrk", matrices},
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
