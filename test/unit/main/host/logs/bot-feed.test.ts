import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TradeMode } from '../../../../../src/contract/bot.ts';
import { ledgerFile } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { BotIngest } from '../../../../../src/main/host/logs/bot-ingest.ts';
import type { LedgerFeed } from '../../../../../src/main/host/logs/ledger-feed.ts';
import type { Retention } from '../../../../../src/main/host/logs/log-retention.ts';
import { segmentName, segmentsIn } from '../../../../../src/main/host/logs/log-segments.ts';
import { ReadBuffers, type SpoolTail } from '../../../../../src/main/host/logs/spool-tail.ts';
import { ledgerParts } from '../../../../support/ledger-parts.ts';
import { LogHere } from '../../../../support/log-here.ts';
import { asVersion2 } from '../../../../support/row-segment.ts';
import { tempDir } from '../../../../support/temp.ts';

const BOT = 'bot_1';

interface Booked {
  readonly mode: string;
  readonly seq: number;
  readonly key: string;
}

/** The ingest of one bot in a folder of its own, which further hosts may take over. */
class Place {
  readonly dataDir: string;
  readonly dir: string;
  readonly reports: string[] = [];
  /** Client ids of orders that were told to repeat others. */
  readonly duplicates: string[] = [];
  retention: Retention = { days: 30, bytes: 1e9 };
  now = 5000;
  ledger: LedgerFeed;
  ingest: BotIngest;
  #tail: SpoolTail | undefined;

  constructor() {
    this.dataDir = tempDir('bot-feed-');
    this.dir = join(this.dataDir, 'bots', BOT);
    mkdirSync(this.dir, { recursive: true });
    [this.ledger, this.ingest] = this.#host();
    onTestFinished(() => this.ingest.close());
  }

