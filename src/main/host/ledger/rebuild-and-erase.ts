import type { Statements } from '../../../node/statements.ts';
import type { LedgerSourceRow } from './book-writer.ts';
import type { LedgerDatabase } from './ledger-database.ts';

/** Tables with the source text of rows. */
const SOURCES = ['row', 'refused_row', 'conflict'] as const;
/** Tables that are made from those. */
const MADE = ['entry', 'checkpoint', 'total'] as const;
/** Tables of rows that book nothing. */
const OBSERVED = ['bot_order', 'order_status', 'price', 'report', 'equity', 'rate', 'signals'] as const;

const OF_BOT = 'book in (select id from book where bot = ?)';

/** The rows that the books of a bot have taken, in the order of their seqs. */
export function takenRows(statements: Statements, bot: string): LedgerSourceRow[] {
  const from = (table: string) =>
    `select b.mode, r.seq, r.at, r.type, r.text from ${table} r join book b on b.id = r.book where b.bot = ?`;
  return statements.all<LedgerSourceRow>(
    `${SOURCES.map(from).join(' union all ')} order by 2`,
    ...SOURCES.map(() => bot),
  );
}

/** Number of the rows that `takenRows` returns. */
export function countTaken(statements: Statements, bot: string): number {
  return SOURCES.reduce((sum, table) => sum + countIn(statements, table, bot), 0);
}

function countIn(statements: Statements, table: string, bot: string): number {
  return statements.get<{ n: number }>(`select count(*) as n from ${table} where ${OF_BOT}`, bot)?.n ?? 0;
}

/** Removes what the books of a bot are made of and what was made from it; what was observed stays. */
export function emptyBooks(statements: Statements, bot: string): void {
  for (const table of [...SOURCES, ...MADE]) statements.run(`delete from ${table} where ${OF_BOT}`, bot);
  statements.run('update book set revision = revision + 1 where bot = ?', bot);
}

/** The sums of a bot: for each mode and UTC day a text that says all of them. */
export function dailySums(statements: Statements, bot: string): ReadonlyMap<string, string> {
  const rows = statements.all<{ day: string; sums: string }>(
    `select b.mode || ' ' || t.day as day,
      json_group_array(json_array(venue, account, symbol, kind, currency, amount)
        order by venue, account, symbol, kind, currency) as sums
      from total t join book b on b.id = t.book where b.bot = ? group by b.mode, t.day`,
    bot,
  );
  return new Map(rows.map(({ day, sums }) => [day, sums]));
}

/** Number of days whose sums differ. */
export function differentDays(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): number {
  return [...new Set([...a.keys(), ...b.keys()])].filter((day) => a.get(day) !== b.get(day)).length;
}

/** The seq of the log up to which the books of a bot were erased; 0 if they never were. */
export function erasedUpTo(statements: Statements, bot: string): number {
  return statements.get<{ seq: number | null }>('select max(seq) as seq from erasure where bot = ?', bot)?.seq ?? 0;
}

/** Removes everything of a bot but its cursor, which moves to `seq`, and notes that. Returns the number of rows that went. */
export function eraseBooks(
  statements: Statements,
  bot: string,
  { at, user }: { readonly at: number; readonly user: string },
  seq: number,
): number {
  const rows = countTaken(statements, bot) + countIn(statements, 'bot_order', bot);
  for (const table of [...SOURCES, ...MADE, ...OBSERVED]) statements.run(`delete from ${table} where ${OF_BOT}`, bot);
  statements.run('delete from book where bot = ?', bot);
  statements.run(
    `insert into cursor(bot, seq, settled) values(?, ?, 0)
      on conflict do update set seq = excluded.seq, again = null, again_to = null`,
    bot,
    seq,
  );
  statements.run('insert into erasure(bot, at, user, rows, seq) values(?, ?, ?, ?, ?)', ...[bot, at, user, rows, seq]);
  return rows;
}

/** Does work that leaves nothing of what it deletes in free pages of the file. */
export function withSecureDelete<Result>(db: LedgerDatabase, work: () => Result): Result {
  const before = Number(db.pragma('secure_delete', { simple: true }));
  db.pragma('secure_delete = on');
  try {
    return work();
  } finally {
    db.pragma(`secure_delete = ${before}`);
  }
}
