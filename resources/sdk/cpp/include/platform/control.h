// The control channel: its host tells a bot that it is stopped, and why, before SIGTERM.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "files.h"
#include "json.h"
#include "output.h"
#include "sha256.h"

namespace platform {

using StopHandler = std::function<void(const std::string& reason)>;

namespace detail::control {

constexpr std::size_t kHookBytes = 4096;
constexpr std::size_t kErrorBytes = 500;
constexpr std::chrono::milliseconds kPoll{100};

// Before main() starts, and taken out of the environment: programs that the bot starts are not told of its stop.
inline const std::string folder = take_env("CONTROL_DIR");
inline const std::string digest = take_env("CONTROL_TOKEN_SHA256");

struct Channel {
    std::mutex mutex;
    std::condition_variable ended;
    std::map<std::string, StopHandler> handlers;
    bool watching = false;
    bool running = false;
    std::thread::id runner;
};

// Never destroyed: the thread that watches may still look while the process ends.
inline Channel& channel() {
    static Channel& one = *new Channel;
    return one;
}

// Writes in place, into space that the host has reserved: this works on a full disk. The caller holds the mutex.
inline void tell(const json& end) {
    json reasons = json::array();
    for (const auto& one : channel().handlers) reasons.push_back(one.first);
    std::string line = dump({{"reasons", reasons}, {"ended", end}});
    line.resize(kHookBytes, ' ');
    const std::string path = folder + "/hook";
    std::FILE* const file = std::fopen(path.c_str(), "r+b");
    if (file == nullptr) fail("cannot open", path);
    const bool written = std::fwrite(line.data(), 1, line.size(), file) == line.size();
    if (std::fclose(file) != 0 || !written) throw std::runtime_error("cannot write " + path);
}

// The reason of the stop that the host asks for; nothing while there is none, or another program has written it.
inline std::optional<std::string> asked() {
    try {
        const json stop = json::parse(read_plain(folder + "/stop").value_or(""));
        if (sha256(stop.at("token").get<std::string>()) != digest) return std::nullopt;
        return stop.at("reason").get<std::string>();
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

inline json call(const StopHandler& handler, const std::string& reason) {
    std::string error;
    try {
        if (handler) handler(reason);
        return {{"error", nullptr}};
    } catch (const std::exception& failure) {
        error = failure.what();
    } catch (...) {
        error = "the handler failed";
    }
    log("The stop hook failed: " + error, LogLevel::Error);
    return {{"error", error.substr(0, kErrorBytes)}};
}

inline void watch() {
    std::optional<std::string> reason = asked();
    for (; !reason; reason = asked()) std::this_thread::sleep_for(kPoll);
    auto& one = channel();
    StopHandler handler;
    {
        const std::lock_guard<std::mutex> lock(one.mutex);
        one.running = true;
        one.runner = std::this_thread::get_id();
        const auto found = one.handlers.find(*reason);
        const auto other = found == one.handlers.end() ? one.handlers.find("any") : found;
        if (other != one.handlers.end()) handler = other->second;
    }
    const json end = call(handler, *reason);
    const std::lock_guard<std::mutex> lock(one.mutex);
    try {
        tell(end);
    } catch (const std::exception& failure) {
        log(std::string("The end of the stop hook could not be told: ") + failure.what(), LogLevel::Error);
    }
    one.running = false;
    one.ended.notify_all();
}

// A bot that ends meanwhile waits for its hook.
inline void wait_for_hook() {
    auto& one = channel();
    std::unique_lock<std::mutex> lock(one.mutex);
    if (one.runner != std::this_thread::get_id()) one.ended.wait(lock, [&one] { return !one.running; });
}

}  // namespace detail::control

// Registers a function that runs before the host ends this bot. `reason` is requested, guard, panic, update, shutdown, or any for
// those without a handler of their own. The handler is called once, with the reason, in a thread of its own, while the rest of the
// bot goes on. It may write state and has 10 seconds, then SIGTERM follows. No query and no other program can call it. In a query
// program, in a program that the bot has started, and without a host it is never called. Throws std::invalid_argument for another
// reason.
inline void on_stop(const std::string& reason, StopHandler handler) {
    static const std::string known = " requested guard panic update shutdown any ";
    if (reason.empty() || reason.find(' ') != std::string::npos || known.find(' ' + reason + ' ') == std::string::npos) {
        throw std::invalid_argument('"' + reason + "\" is no reason to stop: use requested, guard, panic, update, shutdown or any");
    }
    auto& one = detail::control::channel();
    const std::lock_guard<std::mutex> lock(one.mutex);
    one.handlers[reason] = std::move(handler);
    if (detail::control::folder.empty()) return;
    detail::control::tell(nullptr);
    if (one.watching) return;
    one.watching = true;
    std::atexit(detail::control::wait_for_hook);
    std::thread(detail::control::watch).detach();
}

}  // namespace platform