  #host(): [LedgerFeed, BotIngest] {
    const parts = ledgerParts(this.dataDir, (message) => this.reports.push(message));
    const ingest = new BotIngest(BOT, {
      dataDir: this.dataDir,
      retention: () => this.retention,
      shortage: () => null,
      buffers: new ReadBuffers(),
      now: () => this.now,
      emit: (event) => {
        if (event.event === 'report') this.reports.push(event.message);
        if (event.event === 'duplicates') this.duplicates.push(...event.orders.map(({ client }) => client));
      },
      ...parts,
    });
    return [parts.ledger, ingest];
  }

  /** The host is killed, and another one starts. */
  again(): void {
    this.ingest.close();
    this.#tail = undefined;
    [this.ledger, this.ingest] = this.#host();
  }

  /** The bot prints metrics, of which ingest stores what is there. */
  say(rows: readonly object[], run = 'run_1', mode: TradeMode | null = 'paper'): void {
    const path = join(this.dir, 'runs', run, 'bot.out');
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const facts = mode === null ? {} : { facts: { mode, hash: 'h', trigger: 'deploy' as const } };
    this.#tail = this.ingest.attach({ botId: BOT, runId: run, path, source: 'stdout', ...facts });
    while (this.ingest.turn(this.#tail) === 'more');
    this.ingest.commit();
  }

  /** Gives the ledger what it missed, once its wait is over. */
  async book(): Promise<void> {
    await vi.waitUntil(() => {
      while (this.ingest.book());
      return !this.ingest.isUnbooked;
    }, 20_000);
  }

  booked(): Booked[] {
    const db = new Database(ledgerFile(this.dataDir), { readonly: true });
    try {
      return db
        .prepare<[], Booked>('select mode, seq, key from row join book on book.id = row.book order by seq')
        .all();
    } finally {
      db.close();
    }
  }

  cursor(): { seq: number; settled: number } | undefined {
    if (!existsSync(ledgerFile(this.dataDir))) return undefined;
    const db = new Database(ledgerFile(this.dataDir), { readonly: true });
    try {
      return db
        .prepare<[string], { seq: number; settled: number }>('select seq, settled from cursor where bot = ?')
        .get(BOT);
    } finally {
      db.close();
    }
  }

  /** The folder as a release without a ledger has left it, with another host. */
  loseLedger(): void {
    this.ingest.close();
    this.ledger.close([]);
    for (const end of ['', '-wal', '-shm']) rmSync(`${ledgerFile(this.dataDir)}${end}`, { force: true });
    asVersion2(join(this.dir, segmentName(0)));
    this.again();
  }

  /** Nothing can open the ledger until the returned function is called. */
  breakLedger(): () => void {
    this.ledger.close([]);
    const file = ledgerFile(this.dataDir);
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    renameSync(file, `${file}.kept`);
    writeFileSync(file, 'this is no database, and long enough to be taken for one that is damaged');
    return () => {
      rmSync(file);
      renameSync(`${file}.kept`, file);
    };
  }
}

const fill = (id: string, more: object = {}): object => ({
  _metric: 'fill',
  ...{ fill_id: id, symbol: 'AAPL', side: 'BUY', quantity: 1, price: 10, currency: 'USD' },
  ...more,
});
const keyOf = (id: string): string => JSON.stringify(['fill', '', '', 'AAPL', id]);
const idsOf = (rows: readonly Booked[]): string[] => rows.map(({ key }) => JSON.parse(key).at(-1));

describe('rows of a log', () => {
  it('are booked with their commit, in the mode of their run', () => {
    const place = new Place();
    place.say([fill('f1'), { _metric: 'mood', value: 3 }, fill('f2')]);
    place.say([fill('f3')], 'run_2', 'unverified');
    place.say([fill('f4')], 'run_3', null);
    expect(place.booked()).toEqual([
      { mode: 'paper', seq: 1, key: keyOf('f1') },
      { mode: 'paper', seq: 3, key: keyOf('f2') },
      { mode: 'unverified', seq: 4, key: keyOf('f3') },
      { mode: 'unverified', seq: 5, key: keyOf('f4') },
    ]);
    expect(place.cursor()).toEqual({ seq: 5, settled: 0 });
  });

  it('wait in the log while the ledger cannot be opened, and are booked once', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const place = new Place();
    place.say([fill('f1')]);
    const mend = place.breakLedger();
    place.say(Array.from({ length: 1200 }, (_, i) => fill(`g${i}`)));
    place.say([fill('last')], 'run_2', 'unverified');
    expect(place.reports).toEqual([expect.stringContaining('The ledger cannot be opened')]);
    mend();
    vi.advanceTimersByTime(20_000);
    await place.book();
    const booked = place.booked();
    expect(idsOf(booked)).toEqual(['f1', ...Array.from({ length: 1200 }, (_, i) => `g${i}`), 'last']);
    expect([booked.at(-2)?.mode, booked.at(-1)?.mode]).toEqual(['paper', 'unverified']);
    expect(place.cursor()?.seq).toBe(1202);
  });

  it('that a killed host has stored and not booked are booked by the next one', async () => {
    const place = new Place();
    place.say([fill('f1')]);
    const mend = place.breakLedger();
    place.say([fill('f2')]);
    mend();
    place.again();
    expect(place.ledger.unsettled()).toEqual([BOT]);
    expect(place.ingest.ready()).toBe(true);
    await place.book();
    place.say([fill('f3')]);
    expect(idsOf(place.booked())).toEqual(['f1', 'f2', 'f3']);
  });

  it('get seqs above those of the ledger when the log has lost its end', () => {
    const place = new Place();
    place.say([fill('f1'), fill('f2'), fill('f3')]);
    place.again();
    for (const end of ['', '-wal', '-shm']) rmSync(join(place.dir, `${segmentName(0)}${end}`), { force: true });
    rmSync(join(place.dir, 'runs'), { recursive: true });
    place.say([fill('f4')]);
    expect(place.booked().map(({ seq, key }) => [seq, key])).toEqual([
      [1, keyOf('f1')],
      [2, keyOf('f2')],
      [3, keyOf('f3')],
      [4, keyOf('f4')],
    ]);
  });

  it('get seqs above every cursor while the ledger does not answer', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const place = new Place();
    place.say([fill('f1'), fill('f2'), fill('f3')]);
    place.ingest.close();
    const mend = place.breakLedger();
    for (const end of ['', '-wal', '-shm']) rmSync(join(place.dir, `${segmentName(0)}${end}`), { force: true });
    rmSync(join(place.dir, 'runs'), { recursive: true });
    place.again();
    place.say([fill('f4')]);
    mend();
    vi.advanceTimersByTime(20_000);
    await place.book();
    expect(idsOf(place.booked())).toEqual(['f1', 'f2', 'f3', 'f4']);
    expect(place.booked().at(-1)?.seq).toBeGreaterThan(1_000_000);
  });

  it('of segments that say nothing of modes are left alone', async () => {
    const place = new Place();
    const old = new LogHere(place.dir);
    old.write(1, [{ type: 'fill', symbol: 'AAPL', values: { quantity: 1 }, time: null, run: 'run_0' }]);
    old.close();
    asVersion2(join(place.dir, segmentName(0)));
    place.say([fill('f1')]);
    await place.book();
    expect(place.booked()).toEqual([{ mode: 'paper', seq: 2, key: keyOf('f1') }]);
  });

  it('keep their type among more types than a log has', async () => {
    const place = new Place();
    place.say(Array.from({ length: 1001 }, (_, i) => ({ _metric: `type_${i}`, value: i })));
    const mend = place.breakLedger();
    place.say([fill('f1')]);
    mend();
    place.again();
    place.ingest.ready();
    await place.book();
    expect(idsOf(place.booked())).toEqual(['f1']);
  });
});

