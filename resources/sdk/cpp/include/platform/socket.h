// Sockets of the query server, alike on POSIX systems and Windows.
#pragma once

#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace platform::query::server::detail {

#ifdef _WIN32
using Handle = SOCKET;
constexpr Handle kNone = INVALID_SOCKET;
inline void close_handle(Handle handle) { closesocket(handle); }
inline int poll_one(WSAPOLLFD& one, int ms) { return WSAPoll(&one, 1, ms); }
using PollEntry = WSAPOLLFD;
#else
using Handle = int;
constexpr Handle kNone = -1;
inline void close_handle(Handle handle) { ::close(handle); }
using PollEntry = pollfd;
inline int poll_one(PollEntry& one, int ms) { return ::poll(&one, 1, ms); }
#endif

using Deadline = std::chrono::steady_clock::time_point;

// The client went away, or took too long.
struct Gone : std::exception {};

class Connection {
  public:
    explicit Connection(Handle handle) : handle_(handle) {}
    Connection(Connection&& other) noexcept : handle_(std::exchange(other.handle_, kNone)) {}
    Connection& operator=(Connection&&) = delete;
    ~Connection() {
        if (handle_ != kNone) close_handle(handle_);
    }

    // Appends what has come; throws Gone.
    void receive(std::string& text, Deadline deadline) {
        wait(POLLIN, deadline);
        char buffer[8192];
        const auto size = ::recv(handle_, buffer, sizeof buffer, 0);
        if (size <= 0) throw Gone();
        text.append(buffer, static_cast<std::size_t>(size));
    }

    // Sends all of it, or gives up: there is nobody to tell.
    void send(const std::string& text, Deadline deadline) noexcept {
        try {
            std::size_t sent = 0;
            while (sent < text.size()) {
                wait(POLLOUT, deadline);
#ifdef MSG_NOSIGNAL
                constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
#else
                constexpr int kFlags = 0;
#endif
                const auto size = ::send(handle_, text.data() + sent, static_cast<int>(text.size() - sent), kFlags);
                if (size <= 0) return;
                sent += static_cast<std::size_t>(size);
            }
#ifdef _WIN32
            ::shutdown(handle_, SD_SEND);
#else
            ::shutdown(handle_, SHUT_WR);
#endif
        } catch (const Gone&) {
            return;
        }
    }

  private:
    void wait(short events, Deadline deadline) const {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        PollEntry entry{};
        entry.fd = handle_;
        entry.events = events;
        if (left <= 0 || poll_one(entry, static_cast<int>(left)) <= 0) throw Gone();
    }

    Handle handle_;
};

class Listener {
  public:
    Listener(const std::string& address, int port) {
#ifdef _WIN32
        WSADATA data;
        WSAStartup(MAKEWORD(2, 2), &data);
#else
        std::signal(SIGPIPE, SIG_IGN);
#endif
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(static_cast<std::uint16_t>(port));
        if (inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) {
            throw std::runtime_error(address + " is no IPv4 address");
        }
        handle_ = ::socket(AF_INET, SOCK_STREAM, 0);
        const int yes = 1;
        ::setsockopt(handle_, SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<const char*>(&yes), sizeof yes);
        if (handle_ == kNone || ::bind(handle_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
            ::listen(handle_, 64) != 0) {
            throw std::runtime_error("the query server cannot listen on port " + std::to_string(port) + ": " +
                                     std::strerror(errno));
        }
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { close_handle(handle_); }

    // The next client; connections that fail before they are taken are passed over.
    Connection accept() const {
        for (;;) {
            const Handle client = ::accept(handle_, nullptr, nullptr);
            if (client != kNone) return Connection(client);
        }
    }

  private:
    Handle handle_ = kNone;
};

}  // namespace platform::query::server::detail
