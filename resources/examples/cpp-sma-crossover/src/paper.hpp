// A paper account in whole numbers: money in 1e-8, quantities in 1e-6, prices in cents, so that every product is exact.
//
// The account remembers the newest decisions: one that is made again trades nothing. Rows wait in it until they are printed;
// `send` stores it first, so a program that is killed meanwhile prints the same rows at its next look.
#pragma once

#include <platform/platform.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

namespace paper {

using platform::json;

constexpr std::int64_t kMoney = 100000000;
constexpr std::int64_t kUnits = 1000000;
constexpr std::size_t kKeptDecisions = 1000;

// The digits of a whole number of parts, without zeros at the end. `one` is a power of ten.
inline std::string digits(std::int64_t parts, std::int64_t one) {
    std::string fraction = std::to_string(one + std::llabs(parts) % one).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    const std::string whole = std::to_string(std::llabs(parts) / one);
    return (parts < 0 ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
}

inline std::int64_t cents(double price) { return std::llround(price * 100); }

class Account {
  public:
    // Goes on with an account as `saved` gave it, or opens one with `start_cash` when that is null.
    Account(const json& saved, std::string symbol, std::int64_t start_cash, const std::string& now)
        : symbol_(std::move(symbol)), name_(("paper-" + symbol_).substr(0, 64)) {
        const char* mode = std::getenv("PLATFORM_MODE");
        if (mode != nullptr && std::string(mode) == "live") {
            platform::error("This bot trades on paper only, and was started to trade live. Nothing was traded");
        }
        if (!saved.is_null()) {
            cash_ = saved.at("cash_e8").get<std::int64_t>();
            held_ = saved.at("held_e6").get<std::int64_t>();
            decisions_ = saved.at("decisions");
            rows_ = saved.at("rows");
            return;
        }
        cash_ = start_cash * kMoney;
        const json deposit = {{"flow_id", "start-" + now}, {"amount", std::to_string(start_cash)}, {"kind", "deposit"}};
        wait("cash_flow", deposit, now);
    }

    std::int64_t held() const { return held_; }

    // The largest quantity that all cash pays for.
    std::int64_t affordable(std::int64_t price) const { return price > 0 ? cash_ / price : 0; }

    // Fills an order at once. False, and trades nothing, for a decision that was carried out before.
    bool trade(const std::string& decision, const std::string& side, std::int64_t quantity, std::int64_t price,
               const std::string& reason, const std::string& now) {
        for (const auto& known : decisions_) {
            if (known == decision) return false;
        }
        const bool buys = side == "BUY";
        if (buys ? quantity > affordable(price) : quantity > held_) {
            throw std::invalid_argument("the paper account does not cover " + side + " " + digits(quantity, kUnits));
        }
        cash_ += (buys ? -1 : 1) * quantity * price;
        held_ += buys ? quantity : -quantity;
        decisions_.push_back(decision);
        while (decisions_.size() > kKeptDecisions) decisions_.erase(0);

        const json trade = {{"client_order_id", decision},
                            {"symbol", symbol_},
                            {"side", side},
                            {"quantity", digits(quantity, kUnits)}};
        json order = trade;
        order.update({{"decision_id", decision}, {"type", "market"}, {"reason", reason}, {"status", "new"}});
        wait("order", order, now);
        json fill = trade;
        fill.update({{"fill_id", decision + "-1"}, {"price", digits(price, 100)}});
        wait("fill", fill, now);
        order.update({{"status", "filled"}, {"price", digits(price, 100)}});
        wait("order", order, now);
        return true;
    }

    // Stores the account by `save(saved)`, prints the rows that wait, and stores that they were printed.
    void send(const std::function<void(const json&)>& save) {
        save(saved());
        if (rows_.empty()) return;
        for (const auto& row : rows_) {
            const auto& type = row.at(0);
            if (type == "cash_flow") platform::cash_flow(row.at(1));
            if (type == "order") platform::order(row.at(1));
            if (type == "fill") platform::fill(row.at(1));
        }
        rows_ = json::array();
        save(saved());
    }

    // Prints position and equity, as numbers, which charts can show.
    void report(std::int64_t price) const {
        const auto number = [](std::int64_t parts, std::int64_t one) { return std::stod(digits(parts, one)); };
        const auto money = [&](std::int64_t parts) { return number((parts + kUnits / 2) / kUnits, 100); };
        platform::position({{"symbol", symbol_},
                            {"quantity", number(held_, kUnits)},
                            {"price", number(price, 100)},
                            {"value", money(held_ * price)},
                            {"currency", "USD"},
                            {"account", name_}});
        platform::equity({{"value", money(cash_ + held_ * price)}, {"currency", "USD"}, {"account", name_}});
    }

  private:
    void wait(const char* type, json fields, const std::string& now) {
        fields.update({{"currency", "USD"}, {"account", name_}, {"time", now}});
        rows_.push_back(json::array({type, fields}));
    }

    json saved() const {
        return {{"cash_e8", cash_}, {"held_e6", held_}, {"decisions", decisions_}, {"rows", rows_}};
    }

    std::string symbol_;
    std::string name_;
    std::int64_t cash_ = 0;
    std::int64_t held_ = 0;
    json decisions_ = json::array();
    json rows_ = json::array();
};

}  // namespace paper
