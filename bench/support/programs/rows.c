/* What SQLite gives one plain C program: a file of lines, a row each, 2,000 rows a transaction.
   cc -O2 rows.c -lsqlite3; ./a.out FILE DATABASE BOTS. Prints the seconds. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char **args) {
  if (count < 4) return 2;
  FILE *file = fopen(args[1], "r");
  if (!file) return 1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *bytes = malloc(size);
  if (fread(bytes, 1, size, file) != (size_t)size) return 1;
  sqlite3 *db;
  if (sqlite3_open(args[2], &db)) return 1;
  if (sqlite3_exec(db, "pragma journal_mode=wal; pragma synchronous=normal; pragma cache_size=-16000;"
                       "create table log(bot int, seq int, ts int, level int, line text, primary key(bot, seq)) without rowid", 0, 0, 0)) return 1;
  sqlite3_stmt *insert;
  if (sqlite3_prepare_v2(db, "insert into log values(?,?,?,?,?)", -1, &insert, 0)) return 1;
  int bots = atoi(args[3]);
  long rows = 0;
  struct timespec begun, ended;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  sqlite3_exec(db, "begin", 0, 0, 0);
  for (char *at = bytes, *end = bytes + size; at < end; rows++) {
    char *next = memchr(at, '\n', end - at);
    if (!next) next = end;
    sqlite3_bind_int(insert, 1, rows % bots);
    sqlite3_bind_int64(insert, 2, rows / bots);
    sqlite3_bind_int64(insert, 3, 1763640000000LL + rows);
    sqlite3_bind_int(insert, 4, 0);
    sqlite3_bind_text(insert, 5, at, next - at, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) return 1;
    sqlite3_reset(insert);
    at = next + 1;
    if (rows % 2000 == 1999) sqlite3_exec(db, "commit; begin", 0, 0, 0);
  }
  if (sqlite3_exec(db, "commit; pragma wal_checkpoint(truncate)", 0, 0, 0)) return 1;
  clock_gettime(CLOCK_MONOTONIC, &ended);
  printf("%f\n", ended.tv_sec - begun.tv_sec + (ended.tv_nsec - begun.tv_nsec) / 1e9);
  return 0;
}
