#include "halves.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace halogen::demo {
namespace {

/// Waits until `value` differs from `old`. Looks for 50 us first: falling asleep and waking cost as much, and small jobs
/// follow one another at that pace.
void wait_for_change(const std::atomic<int>& value, int old) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    do {
        for (int i = 0; i < 64; i++) {
            if (value.load(std::memory_order_acquire) != old) return;
        }
    } while (std::chrono::steady_clock::now() < end);
    value.wait(old, std::memory_order_acquire);
}

/// A thread that runs one job at a time: one made anew for every call would cost Eigen 30 us each.
class Helper {
public:
    Helper() : thread_([this] { loop(); }) {}
    ~Helper() {
        job_ = nullptr;
        begin();
        thread_.join();
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    void start(const std::function<void()>& job) {
        job_ = &job;
        begin();
    }
    void finish() const { wait_for_change(done_, begun_.load(std::memory_order_relaxed) - 1); }

private:
    void begin() {
        begun_.fetch_add(1, std::memory_order_release);
        begun_.notify_one();
    }
    void loop() {
        for (int round = 0;; round++) {
            wait_for_change(begun_, round);
            if (!job_) return;
            (*job_)();
            done_.store(round + 1, std::memory_order_release);
            done_.notify_one();
        }
    }

    const std::function<void()>* job_ = nullptr;
    std::atomic<int> begun_{0}, done_{0};
    std::thread thread_;  // last: it uses what stands above
};

}  // namespace

void run_rows(const RowJob& job, std::int64_t rows, int threads) {
    if (threads < 2) {
        job(0, rows, 0);
        return;
    }
    static Helper helper;
    const std::int64_t middle = rows / 2;
    const std::function<void()> second = [&] { job(middle, rows, 1); };
    helper.start(second);
    job(0, middle, 0);
    helper.finish();
}

}  // namespace halogen::demo
