// Reading of HTTP requests, with limits: any client may connect and send anything.
#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "json.h"

namespace platform::query::server::detail {

constexpr std::size_t kHeadBytes = 16 * 1024;
constexpr std::size_t kBodyBytes = 64 * 1024;
// Writing a value back walks it level by level on the stack.
constexpr int kJsonDepth = 64;

struct BadRequest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct HttpRequest {
    std::string path;
    std::map<std::string, std::string> params;
};

inline int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline std::string percent_decode(const std::string& text, bool plus_is_space) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) throw BadRequest("a % is not followed by two digits");
            result += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            result += plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    return result;
}

inline void merge_query(std::map<std::string, std::string>& params, const std::string& query) {
    for (std::size_t start = 0; start < query.size();) {
        const auto end = std::min(query.find('&', start), query.size());
        const std::string pair = query.substr(start, end - start);
        const auto equals = std::min(pair.find('='), pair.size());
        const std::string value = equals < pair.size() ? pair.substr(equals + 1) : "";
        if (!pair.empty()) params[percent_decode(pair.substr(0, equals), true)] = percent_decode(value, true);
        start = end + 1;
    }
}

inline void merge_json(std::map<std::string, std::string>& params, const std::string& text) {
    const auto not_too_deep = [](int depth, json::parse_event_t, json&) {
        if (depth > kJsonDepth) throw BadRequest("the body is nested too deeply");
        return true;
    };
    const json body = json::parse(text, not_too_deep, false);
    if (!body.is_object()) throw BadRequest("the body is no JSON object");
    for (const auto& [name, value] : body.items()) {
        params[name] = value.is_string() ? value.get<std::string>() : platform::detail::dump(value);
    }
}

inline std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

inline std::string trim(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

inline std::size_t parse_length(const std::string& value) {
    if (value.empty() || value.size() > 7 || value.find_first_not_of("0123456789") != std::string::npos) {
        throw BadRequest("Content-Length is no usable number");
    }
    const std::size_t length = std::stoul(value);
    if (length > kBodyBytes) throw BadRequest("the body is larger than 65536 bytes");
    return length;
}

// Names in lower case, with their values, in the order in which they came.
using Headers = std::vector<std::pair<std::string, std::string>>;

inline Headers parse_headers(const std::string& head) {
    Headers headers;
    for (std::size_t start = head.find('\n'); start != std::string::npos && start + 1 < head.size();) {
        const auto end = std::min(head.find('\n', start + 1), head.size());
        const std::string line = head.substr(start + 1, end - start - 1);
        const auto colon = line.find(':');
        if (colon != std::string::npos) headers.emplace_back(lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1)));
        start = end == head.size() ? std::string::npos : end;
    }
    return headers;
}

inline std::size_t content_length(const Headers& headers) {
    std::optional<std::size_t> length;
    for (const auto& [name, value] : headers) {
        if (name == "transfer-encoding") throw BadRequest("send the body with a Content-Length");
        if (name != "content-length") continue;
        const std::size_t given = parse_length(value);
        if (length && *length != given) throw BadRequest("there are two Content-Lengths");
        length = given;
    }
    return length.value_or(0);
}

// Where the head ends and the body starts: after an empty line, however lines end.
inline std::optional<std::pair<std::size_t, std::size_t>> end_of_head(const std::string& text) {
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        if (text.compare(at + 1, 1, "\n") == 0) return std::pair{at, at + 2};
        if (text.compare(at + 1, 2, "\r\n") == 0) return std::pair{at, at + 3};
    }
    return std::nullopt;
}

// Method and target.
inline std::pair<std::string, std::string> parse_line(const std::string& line) {
    const auto first = line.find(' ');
    const auto second = first == std::string::npos ? first : line.find(' ', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 5, "HTTP/") != 0) {
        throw BadRequest("the request line is broken");
    }
    return {line.substr(0, first), line.substr(first + 1, second - first - 1)};
}

inline HttpRequest parse_request(const std::string& method, const std::string& target, const std::string& body) {
    if ((method != "GET" && method != "POST") || target.empty() || target[0] != '/') {
        throw BadRequest("send GET or POST with a path");
    }
    HttpRequest request;
    const auto question = std::min(target.find('?'), target.size());
    request.path = percent_decode(target.substr(0, question), false);
    if (question < target.size()) merge_query(request.params, target.substr(question + 1));
    if (!trim(body).empty()) merge_json(request.params, body);
    return request;
}

// Reads a request by calling `more`, which appends the received bytes; `check` may throw after the headers, before the body is
// read. Throws BadRequest.
inline HttpRequest read_request(const std::function<void(std::string&)>& more,
                                const std::function<void(const Headers&)>& check) {
    std::string text;
    auto ends = end_of_head(text);
    while (!ends && text.size() <= kHeadBytes) {
        more(text);
        ends = end_of_head(text);
    }
    if (!ends || ends->first > kHeadBytes) throw BadRequest("the header is larger than 16384 bytes");
    const auto [head_end, body_start] = *ends;
    const std::string head = text.substr(0, head_end);
    const auto [method, target] = parse_line(trim(head.substr(0, head.find('\n'))));
    const Headers headers = parse_headers(head);
    check(headers);
    const std::size_t length = content_length(headers);
    while (text.size() - body_start < length) more(text);
    return parse_request(method, target, text.substr(body_start, length));
}

}  // namespace platform::query::server::detail
