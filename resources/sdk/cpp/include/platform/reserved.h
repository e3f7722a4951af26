// Rows of the ledger: metric types with fields that the host knows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "json.h"
#include "output.h"

namespace platform {
namespace detail {

// Whole numbers beyond this lose digits in programs that read JSON numbers as floats; they go out as text.
constexpr std::int64_t kMostExact = 9007199254740991;
constexpr std::size_t kMostDigits = 38;
constexpr std::size_t kLongestNumber = 128;

// What is wrong with a field, to be put behind its name.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Check = std::function<json(const json&)>;
using Checks = std::vector<std::pair<std::string, Check>>;

inline bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

// A whole number as programs that read floats keep it.
inline json whole(const json& value) {
    const bool exact = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMostExact)
                                                  : std::abs(value.get<double>()) <= static_cast<double>(kMostExact);
    return exact ? value : json(value.dump());
}

// Digits without an exponent and without zeros in front and at the end.
inline std::size_t significant_digits(const std::string& text) {
    std::string digits;
    for (const char sign : text.substr(0, text.find_first_of("eE"))) {
        if (is_digit(sign)) digits += sign;
    }
    const auto first = digits.find_first_not_of('0');
    return first == std::string::npos ? 0 : digits.find_last_not_of('0') - first + 1;
}

inline std::size_t skip_digits(const std::string& text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

// True for digits with an optional sign, point and exponent.
inline bool is_number_text(const std::string& text) {
    if (text.empty() || text.size() > kLongestNumber) return false;
    const std::size_t start = text[0] == '+' || text[0] == '-' ? 1 : 0;
    std::size_t at = skip_digits(text, start);
    std::size_t digits = at - start;
    if (at < text.size() && text[at] == '.') {
        const std::size_t end = skip_digits(text, at + 1);
        digits += end - at - 1;
        at = end;
    }
    if (digits == 0) return false;
    if (at == text.size()) return true;
    if (text[at] != 'e' && text[at] != 'E') return false;
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t end = skip_digits(text, at);
    return end == text.size() && end - at >= 1 && end - at <= 3;
}

inline std::string number_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_number() ? dump(value) : "";
}

inline json check_decimal(const json& value) {
    const std::string text = number_text(value);
    if (!is_number_text(text) || significant_digits(text) > kMostDigits) {
        throw Wrong("must be a number, or its digits as text, with at most 38 significant digits");
    }
    return value.is_number_integer() ? whole(value) : value;
}

inline json check_positive(const json& value) {
    const std::string text = number_text(value);
    const json given = check_decimal(value);
    if (text[0] == '-' || significant_digits(text) == 0) throw Wrong("must be greater than 0");
    return given;
}

inline bool is_text(const json& value, std::size_t longest) {
    if (!value.is_string()) return false;
    const auto text = value.get<std::string>();
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        // C2 80 to C2 9F are the control characters beyond ASCII.
        const bool beyond = byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
        if (byte < 0x20 || byte == 0x7f || beyond) return false;
        if ((byte & 0xc0) != 0x80) ++characters;
    }
    return characters > 0 && characters <= longest;
}

inline Check check_text(std::size_t longest) {
    return [longest](const json& value) {
        if (!is_text(value, longest)) {
            throw Wrong("must be text of 1 to " + std::to_string(longest) + " characters without control characters");
        }
        return value;
    };
}

inline json check_id(const json& value) {
    if (value.is_number_integer()) return whole(value);
    if (!is_text(value, 256)) throw Wrong("must be text of 1 to 256 characters, or a whole number");
    return value;
}

inline json check_currency(const json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    const bool known = std::all_of(text.begin(), text.end(), [](char sign) {
        return is_digit(sign) || (sign >= 'A' && sign <= 'Z') || (sign >= 'a' && sign <= 'z') || sign == '.' ||
               sign == '_' || sign == ':' || sign == '-';
    });
    if (text.empty() || text.size() > 32 || !known) {
        throw Wrong("must have 1 to 32 letters, digits, or signs of . _ : -");
    }
    return value;
}

inline json check_time(const json& value) {
    const bool finite = value.is_number() && std::isfinite(value.get<double>());
    if (!finite && !is_text(value, 64)) throw Wrong("must be ISO text, or seconds or milliseconds since 1970");
    return value;
}

inline json check_flag(const json& value) {
    if (!value.is_boolean()) throw Wrong("must be true or false");
    return value;
}

inline Check one_of(std::vector<std::string> words) {
    return [words = std::move(words)](const json& value) {
        if (value.is_string() && std::find(words.begin(), words.end(), value.get<std::string>()) != words.end()) {
            return value;
        }
        std::string list;
        for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
        throw Wrong("must be one of " + list);
    };
}

// Emits a row that must have the `required` fields. Throws std::invalid_argument.
inline void emit_row(const std::string& type, const json& fields, const std::vector<std::string>& required,
                     const Checks& checks) {
    if (!fields.is_object()) throw std::invalid_argument(type + " needs an object of fields");
    json given = json::object();
    for (const auto& [key, value] : fields.items()) {
        if (!value.is_null()) given[key] = value;
    }
    for (const auto& name : required) {
        if (!given.contains(name)) throw std::invalid_argument(type + " needs `" + name + "`");
    }
    for (const auto& [name, check] : checks) {
        if (!given.contains(name)) continue;
        try {
            given[name] = check(given[name]);
        } catch (const Wrong& wrong) {
            throw std::invalid_argument("`" + name + "` of " + type + " " + wrong.what());
        }
    }
    metric(type, given);
}

inline bool says(const json& fields, const char* key, const json& value) {
    return fields.is_object() && fields.contains(key) && fields[key] == value;
}