it('a cursor that moved over other lines is stored at the end, with the log settled', () => {
  const place = new Place();
  place.say([{ _metric: 'mood', value: 3 }]);
  expect(place.cursor()).toEqual({ seq: 0, settled: 0 });
  place.ledger.tick(performance.now());
  expect(place.cursor()).toEqual({ seq: 1, settled: 0 });
  expect(place.ingest.isBooked).toBe(true);
  place.ledger.close([BOT]);
  expect(place.cursor()).toEqual({ seq: 1, settled: 1 });
});

it('a segment is kept until the ledger has its rows', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const place = new Place();
  place.say([fill('f1')]);
  const mend = place.breakLedger();
  place.say([fill('f2')]);
  place.retention = { days: 1, bytes: 1e9 };
  const retain = (): number[] => {
    while (place.ingest.retain(() => false));
    return segmentsIn(place.dir);
  };
  place.now += 86_400_000;
  retain();
  place.now += 5 * 86_400_000;
  expect(retain()).toEqual([0, 1]);
  mend();
  vi.advanceTimersByTime(20_000);
  await place.book();
  expect(retain()).toEqual([1]);
  expect(idsOf(place.booked())).toEqual(['f1', 'f2']);
});

const order = (id: string, more: object = {}): object => ({
  _metric: 'order',
  ...{ client_order_id: id, symbol: 'AAPL', side: 'BUY', quantity: 1, status: 'new', decision_id: 'd' },
  ...more,
});

