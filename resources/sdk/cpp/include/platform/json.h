// JSON as every SDK of the platform writes it: compact, in UTF-8, with the keys in their order.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

namespace platform {

// Objects keep the order in which their keys were set.
using json = nlohmann::ordered_json;

namespace detail {

// A number as JavaScript writes it: the shortest digits that read back as the same number, 100 for 100.0, 1e-7 and not
// 1e-07; null for NaN and infinity.
inline void append_number(std::string& out, double number) {
    if (!std::isfinite(number)) {
        out += "null";
        return;
    }
    if (number == 0) {
        out += '0';
        return;
    }
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(number), std::chars_format::scientific).ptr;
    const std::string text(buffer, end);
    const auto mark = text.find('e');
    std::string digits = text.substr(0, 1);
    if (mark > 2) digits += text.substr(2, mark - 2);
    // The decimal point stands after this many digits.
    const int point = std::atoi(text.c_str() + mark + 1) + 1;
    const int count = static_cast<int>(digits.size());
    if (number < 0) out += '-';
    if (point > 21 || point < -5) {
        out += digits[0];
        if (count > 1) out += "." + digits.substr(1);
        out += (point > 0 ? "e+" : "e-") + std::to_string(std::abs(point - 1));
    } else if (point <= 0) {
        out += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    } else if (count <= point) {
        out += digits + std::string(static_cast<std::size_t>(point - count), '0');
    } else {
        out += digits.substr(0, static_cast<std::size_t>(point)) + "." + digits.substr(static_cast<std::size_t>(point));
    }
}

inline std::string quote(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

inline void append_json(std::string& out, const json& value) {
    if (value.is_number_float()) {
        append_number(out, value.get<double>());
    } else if (value.is_array()) {
        out += '[';
        const char* separator = "";
        for (const auto& item : value) {
            out += separator;
            append_json(out, item);
            separator = ",";
        }
        out += ']';
    } else if (value.is_object()) {
        out += '{';
        const char* separator = "";
        for (const auto& [key, item] : value.items()) {
            out += separator + quote(key) + ":";
            append_json(out, item);
            separator = ",";
        }
        out += '}';
    } else {
        out += value.dump(-1, ' ', false, json::error_handler_t::replace);
    }
}

inline std::string dump(const json& value) {
    std::string out;
    append_json(out, value);
    return out;
}

}  // namespace detail
}  // namespace platform
