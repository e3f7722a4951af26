// Who may query this bot: its host, and never a web page.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "files.h"
#include "http_text.h"
#include "socket.h"

namespace platform::query::server::detail {

struct Refused : std::runtime_error {
    Refused(int code, const std::string& text) : std::runtime_error(text), status(code) {}
    int status;
};

// The token of this run, or "". Before main() starts: the environment must not change while another thread reads it.
inline const std::string query_token = platform::detail::take_env("QUERY_TOKEN");

// Takes the same time wherever two texts differ.
inline bool same_secret(const std::string& given, const std::string& expected) {
    unsigned difference = given.size() == expected.size() ? 0 : 1;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const char c = i < given.size() ? given[i] : '\0';
        difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(expected[i]);
    }
    return difference == 0;
}

inline bool is_address(int family, const std::string& text) {
    in6_addr address;
    return inet_pton(family, text.c_str(), &address) == 1;
}

// True for an IP address or `localhost`, with or without a port: a page on another site cannot have such a name.
inline bool is_own_host(const std::string& text) {
    const bool bracketed = !text.empty() && text[0] == '[';
    const auto name_end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
    if (name_end == std::string::npos) return false;
    const std::string name = bracketed ? text.substr(1, name_end - 1) : text.substr(0, name_end);
    const std::string rest = text.substr(bracketed ? name_end + 1 : name_end);
    const bool has_port = rest.size() >= 2 && rest.size() <= 6 && rest[0] == ':' &&
                          rest.find_first_not_of("0123456789", 1) == std::string::npos;
    if (!rest.empty() && !has_port) return false;
    return bracketed ? is_address(AF_INET6, name) : is_address(AF_INET, name) || lower(name) == "localhost";
}

// Throws Refused for a request that may not ask. Reads only the headers.
inline void check_asker(const Headers& headers) {
    int hosts = 0;
    int tokens = 0;
    std::string host;
    std::string token;
    for (const auto& [name, value] : headers) {
        if (name == "origin") throw Refused(403, "Web pages may not query a bot: the request has an Origin");
        if (name == "host") {
            host = value;
            ++hosts;
        } else if (name == "x-query-token") {
            token = value;
            ++tokens;
        }
    }
    if (hosts != 1 || !is_own_host(host)) {
        throw Refused(403, "Query a bot by IP address or localhost: the request has another Host");
    }
    if (query_token.empty() || (tokens == 1 && same_secret(token, query_token))) return;
    throw Refused(401, "This bot answers its host only: X-Query-Token is missing or wrong");
}

}  // namespace platform::query::server::detail
