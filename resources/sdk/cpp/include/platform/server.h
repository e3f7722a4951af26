// The HTTP server inside a bot that answers queries: a thread for each connection, so that a slow handler or a slow
// client holds up nobody else.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "files.h"
#include "http_text.h"
#include "json.h"
#include "socket.h"

namespace platform::query::server {

using Answer = std::function<std::pair<int, json>(const std::string&, const std::map<std::string, std::string>&)>;

constexpr int kDefaultPort = 9476;
constexpr int kMostConnections = 64;
constexpr std::chrono::seconds kSlow{10};

namespace detail {

inline const char* reason(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
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
    const auto deadline = std::chrono::steady_clock::now() + kSlow;
    std::string response;
    try {
        const HttpRequest request = read_request([&](std::string& text) { return connection.receive(text, deadline); });
        const auto [status, body] = answer(request.path, request.params);
        response = response_text(status, body);
    } catch (const Gone&) {
        return;
    } catch (const BadRequest& bad) {
        response = response_text(400, failure(std::string("Bad request: ") + bad.what()));
    } catch (const std::exception& other) {
        response = response_text(500, failure(other.what()));
    }
    connection.send(response, std::chrono::steady_clock::now() + kSlow);
}

}  // namespace detail

// Adds the members of a JSON object; values that are not strings become their JSON text.
inline void add_json_params(std::map<std::string, std::string>& params, const std::string& text) {
    detail::merge_json(params, text);
}

// Serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND) until SIGTERM.
inline void serve(const Answer& answer) {
    std::string port = platform::detail::env("QUERY_PORT");
    if (port.empty()) port = platform::detail::env("PLATFORM_QUERY_PORT");
    const std::string bind = platform::detail::env("PLATFORM_QUERY_BIND");
    detail::Listener listener(bind.empty() ? "127.0.0.1" : bind, port.empty() ? kDefaultPort : std::stoi(port));
    static std::atomic<int> open{0};
    for (;;) {
        auto connection = listener.accept();
        if (open >= kMostConnections) {
            connection.send(detail::response_text(503, detail::failure("Too many queries at once")),
                            std::chrono::steady_clock::now() + std::chrono::seconds(1));
            continue;
        }
        ++open;
        std::thread([&answer, client = std::move(connection)]() mutable {
            detail::converse(client, answer);
            --open;
        }).detach();
    }
}

}  // namespace platform::query::server
