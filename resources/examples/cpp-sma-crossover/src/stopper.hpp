// Ends a loop promptly on SIGTERM or SIGINT: a pipe wakes the sleeper.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>

class Stopper {
   public:
    Stopper() {
        if (pipe(ends_) != 0) throw std::runtime_error("could not open a pipe");
        for (const int end : ends_) fcntl(end, F_SETFD, FD_CLOEXEC);
        struct sigaction action {};
        action.sa_handler = [](int) {
            const int before = errno;
            stopping_ = 1;
            const char wake = 1;
            if (write(ends_[1], &wake, 1) < 0) stopping_ = 1;
            errno = before;
        };
        sigaction(SIGTERM, &action, nullptr);
        sigaction(SIGINT, &action, nullptr);
    }

    bool stopping() const { return stopping_ != 0; }

    // Sleeps for that long, or until a signal asks to stop.
    void sleep(std::chrono::milliseconds pause) const {
        using clock = std::chrono::steady_clock;
        const auto end = clock::now() + pause;
        while (!stopping()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
            if (left.count() <= 0) return;
            pollfd reader{ends_[0], POLLIN, 0};
            poll(&reader, 1, static_cast<int>(left.count()));
        }
    }

   private:
    static inline volatile std::sig_atomic_t stopping_ = 0;
    static inline int ends_[2] = {-1, -1};
};
