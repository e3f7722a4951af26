import { mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyDatabase } from '../../../../../src/main/host/control/backup-source.ts';
import { segmentAge, segmentBytes } from '../../../../../src/main/host/logs/log-retention.ts';
import {
  bytesOf,
  isOfLog,
  nextSegment,
  segmentName,
  segmentNumber,
} from '../../../../../src/main/host/logs/log-segments.ts';
import { LogHere, readerOf } from '../../../../support/log-here.ts';
import { noise } from '../../../../support/noise.ts';

const MB = 1024 * 1024;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const SERIES = { type: 'price', field: 'value', symbol: '' };
const UNTOUCHED = { days: 3650, bytes: 1 << 30 };

function logHere(): LogHere {
  const log = new LogHere();
  onTestFinished(() => log.close());
  return log;
}

const lines = (text: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ line: `${text} ${at} ${noise(at, 660)}`, level: 1, run: 'r' }));

const price = (value: number, time: number | null = null) =>
  ({ type: 'price', symbol: null, values: { value }, time, run: 'r' }) as const;

/** Numeric fields, each a series of its own. */
const wide = (value: number, fields: number) => [
  {
    type: 'wide',
    symbol: null,
    values: Object.fromEntries(Array.from({ length: fields }, (_, at) => [`field ${at}`, value])),
    time: null,
    run: 'r',
  },
];

const sizeOf = (log: LogHere): number =>
  log.segments().reduce((sum, number) => sum + bytesOf(join(log.dir, segmentName(number))), 0);

/** Segments 0 to `count`, each but the last with about half a megabyte. */
function grown(count: number): LogHere {
  const log = logHere();
  for (let at = 0; at < count; at++) {
    log.write(NOW, [...lines(`of ${at}`, 1000), price(at)]);
    log.next();
  }
  return log;
}

const messages = (log: LogHere): string[] => {
  const reader = readerOf(log.dir);
  const none = { minLevel: undefined, source: undefined, run: undefined, search: undefined };
  const found = reader.logs({ lo: 0, hi: Number.MAX_SAFE_INTEGER }, none, 'asc', 1e6).map(({ line }) => line);
  reader.release();
  return found;
};

describe('the names of segments', () => {
  it.each([
    ['log.db', 0],
    ['log-1.db', 1],
    ['log-20.db', 20],
    ['log-0.db', null],
    ['log-01.db', null],
    ['log--1.db', null],
    ['log-1.db-wal', null],
    ['log-1.db.part', null],
    ['log-1.db.corrupt-5', null],
    ['log-1e3.db', null],
    ['log-1234567890.db', null],
    ['xlog.db', null],
    ['rollups.db', null],
  ])('%s is %j', (name, number) => {
    expect(segmentNumber(name)).toBe(number);
    if (number !== null) expect(segmentName(number)).toBe(name);
  });

  it('are told from what else lies in the folder of a bot', () => {
    const own = [
      'log.db',
      'log-3.db-wal',
      'log-3.db.part',
      'log.db.corrupt-7-shm',
      'rollups.db',
      'rollups.db.corrupt-1',
    ];
    expect(own.filter(isOfLog)).toEqual(own);
    expect(['state', 'runs', 'log.dbx'.slice(0, 3), 'logs.db', 'my-log.db', 'rollups'].filter(isOfLog)).toEqual([]);
  });

  it('are given once, also after one was put aside', () => {
    const log = logHere();
    log.next();
    expect(nextSegment(log.dir)).toBe(2);
    writeFileSync(join(log.dir, 'log-7.db.corrupt-5'), '');
    expect(nextSegment(log.dir)).toBe(8);
  });
});

