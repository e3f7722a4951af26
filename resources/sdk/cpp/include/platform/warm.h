// A query run that is started before its question is known, and waits for it.
#pragma once

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "files.h"
#include "json.h"
#include "output.h"

namespace platform::query::warm {
namespace detail {

using platform::detail::env;

// True if QUERY_PARAM_ followed by this text can name an environment variable.
inline bool is_name(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return !text.empty();
}

#ifndef _WIN32
inline void set_env(const std::string& name, const std::string& value) {
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) platform::detail::fail("cannot set", name);
}

// The first line of standard input; nothing when it ends before. Not a byte more is taken.
inline std::optional<std::string> first_line() {
    std::string line;
    for (;;) {
        char byte = 0;
        const ssize_t size = ::read(STDIN_FILENO, &byte, 1);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) platform::detail::fail("cannot read", "standard input");
        if (size == 0) return std::nullopt;
        if (byte == '\n') return line;
        line += byte;
    }
}
#endif

}  // namespace detail

// Whether this program was started to wait: PLATFORM_QUERY_WARM is the file descriptor to which it reports.
inline bool is_waiting() { return !detail::env("PLATFORM_QUERY_WARM").empty(); }

#ifdef _WIN32
// Windows starts no program before its question is known.
inline void report(const std::string&) {}
inline std::optional<std::string> receive() { throw std::runtime_error("queries cannot be waited for on Windows"); }
#else
// Tells the host how far this program is.
inline void report(const std::string& word) {
    const std::string line = word + "\n";
    platform::detail::write_all(std::stoi(detail::env("PLATFORM_QUERY_WARM")), line.data(), line.size(), "the report");
}

// Waits for the one question and puts it into the environment, where a plain query run has it; gives its path, or nothing for a
// question that is not JSON. Ends the process when no question comes any more.
inline std::optional<std::string> receive() {
    report("ready");
    const auto line = detail::first_line();
    if (!line) platform::detail::end_process(0);
    const json question = json::parse(*line, nullptr, false);
    if (!question.is_object()) return std::nullopt;
    const json params = question.value("params", json::object());
    for (const auto& [name, value] : params.items()) {
        if (!value.is_string() || !detail::is_name(name)) continue;
        const auto text = value.get<std::string>();
        if (text.find('\0') == std::string::npos) detail::set_env("QUERY_PARAM_" + name, text);
    }
    detail::set_env("QUERY_PARAMS", platform::detail::dump(params));
    const auto path = question.value("path", std::string());
    detail::set_env("QUERY_PATH", path);
    return path;
}
#endif

}  // namespace platform::query::warm
