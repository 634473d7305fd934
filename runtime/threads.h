#pragma once
// How many threads kernels use. Halide's pool is one for the whole process, and so is this number.

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

/// Gives the pool its size if it has another; a call on one thread leaves it alone (loops.h). Calls from several
/// threads that ask for different numbers are each computed rightly; the pool then has the size that was set last.
inline void use_threads(int wanted) {
    if (wanted == 1 || current_threads().load(std::memory_order_relaxed) == wanted) return;
    current_threads().store(wanted, std::memory_order_relaxed);
    halide_set_num_threads(wanted);
}

}  // namespace detail

/// The number of threads a kernel uses when its options do not say: found once.
inline int default_threads() {
    static const int count = detail::count_default_threads();
    return count;
}

}  // namespace halogen
