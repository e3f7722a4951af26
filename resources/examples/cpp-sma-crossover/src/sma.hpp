// The arithmetic of the bot, without any I/O.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sma {

struct Averages {
    double short_sma;
    double long_sma;
};

// Rounds half up to a number of decimals.
inline double round_half_up(double value, int decimals) {
    const double scale = std::pow(10.0, decimals);
    return std::floor(value * scale + 0.5) / scale;
}

// Average of the newest `period` prices; there must be that many.
inline double average(const std::vector<double>& prices, std::size_t period) {
    double sum = 0.0;
    for (std::size_t i = prices.size() - period; i < prices.size(); ++i) sum += prices[i];
    return sum / static_cast<double>(period);
}

// Change from the last but one price to the last, in percent.
inline double change_percent(const std::vector<double>& prices) {
    return (prices[prices.size() - 1] / prices[prices.size() - 2] - 1) * 100;
}

// "BUY", "SELL", or nothing when the averages did not change places.
inline std::optional<std::string> crossover(const Averages& previous, const Averages& current) {
    if (previous.short_sma <= previous.long_sma && current.short_sma > current.long_sma) return "BUY";
    if (previous.short_sma >= previous.long_sma && current.short_sma < current.long_sma) return "SELL";
    return std::nullopt;
}

// How far apart the averages are, in percent of the long one, at most 0.95.
inline double confidence(const Averages& averages) {
    return std::min(std::abs(averages.short_sma - averages.long_sma) / averages.long_sma * 100, 0.95);
}

}  // namespace sma
