#include "generators/run/child.h"

#include "frontend/base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace halogen {

namespace {

constexpr char done_mark = '+', failed_mark = '-';

void write_all(int file, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t wrote = write(file, text.data() + at, text.size() - at);
        if (wrote < 0 && errno != EINTR) return;
        if (wrote > 0) at += static_cast<std::size_t>(wrote);
    }
}

[[noreturn]] void run_child(const std::function<std::string()>& body, int out) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::string answer;
    try {
        answer = done_mark + body();
    } catch (const Failure& failure) {
        answer = failed_mark + failure.error().what;
    } catch (const std::exception& error) {
        answer = failed_mark + std::string(error.what());
    }
    write_all(out, answer);
    _exit(0);
}

/// All that comes until the other end closes or `seconds` have passed; false then.
bool read_all(int file, double seconds, std::string& text) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        pollfd wait{file, POLLIN, 0};
        if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
        char part[4096];
        const ssize_t got = read(file, part, sizeof(part));
        if (got == 0) return true;
        if (got > 0) text.append(part, static_cast<std::size_t>(got));
    }
}

[[noreturn]] void fail() {
    throw Failure({ErrorKind::io,
                   fmt::format("no process could be started: {}", std::strerror(errno)),
                   {},
                   {},
                   "free memory or processes and start again"});
}

}  // namespace

Answer in_child(const std::function<std::string()>& body, double seconds) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail();
    std::fflush(nullptr);  // so that nothing buffered is written twice
    const pid_t child = fork();
    if (child < 0) fail();
    if (child == 0) run_child(body, ends[1]);
    close(ends[1]);
    std::string text;
    const bool ended = read_all(ends[0], seconds, text);
    close(ends[0]);
    if (!ended) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended) return {false, fmt::format("it took more than {} s", seconds)};
    if (WIFSIGNALED(status)) return {false, fmt::format("it crashed: {}", strsignal(WTERMSIG(status)))};
    if (text.empty()) return {false, fmt::format("it ended with status {}", WEXITSTATUS(status))};
    return {text[0] == done_mark, text.substr(1)};
}

}  // namespace halogen
