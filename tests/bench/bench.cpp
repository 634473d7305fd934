// bench_kernels_LEG [--json] [WORD…]: each built-in kernel beside Eigen compiled for the same instruction set, one thread.
// Only kernels whose name or shape holds one of the words are run. Exit 1: a call failed or the answers differ.

#include "tests/bench/bench.h"

#include <halogen/leg.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace halogen::bench {
namespace {

double now_ns() {
    return static_cast<double>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

/// One side of a comparison: batches of about 5 ms, or of one call.
class Side {
public:
    explicit Side(std::function<void()> call) : call_(std::move(call)) {
        const double start = now_ns();
        long calls = 0;
        do {  // 30 ms of warming up also tell how long a call takes
            call_();
            calls++;
        } while (now_ns() - start < 30e6);
        per_batch_ = std::max(1L, std::lround(5e6 * static_cast<double>(calls) / (now_ns() - start)));
    }
    void run_batch() {
        const double start = now_ns();
        for (long i = 0; i < per_batch_; i++) call_();
        const double took = now_ns() - start;
        total_ += took;
        batches_++;
        least_ = std::min(least_, took / static_cast<double>(per_batch_));
    }
    bool done() const { return total_ > 0.3e9 && batches_ >= 5; }
    double least_ns() const { return least_; }

private:
    std::function<void()> call_;
    long per_batch_ = 1;
    int batches_ = 0;
    double total_ = 0, least_ = 1e300;
};

void print_line(const NamedCase& named, const Case& c, double ours, double theirs, bool json) {
    std::printf(
        json ? "{\"kernel\":\"%s\",\"shape\":\"%s\",\"leg\":\"%s\",\"halogen_min_ns\":%.1f,\"eigen_min_ns\":%.1f,"
               "\"speedup\":%.3f,\"gflops\":%.2f,\"gbytes_per_s\":%.2f}\n"
             : "%-18s %-26s %-7s %14.1f %14.1f %8.2f %10.2f %8.2f\n",
        named.kernel.c_str(), named.shape.c_str(), HALOGEN_BENCH_LEG, ours, theirs, theirs / ours, c.flops / ours,
        c.bytes / ours);
    std::fflush(stdout);
}

/// False when a call failed or the two answers differ by more than a rounding of sums explains.
bool compare(const NamedCase& named, bool json) {
    const Case c = named.make();
    if (const Status status = c.halogen(); !status) {
        std::fprintf(stderr, "%s %s: %s\n", named.kernel.c_str(), named.shape.c_str(),
                     std::string(status.message()).c_str());
        return false;
    }
    c.eigen();
    if (const double difference = c.difference(); !(difference < 1e-4)) {
        std::fprintf(stderr, "%s %s: the answers differ by %g of the largest\n", named.kernel.c_str(),
                     named.shape.c_str(), difference);
        return false;
    }
    Side ours([&] { (void)c.halogen(); }), theirs(c.eigen);
    while (!ours.done() || !theirs.done()) {  // in turns, so that a slow moment of the machine meets both
        ours.run_batch();
        theirs.run_batch();
    }
    print_line(named, c, ours.least_ns(), theirs.least_ns(), json);
    return true;
}

bool wanted(const NamedCase& named, const std::vector<std::string>& words) {
    const std::string name = named.kernel + " " + named.shape;
    return words.empty() ||
           std::any_of(words.begin(), words.end(), [&](auto& w) { return name.find(w) != std::string::npos; });
}

int run(const std::vector<std::string>& words, bool json) {
    if (const Status status = force_leg(HALOGEN_BENCH_LEG); !status) {
        std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
        return 1;
    }
    if (!json) {
        std::printf("%-18s %-26s %-7s %14s %14s %8s %10s %8s\n", "kernel", "shape", "leg", "halogen ns", "Eigen ns",
                    "speed-up", "GFLOP/s", "GB/s");
    }
    bool good = true;
    for (const auto& cases : {linear_cases(), window_cases(), image_cases(), row_cases()}) {
        for (const auto& named : cases) {
            if (wanted(named, words)) good = compare(named, json) && good;
        }
    }
    return good ? 0 : 1;
}

}  // namespace
}  // namespace halogen::bench

int main(int count, char** arguments) {
    setenv("HL_NUM_THREADS", "1", 1);
    bool json = false;
    std::vector<std::string> words;
    for (int i = 1; i < count; i++) {
        if (std::strcmp(arguments[i], "--json") == 0)
            json = true;
        else
            words.emplace_back(arguments[i]);
    }
    return halogen::bench::run(words, json);
}
