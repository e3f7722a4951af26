import { join } from 'node:path';
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { decimalText, storedDecimal, ZERO } from '../../../../../src/main/host/ledger/decimal.ts';
import { type LedgerDatabase, openLedger } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader, type StoredBook } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import type { StoredTotal } from '../../../../../src/main/host/ledger/totals.ts';
import { dayInZone, ZonedTotals } from '../../../../../src/main/host/ledger/zoned-totals.ts';
import { Statements } from '../../../../../src/node/statements.ts';
import { someRow } from '../../../../support/ledger-rows.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';
import { tempDir } from '../../../../support/temp.ts';

const BOT = 'bot_1';
const DAY = 86_400_000;
const HOUR = 3_600_000;
const EVER = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;
/** Ahead and behind, by whole and other hours, with and without summer time. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Apia', 'Africa/Cairo'];

function ledgerHere() {
  const db = openLedger(join(tempDir('zoned-'), 'ledger.db'));
  onTestFinished(() => {
    db.close();
  });
  const writer = new LedgerWriter(db, 'fifo');
  let seq = 0;
  const add = (type: 'fill' | 'adjustment' | 'position' | 'cash_flow', data: object, at: number): void => {
    seq += 1;
    writer.apply(BOT, [{ seq, at, type, mode: 'paper', text: JSON.stringify({ _metric: type, ...data }) }], seq);
  };
  const book = (): StoredBook => {
    const [found] = new LedgerReader(db).books(BOT);
    if (found === undefined) throw new Error('there is no book');
    return found;
  };
  const cash = (id: string, amount: string, time: string): void =>
    add('cash_flow', { flow_id: id, amount, currency: 'USD', kind: 'interest', time }, Date.parse(time));
  const erase = (): void => void writer.erase(BOT, { at: 1, user: 'user_1' }, seq);
  return { db, add, cash, book, erase };
}

/** Sums in an order of their own, so that two lists can be compared. */
const sorted = (totals: readonly StoredTotal[]): string[] =>
  totals
    .map((one) => JSON.stringify([one.day, one.venue, one.account, one.symbol, one.kind, one.currency, one.amount]))
    .sort();

/** Sums of every entry by the day that the calendar of JavaScript gives it. */
function slowly(db: LedgerDatabase, book: number, zone: string): StoredTotal[] {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const sums = new Map<string, ReturnType<typeof storedDecimal>>();
  const entries = db.prepare('select * from entry where book = ?').all(book) as Record<string, string | null>[];
  for (const entry of entries) {
    const on = Date.parse(day.format(Number(entry.at))) / DAY;
    for (const [kind, currency, amount] of [
      ['realised', entry.realised_currency, entry.realised],
      [entry.charge_kind, entry.charge_currency, entry.charge],
    ] as const) {
      if (amount === null || amount === undefined) continue;
      const key = JSON.stringify([on, entry.venue, entry.account, entry.symbol, kind, currency]);
      sums.set(key, (sums.get(key) ?? ZERO).plus(storedDecimal(amount)));
    }
  }
  return [...sums].flatMap(([key, amount]) => {
    const [on, venue, account, symbol, kind, currency] = JSON.parse(key);
    return amount.eq(ZERO) ? [] : [{ day: on, venue, account, symbol, kind, currency, amount: decimalText(amount) }];
  });
}