describe('orders', () => {
  it('for one decision are told of with their commit, and again after a kill, until they were told', () => {
    const place = new Place();
    place.say([order('c1')]);
    place.ingest.tellDuplicates(performance.now());
    expect(place.duplicates).toEqual([]);
    place.say([order('c2')]);
    place.ingest.tellDuplicates(performance.now());
    place.ingest.tellDuplicates(performance.now());
    expect(place.duplicates).toEqual(['c2']);
    place.again();
    place.ingest.ready();
    place.ingest.tellDuplicates(performance.now());
    expect(place.duplicates).toEqual(['c2', 'c2']);
    place.ledger.writer?.toldDuplicates(BOT, 2);
    place.again();
    place.ingest.ready();
    place.ingest.tellDuplicates(performance.now());
    expect(place.duplicates).toEqual(['c2', 'c2']);
  });

  it('that an earlier release left in the log are taken once, and its fills not again', async () => {
    const place = new Place();
    place.say([order('c1'), fill('f1'), { _metric: 'price', symbol: 'AAPL', value: 3 }]);
    place.ingest.close();
    place.ledger.close([BOT]);
    const db = new Database(ledgerFile(place.dataDir));
    db.exec(
      'delete from bot_order; delete from order_status; delete from price; update cursor set again = 0, again_to = seq',
    );
    db.close();
    place.again();
    expect(place.ledger.unsettled()).toEqual([BOT]);
    place.ingest.ready();
    await place.book();
    const after = new Database(ledgerFile(place.dataDir), { readonly: true });
    onTestFinished(() => void after.close());
    const count = (table: string) => after.prepare(`select count(*) from ${table}`).pluck().get();
    expect(['bot_order', 'order_status', 'price', 'row', 'conflict'].map(count)).toEqual([1, 1, 1, 1, 0]);
    expect(after.prepare('select again from cursor').pluck().get()).toBeNull();
  });
});

describe('a log that is removed', () => {
  it('gives the ledger its last rows', () => {
    const place = new Place();
    place.say([fill('f1')]);
    const mend = place.breakLedger();
    place.say([fill('f2')]);
    expect(() => place.ingest.remove()).toThrow('The ledger cannot be opened');
    expect(segmentsIn(place.dir)).toEqual([0]);
    mend();
    place.again();
    place.ingest.remove();
    expect(segmentsIn(place.dir)).toEqual([]);
    expect(idsOf(place.booked())).toEqual(['f1', 'f2']);
    place.ledger.tick(performance.now());
    expect(place.cursor()).toEqual({ seq: 2, settled: 1 });
  });

  it('needs no ledger if nothing in it is for the ledger, and neither does a segment', () => {
    const place = new Place();
    expect(place.ledger.unsettled()).toEqual([]);
    const mend = place.breakLedger();
    place.again();
    place.say([{ _metric: 'mood', value: 3 }]);
    place.retention = { days: 1, bytes: 1e9 };
    for (let day = 0; day < 3; day++) {
      place.now += 2 * 86_400_000;
      place.say([{ _metric: 'mood', value: day }]);
      while (place.ingest.retain(() => false));
    }
    expect(segmentsIn(place.dir)).not.toContain(0);
    place.ingest.remove();
    expect(segmentsIn(place.dir)).toEqual([]);
    mend();
  });

  it('gives the ledger its last rows also when that says it has all of them', () => {
    const place = new Place();
    place.say([fill('f1')]);
    place.ingest.close();
    place.ledger.close([BOT]);
    const mend = place.breakLedger();
    place.again();
    place.say([fill('f2')]);
    mend();
    place.again();
    expect(place.cursor()?.settled).toBe(1);
    place.ingest.remove();
    expect(idsOf(place.booked())).toEqual(['f1', 'f2']);
  });

  it('needs no ledger if it never had a line', () => {
    const place = new Place();
    place.ingest.remove();
    expect(place.cursor()).toBeUndefined();
  });
});

