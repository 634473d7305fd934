#pragma once
// What is done when the user interrupts the program.

#include <csignal>
#include <functional>
#include <thread>

namespace halogen {

/// While it lives, SIGINT and SIGTERM call `clean` on a thread of their own; when that gives true, the program ends with 128 plus
/// the signal's number (130 for Ctrl-C), else it goes on. A signal that was ignored before stays so. Make one before any other
/// thread is started, so that all threads leave the signals to it. Example: `Interrupt stop([&] { return staging.discard(); });`
class Interrupt {
public:
    explicit Interrupt(std::function<bool()> clean);
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

private:
    void wait_for(const std::function<bool()>& clean);

    sigset_t watched_{}, before_{};
    int end_ = -1;  // written to when no signal is waited for any more
    std::thread thread_;
};

}  // namespace halogen
