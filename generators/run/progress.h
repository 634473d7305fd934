#pragma once
// Saying what takes so long.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace halogen {

/// While it lives, tells on standard error what is being done, once two seconds have passed. On a terminal that is one line which
/// is written again as the work goes on and wiped at the end; elsewhere it is a line of its own every ten seconds.
/// Example: `Progress progress; progress.at("compiling matmul for avx2, 3 of 8");`
class Progress {
public:
    /// Says nothing at all when `quiet`.
    explicit Progress(bool quiet);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    /// What is being done from now on.
    void at(std::string what);

private:
    void run();

    const bool terminal_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string what_;  // "" when nothing is to be told
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace halogen
