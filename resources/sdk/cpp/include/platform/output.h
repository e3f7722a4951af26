// What a bot says: metrics, log lines and the result of its run.
#pragma once

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "files.h"
#include "json.h"

namespace platform {

// The level of a log line.
enum class LogLevel { Info, Warn, Error, Debug };

namespace detail {

// Writes a whole line at once, whatever other threads print.
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

// Not exit(): other threads may still use what exit() would destroy, and one that waits for input holds its stream.
[[noreturn]] inline void end_process(int code) {
    std::fflush(stdout);
    std::fflush(stderr);
    std::_Exit(code);
}

// `kind` (debug, info, warn, warning, error, critical, fatal, in any case) as debug, info, warn or error.
inline std::string level_word(std::string_view kind) {
    std::string word(kind);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (word == "debug" || word == "error") return word;
    if (word == "warn" || word == "warning") return "warn";
    return word == "critical" || word == "fatal" ? "error" : "info";
}

inline std::string level_word(LogLevel level) {
    switch (level) {
        case LogLevel::Debug: return "debug";
        case LogLevel::Warn: return "warn";
        case LogLevel::Error: return "error";
        default: return "info";
    }
}

inline void log_text(const std::string& message, const std::string& word) {
    const std::string lead = word == "debug" ? "DEBUG " : word == "warn" ? "WARN " : word == "error" ? "ERROR " : "";
    write_line(stderr, lead + message);
}

inline void log_fields(const std::string& message, const json& data, const std::string& word) {
    if (data.is_null()) return log_text(message, word);
    json line = {{"level", word}, {"message", message}};
    if (!data.is_object()) {
        line["data"] = data;
    } else {
        for (const auto& [key, value] : data.items()) {
            if (key != "level" && key != "message" && key != "_metric") line[key] = value;
        }
    }
    write_line(stderr, dump(line));
}

inline json outcome(const char* status, const std::string& message, const json& data) {
    json report = {{"status", status}, {"message", message}};
    if (!data.is_null()) report["data"] = data;
    return report;
}

// Leaves only levels to the overload with a level: a list in braces and JSON are data.
template <typename Level>
using if_level = std::enable_if_t<std::is_same_v<Level, LogLevel> || std::is_convertible_v<const Level&, std::string_view>>;

}  // namespace detail

// Milliseconds since 1970, as metrics have them.
inline std::int64_t current_timestamp() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// Waits for a time, e.g. platform::sleep(std::chrono::seconds(2)). A number has no unit, so it is not taken.
template <typename Rep, typename Period>
void sleep(const std::chrono::duration<Rep, Period>& time) {
    std::this_thread::sleep_for(time);
}

// Where results are written: RESULT_FILE, else result.json in the folder of the code.
inline std::string result_file_path() {
    const std::string result_file = detail::env("RESULT_FILE");
    const std::string code = detail::env("CODE_MOUNT_DIR");
    return result_file.empty() ? (code.empty() ? "." : code) + "/result.json" : result_file;
}

// Writes the JSON text of a result. Throws std::system_error when that fails. result() takes a value instead.
inline void write_result(const std::string& text) { detail::replace_file(result_file_path(), text); }

// BOT_ID and the text of BOT_CONFIG. Throws std::runtime_error when one is not set.
inline std::pair<std::string, std::string> parse_raw() {
    const std::string bot_id = detail::env("BOT_ID");
    if (bot_id.empty()) {
        throw std::runtime_error("BOT_ID is not set: start the bot with the platform, or with `platform dev`");
    }
    const std::string config = detail::env("BOT_CONFIG");
    if (config.empty()) {
        throw std::runtime_error("BOT_CONFIG is not set: start the bot with the platform, or with `platform dev`");
    }
    return {bot_id, config};
}

// The bot's id and configuration (the effective one, with defaults filled in; always an object):
// `const auto [bot_id, config] = platform::parse();`. Throws std::runtime_error when the environment has none, so that a bot
// never goes on without the settings that its owner gave.
inline std::pair<std::string, json> parse() {
    auto [bot_id, config] = parse_raw();
    json parsed;
    try {
        parsed = json::parse(config);
    } catch (const json::parse_error& failure) {
        throw std::runtime_error(std::string("BOT_CONFIG is not JSON: ") + failure.what());
    }
    if (!parsed.is_object()) throw std::runtime_error("BOT_CONFIG is no JSON object");
    return {std::move(bot_id), std::move(parsed)};
}

// Emits a metric: a line of JSON on stdout with `_metric`, the data and `timestamp`. `data` is shown and charted under its
// type; a `timestamp` in it (ms since 1970, or RFC 3339) is the time of the metric, else it is now. Throws
// std::invalid_argument when the type is empty.
inline void metric(const std::string& type, const json& data = json::object()) {
    if (type.empty()) throw std::invalid_argument("the type of a metric must be a text");
    json line = json::object();
    line["_metric"] = type;
    json timestamp = current_timestamp();
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

// Writes a log line of text to stderr, as info.
inline void log(const std::string& message) { detail::log_text(message, "info"); }

// Writes a log line of text with a level: a LogLevel, or debug, info, warn (warning) or error (critical, fatal) in any case;
// any other is info.
template <typename Level, typename = detail::if_level<Level>>
void log(const std::string& message, const Level& level) {
    detail::log_text(message, detail::level_word(level));
}

// Writes a log line as a JSON object whose keys are shown as fields of the line. `level`, `message` and `_metric` in data are
// left out, a `timestamp` is the time of the line, data that is not an object stands under `data`, and null is no data.
inline void log(const std::string& message, const json& data) { detail::log_fields(message, data, "info"); }

// The same with a level.
template <typename Level, typename = detail::if_level<Level>>
void log(const std::string& message, const json& data, const Level& level) {
    detail::log_fields(message, data, detail::level_word(level));
}

// Writes a result of the bot's own. Throws std::system_error when the file cannot be written.
inline void result(const json& data) { write_result(detail::dump(data)); }

// A result with status and message in front, and the keys of `data` beside them; those two in data are left out.
inline void result(const std::string& status, const std::string& message, const json& data = json::object()) {
    json report = {{"status", status}, {"message", message}};
    for (const auto& [key, value] : data.items()) {
        if (key != "status" && key != "message") report[key] = value;
    }
    result(report);
}

// Reports that a scheduled run went well: the result becomes {"status": "success", "message"}, with `data` if it is given.
// The last report of a run wins.
inline void success(const std::string& message, const json& data = nullptr) {
    result(detail::outcome("success", message, data));
}

// Reports a failure, with `data` if it is given, logs the message as an error and ends the process with exit code 1.
[[noreturn]] inline void error(const std::string& message, const json& data = nullptr) {
    try {
        log(message, data, LogLevel::Error);
        result(detail::outcome("error", message, data));
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "ERROR the result was not written: %s\n", failure.what());
    }
    detail::end_process(1);
}

}  // namespace platform
