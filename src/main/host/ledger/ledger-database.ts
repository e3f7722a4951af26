import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { PlatformError } from '../../../contract/errors.ts';
import { databaseHasTables } from '../../../node/database-has-tables.ts';
import { makePrivate, refuseStrangeDatabase } from '../../../node/private-database-file.ts';
import { damage } from '../../../node/storage-error.ts';

export type LedgerDatabase = Database.Database;

/**
 * The books of all bots. A book is what one bot did in one mode, by a version of the rules. `row` has every row that the books took, with its source
 * text, from which everything else can be made again: `entry` is what became of it, in the order of booking, where a
 * correction has the place of the row that it corrects; `total` sums entries by UTC day (days since 1970); `checkpoint` is
 * what was held after an entry. Amounts are digits as text; a currency that no row names is the empty text.
 *
 * `cursor.seq` is the last row of a bot's log that the books have looked at; `settled` is 1 if the log had no later one when
 * the host closed it.
 *
 * `row.target` is the key of the row that a correction corrects, `row.root` the seq of the first row of its group: its own
 * seq unless it corrects another one, null as long as that one is unknown. The first row of a group has the time of its entry
 * as `placed`, null for a group that was taken back.
 */
const BOOKS = `
create table book(id integer primary key, bot text not null, mode text not null, method text not null,
  rules integer not null, unique(bot, mode));
create table cursor(bot text primary key, seq integer not null, settled integer not null) without rowid;
create table row(book integer not null, seq integer not null, type text not null, key text not null, at integer not null,
  root integer, placed integer, target text, text text not null, primary key(book, seq)) without rowid;
create unique index row_key on row(book, key);
create index row_target on row(book, target) where target is not null;
create index row_root on row(book, root) where target is not null;
create table refused_row(book integer not null, seq integer not null, type text not null, at integer not null,
  problem text not null, text text not null, primary key(book, seq)) without rowid;
create table conflict(book integer not null, seq integer not null, first integer not null, type text not null,
  at integer not null, text text not null, primary key(book, seq)) without rowid;
create table entry(book integer not null, at integer not null, seq integer not null, row integer not null,
  type text not null, venue text not null, account text not null, symbol text not null, realised text,
  realised_currency text, charge text, charge_kind text, charge_currency text, closed text, unknown text,
  difference text, problem text, primary key(book, at, seq)) without rowid;
create index entry_problem on entry(book, seq) where problem is not null;
create table checkpoint(book integer not null, at integer not null, seq integer not null, holdings text not null,
  primary key(book, at, seq)) without rowid;
create table total(book integer not null, day integer not null, venue text not null, account text not null,
  symbol text not null, kind text not null, currency text not null, amount text not null,
  primary key(book, day, venue, account, symbol, kind, currency)) without rowid;
`;

/**
 * What is kept of rows that book nothing. `bot_order` has each order by the seq of its first row, `order_status` every row of
 * it that says something new, with its text; `decision` is the key of what it was placed for, `duplicate_of` the seq of an
 * earlier order for the same decision, and `told` 0 until the host has told of that. `price` is the newest of each symbol,
 * `report` the newest position that the bot wrote for one, and `held` what its fills said then; `equity` has a row for each
 * minute, `rate` and `signals` one for each UTC day. A currency, venue or account that no row names is the empty text.
 *
 * Releases before this left such rows in the logs: `cursor.again` is the seq up to which the log has been looked through for
 * them, and null once that has reached `again_to`.
 */
