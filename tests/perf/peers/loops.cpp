// Loops a careful programmer writes, without intrinsics, for the compiler to vectorise: one pass, buffers of rows, threads over
// the outermost loop. Compiled with -O3 -march=native -ffast-math by g++, and by clang++ where it is there.
#include "harness.h"

#include <algorithm>
#include <cmath>

using namespace bench;
using Count = std::int64_t;

namespace {

/// Runs `body(first, last)` for an equal part of [0, n) in each thread.
template<typename F>
void in_parts(Count n, int threads, F&& body) {
    if (threads == 1) return body(Count{0}, n);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) body(n * t / threads, n * (t + 1) / threads);
}

void softmax_row(const float* __restrict x, float* __restrict y, Count n) {
    float top = x[0], sum = 0;
    for (Count j = 1; j < n; j++) top = std::max(top, x[j]);
    for (Count j = 0; j < n; j++) sum += y[j] = std::exp(x[j] - top);
    for (Count j = 0; j < n; j++) y[j] *= 1 / sum;
}

void layernorm_row(const float* __restrict x, const float* gamma, const float* beta, float* __restrict y, Count n) {
    float mean = 0, variance = 0;
    for (Count j = 0; j < n; j++) mean += x[j];
    mean /= static_cast<float>(n);
    for (Count j = 0; j < n; j++) variance += (x[j] - mean) * (x[j] - mean);
    const float scale = 1 / std::sqrt(variance / static_cast<float>(n) + 1e-5f);
    for (Count j = 0; j < n; j++) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}

void rmsnorm_row(const float* __restrict x, const float* gamma, float* __restrict y, Count n) {
    float sum = 0;
    for (Count j = 0; j < n; j++) sum += x[j] * x[j];
    const float scale = 1 / std::sqrt(sum / static_cast<float>(n) + 1e-5f);
    for (Count j = 0; j < n; j++) y[j] = x[j] * scale * gamma[j];
}

void rowwise(Operation& op) {
    const Count rows = op["rows"], n = op["columns"];
    const int threads = op.threads;
    const std::string what = op.word("what");
    const float *x = op.input<float>("X"), *g = op.has_input("G") ? op.input<float>("G") : nullptr;
    const float* b = op.has_input("B") ? op.input<float>("B") : nullptr;
    float* y = op.result<float>();
    op.add("", [=] {
        in_parts(rows, threads, [&](Count first, Count last) {
            for (Count i = first; i < last; i++) {
                const float* in = x + i * n;
                float* __restrict out = y + i * n;
                if (what == "softmax") softmax_row(in, out, n);
                if (what == "layernorm") layernorm_row(in, g, b, out, n);
                if (what == "rmsnorm") rmsnorm_row(in, g, out, n);
                if (what == "gelu_erf") {
                    for (Count j = 0; j < n; j++) out[j] = 0.5f * in[j] * (1 + std::erf(in[j] * 0.70710678f));
                }
                if (what == "gelu_tanh") {  // 1 + tanh(z) is 2 / (1 + exp(-2 z))
                    for (Count j = 0; j < n; j++) {
                        out[j] = in[j] / (1 + std::exp(-1.5957691f * (in[j] + 0.044715f * in[j] * in[j] * in[j])));
                    }
                }
            }
        });
    });
}

/// Calls `tap(r, s, from)` for each tap of a window that falls inside the image, and the pixel it reads.
template<typename F>
void for_taps(Count y, Count x, Count h, Count window, Count step, Count pad, F&& tap) {
    for (Count r = 0; r < window; r++) {
        const Count row = y * step + r - pad;
        if (row < 0 || row >= h) continue;
        for (Count s = 0; s < window; s++) {
            const Count column = x * step + s - pad;
            if (column >= 0 && column < h) tap(r, s, row * h + column);
        }
    }
}

