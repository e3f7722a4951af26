// Signals BUY or SELL when the short moving average of a symbol crosses the long one, and follows it on paper.
#include <curl/curl.h>
#include <platform/platform.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <string>

#include "chart.hpp"
#include "paper.hpp"
#include "sma.hpp"
#include "stopper.hpp"

using platform::json;

namespace {

constexpr std::size_t kKeptSignals = 100;
// Paper money with which a symbol begins, in USD.
constexpr std::int64_t kStartCash = 10000;

struct Settings {
    std::string symbol;
    std::int64_t short_period;
    std::int64_t long_period;
    std::int64_t update_interval_ms;
    std::string base_url;

    explicit Settings(const json& config)
        : symbol(config.value("symbol", "AAPL")),
          short_period(config.value("short_period", 5)),
          long_period(config.value("long_period", 20)),
          update_interval_ms(config.value("update_interval_ms", 60000)),
          base_url(config.value("base_url", "https://query1.finance.yahoo.com")) {}
};

std::string now() {
    using namespace std::chrono;
    const auto ms = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    const std::string millis = std::to_string(1000 + ms % 1000).substr(1);
    return std::string(text, length) + "." + millis + "Z";
}

std::string average_name(std::int64_t period) { return "SMA(" + std::to_string(period) + ")"; }

// What an earlier run left. Other averages start afresh; the paper account of a symbol stays.
json remembered(const Settings& settings) {
    json fresh = {{"symbol", settings.symbol},
                  {"short_period", settings.short_period},
                  {"long_period", settings.long_period},
                  {"iterations", 0},
                  {"signals", json::array()},
                  {"accounts", json::object()}};
    const auto saved = platform::state::get("bot_state");
    if (!saved || !saved->is_object()) return fresh;
    if (saved->contains("accounts")) fresh["accounts"] = saved->at("accounts");
    for (const char* key : {"symbol", "short_period", "long_period"}) {
        if (!saved->contains(key) || saved->at(key) != fresh.at(key)) return fresh;
    }
    json same = *saved;
    same["accounts"] = fresh["accounts"];
    return same;
}

json announce(const std::string& type, double price, const sma::Averages& averages, const Settings& settings) {
    const std::string direction = type == "BUY" ? "above" : "below";
    json signal = {{"type", type},
                   {"symbol", settings.symbol},
                   {"price", price},
                   {"confidence", sma::confidence(averages)},
                   {"reason", average_name(settings.short_period) + " crossed " + direction + " " +
                                  average_name(settings.long_period)}};
    platform::metric("signal", signal);
    platform::log(type + " " + settings.symbol + " at " + json(price).dump() + ": " +
                  signal["reason"].get<std::string>());
    signal["at"] = now();
    return signal;
}

// Buys for all cash, or sells all units. The trade is final once the account is stored.
void follow(const json& signal, paper::Account& account, std::int64_t price) {
    const auto type = signal.at("type").get<std::string>();
    const std::int64_t quantity = type == "BUY" ? account.affordable(price) : account.held();
    if (quantity <= 0) return;
    const auto at = signal.at("at").get<std::string>();
    const auto decision = signal.at("symbol").get<std::string>() + "-" + type + "-" + at;
    account.trade(decision, type, quantity, price, signal.at("reason").get<std::string>(), at);
}

// One look at the price. Brings `memory` and what is stored up to date, unless there are too few prices.
void look(const Settings& settings, json& memory, const Stopper& stopper) {
    const auto prices = fetch_closes(settings.base_url, settings.symbol, [&] { return stopper.stopping(); });
    if (prices.size() < static_cast<std::size_t>(settings.long_period)) {
        platform::log("Only " + std::to_string(prices.size()) + " of " + std::to_string(settings.long_period) +
                      " prices for " + settings.symbol + ": waiting for more");
        return;
    }

    const double price = sma::round_half_up(prices.back(), 2);
    const double change_pct = sma::round_half_up(sma::change_percent(prices), 3);
    const sma::Averages current{sma::average(prices, static_cast<std::size_t>(settings.short_period)),
                                sma::average(prices, static_cast<std::size_t>(settings.long_period))};
    platform::metric("price", {{"symbol", settings.symbol}, {"value", price}, {"change_pct", change_pct}});
    platform::metric("sma", {{"symbol", settings.symbol},
                             {"short_sma", current.short_sma},
                             {"long_sma", current.long_sma},
                             {"short_period", settings.short_period},
                             {"long_period", settings.long_period}});

    json seen = memory;
    paper::Account account(seen.at("accounts").value(settings.symbol, json()), settings.symbol, kStartCash, now());
    const auto iterations = memory.at("iterations").get<std::int64_t>();
    if (iterations > 0) {
        const sma::Averages previous{memory.at("short_sma").get<double>(), memory.at("long_sma").get<double>()};
        if (const auto type = sma::crossover(previous, current)) {
            auto& signals = seen.at("signals");
            const json found = announce(*type, price, current, settings);
            follow(found, account, paper::cents(price));
            signals.insert(signals.begin(), found);
            if (signals.size() > kKeptSignals) signals.erase(signals.size() - 1);
        }
    }
    seen["short_sma"] = current.short_sma;
    seen["long_sma"] = current.long_sma;
    seen["iterations"] = iterations + 1;
    seen["last_price"] = price;
    seen["change_pct"] = change_pct;
    seen["updated_at"] = now();
    // One value holds averages and account: a restart finds both from before a trade, or both from after it.
    account.send([&](const json& saved) {
        seen.at("accounts")[settings.symbol] = saved;
        platform::state::set("bot_state", seen);
    });
    account.report(paper::cents(price));
    memory = seen;
}

void run(const std::string& bot_id, const Settings& settings) {
    const std::string pause = std::to_string(settings.update_interval_ms) + " ms";
    platform::log(bot_id + " watches " + settings.symbol + ": " + average_name(settings.short_period) + " and " +
                  average_name(settings.long_period) + " every " + pause);
    const Stopper stopper;
    json memory = remembered(settings);
    while (!stopper.stopping()) {
        try {
            look(settings, memory, stopper);
        } catch (const std::exception& failure) {
            if (stopper.stopping()) break;
            platform::log(std::string("Iteration failed: ") + failure.what() + ". Next try in " + pause, "error");
        }
        stopper.sleep(std::chrono::milliseconds(settings.update_interval_ms));
    }
    platform::log(bot_id + " stopped");
}

}  // namespace

int main() {
    try {
        const auto [bot_id, config] = platform::parse();
        const Settings settings(config);
        if (settings.short_period >= settings.long_period) {
            platform::error("short_period (" + std::to_string(settings.short_period) +
                            ") must be smaller than long_period (" + std::to_string(settings.long_period) + ")");
        }
        curl_global_init(CURL_GLOBAL_DEFAULT);
        run(bot_id, settings);
        curl_global_cleanup();
        return 0;
    } catch (const std::exception& failure) {
        platform::error(std::string("The bot could not start: ") + failure.what());
    }
}
