// Daily closing prices from a public chart API.
#pragma once

#include <functional>
#include <string>
#include <vector>

// A year of closing prices, oldest first; days without a close (holidays, the day that just began) are dropped.
// Gives up with an exception when `cancelled` turns true. Throws std::runtime_error when the source has no prices.
std::vector<double> fetch_closes(const std::string& base_url, const std::string& symbol,
                                 const std::function<bool()>& cancelled);
