#pragma once
// Parallel loops of compiled code, on the pool that the process has: each thread goes through neighbouring iterations of its
// own, the same ones in the next call, so that what it left in its caches is found there, and then helps the others.
//
// The ends from which owners and helpers take are those of work stealing: Blumofe and Leiserson, "Scheduling Multithreaded
// Computations by Work Stealing", Journal of the ACM 46(5), 1999.

#include "context.h"
#include "threads.h"

#include "HalideRuntime.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace halogen::detail {

/// Neighbouring iterations that nobody has begun. Its own thread takes the first of them, the others the last.
class alignas(64) Share {
public:
    void set(std::uint32_t begin, std::uint32_t end) { ends_.store(pack(begin, end), std::memory_order_relaxed); }

    bool take_first(std::uint32_t& iteration) {
        return take([&](std::uint32_t& begin, std::uint32_t&) { iteration = begin++; });
    }
    bool take_last(std::uint32_t& iteration) {
        return take([&](std::uint32_t&, std::uint32_t& end) { iteration = --end; });
    }

private:
    static std::uint64_t pack(std::uint32_t begin, std::uint32_t end) { return std::uint64_t{end} << 32 | begin; }

    template<class Taker>
    bool take(const Taker& taker) {
        std::uint64_t ends = ends_.load(std::memory_order_relaxed), rest = 0;
        do {
            auto begin = static_cast<std::uint32_t>(ends), end = static_cast<std::uint32_t>(ends >> 32);
            if (begin == end) return false;
            taker(begin, end);
            rest = pack(begin, end);
        } while (!ends_.compare_exchange_weak(ends, rest, std::memory_order_relaxed));
        return true;
    }

    std::atomic<std::uint64_t> ends_{0};
};

/// A loop of `size` iterations from `min` that several threads share.
struct SharedLoop {
    static constexpr int most_shares = 64;

    halide_task_t task;
    std::uint8_t* closure;
    int min, shares;
    std::atomic<int> failed{0};
    Share share[most_shares];

    SharedLoop(halide_task_t task, std::uint8_t* closure, int min, int size, int threads)
        : task(task), closure(closure), min(min), shares(std::min(threads, most_shares)) {
        for (int i = 0; i < shares; i++) share[i].set(part(size, i), part(size, i + 1));
    }

    /// What one thread does of it.
    int run(void* user_context, int thread) {
        for (int i = 0; i < shares; i++) {
            Share& from = share[(thread + i) % shares];
            std::uint32_t at = 0;
            while (i == 0 ? from.take_first(at) : from.take_last(at)) {
                if (const int code = halide_do_task(user_context, task, min + static_cast<int>(at), closure))
                    failed.store(code, std::memory_order_relaxed);
                if (const int code = failed.load(std::memory_order_relaxed)) return code;
            }
        }
        return 0;
    }

private:
    std::uint32_t part(int size, int i) const {
        return static_cast<std::uint32_t>(static_cast<std::int64_t>(size) * i / shares);
    }
};

inline std::atomic<halide_do_par_for_t>& previous_loop() {
    static std::atomic<halide_do_par_for_t> loop{&halide_default_do_par_for};
    return loop;
}

/// A parallel loop of compiled code. The pool's workers, once made, help even when it is told to use one thread, so a call
/// that asked for one runs its loops by itself; so does one that has a single task. Loops of others are left to the pool.
inline int run_loop(void* user_context, halide_task_t task, int min, int size, std::uint8_t* closure) {
    const CallContext* context = our_context(user_context);
    if (size <= 1 || (context && context->serial)) {
        for (int i = min; i < min + size; i++) {
            if (const int code = halide_do_task(user_context, task, i, closure)) return code;
        }
        return 0;
    }
    const int threads = context ? std::min(size, current_threads().load(std::memory_order_relaxed)) : 0;
    if (threads < 2) return previous_loop().load()(user_context, task, min, size, closure);
    SharedLoop loop(task, closure, min, size, threads);
    const auto share = [](void* user_context, int thread, std::uint8_t* loop) {
        return reinterpret_cast<SharedLoop*>(loop)->run(user_context, thread);
    };
    return previous_loop().load()(user_context, share, 0, threads, reinterpret_cast<std::uint8_t*>(&loop));
}

/// Puts our loops in front of the present ones.
inline void install_loops_once() {
    static const bool installed = [] {
        previous_loop().store(halide_set_custom_do_par_for(&run_loop));
        return true;
    }();
    (void)installed;
}

}  // namespace halogen::detail
