// Sockets of the query server, alike on POSIX systems and Windows.
#pragma once

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace platform::query::server::detail {

#ifdef _WIN32
using Handle = SOCKET;
using PollEntry = WSAPOLLFD;
constexpr Handle kNone = INVALID_SOCKET;
inline void close_handle(Handle handle) { closesocket(handle); }
inline int poll_all(PollEntry* entries, unsigned count, int ms) { return WSAPoll(entries, count, ms); }
inline int last_error() { return WSAGetLastError(); }
inline bool is_for_later(int code) { return code == WSAEWOULDBLOCK || code == WSAEINTR; }
inline bool is_exhausted(int code) { return code == WSAEMFILE || code == WSAENOBUFS; }
inline bool is_broken(int code) { return code == WSAENOTSOCK || code == WSAEINVAL; }
inline void prepare(Handle handle) {
    u_long yes = 1;
    ioctlsocket(handle, FIONBIO, &yes);
}
constexpr int kSendOnly = SD_SEND;
#else
using Handle = int;
using PollEntry = pollfd;
constexpr Handle kNone = -1;
inline void close_handle(Handle handle) { ::close(handle); }
inline int poll_all(PollEntry* entries, unsigned count, int ms) { return ::poll(entries, count, ms); }
inline int last_error() { return errno; }
inline bool is_for_later(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }
inline bool is_exhausted(int code) {
    return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}
inline bool is_broken(int code) { return code == EBADF || code == EINVAL || code == ENOTSOCK; }
// Never waits inside a call, and stays with this process: a program that a handler starts must not keep the port.
inline void prepare(Handle handle) {
    ::fcntl(handle, F_SETFL, ::fcntl(handle, F_GETFL) | O_NONBLOCK);
    ::fcntl(handle, F_SETFD, FD_CLOEXEC);
}
constexpr int kSendOnly = SHUT_WR;
#endif

#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;
#endif

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// The client went away, or took too long.
struct Gone : std::exception {};

class Connection {
  public:
    explicit Connection(Handle handle) : handle_(handle) { prepare(handle); }
    Connection(Connection&& other) noexcept : handle_(std::exchange(other.handle_, kNone)) {}
    Connection& operator=(Connection&&) = delete;
    ~Connection() {
        if (handle_ != kNone) close_handle(handle_);
    }

    // Appends the received bytes; throws Gone.
    void receive(std::string& text, Deadline deadline) {
        char buffer[8192];
        for (;;) {
            wait(POLLIN, deadline);
            const auto size = ::recv(handle_, buffer, sizeof buffer, 0);
            if (size < 0 && is_for_later(last_error())) continue;
            if (size <= 0) throw Gone();
            text.append(buffer, static_cast<std::size_t>(size));
            return;
        }
    }

    // Sends all of it, or gives up silently: the client has gone.
    void send(const std::string& text, Deadline deadline) noexcept {
        try {
            for (std::size_t sent = 0; sent < text.size();) {
                wait(POLLOUT, deadline);
                const std::size_t part = std::min<std::size_t>(text.size() - sent, 1 << 20);
                const auto size = ::send(handle_, text.data() + sent, static_cast<int>(part), kSendFlags);
                if (size < 0 && is_for_later(last_error())) continue;
                if (size <= 0) return;
                sent += static_cast<std::size_t>(size);
            }
            ::shutdown(handle_, kSendOnly);
        } catch (const Gone&) {
            return;
        }
    }

    // Takes what a client still sends after its answer: closing on unread bytes would destroy the answer on its way.
    void drain(Deadline deadline) noexcept {
        constexpr std::size_t kMost = 16 << 20;
        try {
            std::string rest;
            for (std::size_t taken = 0; taken < kMost; taken += rest.size()) {
                rest.clear();
                receive(rest, deadline);
            }
        } catch (const std::exception&) {
            return;
        }
    }

  private:
    void wait(short events, Deadline deadline) const {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
            PollEntry entry{};
            entry.fd = handle_;
            entry.events = events;
            if (left <= 0) throw Gone();
            const int ready = poll_all(&entry, 1, static_cast<int>(left));
            if (ready > 0) return;
            if (ready == 0 || !is_for_later(last_error())) throw Gone();
        }
    }

    Handle handle_;
};

class Listener {
  public:
    Listener(const std::string& address, std::uint16_t port) {
#ifdef _WIN32
        WSADATA data;
        WSAStartup(MAKEWORD(2, 2), &data);
#else
        std::signal(SIGPIPE, SIG_IGN);
#endif
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(port);
        if (inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) {
            throw std::runtime_error("PLATFORM_QUERY_BIND: " + address + " is no IPv4 address");
        }
        handle_ = ::socket(AF_INET, SOCK_STREAM, 0);
        bool listening = handle_ != kNone;
        if (listening) {
            prepare(handle_);
#ifndef _WIN32
            // On Windows this would let a second program take the same port.
            const int yes = 1;
            ::setsockopt(handle_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
#endif
            listening = ::bind(handle_, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 &&
                        ::listen(handle_, SOMAXCONN) == 0;
        }
        if (listening) return;
        const int code = last_error();
        if (handle_ != kNone) close_handle(handle_);
        throw std::system_error(code, std::system_category(),
                                "the query server cannot listen on " + address + ":" + std::to_string(port));
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { close_handle(handle_); }

    // The next client, or kNone once `stop` can be read. Connections that fail before they are taken are skipped.
    Handle accept(Handle stop) const {
        for (;;) {
            PollEntry entries[2] = {};
            entries[0].fd = handle_;
            entries[0].events = POLLIN;
            entries[1].fd = stop;
            entries[1].events = POLLIN;
            poll_all(entries, stop == kNone ? 1 : 2, -1);
            if (entries[1].revents != 0) return kNone;
            const Handle client = ::accept(handle_, nullptr, nullptr);
            if (client != kNone) return client;
            const int code = last_error();
            if (is_broken(code)) throw std::system_error(code, std::system_category(), "the query server stopped");
            if (is_exhausted(code)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }

  private:
    Handle handle_ = kNone;
};

}  // namespace platform::query::server::detail