describe('sums by the days of a zone', () => {
  it('are those of a slow second calculation, whatever comes late or corrects what was there', () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const { db, add, book, erase } = ledgerHere();
    const kept = new ZonedTotals(new Statements(db));
    const stored = new LedgerReader(db);
    const fills: { readonly fill_id: string; readonly symbol: string; readonly account?: string }[] = [];
    const begin = Date.UTC(2026, 2, 27);
    let compared = 0;
    for (let step = 0; step < 240; step++) {
      const { type, data } = someRow(random, step);
      // Most come in their order, some late; the clocks of Berlin and New York change within these weeks.
      const at = begin + step * HOUR * 3 + random.below(HOUR);
      const time = new Date(random.below(5) === 0 ? at - random.below(9 * DAY) : at).toISOString();
      const old = random.below(6) === 0 ? fills[random.below(fills.length + 1)] : undefined;
      if (step === 150) erase();
      else if (old === undefined) {
        add(type, { ...data, time }, at);
        if (type === 'fill') fills.push(data as unknown as (typeof fills)[number]);
      } else {
        const { symbol, account, fill_id: revises } = old;
        const place = { fill_id: `c${step}`, symbol, revises, ...(account === undefined ? {} : { account }) };
        const change =
          random.below(3) === 0
            ? { cancelled: true }
            : { ...data, ...place, ...(random.below(2) === 0 ? { time } : {}) };
        add('fill', { ...change, ...place }, at);
      }
      if (step % 8 !== 0 || step === 150) continue;
      const zone = random.pick(ZONES);
      const slow = slowly(db, book().id, zone);
      const first = Math.floor(begin / DAY) + random.below(20) - 5;
      const [from, to] = random.below(3) === 0 ? EVER : ([first, first + random.below(15)] as const);
      const wanted = slow.filter(({ day }) => day >= from && day <= to);
      expect([step, zone, sorted(kept.totals(book(), zone, from, to))]).toEqual([step, zone, sorted(wanted)]);
      expect(sorted(kept.totals(book(), 'UTC', ...EVER))).toEqual(sorted(stored.totals(book(), 'UTC', ...EVER)));
      compared += wanted.length;
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('have days of 23 and of 25 hours where the clock is set', () => {
    const { db, cash, book } = ledgerHere();
    for (const [id, time] of [
      ['before', '2026-03-28T22:59:59.999Z'],
      ['first', '2026-03-28T23:00:00.000Z'],
      ['last', '2026-03-29T21:59:59.999Z'],
      ['after', '2026-03-29T22:00:00.000Z'],
      ['autumn first', '2026-10-24T22:00:00.000Z'],
      ['autumn last', '2026-10-25T22:59:59.999Z'],
      ['autumn after', '2026-10-25T23:00:00.000Z'],
    ] as const)
      cash(id, '1', time);
    const days = new ZonedTotals(new Statements(db)).totals(book(), 'Europe/Berlin', ...EVER);
    const dated = days.map(({ day, amount }) => [new Date(day * DAY).toISOString().slice(0, 10), amount]);
    expect(dated).toEqual([
      ['2026-03-28', '1'],
      ['2026-03-29', '2'],
      ['2026-03-30', '1'],
      ['2026-10-25', '2'],
      ['2026-10-26', '1'],
    ]);
  });

  it('begin where the clock skips midnight, and count an hour that comes twice once', () => {
    const day = (zone: string, at: string): string =>
      new Date(dayInZone(zone, Date.parse(at)) * DAY).toISOString().slice(0, 10);
    // In Cairo the clock goes from 0:00 to 1:00 on the last Friday of April.
    expect(day('Africa/Cairo', '2026-04-23T21:59:59.999Z')).toBe('2026-04-23');
    expect(day('Africa/Cairo', '2026-04-23T22:00:00.000Z')).toBe('2026-04-24');
    // In October it goes from 24:00 back to 23:00: the evening of Thursday has an hour more.
    expect(day('Africa/Cairo', '2026-10-29T20:30:00.000Z')).toBe('2026-10-29');
    expect(day('Africa/Cairo', '2026-10-29T21:30:00.000Z')).toBe('2026-10-29');
    expect(day('Africa/Cairo', '2026-10-29T22:00:00.000Z')).toBe('2026-10-30');
  });

  it('show nothing of a book that was erased, nor of another bot that has its number', () => {
    const { db, cash, book, erase } = ledgerHere();
    const kept = new ZonedTotals(new Statements(db));
    cash('a', '1', '2026-01-15T12:00:00Z');
    expect(kept.totals(book(), 'Asia/Kolkata', ...EVER)).toHaveLength(1);
    erase();
    cash('b', '2', '2026-02-15T12:00:00Z');
    expect(kept.totals(book(), 'Asia/Kolkata', ...EVER).map(({ amount }) => amount)).toEqual(['2']);
  });
});