/// Depthwise convolutions and pooling, channels last: each output pixel is a row of channels.
void channels(Operation& op) {
    const bool convolution = op.kind == "conv2d", largest = op.word("what") == "max";
    if (op.word("layout") != "nhwc" || (convolution && op["groups"] != op["c"])) return;
    const Count h = op["h"], c = op["c"], window = op["r"], step = op["step"], pad = op["pad"], o = op["o"];
    const int threads = op.threads;
    const float *x = op.input<float>("X"), *w = convolution ? op.input<float>("W_hwi") : nullptr;
    float* out = op.result<float>();
    op.add("", [=] {
        in_parts(o, threads, [&](Count first, Count last) {
            for (Count i = first; i < last; i++) {
                for (Count j = 0; j < o; j++) {
                    float* __restrict y = out + (i * o + j) * c;
                    std::fill(y, y + c, largest ? -3e38f : 0.f);
                    for_taps(i, j, h, window, step, pad, [&](Count r, Count s, Count from) {
                        const float* __restrict in = x + from * c;
                        const float* __restrict v = w + (r * window + s) * c;
                        if (convolution)
                            for (Count k = 0; k < c; k++) y[k] += in[k] * v[k];
                        else if (largest)
                            for (Count k = 0; k < c; k++) y[k] = std::max(y[k], in[k]);
                        else
                            for (Count k = 0; k < c; k++) y[k] += in[k];
                    });
                    if (convolution || largest) continue;
                    for (Count k = 0; k < c; k++) y[k] *= 1 / static_cast<float>(window * window);
                }
            }
        });
    });
}

void add(Operation& op) {
    const Count rows = op["rows"], n = op["columns"];
    const int threads = op.threads;
    const float *a = op.input<float>("A"), *b = op.input<float>("B");
    float* y = op.result<float>();
    op.add("", [=] {
        if (rows == 1) {
            in_parts(n, threads, [=](Count first, Count last) {
                for (Count j = first; j < last; j++) y[j] = a[j] + b[j];
            });
        } else {
            in_parts(rows, threads, [=](Count first, Count last) {
                for (Count i = first; i < last; i++)
                    for (Count j = 0; j < n; j++) y[i * n + j] = a[i * n + j] + b[j];
            });
        }
    });
}

float total(const float* x, Count n, bool largest) {
    float sum = largest ? x[0] : 0;
    if (largest)
        for (Count j = 0; j < n; j++) sum = std::max(sum, x[j]);
    else
        for (Count j = 0; j < n; j++) sum += x[j];
    return sum;
}

void reduce(Operation& op) {
    const bool whole = op.kind == "reduceall", largest = op.word("what") == "max";
    const Count rows = whole ? 1 : op["rows"], n = whole ? op["n"] : op["columns"];
    const bool down = !whole && op["axis"] == 0;
    const int threads = op.threads;
    const float* x = op.input<float>("X");
    const float scale = op.word("what") == "mean" ? 1 / static_cast<float>(down ? rows : n) : 1;
    float* y = op.result<float>();
    std::vector<float> parts(static_cast<std::size_t>(threads));
    if (whole) {
        op.add("", [=]() mutable {
            in_parts(n, threads, [&](Count first, Count last) {
                parts[static_cast<std::size_t>(first * threads / n)] = total(x + first, last - first, largest);
            });
            y[0] = scale * total(parts.data(), threads, largest);
        });
    } else if (down) {
        op.add("", [=] {
            in_parts(n, threads, [=](Count first, Count last) {
                float* __restrict to = y;
                for (Count j = first; j < last; j++) to[j] = x[j];
                for (Count i = 1; i < rows; i++) {
                    const float* __restrict row = x + i * n;
                    if (largest)
                        for (Count j = first; j < last; j++) to[j] = std::max(to[j], row[j]);
                    else
                        for (Count j = first; j < last; j++) to[j] += row[j];
                }
                for (Count j = first; j < last; j++) to[j] *= scale;
            });
        });
    } else {
        op.add("", [=] {
            in_parts(rows, threads, [=](Count first, Count last) {
                for (Count i = first; i < last; i++) y[i] = scale * total(x + i * n, n, largest);
            });
        });
    }
}

void transpose(Operation& op) {
    const Count rows = op["rows"], columns = op["columns"];
    const int threads = op.threads;
    const float* x = op.input<float>("X");
    float* y = op.result<float>();
    op.add("tiles-of-16", [=] {
        in_parts(columns / 16, threads, [=](Count first, Count last) {
            for (Count jb = first * 16; jb < last * 16; jb += 16) {
                for (Count ib = 0; ib < rows; ib += 16) {
                    float tile[16][16];
                    for (int i = 0; i < 16; i++)
                        for (int j = 0; j < 16; j++) tile[j][i] = x[(ib + i) * columns + jb + j];
                    for (int j = 0; j < 16; j++)
                        for (int i = 0; i < 16; i++) y[(jb + j) * rows + ib + i] = tile[j][i];
                }
            }
        });
    });
}

