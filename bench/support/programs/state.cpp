// state FOLDER ROUNDS: as state.mjs, by the C++ kit.
#include <platform/platform.hpp>
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

template <typename Work>
static double micros(Work work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count();
}

static void print(const char* name, const std::vector<double>& values) {
  std::printf("\"%s\":[", name);
  for (size_t at = 0; at < values.size(); ++at) std::printf("%s%.1f", at == 0 ? "" : ",", values[at]);
  std::printf("]");
}

int main(int count, char** args) {
  if (count < 3) return 2;
  const std::string folder = args[1];
  setenv("STATE_DIR", (folder + "/state").c_str(), 1);
  sqlite3* db = nullptr;
  if (sqlite3_open((folder + "/state.db").c_str(), &db) != SQLITE_OK) return 1;
  if (sqlite3_exec(db, "pragma journal_mode=wal; pragma synchronous=full; create table state(key text primary key, value text)",
                   nullptr, nullptr, nullptr) != SQLITE_OK) return 1;
  sqlite3_stmt* put = nullptr;
  if (sqlite3_prepare_v2(db, "insert or replace into state values(?, ?)", -1, &put, nullptr) != SQLITE_OK) return 1;
  const platform::json value = {{"text", std::string(10000, 'x')}};
  std::vector<double> ours, peer;
  for (int round = 0; round < std::atoi(args[2]); ++round) {
    const std::string key = "key " + std::to_string(round % 10);
    ours.push_back(micros([&] { platform::state::set(key, value); }));
    bool stored = true;
    peer.push_back(micros([&] {
      const std::string text = value.dump();
      sqlite3_bind_text(put, 1, key.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(put, 2, text.c_str(), -1, SQLITE_TRANSIENT);
      stored = sqlite3_step(put) == SQLITE_DONE;
      sqlite3_reset(put);
    }));
    if (!stored) return 1;
  }
  std::printf("{");
  print("ours", ours);
  std::printf(",");
  print("peer", peer);
  std::printf("}\n");
  return 0;
}
