import { expect } from 'vitest';
import type { LedgerSourceRow } from '../../src/main/host/ledger/book-writer.ts';
import { decimalText, storedDecimal, ZERO } from '../../src/main/host/ledger/decimal.ts';
import type { LedgerDatabase } from '../../src/main/host/ledger/ledger-database.ts';
import { LedgerWriter } from '../../src/main/host/ledger/ledger-writer.ts';
import type { LotMethod } from '../../src/main/host/ledger/lots.ts';
import type { LedgerType } from '../../src/main/host/ledger/vocabulary.ts';
import { type OracleRow, oracleBooks, type SentRow } from './ledger-oracle.ts';
import { someRow } from './ledger-rows.ts';
import type { SeededRandom } from './seeded-random.ts';

const START = Date.UTC(2026, 0, 15);
const HOUR = 3_600_000;
const BOT = 'bot_1';

const sent = ({ seq, at, type, data }: OracleRow): LedgerSourceRow => ({
  seq,
  at,
  type: type as LedgerType,
  mode: 'paper',
  text: JSON.stringify({ _metric: type, ...data, ...(data.cancelled === 'true' ? { cancelled: true } : {}) }),
});

interface EntryRow {
  readonly seq: number;
  readonly row: number;
  readonly problem: string | null;
  readonly realised: string | null;
  readonly difference: string | null;
}

/** What the database says, in the words of the oracle. */
function books(db: LedgerDatabase) {
  const entries = db.prepare<[], EntryRow>('select * from entry order by at, seq').all();
  const totals = db
    .prepare<[], Record<'day' | 'venue' | 'account' | 'symbol' | 'kind' | 'currency' | 'amount', string>>(
      'select * from total',
    )
    .all();
  const sums = new Map<string, ReturnType<typeof storedDecimal>>();
  for (const { day, venue, account, symbol, kind, amount } of totals) {
    const key = [day, venue, account, symbol, kind].join('|');
    sums.set(key, (sums.get(key) ?? ZERO).plus(storedDecimal(amount)));
  }
  const shown = [...sums].filter(([, sum]) => !sum.eq(ZERO)).map(([key, sum]) => [key, decimalText(sum)] as const);
  return {
    entries: entries.map(({ seq, row, problem, realised, difference }) => ({
      booked: problem === null,
      profit: realised,
      differs: difference !== null,
      root: seq,
      row,
    })),
    conflicts: db.prepare('select seq from conflict order by seq').pluck().all(),
    waiting: db.prepare('select seq from row where root is null order by seq').pluck().all(),
    sums: Object.fromEntries(shown),
  };
}

/** Every table of a ledger but the checkpoints, which may stand elsewhere. */
export function dump(db: LedgerDatabase): unknown {
  return ['row', 'refused_row', 'conflict', 'entry', 'total'].map((table) =>
    db.prepare(`select * from ${table}`).all(),
  );
}

/** The log of a bot: late rows, repeated ones, corrections of corrections, conflicts, and rows that wait for others. */
function someLog(random: SeededRandom, count: number): OracleRow[] {
  const rows: OracleRow[] = [];
  const late = (at: number): { time?: string } => {
    const ago = random.below(5) === 0 ? random.below(48) * HOUR : 0;
    return ago === 0 ? {} : { time: new Date(at - ago).toISOString() };
  };
  for (let seq = 1; rows.length < count; seq++) {
    const at = START + seq * (HOUR / 10);
    const old = rows.length === 0 ? undefined : random.pick(rows);
    const draw = random.below(20);
    const add = (type: string, data: SentRow) => rows.push({ seq, at, type, data });
    if (old !== undefined && draw === 0) add(old.type, old.data);
    else if (old !== undefined && draw === 1 && old.data.cancelled === undefined) {
      add(old.type, old.type === 'cash_flow' ? { ...old.data, amount: '77' } : { ...old.data, quantity: '7.77' });
    } else if (old?.type === 'fill' && draw < 5 && old.data.cancelled === undefined) {
      // Some correct a fill that is yet to come.
      const names = random.below(4) === 0 ? `f${seq + random.below(20)}` : (old.data.fill_id ?? '');
      const { cancelled: _, revises: __, time: ___, ...data } = old.data;
      const fill_id = `c${seq}`;
      if (random.below(3) > 0) add('fill', { ...data, ...late(at), fill_id, revises: names, quantity: '1.25' });
      else if (random.below(2) === 0) add('fill', { ...data, fill_id, cancelled: names });
      else add('fill', { ...data, fill_id, revises: names, cancelled: 'true' });
    } else if (draw === 5) {
      const kind = random.pick(['funding', 'deposit', 'dividend', 'fee']);
      const amount = `${random.pick(['', '-'])}0.${random.text('0123456789', 6)}`;
      add('cash_flow', { flow_id: `m${seq}`, amount, currency: random.pick(['USD', 'BTC']), kind, ...late(at) });
    } else {
      const { type, data } = someRow(random, seq);
      if (type !== 'position') add(type, { ...data, ...late(at) });
    }
  }
  return rows;
}

/** Rows of one random log. */
export const LOG_ROWS = 300;

/**
 * Books one random log in an empty ledger, in parts and over new hosts, and expects the books of the oracle; then makes them
 * again from themselves, and expects the same. `what` names the log if the test fails.
 */
export function expectOracleBooks(db: LedgerDatabase, method: LotMethod, random: SeededRandom, what: string): void {
  const rows = someLog(random, LOG_ROWS);
  let writer = new LedgerWriter(db, method);
  for (let from = 0; from < rows.length; ) {
    const to = Math.min(rows.length, from + 1 + random.below(random.below(2) === 0 ? 3 : 100));
    // A host that was killed sends some rows again.
    const again = Math.max(0, from - random.below(5));
    writer.apply(BOT, rows.slice(again, to).map(sent), rows[to - 1]?.seq ?? 0);
    if (random.below(5) === 0) writer = new LedgerWriter(db, method);
    from = to;
  }
  const { positions: _, ...expected } = oracleBooks(rows, method);
  expect(books(db), what).toEqual(expected);
  const before = dump(db);
  new LedgerWriter(db, method).rebuild(BOT);
  expect(dump(db), `${what}, rebuilt`).toEqual(before);
}
