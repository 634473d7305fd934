#include "generators/run/progress.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include <unistd.h>

namespace halogen {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 2s;             // before the first line
constexpr auto between_lines = 10s;       // in a file
constexpr auto between_changes = 200ms;   // on a terminal
constexpr const char* wipe = "\r\033[K";  // back to the start of the line, and clear it

}  // namespace

Progress::Progress(bool quiet) : terminal_(isatty(STDERR_FILENO) == 1) {
    if (!quiet) thread_ = std::thread([this] { run(); });
}

Progress::~Progress() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Progress::at(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
}

void Progress::run() {
    std::unique_lock lock(mutex_);
    std::string told;
    for (auto wait = std::chrono::milliseconds(patience); !changed_.wait_for(lock, wait, [&] { return ended_; });
         wait = terminal_ ? between_changes : std::chrono::milliseconds(between_lines)) {
        if (what_.empty() || (terminal_ && what_ == told)) continue;
        told = what_;
        fmt::print(stderr, "{}halogen: {}{}", terminal_ ? wipe : "", told, terminal_ ? "" : "\n");
        std::fflush(stderr);
    }
    if (terminal_ && !told.empty()) fmt::print(stderr, "{}", wipe);
}

}  // namespace halogen
