// Questions from outside. Handlers only read.
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "files.h"
#include "json.h"
#include "output.h"
#include "server.h"
#include "state.h"
#include "warm.h"

#ifndef _WIN32
extern char** environ;
#endif

namespace platform::query {

// What a handler gets: parameters are strings.
struct Request {
    // Such as "/status".
    std::string path;
    std::map<std::string, std::string> params;

    // A parameter as text, or `fallback` when it was not sent.
    std::string get(const std::string& name, const std::string& fallback = "") const {
        const auto found = params.find(name);
        return found == params.end() ? fallback : found->second;
    }

    // Whether a parameter was sent.
    bool has(const std::string& name) const { return params.count(name) > 0; }
};

using state::ReadOnlyStateError;
using request = Request;
using Handler = std::function<json(const Request&)>;

namespace detail {

struct Registry {
    std::mutex mutex;
    std::map<std::string, Handler> handlers;
};

// Never destroyed: threads may still answer while the process ends.
inline Registry& registry() {
    static Registry& all = *new Registry;
    return all;
}

// The request that this thread answers now; null outside of a handler.
inline const Request*& current() {
    thread_local const Request* request = nullptr;
    return request;
}

class RequestScope {
  public:
    explicit RequestScope(const Request& request) { current() = &request; }
    ~RequestScope() { current() = nullptr; }
    RequestScope(const RequestScope&) = delete;
    RequestScope& operator=(const RequestScope&) = delete;
};

inline Handler find(const std::string& path) {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    const auto found = registry().handlers.find(path);
    return found == registry().handlers.end() ? nullptr : found->second;
}

inline json paths() {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    json result = json::array();
    for (const auto& one : registry().handlers) result.push_back(one.first);
    return result;
}

inline std::pair<int, json> ok(const json& data) { return {200, {{"status", "ok"}, {"data", data}}}; }

// Runs the handler of a path and wraps its answer. Never throws.
inline std::pair<int, json> answer(const std::string& path, const std::map<std::string, std::string>& params) {
    try {
        if (const Handler handle = find(path)) {
            const state::detail::HandlerScope read_only;
            const Request request{path, params};
            const RequestScope answering(request);
            return ok(handle(request));
        }
        if (path == "/health") return ok({{"status", "healthy"}});
        if (path == "/info") return ok({{"available_queries", paths()}});
        return {404, {{"status", "error"}, {"error", "No handler for path: " + path}, {"available", paths()}}};
    } catch (const std::exception& failure) {
        return {500, {{"status", "error"}, {"error", failure.what()}}};
    } catch (...) {
        return {500, {{"status", "error"}, {"error", "the handler failed"}}};
    }
}

inline std::map<std::string, std::string> run_params() {
    const std::string prefix = "QUERY_PARAM_";
    std::map<std::string, std::string> params;
#ifdef _WIN32
    char** const all_entries = _environ;
#else
    char** const all_entries = environ;
#endif
    for (char** entry = all_entries; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto equals = text.find('=');
        if (equals == std::string::npos || text.compare(0, prefix.size(), prefix) != 0) continue;
        params[text.substr(prefix.size(), equals - prefix.size())] = text.substr(equals + 1);
    }
    const std::string all = platform::detail::env("QUERY_PARAMS");
    server::add_json_params(params, all.empty() ? "{}" : all);
    return params;
}

// For a question that cannot be read, e.g. because a text in it is not valid Unicode.
inline std::pair<int, json> unreadable() {
    return {400, {{"status", "error"}, {"error", "QUERY_PARAMS: the question is no JSON object"}}};
}

// Like answer(), with the parameters of the environment. Never throws.
inline std::pair<int, json> answer_run(const std::string& path) {
    std::map<std::string, std::string> params;
    try {
        params = run_params();
    } catch (const std::exception& failure) {
        return {400, {{"status", "error"}, {"error", std::string("QUERY_PARAMS: ") + failure.what()}}};
    }
    return answer(path, params);
}

}  // namespace detail

// Registers a function for a path such as "/status".
inline void handler(const std::string& path, Handler function) {
    if (path.empty() || path[0] != '/') throw std::invalid_argument("a query path begins with /");
    const std::lock_guard<std::mutex> lock(detail::registry().mutex);
    detail::registry().handlers[path] = std::move(function);
}

// The bot's configuration, an object. Throws like parse().
inline json get_config() { return parse().second; }

// The parameters of the query that this thread answers now, as texts by name; none outside of a handler.
inline std::map<std::string, std::string> get_params() {
    const Request* const request = detail::current();
    return request == nullptr ? std::map<std::string, std::string>{} : request->params;
}

// Whether this program was started to answer one query, and ends with it; false where it serves queries beside a bot.
inline bool is_query_mode() {
    return !platform::detail::env("QUERY_PATH").empty() || !platform::detail::env("QUERY_RESULT_FILE").empty();
}

// Answers the one query of a query run (an error ends the process with exit code 1), else serves queries until SIGTERM or
// SIGINT ends the process with exit code 0. A program that handles these signals itself keeps doing so.
inline void run() {
    std::string path = platform::detail::env("QUERY_PATH");
    const bool waits = path.empty() && warm::is_waiting();
    if (path.empty() && !waits) {
        server::serve(detail::answer);
        return;
    }
    const std::string file = platform::detail::env("QUERY_RESULT_FILE");
    if (file.empty()) throw std::runtime_error("QUERY_RESULT_FILE is not set");
    if (waits) path = warm::receive().value_or("");
    const auto [code, body] = path.empty() ? detail::unreadable() : detail::answer_run(path);
    platform::detail::replace_file(file, platform::detail::dump(body));
    if (waits) warm::report("done");
    if (code != 200) std::exit(1);
}

}  // namespace platform::query

namespace platform {

using QueryRequest = query::Request;

}  // namespace platform