describe('retention', () => {
  it('makes segments an eighth of what is kept, within bounds, and never too many', () => {
    expect(
      [1, 2, 8, 64, 512, 20_000, 1024 * 1024].map((mb) => segmentBytes({ days: 30, bytes: mb * MB }) / MB),
    ).toEqual([0.25, 0.25, 1, 8, 64, 64, 2048]);
    expect([1, 30, 3650].map((days) => segmentAge({ days, bytes: MB }) / DAY)).toEqual([0.125, 3.75, 30]);
  });

  it('removes the oldest segments by size, and nothing else', () => {
    const log = grown(8);
    const size = sizeOf(log);
    log.retainAll({ days: 30, bytes: size }, NOW);
    expect(log.segments()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    log.retainAll({ days: 30, bytes: size * 0.6 }, NOW);
    expect(sizeOf(log)).toBeLessThanOrEqual(size * 0.6);
    expect(sizeOf(log)).toBeGreaterThan(size * 0.4);
    const [oldest] = log.segments();
    const found = messages(log);
    expect([found.length, found[0]?.slice(0, 6)]).toEqual([(8 - (oldest ?? 0)) * 1000, `of ${oldest} 0`]);
    expect(log.segments().at(-1)).toBe(8);
    expect(readerOf(log.dir).totals().get(1)).toBe(found.length);
    expect(log.warnings).toEqual([]);
  });

  it('removes what is older than it may be, segment by segment, and never the newest', () => {
    const log = logHere();
    for (let day = 0; day < 5; day++) {
      log.write(NOW + day * DAY, lines(`day ${day}`, 1));
      log.next();
    }
    const rule = { days: 2, bytes: MB };
    log.retainAll(rule, NOW + 4 * DAY);
    expect(messages(log).map((line) => line.slice(0, 5))).toEqual(['day 2', 'day 3', 'day 4']);
    log.retainAll(rule, NOW + 100 * DAY);
    expect(log.segments()).toEqual([5]);
    expect(messages(log)).toEqual([]);
  });

  it('keeps a log that is larger than all that may be kept until half of that is there besides', () => {
    const log = logHere();
    log.write(NOW, lines('old', 4000));
    log.next();
    const rule = { days: 30, bytes: MB };
    log.retainAll(rule, NOW);
    expect(messages(log)).toHaveLength(4000);
    log.write(NOW, lines('new', 300));
    log.next();
    log.retainAll(rule, NOW);
    expect(log.segments(), 'too little is new').toEqual([0, 1, 2]);
    log.write(NOW, lines('new', 1000));
    log.retainAll(rule, NOW);
    expect(log.segments()).toEqual([1, 2]);
    expect(messages(log)).toHaveLength(1300);
  });

  it('keeps the rollups of metrics that are gone, each counted once', () => {
    const log = logHere();
    const hours = Array.from({ length: 50 }, (_, at) => NOW + at * 1_800_000);
    for (const [at, ts] of hours.entries()) {
      log.write(ts, [price(at), price(at + 100)]);
      if (at % 7 === 6) log.next();
      if (at % 3 === 0) log.retain(UNTOUCHED, ts);
    }
    const end = NOW + 50 * 1_800_000;
    const rollups = () => {
      const reader = readerOf(log.dir);
      const all = [
        reader.charts.rollups('minute', SERIES, NOW, end),
        reader.charts.rollups('hour', SERIES, NOW, end),
        reader.charts.rollupSpan(SERIES),
        reader.charts.pointCount('minute', SERIES, NOW, end),
        reader.metricTypes(),
        reader.series(),
      ];
      reader.release();
      return all;
    };
    const before = rollups();
    expect(before[3]).toBe(100);
    log.retainAll({ days: 30, bytes: 1 }, end);
    expect(log.segments().length).toBeLessThan(8);
    expect(rollups()).toEqual(before);
    log.retainAll(UNTOUCHED, end);
    expect(rollups(), 'all closed segments merged').toEqual(before);
    const again = log.again(end);
    onTestFinished(() => again.close());
    again.retainAll({ days: 1, bytes: MB }, end + 20 * DAY);
    expect(again.segments()).toHaveLength(1);
    expect(rollups(), 'by another host').toEqual(before);
    // Minutes go after 180 days, hours never.
    again.write(end + 200 * DAY, [price(1)]);
    again.next();
    again.retainAll(UNTOUCHED, end + 200 * DAY);
    const [minutes, hourly] = rollups();
    expect([minutes, hourly]).toEqual([[], before[1]]);
  });

  it('goes on where a damaged segment, or the rollups, must be put aside', () => {
    const log = grown(3);
    const size = sizeOf(log);
    truncateSync(join(log.dir, 'log-1.db'), 5000);
    log.retainAll(UNTOUCHED, NOW);
    expect(log.segments()).toEqual([0, 2, 3]);
    expect(log.warnings).toHaveLength(1);
    expect(log.warnings[0]).toMatch(/A part of the log was damaged .* moved to .*log-1\.db\.corrupt-\d+/);
    expect(messages(log)).toHaveLength(2000);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY)).toBe(2);
    writeFileSync(join(log.dir, 'rollups.db'), 'no database at all'.repeat(100));
    rmSync(join(log.dir, 'rollups.db-wal'), { force: true });
    log.next();
    log.retainAll({ days: 30, bytes: size / 4 }, NOW);
    expect(log.warnings[1]).toMatch(/metrics by minute and hour was damaged/);
    log.retainAll(UNTOUCHED, NOW);
    expect(log.segments()).toEqual([2, 3, 4]);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY), 'what segments still held').toBe(1);
  });

  it('leaves nothing beside a segment that is gone, and removes what a killed host left', () => {
    const log = grown(3);
    // A reader leaves its own beside what it reads.
    readerOf(log.dir).totals();
    log.retainAll({ days: 1, bytes: MB }, NOW + 10 * DAY);
    const leftBehind = () => readdirSync(log.dir).filter((name) => !/^(log-3|rollups)\.db(-wal|-shm)?$/.test(name));
    expect(leftBehind()).toEqual([]);
    for (const name of ['log-1.db-wal', 'log-1.db-shm', 'log-4.db.part', 'log-4.db.part-journal', 'rollups.db.part']) {
      writeFileSync(join(log.dir, name), 'left');
    }
    mkdirSync(join(log.dir, 'state'));
    const again = log.again(NOW);
    onTestFinished(() => again.close());
    expect(leftBehind()).toEqual(['state']);
  });

  it('opens the single database of an earlier release as the oldest segment', () => {
    const dir = join(logHere().dir, '../old');
    const old = new LogHere(dir);
    old.write(NOW, [...lines('old', 20), price(1)], [{ path: '/spool', run: 'r', offset: 77, inside: 0, level: 1 }]);
    old.close();
    const db = new Database(join(dir, 'log.db'));
    db.pragma('auto_vacuum = incremental');
    db.exec('vacuum');
    db.prepare("delete from state where key in ('from_seq', 'from_ts', 'base')").run();
    db.close();
    const inode = statSync(join(dir, 'log.db')).ino;
    const log = new LogHere(dir);
    onTestFinished(() => log.close());
    expect([log.seq, log.segments()]).toEqual([21, [0]]);
    log.next();
    log.write(NOW + 1, [...lines('new', 5), price(3)]);
    expect(statSync(join(dir, 'log.db')).ino).toBe(inode);
    expect(log.spool('/spool')).toMatchObject({ offset: 77 });
    expect(messages(log).map((line) => line.slice(0, 3))).toEqual([...Array(20).fill('old'), ...Array(5).fill('new')]);
    expect(readerOf(dir).charts.rollups('hour', SERIES, 0, NOW + DAY)).toMatchObject([{ n: 2, sum: 4, last: 3 }]);
    expect(readerOf(dir).metricTypes()).toMatchObject([{ type: 'price', n: 2, seq: 27 }]);
  });

  it('takes an empty file of an earlier release that was killed for nothing', () => {
    const dir = join(logHere().dir, '../empty');
    mkdirSync(dir);
    writeFileSync(join(dir, 'log.db'), '');
    const log = new LogHere(dir);
    onTestFinished(() => log.close());
    log.write(NOW, lines('first', 1));
    expect(messages(log)).toHaveLength(1);
  });

  it('leaves a closed segment as it is when a host was killed before the one it had put aside was followed', () => {
    const log = grown(3);
    log.write(NOW, [...lines('lost', 5), price(9)], [{ path: '/spool', run: 'r', offset: 90, inside: 0, level: 1 }]);
    const { seq } = log;
    log.retainAll(UNTOUCHED, NOW);
    log.close();
    renameSync(join(log.dir, 'log-3.db'), join(log.dir, 'log-3.db.corrupt-1'));
    for (const end of ['-wal', '-shm']) rmSync(join(log.dir, `log-3.db${end}`), { force: true });
    const again = new LogHere(log.dir, NOW);
    onTestFinished(() => again.close());
    expect(again.segments()).toEqual([0, 1, 2, 4]);
    expect(again.seq).toBeGreaterThan(seq);
    again.write(NOW, [...lines('new', 1), price(7)]);
    again.retainAll(UNTOUCHED, NOW);
    expect(messages(again)).toHaveLength(3001);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY)).toBe(4);
  });

  it('does not take what is said after all segments were removed by hand for what was merged', () => {
    const log = grown(3);
    log.retainAll(UNTOUCHED, NOW);
    log.close();
    for (const name of readdirSync(log.dir)) if (name.startsWith('log')) rmSync(join(log.dir, name));
    const again = new LogHere(log.dir);
    onTestFinished(() => again.close());
    again.write(NOW, [price(7)]);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY)).toBe(4);
  });

  it.each([
    ['all of the last closed segment', 0],
    ['a part of it', 1],
  ])('counts what is said after the newest segment was lost, where %s was merged', (_, left) => {
    const log = logHere();
    log.write(NOW, [price(1), ...wide(0, 2500)]);
    log.next();
    log.write(NOW, lines('lost', 1));
    const { seq } = log;
    while (log.retain(UNTOUCHED, NOW)) if (left === 1) break;
    log.close();
    // As in a backup that was made while the newest was damaged, or while a flood removed all but the first.
    for (const end of ['', '-wal', '-shm']) rmSync(join(log.dir, `log-1.db${end}`), { force: true });
    const again = new LogHere(log.dir, NOW);
    onTestFinished(() => again.close());
    const seqAtFirst = again.seq;
    again.write(NOW, [price(7)]);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY)).toBe(2);
    expect(again.segments()).toEqual([0, 1]);
    expect(seqAtFirst).toBeGreaterThan(seq);
    again.next();
    again.retainAll(UNTOUCHED, NOW);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY)).toBe(2);
  });

  it('waits for nobody who reads the rollups, also in a log that was restored', () => {
    const log = grown(1);
    log.retainAll(UNTOUCHED, NOW);
    const rollups = join(log.dir, 'rollups.db');
    const copy = join(log.dir, 'copy');
    copyDatabase(rollups, copy);
    for (const end of ['-wal', '-shm']) rmSync(rollups + end, { force: true });
    renameSync(copy, rollups);
    const again = log.again(NOW);
    onTestFinished(() => again.close());
    const backup = new Database(rollups, { readonly: true });
    onTestFinished(() => void backup.close());
    backup.exec('begin');
    backup.prepare('select * from merged').get();
    again.write(NOW, [price(2)]);
    again.next();
    again.retainAll(UNTOUCHED, NOW);
    expect(readerOf(log.dir).charts.pointCount('minute', SERIES, 0, NOW + DAY)).toBe(2);
  });
});
