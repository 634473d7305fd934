// Signals are blocked and read from a descriptor: no code runs inside a handler, where next to nothing is allowed.
#include "generators/run/interrupt.h"

#include <array>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace halogen {

Interrupt::Interrupt(std::function<bool()> clean) {
    sigemptyset(&watched_);
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction now{};
        sigaction(signal, nullptr, &now);
        if (now.sa_handler != SIG_IGN) sigaddset(&watched_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &watched_, &before_);
    end_ = eventfd(0, EFD_CLOEXEC);
    thread_ = std::thread([this, clean = std::move(clean)] { wait_for(clean); });
}

Interrupt::~Interrupt() {
    eventfd_write(end_, 1);
    thread_.join();
    close(end_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::wait_for(const std::function<bool()>& clean) {
    const int signals = signalfd(-1, &watched_, SFD_CLOEXEC);
    std::array<pollfd, 2> ready{pollfd{signals, POLLIN, 0}, pollfd{end_, POLLIN, 0}};
    while (poll(ready.data(), ready.size(), -1) < 0 || ready[1].revents == 0) {
        signalfd_siginfo info{};
        if (ready[0].revents == 0 || read(signals, &info, sizeof info) != sizeof info) continue;
        if (clean()) _exit(128 + static_cast<int>(info.ssi_signo));
    }
    close(signals);
}

}  // namespace halogen
