// A BLAS opened at run time, so that one program serves several: `blas LIBRARY [PREFIX SUFFIX] THREADS`. With a prefix and a
// suffix the library has 64-bit integers and its functions are called PREFIXcblas_sgemmSUFFIX. MKL's extensions are used where
// they are found: weights packed before, products of bytes and bfloat16, strided batches.
#include <dlfcn.h>

#include <algorithm>

#include "harness.h"

using namespace bench;

namespace {

enum { rows_first = 101, as_it_is = 111, turned = 112, lower = 122, packed = 151, one_offset = 173, whole_b = 162 };

void* library = nullptr;
std::string prefix, suffix;

template<typename F>
F function(const std::string& name) {
    void* found = dlsym(library, (prefix + name + suffix).c_str());
    return reinterpret_cast<F>(found ? found : dlsym(library, name.c_str()));
}

/// The routines of one type of number, for integers of type I.
template<typename I, typename T>
struct Blas {
    static std::string named(const char* routine) {
        return std::string("cblas_") + (sizeof(T) == 8 ? "d" : "s") + routine;
    }
    using Gemm = void (*)(int, int, int, I, I, I, T, const T*, I, const T*, I, T, T*, I);
    using Gemv = void (*)(int, int, I, I, T, const T*, I, const T*, I, T, T*, I);
    using Ger = void (*)(int, I, I, T, const T*, I, const T*, I, T*, I);
    using Syrk = void (*)(int, int, int, I, I, T, const T*, I, T, T*, I);
    Gemm gemm = function<Gemm>(named("gemm"));
    Gemv gemv = function<Gemv>(named("gemv"));
    Ger ger = function<Ger>(named("ger"));
    Syrk syrk = function<Syrk>(named("syrk"));

