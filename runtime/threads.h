#pragma once
// How many threads kernels use. Halide's pool is one for the whole process, and so is this number.

#include "context.h"

#include "HalideRuntime.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace halogen {
namespace detail {

/// The processors the control group's quota is worth, rounded up; 0 without one. `quota` and `period` in microseconds.
inline int processors_of_quota(long long quota, long long period) {
    if (quota <= 0 || period <= 0) return 0;
    return static_cast<int>((quota + period - 1) / period);
}

/// Reads the quota of a control group: version 2 (`cpu.max`), else version 1 (`cpu.cfs_quota_us`). 0 without one.
inline int quota_of(const std::string& root) {
    if (std::ifstream file(root + "/cpu.max"); file) {
        std::string quota;
        long long period = 0;
        if (!(file >> quota >> period) || quota == "max") return 0;
        return processors_of_quota(std::strtoll(quota.c_str(), nullptr, 10), period);
    }
    std::ifstream quota_file(root + "/cpu/cpu.cfs_quota_us"), period_file(root + "/cpu/cpu.cfs_period_us");
    long long quota = 0, period = 0;
    if (!(quota_file >> quota) || !(period_file >> period)) return 0;
    return processors_of_quota(quota, period);
}

/// The processors this process may run on (its affinity), no more than its control group pays for, at least 1.
/// The environment variable HL_NUM_THREADS, which Halide knows too, goes before.
inline int count_default_threads() {
    if (const char* wanted = std::getenv("HL_NUM_THREADS")) {
        const int n = std::atoi(wanted);
        if (n > 0) return n;
    }
    int count = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
    const int quota = quota_of("/sys/fs/cgroup");
    if (quota > 0 && quota < count) count = quota;
    return count > 0 ? count : 1;
}

/// The number last given to Halide's pool; 0 before the first call.
inline std::atomic<int>& current_threads() {
    static std::atomic<int> count{0};
    return count;
}

/// Gives the pool its size if it has another; a call on one thread leaves it alone (see `run_loop`). Calls from several
/// threads that ask for different numbers are each computed rightly; the pool then has the size that was set last.
inline void use_threads(int wanted) {
    if (wanted == 1 || current_threads().load(std::memory_order_relaxed) == wanted) return;
    current_threads().store(wanted, std::memory_order_relaxed);
    halide_set_num_threads(wanted);
}

inline std::atomic<halide_do_par_for_t>& previous_loop() {
    static std::atomic<halide_do_par_for_t> loop{&halide_default_do_par_for};
    return loop;
}

/// A parallel loop of compiled code. The pool's workers, once made, help even when it is told to use one thread, so a call
/// that asked for one runs its loops by itself; so does one that has a single task.
inline int run_loop(void* user_context, halide_task_t task, int min, int size, std::uint8_t* closure) {
    const CallContext* context = our_context(user_context);
    if (size > 1 && (!context || !context->serial))
        return previous_loop().load()(user_context, task, min, size, closure);
    for (int i = min; i < min + size; i++) {
        if (const int code = halide_do_task(user_context, task, i, closure)) return code;
    }
    return 0;
}

/// Puts our loops in front of the present ones.
inline void install_loops_once() {
    static const bool installed = [] {
        previous_loop().store(halide_set_custom_do_par_for(&run_loop));
        return true;
    }();
    (void)installed;
}

}  // namespace detail

/// The number of threads a kernel uses when its options do not say: found once.
inline int default_threads() {
    static const int count = detail::count_default_threads();
    return count;
}

}  // namespace halogen
