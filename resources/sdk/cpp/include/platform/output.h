// What a bot says: metrics, log lines and the result of its run.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "files.h"
#include "json.h"

namespace platform {
namespace detail {

// A whole line at once, whatever other threads print.
inline void write_line(std::FILE* stream, const std::string& text) {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string line = text + "\n";
    std::fflush(stream);
#ifdef _WIN32
    std::fwrite(line.data(), 1, line.size(), stream);
    std::fflush(stream);
#else
    write_all(stream == stdout ? STDOUT_FILENO : STDERR_FILENO, line.data(), line.size(), "output");
#endif
}

// Not exit(): other threads may still use what exit() would take down, and one that waits for input holds its stream.
[[noreturn]] inline void end_process(int code) {
    std::fflush(stdout);
    std::fflush(stderr);
    std::_Exit(code);
}

inline void write_result(const json& value) {
    const std::string result_file = env("RESULT_FILE");
    const std::string code = env("CODE_MOUNT_DIR");
    replace_file(result_file.empty() ? (code.empty() ? "." : code) + "/result.json" : result_file, dump(value));
}

}  // namespace detail

// The bot's id and configuration. Throws std::runtime_error when the environment has none.
inline std::pair<std::string, json> parse() {
    const std::string bot_id = detail::env("BOT_ID");
    if (bot_id.empty()) {
        throw std::runtime_error("BOT_ID is not set: start the bot with the platform, or with `platform dev`");
    }
    const std::string config = detail::env("BOT_CONFIG");
    if (config.empty()) {
        throw std::runtime_error("BOT_CONFIG is not set: start the bot with the platform, or with `platform dev`");
    }
    json parsed;
    try {
        parsed = json::parse(config);
    } catch (const json::parse_error& failure) {
        throw std::runtime_error(std::string("BOT_CONFIG is not JSON: ") + failure.what());
    }
    if (!parsed.is_object()) throw std::runtime_error("BOT_CONFIG is no JSON object");
    return {bot_id, std::move(parsed)};
}

// Emits a metric: `data` is shown and charted under its type.
inline void metric(const std::string& type, const json& data = json::object()) {
    if (type.empty()) throw std::invalid_argument("the type of a metric must be a text");
    json line = json::object();
    line["_metric"] = type;
    json timestamp = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    for (const auto& [key, value] : data.items()) {
        if (key == "timestamp") {
            if (!value.is_null()) timestamp = value;
        } else if (key != "_metric") {
            line[key] = value;
        }
    }
    line["timestamp"] = timestamp;
    detail::write_line(stdout, detail::dump(line));
}

// Writes a log line. `level` is debug, warn or error; without it the line is info.
inline void log(const std::string& message, const std::string& level = "") {
    const char* word = level == "debug" ? "DEBUG " : level == "warn" ? "WARN " : level == "error" ? "ERROR " : "";
    detail::write_line(stderr, word + message);
}

// Reports that a scheduled run went well.
inline void success(const std::string& message) {
    detail::write_result({{"status", "success"}, {"message", message}});
}

// Reports a failure and ends the process with exit code 1.
[[noreturn]] inline void error(const std::string& message) {
    try {
        log(message, "error");
        detail::write_result({{"status", "error"}, {"message", message}});
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "ERROR the result was not written: %s\n", failure.what());
    }
    detail::end_process(1);
}

// Gives out a result of the bot's own.
inline void result(const json& data) { detail::write_result(data); }

}  // namespace platform
