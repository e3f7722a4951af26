// JSON values that outlive runs, by key.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "files.h"
#include "json.h"

namespace platform::state {

// Thrown for an invalid key: keys have 1 to 128 bytes of UTF-8 without / and \, and are not "." or "..".
class InvalidKeyError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Thrown where a query would change state.
class ReadOnlyStateError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

namespace detail {

using platform::detail::env;

constexpr std::size_t kKeyBytes = 128;
constexpr std::size_t kValueBytes = 10 * 1024 * 1024;
inline const std::string kSuffix = ".json";

// True while this thread runs a query handler.
inline bool& handling() {
    thread_local bool value = false;
    return value;
}

class HandlerScope {
  public:
    HandlerScope() { handling() = true; }
    ~HandlerScope() { handling() = false; }
    HandlerScope(const HandlerScope&) = delete;
    HandlerScope& operator=(const HandlerScope&) = delete;
};

inline void refuse_if_read_only() {
    // A query run that waits for its question has no QUERY_PATH yet.
    if (handling() || !env("QUERY_PATH").empty() || !env("QUERY_RESULT_FILE").empty()) {
        throw ReadOnlyStateError("A query must not change state: write it in the bot, read it in the handler");
    }
}

inline std::string folder() {
    const std::string path = env("STATE_DIR");
    if (path.empty()) {
        throw std::runtime_error("STATE_DIR is not set: start the bot with the platform, or with `platform dev`");
    }
    return path;
}

inline bool is_plain(unsigned char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-';
}

// Bytes outside A-Z a-z 0-9 _ . - and a leading dot are written as %XX.
inline std::string file_name(const std::string& key) {
    const std::string forbidden("/\\\0", 3);
    if (key.empty() || key.size() > kKeyBytes || key.find_first_of(forbidden) != std::string::npos || key == "." ||
        key == "..") {
        throw InvalidKeyError("\"" + key + "\" is no state key: use 1 to " + std::to_string(kKeyBytes) +
                                    " bytes without / and \\, not \".\" or \"..\"");
    }
    try {
        static_cast<void>(json(key).dump());
    } catch (const json::type_error&) {
        throw InvalidKeyError("a state key must be UTF-8");
    }
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string name;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const auto byte = static_cast<unsigned char>(key[i]);
        if (is_plain(byte) || (byte == '.' && i > 0)) {
            name += key[i];
        } else {
            name += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    return name + kSuffix;
}

// The key of a file; nothing when no key has that file name.
inline std::optional<std::string> key_of(const std::string& name) {
    if (name.size() <= kSuffix.size()) return std::nullopt;
    const std::string stem = name.substr(0, name.size() - kSuffix.size());
    std::string key;
    for (std::size_t i = 0; i < stem.size(); ++i) {
        if (stem[i] != '%') {
            key += stem[i];
            continue;
        }
        const std::string digits = stem.substr(i + 1, 2);
        if (digits.size() != 2 || digits.find_first_not_of("0123456789ABCDEF") != std::string::npos) return std::nullopt;
        key += static_cast<char>(std::stoi(digits, nullptr, 16));
        i += 2;
    }
    try {
        if (file_name(key) != name) return std::nullopt;
    } catch (const InvalidKeyError&) {
        return std::nullopt;
    }
    return key;
}

}  // namespace detail

// The value under a key; nothing when there is none. Throws InvalidKeyError, and std::runtime_error for a file that is not
// JSON.
inline std::optional<json> get(const std::string& key) {
    const auto text = platform::detail::read_plain(detail::folder() + "/" + detail::file_name(key));
    if (!text) return std::nullopt;
    try {
        return json::parse(*text);
    } catch (const json::parse_error& failure) {
        throw std::runtime_error("the value of " + key + " is not JSON: " + failure.what());
    }
}

// The value under a key; `fallback` when there is none.
inline json get(const std::string& key, const json& fallback) {
    const auto found = get(key);
    return found ? *found : fallback;
}

// The same under another name.
inline json get_or(const std::string& key, const json& fallback) { return get(key, fallback); }

// Stores a value of 10 MiB of JSON at most under a key; readers see the old value or the new one, never a mix. Throws
// InvalidKeyError, std::length_error for a value that is too large, and ReadOnlyStateError in a query.
inline void set(const std::string& key, const json& value) {
    detail::refuse_if_read_only();
    const std::string name = detail::file_name(key);
    const std::string text = platform::detail::dump(value);
    if (text.size() > detail::kValueBytes) {
        throw std::length_error("the value of " + key + " is " + std::to_string(text.size()) + " bytes; at most " +
                                std::to_string(detail::kValueBytes) + " fit");
    }
    std::filesystem::create_directories(detail::folder());
    platform::detail::replace_file(detail::folder() + "/" + name, text);
}

// Removes a key; true when it was there. Throws ReadOnlyStateError in a query. (`delete` is a word of the language.)
inline bool remove(const std::string& key) {
    detail::refuse_if_read_only();
    return std::filesystem::remove(detail::folder() + "/" + detail::file_name(key));
}

// Whether there is a value under a key.
inline bool exists(const std::string& key) {
    const auto status = std::filesystem::symlink_status(detail::folder() + "/" + detail::file_name(key));
    return status.type() == std::filesystem::file_type::regular;
}

// All keys, sorted by their bytes.
inline std::vector<std::string> list() {
    std::vector<std::string> keys;
    const std::filesystem::path folder = detail::folder();
    if (!std::filesystem::exists(folder)) return keys;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.symlink_status().type() != std::filesystem::file_type::regular) continue;
        if (auto key = detail::key_of(entry.path().filename().string())) keys.push_back(std::move(*key));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

// Removes all keys, one after the other: a reader meanwhile may see some of them. What the bot itself put beside them into
// the folder stays. Throws ReadOnlyStateError in a query.
inline void clear() {
    detail::refuse_if_read_only();
    for (const auto& key : list()) remove(key);
}

}  // namespace platform::state
