// Read-only views of what the bot has found: /status and /signals?limit=.
#include <platform/platform.h>

#include <charconv>
#include <stdexcept>
#include <string>

using platform::json;

namespace {

constexpr std::size_t kMaxLimit = 100;

json saved_state() {
    const auto saved = platform::state::get("bot_state");
    return saved && saved->is_object() ? *saved : json::object();
}

std::size_t limit_of(const std::string& text) {
    std::size_t limit = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (failure != std::errc() || end != text.data() + text.size() || limit < 1 || limit > kMaxLimit) {
        throw std::invalid_argument("limit must be a whole number from 1 to " + std::to_string(kMaxLimit));
    }
    return limit;
}

json status(const platform::query::Request&) {
    const json saved = saved_state();
    const json config = platform::query::get_config();
    const auto found = [&](const char* key, json fallback) { return saved.contains(key) ? saved.at(key) : fallback; };
    const json signals = found("signals", json::array());
    return {{"symbol", found("symbol", config.value("symbol", "AAPL"))},
            {"last_price", found("last_price", nullptr)},
            {"change_pct", found("change_pct", nullptr)},
            {"short_sma", found("short_sma", nullptr)},
            {"long_sma", found("long_sma", nullptr)},
            {"short_period", found("short_period", config.value("short_period", 5))},
            {"long_period", found("long_period", config.value("long_period", 20))},
            {"last_signal", signals.empty() ? json(nullptr) : signals.front()},
            {"iterations", found("iterations", 0)},
            {"updated_at", found("updated_at", nullptr)}};
}

json signals(const platform::query::Request& request) {
    const std::size_t limit = limit_of(request.get("limit", "10"));
    const json saved = saved_state();
    const json all = saved.contains("signals") ? saved.at("signals") : json::array();
    json newest = json::array();
    for (const auto& signal : all) {
        if (newest.size() == limit) break;
        newest.push_back(signal);
    }
    return {{"signals", newest}, {"total", all.size()}};
}

}  // namespace

int main() {
    platform::query::handler("/status", status);
    platform::query::handler("/signals", signals);
    platform::query::run();
    return 0;
}
