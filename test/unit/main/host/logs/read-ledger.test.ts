import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LedgerSourceRow } from '../../../../../src/main/host/ledger/book-writer.ts';
import { ledgerFile, openLedger, openLedgerForReading } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import type { LedgerType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { readLedger, readLedgerEntries, readLedgerProblems } from '../../../../../src/main/host/logs/read-ledger.ts';
import { tempDir } from '../../../../support/temp.ts';

const BOT = 'bot_1';
const DAY = 86_400_000;
const NONE = createBotMasker([]);

/** A ledger with these rows, and a reader of it. */
class Books {
  readonly #file = ledgerFile(tempDir('read-ledger-'));
  readonly #db = openLedger(this.#file);
  readonly writer = new LedgerWriter(this.#db, 'fifo');
  readonly reader: LedgerReader;
  #seq = 0;

  constructor() {
    const db = openLedgerForReading(this.#file);
    if (db === null) throw new Error('there is no ledger');
    this.reader = new LedgerReader(db);
    onTestFinished(() => {
      this.reader.close();
      this.#db.close();
    });
  }

  add(at: number, type: LedgerType, row: object, mode: LedgerSourceRow['mode'] = 'paper'): this {
    this.#seq += 1;
    this.writer.apply(BOT, [{ seq: this.#seq, at, type, text: JSON.stringify(row), mode }], this.#seq);
    return this;
  }

  fill(at: number, side: string, quantity: string, price: string, more: object = {}): this {
    const id = `f${this.#seq + 1}`;
    return this.add(at, 'fill', { fill_id: id, symbol: 'A', side, quantity, price, currency: 'USD', ...more });
  }

  read(query: object = {}) {
    return readLedger(this.reader, NONE, { bot_id: BOT, ...query }).books;
  }
}

/** Two days of one bot: profit, fees, cash, two accounts. */
function twoDays(): Books {
  return new Books()
    .fill(0, 'BUY', '2', '10', { fee: '0.1', fee_currency: 'USD', venue: 'x', account: 'main' })
    .fill(1, 'SELL', '1', '12.5', { fee: '0.001', fee_currency: 'BNB', venue: 'x', account: 'main' })
    .add(2, 'cash_flow', { flow_id: 'c1', amount: '100', currency: 'USD', kind: 'deposit' })
    .add(DAY, 'cash_flow', { flow_id: 'c2', amount: '-0.25', currency: 'USD', kind: 'funding', symbol: 'A' })
    .fill(DAY + 1, 'SELL', '1', '11', { venue: 'x', account: 'main' });
}

describe('sums', () => {
  it('are of one currency each, with net after fees and all cash but capital', () => {
    expect(twoDays().read()).toMatchObject([
      {
        mode: 'paper',
        method: 'fifo',
        not_booked: 0,
        conflicts: 0,
        positions: [],
        sums: [
          { day: null, symbol: null, currency: 'BNB', realised: '0', fees: '0.001', flows: {}, net: '-0.001' },
          {
            ...{ currency: 'USD', realised: '3.5', fees: '0.1', net: '3.15' },
            flows: { deposit: '100', funding: '-0.25' },
          },
        ],
      },
    ]);
  });

  it('are of each day, symbol or account, and of the days that are asked for', () => {
    const books = twoDays();
    const sums = (query: object) => books.read(query)[0]?.sums ?? [];
    expect(sums({ by: 'day' }).map(({ day, currency, net }) => [day, currency, net])).toEqual([
      ['1970-01-01', 'BNB', '-0.001'],
      ['1970-01-01', 'USD', '2.4'],
      ['1970-01-02', 'USD', '0.75'],
    ]);
    expect(sums({ by: 'symbol' }).map(({ symbol, currency, net }) => [symbol, currency, net])).toEqual([
      [null, 'USD', '0'],
      ['A', 'BNB', '-0.001'],
      ['A', 'USD', '3.15'],
    ]);
    expect(sums({ by: 'account' }).map(({ venue, account, currency, net }) => [venue, account, currency, net])).toEqual(
      [
        [null, null, 'USD', '-0.25'],
        ['x', 'main', 'BNB', '-0.001'],
        ['x', 'main', 'USD', '3.4'],
      ],
    );
    expect(sums({ from: '1970-01-02' }).map(({ net }) => net)).toEqual(['0.75']);
    expect(sums({ to: '1970-01-01' }).map(({ net }) => net)).toEqual(['-0.001', '2.4']);
  });

  it('of rows without a currency are of one symbol each, and have no net', () => {
    const books = new Books();
    for (const [at, symbol, price] of [
      [0, 'A', '10'],
      [1, 'B', '0.1'],
    ] as const) {
      const row = { symbol, quantity: '1', price };
      books.add(at, 'trade', { ...row, side: 'BUY' }).add(at + 5, 'trade', { ...row, side: 'SELL', price: '20' });
    }
    expect(
      books.read()[0]?.sums.map(({ symbol, currency, realised, net }) => [symbol, currency, realised, net]),
    ).toEqual([
      ['A', null, '10', null],
      ['B', null, '19.9', null],
    ]);
  });

  it('never go over two modes', () => {
    const books = new Books().fill(0, 'BUY', '1', '10');
    books.add(1, 'fill', { fill_id: 'x', symbol: 'A', side: 'SELL', quantity: '1', price: '20' }, 'unverified');
    expect(books.read().map(({ mode, positions }) => [mode, positions.map(({ quantity }) => quantity)])).toEqual([
      ['paper', ['1']],
      ['unverified', ['-1']],
    ]);
  });

  it('are none of a bot that never traded, and of a host without a ledger', () => {
    expect(readLedger(new Books().reader, NONE, { bot_id: 'bot_2' })).toEqual({
      bot_id: 'bot_2',
      books: [],
      erased: null,
    });
    expect(readLedger(null, NONE, { bot_id: BOT })).toEqual({ bot_id: BOT, books: [], erased: null });
    expect(openLedgerForReading(join(tempDir(), 'none.db'))).toBeNull();
  });
});

it('positions are those after all entries, however many came since the last checkpoint', () => {
  const books = new Books();
  const rows = Array.from({ length: 1300 }, (_, i) => ({
    ...{ seq: i + 1, at: i, type: 'fill' as const, mode: 'paper' as const },
    text: JSON.stringify({ fill_id: i, symbol: 'A', side: 'BUY', quantity: '1', price: String(i) }),
  }));
  books.writer.apply(BOT, rows.slice(0, 700), 700);
  books.writer.apply(BOT, rows.slice(700), 1300);
  expect(books.read()[0]?.positions).toMatchObject([
    { symbol: 'A', quantity: '1300', average_price: '649.5', cost: '844350', currency: null, side: 'net' },
  ]);
});

describe('entries', () => {
  it('come page by page, newest first, over all modes', () => {
    const books = twoDays();
    books.add(5, 'fill', { fill_id: 'u', symbol: 'B', side: 'BUY', quantity: '1', price: '1' }, 'unverified');
    const ids: string[] = [];
    let before: string | undefined;
    do {
      const page = readLedgerEntries(books.reader, NONE, { bot_id: BOT, limit: 2, before });
      ids.push(...page.entries.map(({ id }) => id));
      before = page.older_before ?? undefined;
    } while (before !== undefined);
    expect(ids).toEqual(['f5', 'c2', 'u', 'c1', 'f2', 'f1']);
    const only = readLedgerEntries(books.reader, NONE, { bot_id: BOT, mode: 'unverified' });
    expect(only.entries.map(({ id }) => id)).toEqual(['u']);
  });

  it('say what became of a row', () => {
    const { entries } = readLedgerEntries(twoDays().reader, NONE, { bot_id: BOT });
    expect(entries[0]).toEqual({
      ...{ mode: 'paper', seq: 5, at: '1970-01-02T00:00:00.001Z', type: 'fill', id: 'f5', venue: 'x', account: 'main' },
      ...{ symbol: 'A', side: 'SELL', kind: null, quantity: '1', price: '11', realised: '1', realised_currency: 'USD' },
      ...{ charge: null, charge_currency: null, unknown: null, unverified: false, difference: null, problem: null },
      ...{ position_side: 'net', moved: '-1' },
    });
    expect(entries[1]).toMatchObject({
      kind: 'funding',
      charge: '-0.25',
      charge_currency: 'USD',
      price: null,
      moved: null,
    });
  });

  it('say by how much a row changed what is held, its fee in the base asset included', () => {
    const inBase = { base: 'A', fee: '0.1', fee_currency: 'A', contract: 'spot' };
    const books = new Books()
      .fill(0, 'BUY', '2', '10', inBase)
      .fill(1, 'SELL', '1', '10', inBase)
      .fill(2, 'BUY', '1', '10', { fee: '0.1', fee_currency: 'USD' })
      .add(3, 'adjustment', { adjustment_id: 'a1', symbol: 'A', quantity: '-0.5', kind: 'transfer' })
      .fill(4, 'BUY', '1', '10', { currency: 'EUR' });
    const { entries } = readLedgerEntries(books.reader, NONE, { bot_id: BOT });
    expect(entries.map(({ moved, position_side }) => [moved, position_side])).toEqual([
      [null, 'net'],
      ['-0.5', null],
      ['1', 'net'],
      ['-1.1', 'net'],
      ['1.9', 'net'],
    ]);
    expect(books.read()[0]?.positions[0]?.quantity).toBe('1.3');
  });
});

it('problems are rows that are refused, that conflict, and that cannot be booked', () => {
  const books = new Books()
    .fill(0, 'BUY', '1', '10')
    .add(1, 'fill', { fill_id: 'f1', symbol: 'A', side: 'BUY', quantity: '2', price: '10', currency: 'USD' })
    .add(2, 'fill', { fill_id: 'f3', symbol: 'A', side: 'up', quantity: '2', price: '10' })
    .fill(3, 'BUY', '1', '10', { currency: 'EUR' })
    .fill(4, 'BUY', '1', '10', { revises: 'never came' });
  const { problems } = readLedgerProblems(books.reader, NONE, { bot_id: BOT });
  expect(problems.map(({ seq, reason, message }) => [seq, reason, message])).toEqual([
    [5, 'waiting', 'it corrects a row that has not come'],
    [4, 'not_booked', '`currency` is EUR, but the position is in USD'],
    [3, 'refused', '`side` must be one of BUY, SELL'],
    [2, 'conflict', 'the row with seq 1 has the same id, and says something else'],
  ]);
  expect(books.read()[0]).toMatchObject({ not_booked: 3, conflicts: 1 });
});

it('a text that became a secret since is shown nowhere', () => {
  const secret = 'hunter2-very-secret';
  const books = new Books()
    .fill(0, 'BUY', '1', '10', { account: secret, fill_id: `${secret}-1`, symbol: secret })
    .add(1, 'fill', { fill_id: secret, symbol: 'A', side: 'up', quantity: '2', price: '1.50' });
  const masker = createBotMasker([secret], 'key');
  const query = { bot_id: BOT };
  const all = JSON.stringify([
    readLedger(books.reader, masker, { ...query, by: 'account' }),
    readLedgerEntries(books.reader, masker, query),
    readLedgerProblems(books.reader, masker, query),
  ]);
  expect(all).not.toContain(secret);
  expect(all.match(/\*{3}-[0-9a-f]{16}/g)).toHaveLength(6);
});

describe('positions', () => {
  const held = (books: Books) => {
    const [book] = books.read();
    return book?.positions.map(({ symbol, price, unrealised, difference }) => [symbol, price, unrealised, difference]);
  };

  it('are worth the newest price of their symbol, which is no exchange rate', () => {
    const books = new Books().fill(0, 'BUY', '2', '10').fill(1, 'SELL', '3', '10', { symbol: 'B' });
    expect(held(books)).toEqual([
      ['A', null, null, null],
      ['B', null, null, null],
    ]);
    books
      .add(2, 'price', { symbol: 'A', value: '11.25' })
      .add(DAY, 'price', { symbol: 'B', value: '9', currency: 'USD' });
    expect(held(books)).toEqual([
      ['A', '11.25', '2.5', null],
      ['B', '9', '3', null],
    ]);
    expect(books.read()[0]?.positions[1]?.price_at).toBe('1970-01-02T00:00:00.000Z');
    books.add(DAY, 'price', { symbol: 'A', value: '12', currency: 'EUR' });
    expect(held(books)?.[0]).toEqual(['A', '12', null, null]);
  });

  it('of an inverse contract are worth what they would settle at', () => {
    const books = new Books().fill(0, 'BUY', '1', '50', { contract: 'inverse', multiplier: '100', currency: 'BTC' });
    books.add(1, 'price', { symbol: 'A', value: '100' });
    expect(held(books)).toEqual([['A', '100', '1', null]]);
  });

  it('show what the bot said otherwise, until it or a fill agrees', () => {
    const books = new Books().fill(0, 'BUY', '2', '10').add(1, 'position', { symbol: 'A', quantity: '3' });
    books.add(2, 'position', { symbol: 'C', quantity: '1', account: 'main' });
    expect(held(books)).toEqual([['A', null, null, 'the bot says 3, its fills say 2']]);
    expect(books.read()[0]?.differences).toMatchObject([{ symbol: 'C', account: 'main', reported: '1' }]);
    books.fill(3, 'BUY', '1', '10').add(4, 'position', { symbol: 'C', quantity: '0', account: 'main' });
    expect(held(books)).toEqual([['A', null, null, null]]);
    expect(books.read()[0]?.differences).toEqual([]);
  });

  it('come with the newest equity of each account', () => {
    const books = new Books().add(0, 'equity', { value: '5', currency: 'USD' }).add(1, 'portfolio_value', { value: 7 });
    expect(books.read()[0]?.equity.map(({ currency, value }) => [currency, value])).toEqual([
      [null, '7'],
      ['USD', '5'],
    ]);
  });
});