void blur(Operation& op) {
    using Pixel = std::uint16_t;
    const Count rows = op["rows"], columns = op["columns"], w = columns - 2;
    const int threads = op.threads;
    const Pixel* x = op.input<Pixel>("X");
    Pixel* y = op.result<Pixel>();
    op.add("row-buffers", [=] {
        in_parts(rows - 2, threads, [=](Count first, Count last) {
            std::vector<Pixel> kept(static_cast<std::size_t>(3 * w));
            const auto line = [&](Count i) { return kept.data() + i % 3 * w; };
            const auto across = [&](Count i) {
                const Pixel* in = x + i * columns;
                Pixel* __restrict out = line(i);
                for (Count j = 0; j < w; j++) out[j] = static_cast<Pixel>(in[j] + in[j + 1] + in[j + 2]) / 3;
            };
            across(first), across(first + 1);
            for (Count i = first; i < last; i++) {
                across(i + 2);
                const Pixel *a = line(0), *b = line(1), *c = line(2);
                Pixel* __restrict out = y + i * w;
                for (Count j = 0; j < w; j++) out[j] = static_cast<Pixel>(a[j] + b[j] + c[j]) / 3;
            }
        });
    });
}

void jacobi_row(const float* __restrict a, float* __restrict b, Count n) {
    for (Count j = 1; j < n - 1; j++) b[j] = 0.2f * (a[j] + a[j - 1] + a[j + 1] + a[j + n] + a[j - n]);
}
void heat_row(const float* __restrict a, float* __restrict b, Count n) {
    const Count p = n * n;
    for (Count k = 1; k < n - 1; k++) {
        b[k] = 0.125f * (a[k + p] - 2 * a[k] + a[k - p]) + 0.125f * (a[k + n] - 2 * a[k] + a[k - n]) +
               0.125f * (a[k + 1] - 2 * a[k] + a[k - 1]) + a[k];
    }
}

void sweeps(Operation& op) {
    const bool flat = op.kind == "jacobi2d";
    const Count n = op["n"], steps = op["steps"], points = op.result_size();
    const int threads = op.threads;
    float *x = op.input<float>("X"), *first = op.result<float>(), *second = op.scratch<float>("second", points);
    const auto sweep = [=](const float* from, float* to) {
        in_parts(n - 2, threads, [=](Count begin, Count end) {
            for (Count i = begin + 1; i < end + 1; i++) {
                if (flat) jacobi_row(from + i * n, to + i * n, n);
                for (Count j = 1; !flat && j < n - 1; j++) heat_row(from + (i * n + j) * n, to + (i * n + j) * n, n);
            }
        });
    };
    op.add("", [=] {
        for (Count t = 0; t < steps; t++) sweep(first, second), sweep(second, first);
    });
    op.forms.back().prepare = [=] {
        for (float* to : {first, second}) std::copy(x, x + points, to);
    };
}

void unsharp(Operation& op) {
    const Count rows = op["rows"], n = op["columns"];
    const int threads = op.threads;
    const float *x = op.input<float>("X"), *g = op.input<float>("G");
    float* y = op.result<float>();
    op.add("row-buffer", [=] {
        in_parts(rows - 6, threads, [=](Count first, Count last) {
            std::vector<float> kept(static_cast<std::size_t>(n));
            float* __restrict v = kept.data();
            for (Count i = first; i < last; i++) {
                const float *s = x + i * n, *middle = s + 3 * n + 3;
                float* __restrict out = y + i * (n - 6);
                for (Count j = 0; j < n; j++) {
                    v[j] = g[0] * s[j] + g[1] * s[j + n] + g[2] * s[j + 2 * n] + g[3] * s[j + 3 * n] +
                           g[4] * s[j + 4 * n] + g[5] * s[j + 5 * n] + g[6] * s[j + 6 * n];
                }
                for (Count j = 0; j < n - 6; j++) {
                    out[j] = 2 * middle[j] - (g[0] * v[j] + g[1] * v[j + 1] + g[2] * v[j + 2] + g[3] * v[j + 3] +
                                              g[4] * v[j + 4] + g[5] * v[j + 5] + g[6] * v[j + 6]);
                }
            }
        });
    });
}

