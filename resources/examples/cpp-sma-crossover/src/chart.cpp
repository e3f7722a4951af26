#include "chart.hpp"

#include <curl/curl.h>
#include <platform/platform.h>

#include <memory>
#include <stdexcept>

namespace {

constexpr long kTimeoutSeconds = 10;
constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;

std::size_t append(char* data, std::size_t size, std::size_t count, void* target) {
    auto& text = *static_cast<std::string*>(target);
    const std::size_t bytes = size * count;
    if (text.size() + bytes > kMaxBytes) return 0;
    text.append(data, bytes);
    return bytes;
}

int stop_when_cancelled(void* cancelled, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return (*static_cast<const std::function<bool()>*>(cancelled))() ? 1 : 0;
}

std::string escape(CURL* curl, const std::string& text) {
    const std::unique_ptr<char, decltype(&curl_free)> escaped(
        curl_easy_escape(curl, text.c_str(), static_cast<int>(text.size())), curl_free);
    if (!escaped) throw std::runtime_error("out of memory");
    return escaped.get();
}

std::string get(const std::string& base_url, const std::string& symbol, const std::function<bool()>& cancelled) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> owner(curl_easy_init(), curl_easy_cleanup);
    CURL* curl = owner.get();
    if (curl == nullptr) throw std::runtime_error("libcurl could not start");
    const std::string base = base_url.substr(0, base_url.find_last_not_of('/') + 1);
    const std::string url = base + "/v8/finance/chart/" + escape(curl, symbol) + "?interval=1d&range=1y";
    std::string text;
    char reason[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "Mozilla/5.0 (compatible; sma-crossover/1.0)");
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, kTimeoutSeconds);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &text);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, stop_when_cancelled);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &cancelled);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) {
        throw std::runtime_error(std::string("fetch failed: ") + (*reason ? reason : curl_easy_strerror(code)));
    }
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299) {
        throw std::runtime_error("the price source answered " + std::to_string(status) + " for " + symbol);
    }
    return text;
}

}  // namespace

std::vector<double> fetch_closes(const std::string& base_url, const std::string& symbol,
                                 const std::function<bool()>& cancelled) {
    const auto body = platform::json::parse(get(base_url, symbol, cancelled));
    const platform::json::json_pointer where("/chart/result/0/indicators/quote/0/close");
    if (!body.contains(where) || !body.at(where).is_array()) {
        throw std::runtime_error("the price source sent no closing prices for " + symbol);
    }
    std::vector<double> prices;
    for (const auto& close : body.at(where)) {
        if (!close.is_null()) prices.push_back(close.get<double>());
    }
    return prices;
}
