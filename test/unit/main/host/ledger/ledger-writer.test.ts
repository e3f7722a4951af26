import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import type { LedgerSourceRow } from '../../../../../src/main/host/ledger/book-writer.ts';
import { decimalText } from '../../../../../src/main/host/ledger/decimal.ts';
import { type LedgerDatabase, openLedger } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import type { LotMethod } from '../../../../../src/main/host/ledger/lots.ts';
import { dump, expectOracleBooks } from '../../../../support/ledger-logs.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';
import { tempDir } from '../../../../support/temp.ts';

const START = Date.UTC(2026, 0, 15);
const BOT = 'bot_1';

function ledgerHere(): LedgerDatabase {
  const db = openLedger(join(tempDir('ledger-'), 'ledger.db'));
  onTestFinished(() => {
    db.close();
  });
  return db;
}

describe.each<LotMethod>(['fifo', 'average'])('the log of a bot, booked by %s', (method) => {
  it('gives the books of the oracle, however it comes in parts, over new hosts and from itself', () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    for (let log = 0; log < 6; log++) expectOracleBooks(ledgerHere(), method, random, `log ${log}`);
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

describe('books that are made again', () => {
  const sell = (seq: number, price: number) => fill(seq, { side: 'SELL', price });
  const realised = (db: LedgerDatabase) =>
    db.prepare('select realised from entry where realised is not null order by seq').pluck().all();

  it('are the same, and say so', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    writer.apply(BOT, [fill(1, {}), sell(2, 12), fill(3, { fill_id: 'f1', price: 11 }), fill(4, { side: 'buy' })], 4);
    const before = dump(db);
    expect(writer.rebuild(BOT)).toEqual({ method: 'fifo', rows: 4, added: 0, changedDays: 0 });
    expect(dump(db)).toEqual(before);
  });

  it('take older rows of the log, of which the first of an id counts', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    writer.apply(BOT, [fill(11, { fill_id: 'a', price: 11 }), sell(12, 12)], 12);
    const older = [fill(3, { fill_id: 'a', price: 8 }), fill(5, {}), fill(11, { fill_id: 'a', price: 11 })];
    expect(writer.rebuild(BOT, older)).toMatchObject({ rows: 4, added: 2, changedDays: 1 });
    expect(realised(db)).toEqual(['4']);
    expect(db.prepare('select first, seq from conflict').all()).toEqual([{ first: 3, seq: 11 }]);
    expect(writer.rebuild(BOT, older)).toMatchObject({ rows: 4, added: 0, changedDays: 0 });
    expect(writer.cursor(BOT)).toBe(12);
  });

  it('count by the method that was chosen for the bot, in modes that begin later as well', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    const rows = [fill(1, { price: 10 }), fill(2, { price: 14 }), sell(3, 20)];
    writer.apply(BOT, rows, 3);
    writer.apply('bot_2', rows, 3);
    expect(writer.setMethod(BOT, 'average')).toEqual({ method: 'average', rows: 3, added: 0, changedDays: 1 });
    writer.apply(
      BOT,
      rows.map((row) => ({ ...row, seq: row.seq + 3, mode: 'live' as const })),
      6,
    );
    expect(realised(db)).toEqual(['8', '10', '8']);
    expect(new LedgerWriter(db, 'fifo').setMethod(BOT, 'fifo')).toMatchObject({ changedDays: 2 });
    expect(realised(db)).toEqual(['10', '10', '10']);
  });

  it('are read anew by who has read them before', () => {
    const db = ledgerHere();
    const writer = new LedgerWriter(db, 'fifo');
    writer.apply(BOT, [fill(1, { price: 10 }), fill(2, { price: 14 }), sell(3, 20)], 3);
    const reader = new LedgerReader(db);
    const costs = () =>
      reader.books(BOT).flatMap((book) => [...reader.holdings(book).holdings()].map(({ position }) => position.cost()));
    expect(costs().map(String)).toEqual(['14']);
    writer.setMethod(BOT, 'average');
    expect(costs().map(String)).toEqual(['12']);
  });
});

describe('books that are erased', () => {
  const by = { at: START, user: 'user_1' };

  it('are gone with every row, and nothing of before comes back', () => {
    const file = join(tempDir('ledger-'), 'ledger.db');
    const db = openLedger(file);
    const writer = new LedgerWriter(db, 'fifo');
    const rows = [
      fill(1, { fill_id: 'very-own-id' }),
      {
        ...fill(2, {}),
        type: 'order' as const,
        text: '{"client_order_id":"o","symbol":"X","side":"BUY","quantity":1,"status":"new"}',
      },
      { ...fill(3, {}), type: 'equity' as const, text: '{"value":"1"}' },
    ];
    writer.apply(BOT, rows, 3);
    writer.apply('bot_2', [fill(1, {})], 1);
    expect(writer.erase(BOT, by, 5)).toBe(2);
    writer.apply(BOT, [fill(4, {}), fill(5, {})], 5);
    expect(writer.rebuild(BOT, rows)).toMatchObject({ rows: 0, added: 0 });
    const tables = db
      .prepare("select name from sqlite_master where type = 'table' and sql like '%book integer%'")
      .pluck();
    const left = (tables.all() as string[]).filter(
      (table) => db.prepare(`select 1 from ${table} where book = 1`).get() !== undefined,
    );
    expect(left).toEqual([]);
    expect(db.prepare('select bot from book').pluck().all()).toEqual(['bot_2']);
    expect(new LedgerReader(db).erased(BOT)).toEqual({ at: START, rows: 2 });
    writer.apply(BOT, [fill(6, {})], 6);
    expect(db.prepare('select seq from entry where seq > 1').pluck().all()).toEqual([6]);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    expect(readFileSync(file).includes('very-own-id')).toBe(false);
  });

  it('keep the method that was chosen', () => {
    const writer = new LedgerWriter(ledgerHere(), 'fifo');
    writer.setMethod(BOT, 'average');
    writer.erase(BOT, by, 0);
    expect(writer.method(BOT)).toBe('average');
  });
});
