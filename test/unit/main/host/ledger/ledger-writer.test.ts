import { join } from 'node:path';
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { decimalText, storedDecimal, ZERO } from '../../../../../src/main/host/ledger/decimal.ts';
import { type LedgerDatabase, openLedger } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { type LedgerSourceRow, LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import type { LotMethod } from '../../../../../src/main/host/ledger/lots.ts';
import type { LedgerType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { type OracleRow, oracleBooks, type SentRow } from '../../../../support/ledger-oracle.ts';
import { someRow } from '../../../../support/ledger-rows.ts';
import { rounds } from '../../../../support/proof.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';
import { tempDir } from '../../../../support/temp.ts';

const START = Date.UTC(2026, 0, 15);
const HOUR = 3_600_000;
const BOT = 'bot_1';

function ledgerHere(): LedgerDatabase {
  const db = openLedger(join(tempDir('ledger-'), 'ledger.db'));
  onTestFinished(() => {
    db.close();
  });
  return db;
}

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

/** Every table but the checkpoints, which may stand elsewhere. */
function dump(db: LedgerDatabase): unknown {
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

describe.each<LotMethod>(['fifo', 'average'])('the log of a bot, booked by %s', (method) => {
  it('gives the books of the oracle, however it comes in parts, over new hosts and from itself', () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    for (let history = 0; history < rounds(6, 500); history++) {
      const rows = someLog(random, 300);
      const db = ledgerHere();
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
      expect(books(db), `history ${history}`).toEqual(expected);
      const before = dump(db);
      new LedgerWriter(db, method).rebuild(BOT);
      expect(dump(db), `history ${history}, rebuilt`).toEqual(before);
    }
  });
});

const fill = (seq: number, rest: object): LedgerSourceRow => ({
  seq,
  at: START + seq,
  type: 'fill',
  mode: 'paper',
  text: JSON.stringify({
    _metric: 'fill',
    fill_id: `f${seq}`,
    symbol: 'X',
    side: 'BUY',
    quantity: 1,
    price: 10,
    ...rest,
  }),
});

describe('the ledger', () => {
  it('keeps the modes of a bot apart', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    writer.apply(BOT, [fill(1, {}), { ...fill(2, { fill_id: 'f1', side: 'SELL' }), mode: 'live' }], 2);
    const held = (mode: 'paper' | 'live') =>
      [...writer.holdings(BOT, mode).holdings()].map(({ position }) => decimalText(position.quantity));
    expect([held('paper'), held('live')]).toEqual([['1'], ['-1']]);
  });

  it('names the days whose sums a late row changes', () => {
    const writer = new LedgerWriter(ledgerHere(), 'fifo');
    const day = 86_400_000;
    const today = Math.floor(START / day);
    const at = (days: number) => ({ time: new Date(START + days * day).toISOString() });
    writer.apply(BOT, [fill(1, at(1)), fill(2, { ...at(3), side: 'SELL', price: 15 })], 2);
    const late = fill(3, { ...at(0), price: 12, quantity: 1 });
    expect([...(writer.apply(BOT, [late], 3).get('paper') ?? [])]).toEqual([today + 3]);
  });

  it('stores nothing of a batch that fails, and goes on with the next one', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    writer.apply(BOT, [fill(1, {})], 1);
    const before = dump(db);
    const broken = { ...fill(3, {}), text: '{' };
    expect(() => writer.apply(BOT, [fill(2, {}), broken], 3)).toThrow(SyntaxError);
    expect(dump(db)).toEqual(before);
    expect(writer.cursor(BOT)).toBe(1);
    writer.apply(BOT, [fill(2, { side: 'SELL', price: 12 })], 2);
    expect(db.prepare('select realised from entry order by seq').pluck().all()).toEqual([null, '2']);
  });

  it('keeps what it cannot book, with the reason', () => {
    const db = ledgerHere();
    new LedgerWriter(db, 'fifo').apply(BOT, [fill(1, { side: 'buy' })], 1);
    expect(db.prepare('select seq, problem from refused_row').all()).toEqual([
      { seq: 1, problem: '`side` must be one of BUY, SELL' },
    ]);
  });

  it('keeps no refused row of a kind that comes again in a moment', () => {
    const db = ledgerHere();
    const tick = { seq: 1, at: START, mode: 'paper' as const, type: 'price' as const, text: '{"value":1}' };
    new LedgerWriter(db, 'fifo').apply(BOT, [tick], 1);
    expect(db.prepare('select count(*) from refused_row').pluck().get()).toBe(0);
  });

  it('takes a trade without id, whose seq is one, for no fill of that id', () => {
    const db = ledgerHere();
    const trade = { ...fill(1, {}), type: 'trade' as const };
    new LedgerWriter(db, 'fifo').apply(BOT, [trade, fill(2, { fill_id: 1 })], 2);
    expect(db.prepare('select count(*) from conflict').pluck().get()).toBe(0);
    expect(db.prepare('select seq from entry order by seq').pluck().all()).toEqual([1, 2]);
  });

  it('rebuilds books that an earlier version of the rules made', () => {
    const db = ledgerHere();
    new LedgerWriter(db, 'fifo').apply(BOT, [fill(1, {}), fill(2, { side: 'SELL', price: 12 })], 2);
    const before = dump(db);
    db.exec("update book set rules = 0; update entry set realised = '7'; update total set amount = '7'");
    new LedgerWriter(db, 'fifo').apply(BOT, [], 2);
    expect(dump(db)).not.toEqual(before);
    const writer = new LedgerWriter(db, 'fifo');
    writer.apply(BOT, [fill(2, { side: 'SELL', price: 12 }), fill(3, { side: 'SELL', price: 12 })], 3);
    expect(db.prepare('select seq, realised from entry order by seq').all()).toEqual([
      { seq: 1, realised: null },
      { seq: 2, realised: '2' },
      { seq: 3, realised: null },
    ]);
    expect(db.prepare('select rules from book').pluck().all()).toEqual([1]);
  });

  it('follows a long chain of corrections that came before their fill', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    const chain = Array.from({ length: 5000 }, (_, at) => fill(at + 1, { fill_id: `g${at + 1}`, revises: `g${at}` }));
    writer.apply(BOT, chain, 5000);
    expect(db.prepare('select count(*) from entry').pluck().get()).toBe(0);
    writer.apply(BOT, [fill(5001, { fill_id: 'g0' })], 5001);
    expect(db.prepare('select seq, row from entry').all()).toEqual([{ seq: 5001, row: 5000 }]);
  });
});