describe('prices, which come with every tick', () => {
  const price = (value: number): object => ({ _metric: 'price', symbol: 'AAPL', value });
  const prices = (place: Place): unknown => {
    const db = new Database(ledgerFile(place.dataDir), { readonly: true });
    try {
      return db.prepare('select value from price').pluck().all();
    } finally {
      db.close();
    }
  };

  it('wait for those of other bots, or for the next fill, and are not behind', async () => {
    const place = new Place();
    place.say([fill('f1'), price(1)]);
    await place.book();
    place.say([price(2)]);
    place.say([price(3), { _metric: 'mood', value: 1 }]);
    expect([prices(place), place.ingest.isUnbooked, place.ingest.isBooked]).toEqual([['1'], false, false]);
    place.say([fill('f2')]);
    expect([prices(place), place.ingest.isBooked]).toEqual([['3'], true]);
    place.say([price(4)]);
    place.ledger.takeWaiting();
    expect([prices(place), place.ingest.isBooked]).toEqual([['4'], true]);
  });

  it('reach the ledger within a second, although the only bot writes on all the while', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const place = new Place();
    place.say([fill('f1'), price(0)]);
    await place.book();
    for (let said = 1; said <= 22; said++) {
      vi.advanceTimersByTime(50);
      place.say([price(said)]);
      place.ledger.tick(performance.now());
    }
    expect(prices(place)).toEqual(['21']);
  });

  it('are read from the log by the next host if this one is killed before', async () => {
    const place = new Place();
    place.say([fill('f1')]);
    place.say([price(5)]);
    place.again();
    place.say([]);
    await place.book();
    expect(prices(place)).toEqual(['5']);
  });
});

describe('what people do with the books', () => {
  it('adds rows of the log that an earlier release wrote, from a day on', async () => {
    const place = new Place();
    place.now = Date.UTC(2026, 0, 5);
    place.say([fill('f1'), fill('f2', { timestamp: '2026-03-01T00:00:00Z' })], 'run_1', null);
    place.loseLedger();
    place.say([fill('f3')], 'run_2');
    expect(idsOf(place.booked())).toEqual(['f3']);
    expect(place.ingest.books.rebuild(Date.UTC(2026, 1, 1))).toMatchObject({ added: 1, rows: 2 });
    expect(place.booked().map(({ mode }) => mode)).toEqual(['unverified', 'paper']);
    expect(place.ingest.books.rebuild(0)).toMatchObject({ added: 1, rows: 3 });
    expect(place.ingest.books.rebuild(null)).toMatchObject({ added: 0, changedDays: 0 });
  });

  it('adds equity and orders of the log as they are read, and holds none of them until the books are made', () => {
    const place = new Place();
    place.now = Date.UTC(2026, 0, 5);
    const order = { client_order_id: 'o1', symbol: 'X', side: 'BUY', quantity: 1, status: 'new' };
    const equity = Array.from({ length: 1200 }, (_, value) => ({ _metric: 'equity', value }));
    place.say([fill('f1'), ...equity, { _metric: 'order', ...order }, fill('f2')], 'run_1', null);
    place.loseLedger();
    place.say([], 'run_2');
    const { writer } = place.ledger;
    if (writer === null) throw new Error('no ledger');
    const rebuild = vi.spyOn(writer, 'rebuild');
    for (const added of [2, 0]) expect(place.ingest.books.rebuild(0)).toMatchObject({ added, rows: 2 });
    expect(rebuild.mock.calls.map(([, older]) => older?.length)).toEqual([2, 2]);
    const db = new Database(ledgerFile(place.dataDir), { readonly: true });
    expect(db.prepare('select low, high from equity').raw().all()).toEqual([['0', '1199']]);
    expect(db.prepare('select count(*) from order_status').pluck().get()).toBe(1);
    db.close();
    place.ingest.books.erase({ at: 1, user: 'user_1' });
    place.ingest.books.rebuild(0);
    expect(place.booked()).toEqual([]);
  });

  it('erases what the log has for them as well, also rows that wait', async () => {
    const place = new Place();
    place.say([fill('f1')]);
    const mend = place.breakLedger();
    place.say([fill('f2')]);
    expect(() => place.ingest.books.erase({ at: 1, user: 'user_1' })).toThrow();
    mend();
    place.again();
    place.say([]);
    expect(place.ingest.books.erase({ at: 1, user: 'user_1' })).toBeGreaterThan(0);
    await place.book();
    expect(place.booked()).toEqual([]);
    place.say([fill('f3')]);
    expect(idsOf(place.booked())).toEqual(['f3']);
    expect(place.ingest.books.rebuild(0)).toMatchObject({ added: 0 });
    expect(idsOf(place.booked())).toEqual(['f3']);
  });
});