/// Products of Sobel gradients of one row of windows.
void gradients(const float* s, Count n, float* __restrict xx, float* __restrict xy, float* __restrict yy) {
    const float *m = s + n, *e = m + n;
    for (Count j = 0; j < n - 2; j++) {
        const float gx = ((s[j + 2] - s[j]) + 2 * (m[j + 2] - m[j]) + (e[j + 2] - e[j])) * (1 / 12.f);
        const float gy = ((e[j] - s[j]) + 2 * (e[j + 1] - s[j + 1]) + (e[j + 2] - s[j + 2])) * (1 / 12.f);
        xx[j] = gx * gx, xy[j] = gx * gy, yy[j] = gy * gy;
    }
}

void harris(Operation& op) {
    const Count rows = op["rows"], n = op["columns"];
    const int threads = op.threads;
    const float* x = op.input<float>("X");
    float* y = op.result<float>();
    op.add("row-buffers", [=] {
        in_parts(rows - 4, threads, [=](Count first, Count last) {
            std::vector<float> kept(static_cast<std::size_t>(12 * n));
            const auto line = [&](Count product, Count i) { return kept.data() + (product * 3 + i % 3) * n; };
            const auto products = [&](Count i) { gradients(x + i * n, n, line(0, i), line(1, i), line(2, i)); };
            products(first), products(first + 1);
            for (Count i = first; i < last; i++) {
                products(i + 2);
                for (Count p = 0; p < 3; p++) {
                    const float *a = line(p, 0), *b = line(p, 1), *c = line(p, 2);
                    float* __restrict sum = line(3, p);
                    for (Count j = 0; j < n - 2; j++) sum[j] = a[j] + b[j] + c[j];
                }
                const float *a = line(3, 0), *b = line(3, 1), *c = line(3, 2);
                float* __restrict out = y + i * (n - 4);
                for (Count j = 0; j < n - 4; j++) {
                    const float p = a[j] + a[j + 1] + a[j + 2], q = b[j] + b[j + 1] + b[j + 2];
                    const float u = c[j] + c[j + 1] + c[j + 2];
                    out[j] = p * u - q * q - 0.04f * (p + u) * (p + u);
                }
            }
        });
    });
}

void histogram(Operation& op) {
    using Table = std::uint32_t[256];
    const Count n = op["n"];
    const int threads = op.threads;
    const std::uint8_t* x = op.input<std::uint8_t>("X");
    std::uint32_t* y = op.result<std::uint32_t>();
    op.add("4-tables", [=] {
        std::memset(y, 0, sizeof(Table));
        in_parts(n / 8, threads, [=](Count first, Count last) {
            Table tables[4] = {};
            for (Count i = first; i < last; i++) {
                std::uint64_t eight;
                std::memcpy(&eight, x + 8 * i, 8);
                for (int b = 0; b < 8; b++) tables[b % 4][eight >> (8 * b) & 255]++;
            }
#pragma omp critical
            for (int v = 0; v < 256; v++) y[v] += tables[0][v] + tables[1][v] + tables[2][v] + tables[3][v];
        });
    });
}

void cumsum(Operation& op) {
    const Count rows = op["rows"], n = op["columns"];
    const bool down = op["axis"] == 0;
    const int threads = op.threads;
    const float* x = op.input<float>("X");
    float* y = op.result<float>();
    op.add("", [=] {
        in_parts(down ? n : rows, threads, [=](Count first, Count last) {
            for (Count i = 0; down && i < rows; i++) {
                for (Count j = first; j < last; j++) y[i * n + j] = x[i * n + j] + (i ? y[(i - 1) * n + j] : 0);
            }
            for (Count i = first; !down && i < last; i++) {
                float sum = 0;
                for (Count j = 0; j < n; j++) y[i * n + j] = sum += x[i * n + j];
            }
        });
    });
}

void gather(Operation& op) {
    const Count columns = op["columns"], n = op["n"];
    const int threads = op.threads;
    const float* x = op.input<float>("X");
    const std::int64_t* index = op.input<std::int64_t>("I");
    float* y = op.result<float>();
    op.add("memcpy", [=] {
        in_parts(n, threads, [=](Count first, Count last) {
            for (Count i = first; i < last; i++) {
                std::memcpy(y + i * columns, x + index[i] * columns, static_cast<std::size_t>(columns) * 4);
            }
        });
    });
}

