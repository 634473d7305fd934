// What the machine can do at most, for a number of threads: multiply-adds a second for each type of number, and bytes a second
// from each level of its memory. One line for each: `NAME VALUE BYTES`, in 1e9 operations or bytes a second.
#include <immintrin.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "harness.h"

using namespace bench;

namespace {

constexpr int registers = 12;

#ifdef __AVX512F__
constexpr int width = 64;
#else
constexpr int width = 32;
#endif
template<typename T>
struct Vector {
    typedef T type __attribute__((vector_size(width)));
};
template<typename T>
using V = typename Vector<T>::type;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The shortest time of `rounds` in which every thread runs `body(thread)` once.
template<typename F>
double fastest(int threads, int rounds, F&& body) {
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        double begin = 0, end = 0;
#pragma omp parallel num_threads(threads)
        {
            const int thread = omp_get_thread_num();
#pragma omp barrier
#pragma omp master
            begin = now();
#pragma omp barrier
            body(thread);
#pragma omp barrier
#pragma omp master
            end = now();
        }
        best = std::min(best, end - begin);
    }
    return best;
}

/// The value, of which the compiler knows nothing from here on.
template<typename A>
[[gnu::always_inline]] inline A hold(A value) {
    asm volatile("" : "+v"(value));
    return value;
}

/// Independent chains of `step`, each in a register of its own: their numbers are constants, so that the array is none.
template<typename A, typename F, std::size_t... Register>
void chains(A start, F step, std::index_sequence<Register...>) {
    A a[sizeof...(Register)];
    ((a[Register] = start), ...);
    for (int n = 0; n < 100000; n++) {
        ((a[Register] = hold(step(a[Register]))), ...);
    }
}

template<typename A, typename F>
void rate(const char* name, int threads, double operations, A start, F&& step) {
    const double seconds =
        fastest(threads, 30, [&](int) { chains(start, step, std::make_index_sequence<registers>()); });
    std::printf("%s %.2f 0\n", name, operations * registers * 100000 * threads / seconds * 1e-9);
    std::fflush(stdout);
}

void rates(int threads) {
    const V<float> x = V<float>{} + 0.999f, y = V<float>{} + 1e-3f;
    const V<double> p = V<double>{} + 0.999, q = V<double>{} + 1e-3;
    rate("f32", threads, 2 * width / 4, x, [=](V<float> a) { return a * x + y; });
    rate("f64", threads, 2 * width / 8, p, [=](V<double> a) { return a * p + q; });
#ifdef __AVX512BF16__
    const __m512bh u = (__m512bh)_mm512_set1_epi16(0x3f00), v = (__m512bh)_mm512_set1_epi16(0x3c00);
    rate("bf16", threads, 64, _mm512_setzero_ps(), [=](__m512 a) { return _mm512_dpbf16_ps(a, u, v); });
#endif
#ifdef __AVX512VNNI__
    const __m512i s = _mm512_set1_epi8(3), t = _mm512_set1_epi8(2);
    rate("u8", threads, 128, _mm512_setzero_si512(), [=](__m512i a) { return _mm512_dpbusd_epi32(a, s, t); });
#endif
}

/// Three ways through memory, each element once: a sum, a copy, and a[i] = b[i] + 1.5 c[i]. The fastest counts.
double bandwidth(std::size_t bytes, int threads) {
    double best = 0;
    for (std::size_t arrays = 1; arrays <= 3; arrays++) {
        const std::size_t n = bytes / arrays / 4 / static_cast<std::size_t>(threads) / 128 * 128;
        std::vector<std::unique_ptr<Block>> blocks;
        for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(threads); i++) {
            blocks.push_back(std::make_unique<Block>(i % 3 < arrays ? n * 4 : 64));
        }
        const auto repeats = std::max<std::size_t>(1, (std::size_t{1} << 25) / (n * 4 * arrays));
        const double seconds = fastest(threads, bytes > (32u << 20) ? 8 : 25, [&](int thread) {
            const auto array = [&](std::size_t i) {
                return reinterpret_cast<V<float>*>(
                    __builtin_assume_aligned(blocks[static_cast<std::size_t>(thread) * 3 + i]->data(), 64));
            };
            V<float>* __restrict a = array(0);
            const V<float>*b = array(1), *c = array(2);
            V<float> sums[8] = {};
            const std::size_t count = n * 4 / width;
            for (std::size_t r = 0; r < repeats; r++) {
                if (arrays == 1) {
                    for (std::size_t i = 0; i + 8 <= count; i += 8)
                        for (std::size_t u = 0; u < 8; u++) sums[u] += a[i + u];
                } else if (arrays == 2) {
                    for (std::size_t i = 0; i < count; i++) a[i] = b[i];
                } else {
                    for (std::size_t i = 0; i < count; i++) a[i] = b[i] + 1.5f * c[i];
                }
                asm volatile("" ::: "memory");
            }
            for (auto& s : sums) asm volatile("" ::"v"(s));
        });
        best = std::max(best, static_cast<double>(n * 4 * arrays * repeats) * threads / seconds * 1e-9);
    }
    return best;
}

std::size_t cache(int name, std::size_t otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    rates(threads);
    const std::size_t first = cache(_SC_LEVEL1_DCACHE_SIZE, 32 << 10), second = cache(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
    const struct {
        const char* name;
        std::size_t bytes;  // of one thread in a cache of its own, of all beyond
    } levels[] = {
        {"L1", first / 2}, {"L2", second / 2}, {"16MB", 16u << 20}, {"64MB", 64u << 20}, {"512MB", 512u << 20}};
    for (const auto& level : levels) {
        const bool own = level.bytes < (8u << 20);
        std::printf("%s %.2f %zu\n", level.name,
                    bandwidth(level.bytes * (own ? static_cast<std::size_t>(threads) : 1), threads), level.bytes);
        std::fflush(stdout);
    }
}