const OBSERVATIONS = `
create table bot_order(book integer not null, seq integer not null, key text not null, client text not null,
  at integer not null, newest integer not null, newest_at integer not null, status text not null, decision text,
  duplicate_of integer, told integer not null, primary key(book, seq)) without rowid;
create unique index bot_order_key on bot_order(book, key);
create index bot_order_at on bot_order(book, at, seq);
create index bot_order_decision on bot_order(book, decision, seq) where decision is not null;
create index bot_order_untold on bot_order(book, seq) where told = 0;
create table order_status(book integer not null, first integer not null, seq integer not null, at integer not null,
  status text not null, content text not null, text text not null, primary key(book, first, seq)) without rowid;
create unique index order_content on order_status(book, first, content);
create table price(book integer not null, symbol text not null, at integer not null, seq integer not null,
  value text not null, currency text not null, primary key(book, symbol)) without rowid;
create table report(book integer not null, account text not null, symbol text not null, side text not null,
  at integer not null, seq integer not null, quantity text not null, held text not null,
  primary key(book, account, symbol, side)) without rowid;
create table equity(book integer not null, venue text not null, account text not null, currency text not null,
  minute integer not null, at integer not null, seq integer not null, value text not null, low text not null,
  high text not null, primary key(book, venue, account, currency, minute)) without rowid;
create table rate(book integer not null, base text not null, quote text not null, day integer not null,
  at integer not null, seq integer not null, value text not null, primary key(book, base, quote, day)) without rowid;
create table signals(book integer not null, day integer not null, count integer not null, at integer not null,
  seq integer not null, symbol text, side text, price text, primary key(book, day)) without rowid;
alter table cursor add column again integer;
alter table cursor add column again_to integer;
update cursor set again = 0, again_to = seq;
`;

/**
 * `method.method` is by which units leave, where a person has chosen it for a bot. `book.revision` grows whenever a book is made
 * again, because its newest row may then be the same as before. `erasure` says of each erasure who did it, when (ms since the
 * epoch), how many rows went, and up to which seq of the log: nothing up to there is ever taken again.
 */
const UPKEEP = `
create table method(bot text primary key, method text not null) without rowid;
alter table book add column revision integer not null default 0;
create table erasure(id integer primary key, bot text not null, at integer not null, user text not null,
  rows integer not null, seq integer not null);
create index erasure_bot on erasure(bot, id);
`;

/** What each version of the ledger adds to the one before; the first makes it. A released one never changes. */
const STEPS = [BOOKS, OBSERVATIONS, UPKEEP];
const VERSION = STEPS.length;

/** Name of the ledger in a data folder, and in a backup. */
export const LEDGER = 'ledger.db';

/** Path of the ledger in a data folder. */
export function ledgerFile(dataDir: string): string {
  return join(dataDir, LEDGER);
}

/** Opens the ledger of a host for writing, and makes it where there is none. */
export function openLedger(file: string): LedgerDatabase {
  refuseStrangeDatabase(file);
  makePrivate(file);
  const db = new Database(file);
  try {
    db.pragma('busy_timeout = 5000');
    db.pragma('journal_mode = WAL');
    // A power cut may take the last commits, and with them the cursor: their rows are then read from the logs again.
    db.pragma('synchronous = NORMAL');
    migrate(db, file);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Opens the ledger for reading only; null where there is none. */
export function openLedgerForReading(file: string): LedgerDatabase | null {
  if (!existsSync(file)) return null;
  refuseStrangeDatabase(file);
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.pragma('busy_timeout = 5000');
    const version = versionOf(db, file);
    // The writer has opened the file, and what it lacks comes in a moment.
    if (version === VERSION) return db;
    db.close();
    return null;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** True if a file is a ledger with books, or one that cannot be read: neither may give way to another. */
export function holdsBooks(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    refuseStrangeDatabase(file);
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      // One of an earlier release has books as well.
      return versionOf(db, file) > 0 && db.prepare('select 1 from book limit 1').get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    return true;
  }
}

/** Makes a host look through the logs of all bots, which may have rows that a ledger from elsewhere lacks. */
export function unsettleLedger(file: string): void {
  const db = openLedger(file);
  try {
    db.exec('update cursor set settled = 0');
  } finally {
    db.close();
  }
}

/** Returns the version of a ledger. Throws a PlatformError for one of a newer release. */
function versionOf(db: LedgerDatabase, file: string): number {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version <= VERSION) return version;
  throw new PlatformError('INTERNAL', `${file} was written by a newer release (ledger schema ${version})`, {
    hint: 'Start the newer release again.',
  });
}

function migrate(db: LedgerDatabase, file: string): void {
  const version = versionOf(db, file);
  if (version === VERSION) return;
  if (version === 0 && databaseHasTables(db)) throw damage('its version is gone');
  db.transaction(() => {
    for (const step of STEPS.slice(version)) db.exec(step);
    db.pragma(`user_version = ${VERSION}`);
  })();
}