/// y += alpha a x, and y += alpha a' x with columns shared among threads.
template<typename T>
void times(Count m, Count n, T alpha, const T* a, const T* x, T* y, int threads) {
    in_parts(m, threads, [=](Count first, Count last) {
        for (Count i = first; i < last; i++) {
            T sum = 0;
            for (Count j = 0; j < n; j++) sum += a[i * n + j] * x[j];
            y[i] += alpha * sum;
        }
    });
}
template<typename T>
void transposed_times(Count m, Count n, T alpha, const T* a, const T* x, T* y, int threads) {
    in_parts(n, threads, [=](Count first, Count last) {
        T* __restrict to = y;
        for (Count i = 0; i < m; i++) {
            const T v = alpha * x[i];
            for (Count j = first; j < last; j++) to[j] += v * a[i * n + j];
        }
    });
}

template<typename T>
void vectors(Operation& op) {
    const Count n = op["n"];
    const int threads = op.threads;
    const auto in = [&](const char* name) -> const T* { return op.has_input(name) ? op.input<T>(name) : nullptr; };
    const T* a = in("A");
    T* out = op.result<T>();
    if (op.kind == "gemver") {
        const T *u1 = in("u1"), *v1 = in("v1"), *u2 = in("u2"), *v2 = in("v2"), *y = in("y"), *z = in("z");
        T *b = op.scratch<T>("b", n * n), *x = op.scratch<T>("x", n);
        op.add("", [=] {
            in_parts(n, threads, [=](Count first, Count last) {
                for (Count i = first; i < last; i++) {
                    for (Count j = 0; j < n; j++) b[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
                }
            });
            std::copy(z, z + n, x);
            std::fill(out, out + n, T(0));
            transposed_times(n, n, T(1.2), b, y, x, threads);
            times(n, n, T(1.5), b, x, out, threads);
        });
    } else {
        const T *x1 = in("X1"), *x2 = in("X2"), *y1 = in("Y1"), *y2 = in("Y2");
        op.add("", [=] {
            std::copy(x1, x1 + n, out), std::copy(x2, x2 + n, out + n);
            times(n, n, T(1), a, y1, out, threads);
            transposed_times(n, n, T(1), a, y2, out + n, threads);
        });
    }
}

/// bicg and atax in one pass over the matrix: a row is used for both products while it is in the cache. One thread.
template<typename T>
void one_pass(Operation& op) {
    const Count m = op.tensor("A").extents[0], n = op.tensor("A").extents[1];
    const bool bicg = op.kind == "bicg";
    if (op.threads > 1) return;
    const T *a = op.input<T>("A"), *x = op.input<T>(bicg ? "P" : "X"), *r = bicg ? op.input<T>("R") : nullptr;
    T* y = op.result<T>();
    op.add("one-pass", [=] {
        T* __restrict to = y;
        std::fill(to, to + n, T(0));
        for (Count i = 0; i < m; i++) {
            const T* row = a + i * n;
            T sum = 0;
            for (Count j = 0; j < n; j++) sum += row[j] * x[j];
            const T v = bicg ? r[i] : sum;
            if (bicg) to[n + i] = sum;
            for (Count j = 0; j < n; j++) to[j] += v * row[j];
        }
    });
}

void open(Operation& op) {
    static const std::map<std::string, void (*)(Operation&)> kinds = {
        {"softmax", rowwise},  {"layernorm", rowwise},   {"rmsnorm", rowwise}, {"gelu", rowwise},
        {"conv2d", channels},  {"pool", channels},       {"add", add},         {"reduce", reduce},
        {"reduceall", reduce}, {"transpose", transpose}, {"blur", blur},       {"jacobi2d", sweeps},
        {"heat3d", sweeps},    {"unsharp", unsharp},     {"harris", harris},   {"hist", histogram},
        {"cumsum", cumsum},    {"gather", gather},
    };
    const bool twice = op.word("type") == "f64";
    if (const auto kind = kinds.find(op.kind); kind != kinds.end()) return kind->second(op);
    if (op.kind == "gemver" || op.kind == "mvt") (twice ? vectors<double> : vectors<float>)(op);
    if (op.kind == "atax" || op.kind == "bicg") (twice ? one_pass<double> : one_pass<float>)(op);
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __clang__
    return serve(argc, argv, __VERSION__, open);
#else
    return serve(argc, argv, "g++ " __VERSION__, open);
#endif
}
