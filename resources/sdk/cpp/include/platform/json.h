// JSON as every SDK of the platform writes it: compact, in UTF-8, with the keys in their order.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace platform {

// Objects keep the order in which their keys were set.
using json = nlohmann::ordered_json;

namespace detail {

// 100.0 is written as 100, and a number without a value (NaN, infinity) as null: as the other languages do.
inline json plain(const json& value) {
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (!std::isfinite(number)) return nullptr;
        constexpr double kExact = 9007199254740992.0;
        if (std::trunc(number) == number && std::fabs(number) < kExact) return static_cast<std::int64_t>(number);
        return value;
    }
    if (value.is_array()) {
        json result = json::array();
        for (const auto& item : value) result.push_back(plain(item));
        return result;
    }
    if (value.is_object()) {
        json result = json::object();
        for (const auto& [key, item] : value.items()) result[key] = plain(item);
        return result;
    }
    return value;
}

inline std::string dump(const json& value) {
    return plain(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace detail
}  // namespace platform