inline Check side() { return one_of({"BUY", "SELL"}); }
inline Check position_side() { return one_of({"net", "long", "short"}); }

}  // namespace detail

// Each function takes an object of fields, such as platform::fill({{"fill_id", "t-1"}, {"symbol", "AAPL"}, ...}), and throws
// std::invalid_argument that names a missing or wrong field. Null fields are left out, fields of your own are kept. Text and
// integers keep every digit; a double is written by its shortest text.

// Reports an order and its status.
inline void order(const json& fields) {
    using namespace detail;
    static const Checks checks = {
        {"client_order_id", check_id}, {"symbol", check_text(128)}, {"side", detail::side()},
        {"quantity", check_positive},
        {"status", one_of({"new", "accepted", "partially_filled", "filled", "cancelled", "rejected", "expired"})},
        {"type", check_text(64)}, {"price", check_decimal}, {"decision_id", check_id}, {"leg", check_id},
        {"reason", check_text(1000)}, {"currency", check_currency}, {"time", check_time}, {"venue", check_text(64)},
        {"account", check_text(64)}};
    emit_row("order", fields, {"client_order_id", "symbol", "side", "quantity", "status"}, checks);
}

// Reports a trade, corrects one (`revises`), or takes one back (`revises` and `cancelled: true`).
inline void fill(const json& fields) {
    using namespace detail;
    static const Checks checks = {
        {"fill_id", check_id}, {"symbol", check_text(128)}, {"side", detail::side()}, {"quantity", check_positive},
        {"price", check_decimal}, {"client_order_id", check_id}, {"fee", check_decimal},
        {"fee_currency", check_currency}, {"currency", check_currency}, {"base", check_currency},
        {"multiplier", check_positive}, {"contract", one_of({"spot", "linear", "inverse", "option"})},
        {"position_side", detail::position_side()}, {"realised", check_decimal}, {"revises", check_id},
        {"cancelled", check_flag}, {"time", check_time}, {"venue", check_text(64)}, {"account", check_text(64)}};
    const bool cancels = says(fields, "cancelled", true);
    using Names = std::vector<std::string>;
    emit_row("fill", fields,
             cancels ? Names{"fill_id", "symbol", "revises"} : Names{"fill_id", "symbol", "side", "quantity", "price"},
             checks);
}

// Reports what is held of a symbol; `quantity` is negative for a short position.
inline void position(const json& fields) {
    using namespace detail;
    static const Checks checks = {{"symbol", check_text(128)},  {"quantity", check_decimal},
                                  {"average_price", check_decimal}, {"price", check_decimal},
                                  {"value", check_decimal},     {"currency", check_currency},
                                  {"position_side", detail::position_side()}, {"venue", check_text(64)},
                                  {"account", check_text(64)}};
    emit_row("position", fields, {"symbol", "quantity"}, checks);
}

// Reports what the account is worth.
inline void equity(const json& fields) {
    using namespace detail;
    static const Checks checks = {{"value", check_decimal}, {"currency", check_currency}, {"venue", check_text(64)},
                                  {"account", check_text(64)}};
    emit_row("equity", fields, {"value"}, checks);
}

// Reports money that came (positive) or went (negative).
inline void cash_flow(const json& fields) {
    using namespace detail;
    static const Checks checks = {
        {"flow_id", check_id}, {"amount", check_decimal}, {"currency", check_currency},
        {"kind", one_of({"deposit", "withdrawal", "funding", "interest", "dividend", "fee", "rebate", "borrow", "tax",
                         "other"})},
        {"symbol", check_text(128)}, {"fill_id", check_id}, {"time", check_time}, {"venue", check_text(64)},
        {"account", check_text(64)}};
    emit_row("cash_flow", fields, {"flow_id", "amount", "currency", "kind"}, checks);
}

// Reports a change of a holding that is no trade. A split needs `ratio`, the new units for an old one.
inline void adjustment(const json& fields) {
    using namespace detail;
    static const Checks checks = {
        {"adjustment_id", check_id}, {"symbol", check_text(128)},
        {"kind", one_of({"opening", "split", "transfer", "reward", "dust", "conversion", "expiry", "exercise",
                         "assignment"})},
        {"quantity", check_decimal}, {"ratio", check_positive}, {"cost", check_decimal}, {"currency", check_currency},
        {"time", check_time}, {"venue", check_text(64)}, {"account", check_text(64)}};
    std::vector<std::string> required = {"adjustment_id", "symbol", "kind", "quantity"};
    if (says(fields, "kind", "split")) required.push_back("ratio");
    emit_row("adjustment", fields, required, checks);
}

// Reports that one unit of `base` is worth `value` units of `quote`.
inline void rate(const json& fields) {
    using namespace detail;
    static const Checks checks = {{"base", check_currency}, {"quote", check_currency}, {"value", check_positive},
                                  {"time", check_time}, {"venue", check_text(64)}, {"account", check_text(64)}};
    emit_row("rate", fields, {"base", "quote", "value"}, checks);
}

// Reports the price of a symbol.
inline void price(const json& fields) {
    using namespace detail;
    static const Checks checks = {{"symbol", check_text(128)}, {"value", check_decimal}, {"currency", check_currency},
                                  {"venue", check_text(64)}, {"account", check_text(64)}};
    emit_row("price", fields, {"symbol", "value"}, checks);
}

// Reports a decision to buy or sell, which charts show as a mark.
inline void signal(const json& fields) {
    using namespace detail;
    static const Checks checks = {{"type", detail::side()}, {"symbol", check_text(128)}, {"price", check_decimal},
                                  {"confidence", check_decimal}, {"reason", check_text(1000)},
                                  {"currency", check_currency}};
    emit_row("signal", fields, {"type", "symbol"}, checks);
}

}  // namespace platform
