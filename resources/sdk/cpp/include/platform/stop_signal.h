// SIGTERM and SIGINT as something that can be waited for beside sockets.
#pragma once

#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "socket.h"

namespace platform::query::server::detail {

#ifdef _WIN32
// Windows ends the process without asking.
inline Handle stop_signal() { return kNone; }
#else
inline int (&stop_pipe())[2] {
    static int ends[2] = {-1, -1};
    return ends;
}

inline void wake_for_stop(int) {
    const int before = errno;
    const char wake = 1;
    const auto written = ::write(stop_pipe()[1], &wake, 1);
    static_cast<void>(written);
    errno = before;
}

// Can be read once the process is asked to stop. A signal that the program handles or ignores is left to it. Without a
// handler the first process of a container would not be stopped by SIGTERM at all.
inline Handle stop_signal() {
    auto& ends = stop_pipe();
    if (ends[0] >= 0) return ends[0];
    if (::pipe(ends) != 0) throw std::runtime_error("could not open a pipe");
    for (const int end : ends) prepare(end);
    for (const int number : {SIGTERM, SIGINT}) {
        struct sigaction current {};
        ::sigaction(number, nullptr, &current);
        if ((current.sa_flags & SA_SIGINFO) != 0 || current.sa_handler != SIG_DFL) continue;
        struct sigaction wanted {};
        wanted.sa_handler = wake_for_stop;
        wanted.sa_flags = SA_RESTART;
        ::sigaction(number, &wanted, nullptr);
    }
    return ends[0];
}
#endif

}  // namespace platform::query::server::detail
