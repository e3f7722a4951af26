// {{name}}: what the bot does each round.
#include <platform/platform.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <string>

#include "stopper.hpp"

using platform::json;

namespace {

// This instant as ISO 8601 text in UTC.
std::string timestamp() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

// One round of work. Brings `memory` up to date.
void work(const std::string& symbol, json& memory) {
    const auto rounds = memory.at("rounds").get<std::int64_t>() + 1;
    platform::metric("round", {{"symbol", symbol}, {"rounds", rounds}});
    memory["rounds"] = rounds;
    memory["updated_at"] = timestamp();
}

void run(const std::string& bot_id, const json& config) {
    const std::string symbol = config.value("symbol", "AAPL");
    const std::chrono::milliseconds pause(config.value("interval_ms", 5000));
    const Stopper stopper;
    platform::log(bot_id + " ({{name}}) starts with " + symbol);
    json memory = platform::state::get("bot_state").value_or(json{{"rounds", 0}});
    while (!stopper.stopping()) {
        try {
            work(symbol, memory);
            platform::state::set("bot_state", memory);
        } catch (const std::exception& failure) {
            platform::log(std::string("Round failed: ") + failure.what(), "error");
        }
        stopper.sleep(pause);
    }
    platform::log(bot_id + " stopped");
}

}  // namespace

int main() {
    try {
        const auto [bot_id, config] = platform::parse();
        run(bot_id, config);
        return 0;
    } catch (const std::exception& failure) {
        platform::error(std::string("The bot could not start: ") + failure.what());
    }
}