    /// c = alpha a b + beta c, row-major and dense.
    void product(I m, I n, I k, T alpha, const T* a, const T* b, T beta, T* c) const {
        gemm(rows_first, as_it_is, as_it_is, m, n, k, alpha, a, k, b, n, beta, c, n);
    }
    /// y = alpha a x + beta y, or with a transposed; a is m x n.
    void times(bool transposed, I m, I n, T alpha, const T* a, const T* x, T beta, T* y) const {
        gemv(rows_first, transposed ? turned : as_it_is, m, n, alpha, a, n, x, 1, beta, y, 1);
    }
};

template<typename I>
void gemm_packed(Operation& op, I m, I n, I k) {
    using Size = std::size_t (*)(int, I, I, I);
    using Pack = void (*)(int, int, int, I, I, I, float, const float*, I, float*);
    using Compute = void (*)(int, int, int, I, I, I, const float*, I, const float*, I, float, float*, I);
    const auto size = function<Size>("cblas_sgemm_pack_get_size");
    const auto pack = function<Pack>("cblas_sgemm_pack");
    const auto compute = function<Compute>("cblas_sgemm_compute");
    if (!size || !pack || !compute) return;
    const float *a = op.input<float>("A"), *b = op.input<float>("B");
    float *c = op.result<float>(),
          *p = op.scratch<float>("packed", static_cast<std::int64_t>(size(whole_b, m, n, k) / 4 + 16));
    pack(rows_first, whole_b, as_it_is, m, n, k, 1.f, b, n, p);
    op.add("packed", [=] { compute(rows_first, as_it_is, packed, m, n, k, a, k, p, n, 0.f, c, n); });
}

template<typename I>
void gemm(Operation& op) {
    const auto m = static_cast<I>(op["m"]), n = static_cast<I>(op["n"]), k = static_cast<I>(op["k"]);
    const std::string type = op.word("type");
    if (type == "f64") {
        const double *a = op.input<double>("A"), *b = op.input<double>("B");
        double* c = op.result<double>();
        op.add("", [=, blas = Blas<I, double>()] { blas.product(m, n, k, 1, a, b, 0, c); });
    } else if (type == "f32") {
        const float *a = op.input<float>("A"), *b = op.input<float>("B");
        float* c = op.result<float>();
        const Blas<I, float> blas;
        op.add("", [=] { blas.product(m, n, k, 1, a, b, 0, c); });
        if (m == 1) op.add("gemv", [=] { blas.times(true, k, n, 1, b, a, 0, c); });
        gemm_packed(op, m, n, k);
    } else if (type == "bf16") {
        using Bits = std::uint16_t;
        using F = void (*)(int, int, int, I, I, I, float, const Bits*, I, const Bits*, I, float, float*, I);
        const Bits *a = op.input<Bits>("A"), *b = op.input<Bits>("B");
        float* c = op.result<float>();
        auto f = function<F>("cblas_gemm_bf16bf16f32");
        if (!f) f = function<F>("cblas_sbgemm");
        if (f) op.add("", [=] { f(rows_first, as_it_is, as_it_is, m, n, k, 1, a, k, b, n, 0, c, n); });
    } else {
        using F = void (*)(int, int, int, int, I, I, I, float, const void*, I, std::int8_t, const void*, I, std::int8_t,
                           float, std::int32_t*, I, const std::int32_t*);
        const void *a = op.input<char>("A"), *b = op.input<char>("B");
        std::int32_t* c = op.result<std::int32_t>();
        static const std::int32_t zero = 0;
        if (const auto f = function<F>("cblas_gemm_s8u8s32")) {
            op.add("", [=] {
                f(rows_first, as_it_is, as_it_is, one_offset, m, n, k, 1, a, k, 0, b, n, 0, 0, c, n, &zero);
            });
        }
    }
}

template<typename I>
void bgemm(Operation& op) {
    const auto batch = static_cast<I>(op["b"]), m = static_cast<I>(op["m"]), n = static_cast<I>(op["n"]);
    const auto k = static_cast<I>(op["k"]), step = op["transposed"] ? k : n;
    const int turn = op["transposed"] ? turned : as_it_is;
    const float *a = op.input<float>("A"), *b = op.input<float>("B");
    float* c = op.result<float>();
    op.add("loop", [=, blas = Blas<I, float>()] {
        for (I i = 0; i < batch; i++) {
            blas.gemm(rows_first, as_it_is, turn, m, n, k, 1, a + i * m * k, k, b + i * k * n, step, 0, c + i * m * n,
                      n);
        }
    });
    using F = void (*)(int, int, int, I, I, I, float, const float*, I, I, const float*, I, I, float, float*, I, I, I);
    if (const auto f = function<F>("cblas_sgemm_batch_strided")) {
        op.add("strided",
               [=] { f(rows_first, as_it_is, turn, m, n, k, 1, a, k, m * k, b, step, k * n, 0, c, n, m * n, batch); });
    }
}

template<typename I>
void transpose(Operation& op) {
    const auto rows = op["rows"], columns = op["columns"];
    const float* x = op.input<float>("X");
    float* y = op.result<float>();
    using Mkl = void (*)(char, char, std::size_t, std::size_t, float, const float*, std::size_t, float*, std::size_t);
    using Other = void (*)(int, int, I, I, float, const float*, I, float*, I);
    const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
    if (const auto f = function<Mkl>("MKL_Somatcopy")) {
        op.add("", [=] { f('R', 'T', r, c, 1.f, x, c, y, r); });
    } else if (const auto g = function<Other>("cblas_somatcopy")) {
        op.add("", [=] {
            g(rows_first, turned, static_cast<I>(r), static_cast<I>(c), 1.f, x, static_cast<I>(c), y,
              static_cast<I>(r));
        });
    }
}

template<typename I>
void einsum(Operation& op) {
    const bool four = op.kind == "einsum4";
    const auto m = static_cast<I>(four ? op["n"] * op["n"] : op["i"] * op["j"]);
    const auto k = static_cast<I>(four ? m : op["k"]), n = static_cast<I>(four ? m : op["l"]);
    const float *a = op.input<float>("A"), *b = op.input<float>("B");
    float* c = op.result<float>();
    op.add("as-gemm", [=, blas = Blas<I, float>()] { blas.product(m, n, k, 1, a, b, 0, c); });
}

template<typename I, typename T>
void vectors(Operation& op) {
    const auto m = static_cast<I>(op.tensor("A").extents[0]), n = static_cast<I>(op.tensor("A").extents[1]);
    const auto in = [&](const char* name) -> const T* { return op.has_input(name) ? op.input<T>(name) : nullptr; };
    const Blas<I, T> blas;
    const T *a = in("A"), alpha = T(1.5), beta = T(1.2);
    T* out = op.result<T>();
    if (op.kind == "gemver") {
        const T *u1 = in("u1"), *v1 = in("v1"), *u2 = in("u2"), *v2 = in("v2"), *y = in("y"), *z = in("z");
        T *b = op.scratch<T>("b", op["n"] * op["n"]), *x = op.scratch<T>("x", n);
        op.add("", [=] {
            std::copy(a, a + std::int64_t{n} * n, b);
            blas.ger(rows_first, n, n, 1, u1, 1, v1, 1, b, n);
            blas.ger(rows_first, n, n, 1, u2, 1, v2, 1, b, n);
            std::copy(z, z + n, x);
            blas.times(true, n, n, beta, b, y, 1, x);
            blas.times(false, n, n, alpha, b, x, 0, out);
        });
    } else if (op.kind == "atax") {
        const T* x = in("X");
        T* t = op.scratch<T>("t", m);
        op.add("", [=] { blas.times(false, m, n, 1, a, x, 0, t), blas.times(true, m, n, 1, a, t, 0, out); });
    } else if (op.kind == "bicg") {
        const T *p = in("P"), *r = in("R");
        op.add("", [=] { blas.times(true, m, n, 1, a, r, 0, out), blas.times(false, m, n, 1, a, p, 0, out + n); });
    } else {
        const T *x1 = in("X1"), *x2 = in("X2"), *y1 = in("Y1"), *y2 = in("Y2");
        op.add("", [=] {
            std::copy(x1, x1 + n, out), std::copy(x2, x2 + n, out + n);
            blas.times(false, n, n, 1, a, y1, 1, out), blas.times(true, n, n, 1, a, y2, 1, out + n);
        });
    }
}

template<typename I, typename T>
void matrices(Operation& op) {
    const auto in = [&](const char* name) -> const T* { return op.has_input(name) ? op.input<T>(name) : nullptr; };
    const auto number = [&](const char* name) { return static_cast<I>(op[name]); };
    const Blas<I, T> blas;
    const T *a = in("A"), *b = in("B"), *c = in("C"), *d = in("D"), alpha = T(1.5), beta = T(1.2);
    T* y = op.result<T>();
    if (op.kind == "doitgen") {
        const I rows = number("q") * number("r"), p = number("p");
        op.add("", [=] { blas.product(rows, p, p, 1, a, c, 0, y); });
    } else if (op.kind == "syrk") {
        const I n = number("n"), m = number("m");
        op.add("", [=] {
            for (I i = 0; i < n; i++) std::copy(c + i * n, c + i * n + i + 1, y + i * n);
            blas.syrk(rows_first, lower, as_it_is, n, m, alpha, a, m, beta, y, n);
        });
    } else {
        const I i = number("i"), j = number("j"), k = number("k"), l = number("l");
        const I m = op.kind == "3mm" ? number("m") : 0;
        const std::int64_t size = op.result_size();
        T *t = op.scratch<T>("t", std::int64_t{i} * j), *u = op.scratch<T>("u", std::int64_t{j} * l);
        if (m == 0) {
            op.add("", [=] {
                blas.product(i, j, k, alpha, a, b, 0, t);
                std::copy(d, d + size, y);
                blas.product(i, l, j, 1, t, c, beta, y);
            });
        } else {
            op.add("", [=] {
                blas.product(i, j, k, 1, a, b, 0, t), blas.product(j, l, m, 1, c, d, 0, u),
                    blas.product(i, l, j, 1, t, u, 0, y);
            });
        }
    }
}

template<typename I>
void open(Operation& op) {
    static const std::map<std::string, void (*)(Operation&)> kinds = {
        {"gemm", gemm<I>},      {"bgemm", bgemm<I>},    {"transpose", transpose<I>},
        {"einsum3", einsum<I>}, {"einsum4", einsum<I>},
    };
    const bool twice = op.word("type") == "f64";
    if (const auto kind = kinds.find(op.kind); kind != kinds.end()) return kind->second(op);
    for (const char* name : {"gemver", "atax", "bicg", "mvt"}) {
        if (op.kind == name) (twice ? vectors<I, double> : vectors<I, float>)(op);
    }
    for (const char* name : {"2mm", "3mm", "doitgen", "syrk"}) {
        if (op.kind == name) (twice ? matrices<I, double> : matrices<I, float>)(op);
    }
}

std::string version() {
    if (const auto mkl = function<void (*)(char*, int)>("MKL_Get_Version_String")) {
        char text[256] = "";
        mkl(text, sizeof text);
        return text;
    }
    for (const char* name : {"openblas_get_config", "openblas_get_config64_"}) {
        if (const auto f = function<const char* (*)()>(name)) return f();
    }
    return "BLAS";
}

}  // namespace

int main(int argc, char** argv) {
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : nullptr;
    if (!library) {
        std::cerr << (argc > 1 ? dlerror() : "usage: blas LIBRARY [PREFIX SUFFIX] THREADS") << "\n";
        return 2;
    }
    const bool wide = argc > 4;
    if (wide) prefix = argv[2], suffix = argv[3];
    return serve(2, argv + argc - 2, version(), wide ? open<std::int64_t> : open<int>);
}
