// The HTTP server inside a bot that answers queries: a thread for each connection, so that a slow handler or a slow
// client blocks no other.
#pragma once

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "files.h"
#include "guard.h"
#include "http_text.h"
#include "json.h"
#include "output.h"
#include "socket.h"
#include "stop_signal.h"

namespace platform::query::server {

using Answer = std::function<std::pair<int, json>(const std::string&, const std::map<std::string, std::string>&)>;

constexpr std::uint16_t kDefaultPort = 9476;
constexpr int kMostConnections = 64;
constexpr std::chrono::seconds kSlow{10};
constexpr std::chrono::seconds kFarewell{1};

namespace detail {

inline const char* reason(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 503: return "Service Unavailable";
        default: return "Internal Server Error";
    }
}

inline std::string response_text(int status, const json& body) {
    const std::string text = platform::detail::dump(body);
    return "HTTP/1.1 " + std::to_string(status) + " " + reason(status) +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(text.size()) +
           "\r\nConnection: close\r\n\r\n" + text;
}

inline json failure(const std::string& message) { return {{"status", "error"}, {"error", message}}; }

// Reads one request and answers it. The whole of it, however it trickles in, has the time of one deadline.
inline void converse(Connection& connection, const Answer& answer) {
    const auto deadline = Clock::now() + kSlow;
    std::string response;
    try {
        const HttpRequest request = read_request([&](std::string& text) { connection.receive(text, deadline); }, check_asker);
        const auto [status, body] = answer(request.path, request.params);
        response = response_text(status, body);
    } catch (const Gone&) {
        return;
    } catch (const Refused& refused) {
        response = response_text(refused.status, failure(refused.what()));
    } catch (const BadRequest& bad) {
        response = response_text(400, failure(std::string("Bad request: ") + bad.what()));
    } catch (const std::exception& other) {
        response = response_text(500, failure(other.what()));
    }
    connection.send(response, Clock::now() + kSlow);
    connection.drain(Clock::now() + kFarewell);
}

// The port of the first variable that is set.
inline std::uint16_t port_from_environment() {
    for (const char* name : {"QUERY_PORT", "PLATFORM_QUERY_PORT"}) {
        const std::string text = platform::detail::env(name);
        if (text.empty()) continue;
        std::uint16_t port = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
        if (failure != std::errc() || end != text.data() + text.size()) {
            throw std::runtime_error(std::string(name) + " is \"" + text + "\": it must be a port from 0 to 65535");
        }
        return port;
    }
    return kDefaultPort;
}

// Answers a client on a thread of its own; closes the connection when no thread can be started.
inline void start_conversation(Connection connection, const Answer& answer, std::atomic<int>& open) {
    ++open;
    try {
        std::thread([&answer, &open, client = std::move(connection)]() mutable {
            converse(client, answer);
            --open;
        }).detach();
    } catch (const std::system_error&) {
        --open;
    }
}

}  // namespace detail

// Adds the members of a JSON object; values that are not strings become their JSON text.
inline void add_json_params(std::map<std::string, std::string>& params, const std::string& text) {
    detail::merge_json(params, text);
}

// Serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND). SIGTERM ends the process with exit
// code 0, whatever is still being answered.
[[noreturn]] inline void serve(const Answer& given) {
    // Threads outlive this function when it throws.
    static const Answer& answer = *new Answer(given);
    static std::atomic<int> open{0};
    const std::string bind = platform::detail::env("PLATFORM_QUERY_BIND");
    const detail::Listener listener(bind.empty() ? "127.0.0.1" : bind, detail::port_from_environment());
    const detail::Handle stop = detail::stop_signal();
    for (;;) {
        const detail::Handle client = listener.accept(stop);
        if (client == detail::kNone) platform::detail::end_process(0);
        detail::Connection connection(client);
        if (open < kMostConnections) {
            detail::start_conversation(std::move(connection), answer, open);
        } else {
            connection.send(detail::response_text(503, detail::failure("Too many queries at once")),
                            detail::Clock::now() + kFarewell);
        }
    }
}

}  // namespace platform::query::server
