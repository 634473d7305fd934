#include "generators/run/peak.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <thread>

#include <sched.h>

namespace halogen {

namespace {

double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Twelve chains keep two units of latency 4 busy with room to spare, and fit the 16 registers of AVX2 and SSE beside
// two operands. The empty asm keeps each chain in a register of its own and the loop from being folded.
#define HALOGEN_CHAINS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)
#define HALOGEN_DECLARE(i) Vector r##i = zero;
#define HALOGEN_STEP(i) \
    r##i = step(r##i);  \
    asm volatile("" : "+x"(r##i));
#define HALOGEN_STEP_512(i) \
    r##i = step(r##i);      \
    asm volatile("" : "+v"(r##i));

/// Each function runs `n` rounds of twelve vector operations.
using Rounds = void (*)(long n);
constexpr double chains = 12;

#define HALOGEN_ROUNDS(name, isa, type, init, stepping, each)                                       \
    __attribute__((target(isa), noinline)) void name(long n) {                                      \
        using Vector = type;                                                                        \
        const Vector zero = init(0);                                                                \
        Vector x = init(1), y = init(2);                                                            \
        asm volatile("" : "+x"(x), "+x"(y));                                                        \
        auto step = [&](Vector r) __attribute__((target(isa), always_inline)) { return stepping; }; \
        HALOGEN_CHAINS(HALOGEN_DECLARE)                                                             \
        for (long k = 0; k < n; k++) {                                                              \
            HALOGEN_CHAINS(each)                                                                    \
        }                                                                                           \
    }

HALOGEN_ROUNDS(f32_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps(r, x, y), HALOGEN_STEP_512)
HALOGEN_ROUNDS(f32_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps(r, x, y), HALOGEN_STEP)
HALOGEN_ROUNDS(f32_sse, "sse4.1", __m128, _mm_set1_ps, _mm_add_ps(_mm_mul_ps(r, x), y), HALOGEN_STEP)
HALOGEN_ROUNDS(f64_avx512, "avx512f", __m512d, _mm512_set1_pd, _mm512_fmadd_pd(r, x, y), HALOGEN_STEP_512)
HALOGEN_ROUNDS(f64_avx2, "avx2,fma", __m256d, _mm256_set1_pd, _mm256_fmadd_pd(r, x, y), HALOGEN_STEP)
HALOGEN_ROUNDS(f64_sse, "sse4.1", __m128d, _mm_set1_pd, _mm_add_pd(_mm_mul_pd(r, x), y), HALOGEN_STEP)
HALOGEN_ROUNDS(dot_vnni, "avx512f,avx512vnni", __m512i, _mm512_set1_epi32, _mm512_dpbusd_epi32(r, x, y),
               HALOGEN_STEP_512)
HALOGEN_ROUNDS(dot_avx2, "avx2", __m256i, _mm256_set1_epi32, _mm256_add_epi32(_mm256_madd_epi16(r, x), y), HALOGEN_STEP)
HALOGEN_ROUNDS(dot_sse, "sse4.1", __m128i, _mm_set1_epi32, _mm_add_epi32(_mm_madd_epi16(r, x), y), HALOGEN_STEP)
HALOGEN_ROUNDS(i32_avx512, "avx512f", __m512i, _mm512_set1_epi32, _mm512_add_epi32(_mm512_mullo_epi32(r, x), y),
               HALOGEN_STEP_512)
HALOGEN_ROUNDS(i32_avx2, "avx2", __m256i, _mm256_set1_epi32, _mm256_add_epi32(_mm256_mullo_epi32(r, x), y),
               HALOGEN_STEP)
HALOGEN_ROUNDS(i32_sse, "sse4.1", __m128i, _mm_set1_epi32, _mm_add_epi32(_mm_mullo_epi32(r, x), y), HALOGEN_STEP)

struct Choice {
    Rounds rounds;
    double operations;  // per vector operation: lanes times two, times products per lane
};

Choice choose(PeakKind kind) {
    const bool wide = __builtin_cpu_supports("avx512f"),
               middle = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    switch (kind) {
    case PeakKind::fma_f64: return wide ? Choice{f64_avx512, 16} : middle ? Choice{f64_avx2, 8} : Choice{f64_sse, 4};
    case PeakKind::dot_u8:
        if (wide && __builtin_cpu_supports("avx512vnni")) return {dot_vnni, 128};
        return middle ? Choice{dot_avx2, 32} : Choice{dot_sse, 16};
    case PeakKind::multiply_add_i32:
        return wide ? Choice{i32_avx512, 32} : middle ? Choice{i32_avx2, 16} : Choice{i32_sse, 8};
    default: return wide ? Choice{f32_avx512, 32} : middle ? Choice{f32_avx2, 16} : Choice{f32_sse, 8};
    }
}

std::vector<int> allowed_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> processors;
    for (int p = 0; p < CPU_SETSIZE; p++)
        if (CPU_ISSET(p, &set)) processors.push_back(p);
    return processors;
}

void pin(const std::vector<int>& processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int p : processors) CPU_SET(p, &set);
    sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

std::string to_string(PeakKind kind) {
    switch (kind) {
    case PeakKind::fma_f64: return "fma_f64";
    case PeakKind::dot_u8: return "dot_u8";
    case PeakKind::multiply_add_i32: return "multiply_add_i32";
    default: return "fma_f32";
    }
}

PeakKind peak_kind(const Kernel& kernel) {
    bool f32 = false, f64 = false, bytes = false, words = false;
    for (const Tensor& t : kernel.tensors) {
        f64 = f64 || t.type == Type::f64;
        f32 = f32 || (is_float(t.type) && t.type != Type::f64);
        bytes = bytes || (t.role == Role::input && (t.type == Type::u8 || t.type == Type::i8));
        words = words || (t.role != Role::input && t.type == Type::i32);
    }
    if (f64) return PeakKind::fma_f64;
    if (f32) return PeakKind::fma_f32;
    return bytes && words ? PeakKind::dot_u8 : PeakKind::multiply_add_i32;
}

double measure_peak(PeakKind kind, int threads) {
    const Choice choice = choose(kind);
    constexpr long n = 200000;
    constexpr int repeats = 40;
    double best = 0;
    const std::vector<int> processors = allowed_processors();
    std::barrier together(threads);
    std::atomic<double> begin{0};
    std::vector<std::thread> team;
    const auto work = [&](int t) {
        pin({processors[static_cast<std::size_t>(t) % processors.size()]});
        for (int r = 0; r < repeats; r++) {
            choice.rounds(n / 20);
            together.arrive_and_wait();
            if (t == 0) begin = now_ns();
            together.arrive_and_wait();
            choice.rounds(n);
            together.arrive_and_wait();
            if (t == 0) best = std::max(best, chains * choice.operations * n * threads / (now_ns() - begin));
        }
    };
    for (int t = 0; t < threads; t++) team.emplace_back(work, t);
    for (std::thread& t : team) t.join();
    return best;
}

void pin_to_first(int n) {
    std::vector<int> processors = allowed_processors();
    processors.resize(std::min(processors.size(), static_cast<std::size_t>(n)));
    pin(processors);
}

Timing measure(const std::function<void()>& call, double seconds) {
    const double first = now_ns();
    call();
    double per_call = now_ns() - first;
    if (per_call < 50e6) {
        long calls = 0;
        const double warm = now_ns();
        do {
            call();
            calls++;
        } while (now_ns() - warm < 30e6);
        per_call = (now_ns() - warm) / static_cast<double>(calls);
    }
    const long inner = std::max(1L, static_cast<long>(std::ceil(5e6 / std::max(per_call, 1.0))));
    std::vector<double> batches;
    for (double total = 0; total < seconds * 1e9 || batches.size() < 5;) {
        const double start = now_ns();
        for (long i = 0; i < inner; i++) call();
        const double spent = now_ns() - start;
        total += spent;
        batches.push_back(spent / static_cast<double>(inner));
    }
    std::sort(batches.begin(), batches.end());
    return {batches.front(), batches[batches.size() / 2]};
}

}  // namespace halogen
