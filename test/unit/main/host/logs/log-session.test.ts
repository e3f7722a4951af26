import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lostMessage } from '../../../../../src/main/host/logs/blocks/lost-message.ts';
import { BotIngest } from '../../../../../src/main/host/logs/bot-ingest.ts';
import { segmentName } from '../../../../../src/main/host/logs/log-segments.ts';
import { openLogs } from '../../../../../src/main/host/logs/segment-set.ts';
import { ReadBuffers } from '../../../../../src/main/host/logs/spool-tail.ts';
import { ledgerParts } from '../../../../support/ledger-parts.ts';
import { LogHere, readerOf } from '../../../../support/log-here.ts';
import { asRowSegment } from '../../../../support/row-segment.ts';
import { tempDir } from '../../../../support/temp.ts';

const EVERYTHING = { minLevel: undefined, source: undefined, run: undefined, search: undefined };

it('goes on from the newest segment of an earlier release, which stays as it is', () => {
  const earlier = new LogHere();
  const spool = { path: '/spool/run_1.out', run: 'run_1', offset: 4711, inside: 0, level: 1 };
  earlier.write(5000, [{ line: 'of the earlier release', level: 3, run: 'run_1' }], [spool]);
  const price = { type: 'price', symbol: 'SPY', values: { value: 7 }, time: null, run: 'run_1' };
  earlier.write(6000, [price]);
  const { dir, seq } = earlier;
  earlier.close();
  asRowSegment(join(dir, segmentName(0)));
  const was = readFileSync(join(dir, segmentName(0)));

  const log = new LogHere(dir, 9000);
  onTestFinished(() => log.close());
  expect(log.warnings).toEqual([]);
  expect(log.segments()).toEqual([0, 1]);
  expect(log.seq).toBe(seq);
  expect(log.spool(spool.path)).toEqual(spool);
  log.write(9000, [
    { line: 'of this one', level: 1, run: 'run_2' },
    { ...price, run: 'run_2' },
  ]);
  const reader = readerOf(dir);
  expect(reader.logs({ lo: 0, hi: 100 }, EVERYTHING, 'asc', 100)).toMatchObject([
    { seq: 1, ts: 5000, line: 'of the earlier release', run: 'run_1' },
    { seq: 3, ts: 9000, line: 'of this one', run: 'run_2' },
  ]);
  expect(reader.metrics('price', 0, 100, 'asc', 100)).toMatchObject([{ seq: 2 }, { seq: 4 }]);
  expect(reader.series()).toMatchObject([{ symbol: 'SPY', n: 2 }]);
  expect(reader.lastError()).toBe(1);
  reader.release();
  expect(readFileSync(join(dir, segmentName(0))).equals(was)).toBe(true);

  const again = log.again(9500);
  onTestFinished(() => again.close());
  expect(again.segments()).toEqual([0, 1]);
});

describe('damage in the newest segment', () => {
  /** A segment with two compressed blocks of lines and a few open rows; `harm` gets it closed. */
  function harmed(harm: (db: Database.Database, file: string) => void): {
    readonly log: LogHere;
    readonly before: string[];
  } {
    const first = new LogHere();
    const before = Array.from(
      { length: 8010 },
      (_, at) => `line ${at} ${createHash('sha512').update(`${at}`).digest('hex')}`,
    );
    for (const [from, to] of [
      [0, 4000],
      [4000, 8000],
      [8000, 8010],
    ]) {
      first.write(
        5000,
        before.slice(from, to).map((line) => ({ line, level: 1, run: 'run_1' })),
      );
    }
    first.close();
    const file = join(first.dir, segmentName(0));
    const db = new Database(file);
    harm(db, file);
    db.close();
    const log = new LogHere(first.dir, 9000);
    onTestFinished(() => log.close());
    return { log, before };
  }

  /** Every line that can be read, and what was said to be lost. */
  function read(log: LogHere): { readonly lines: string[]; readonly lost: string[] } {
    const lost: string[] = [];
    const reader = readerOf(
      log.dir,
      openLogs((file, part) => lost.push(lostMessage(file, part))),
    );
    const lines = reader.logs({ lo: 0, hi: 1e9 }, EVERYTHING, 'asc', 1e9).map(({ line }) => line);
    reader.release();
    return { lines, lost };
  }

  it('of a page in the middle of a block costs that block, and the log goes on', () => {
    const { log, before } = harmed((db, file) => {
      const pages = db
        .prepare<[], number>(
          "select pageno from dbstat where name = 'line_block' and pagetype = 'overflow' order by path",
        )
        .pluck()
        .all();
      db.pragma('wal_checkpoint(truncate)');
      const fd = openSync(file, 'r+');
      // Where the next page of the value is: outside of the file.
      writeSync(fd, Buffer.from([127, 255, 255, 255]), 0, 4, ((pages[3] ?? 1) - 1) * 4096);
      closeSync(fd);
    });
    const after = Array.from({ length: 4000 }, (_, at) => ({ line: `after ${at}`, level: 1, run: 'run_1' }));
    log.write(9000, after);
    expect(log.next()).toBe(true);
    const { lines, lost } = read(log);
    expect(lines).toEqual([...before.slice(4000), ...after.map(({ line }) => line)]);
    expect([log.segments(), lost.length]).toEqual([[0, 1], 1]);
  });

  it('of its tables sets it aside, and the log goes on', () => {
    const { log } = harmed((db, file) => {
      db.pragma('wal_checkpoint(truncate)');
      const place = readFileSync(file).indexOf('code integer');
      const fd = openSync(file, 'r+');
      writeSync(fd, 'm', place);
      closeSync(fd);
    });
    expect(log.warnings).toEqual([expect.stringContaining('its tables are not as they were created')]);
    log.write(9000, [{ line: 'after', level: 1, run: 'run_1' }]);
    expect(read(log)).toEqual({ lines: ['after'], lost: [] });
  });

  it('of the newest seq neither hides what is stored nor what comes', () => {
    const { log, before } = harmed((db) => db.exec("update state set value = value - 5000 where key = 'seq'"));
    expect(log.seq).toBe(8010);
    log.write(9000, [{ line: 'after', level: 1, run: 'run_1' }]);
    expect(read(log)).toEqual({ lines: [...before, 'after'], lost: [] });
  });

  it('that takes the last rows away is told when it is opened', () => {
    const { log, before } = harmed((db) => db.exec('delete from line_block where code = 0'));
    expect(log.warnings).toEqual([expect.stringContaining('10 rows from 1970-01-01T00:00:05.000Z cannot be read')]);
    log.write(9000, [{ line: 'after', level: 1, run: 'run_1' }]);
    expect(log.seq).toBe(8011);
    expect(read(log).lines).toEqual([...before.slice(0, 8000), 'after']);
  });
});

it('a bot goes on with a log of which the newest rows are damaged, and its log says so once, whoever goes on', () => {
  const dataDir = tempDir('bot-ingest-');
  const dir = join(dataDir, 'bots', 'bot_1');
  const earlier = new LogHere(dir);
  earlier.write(1, [{ line: 'before', level: 1, run: 'run_1' }]);
  earlier.write(2, [{ line: 'harmed', level: 1, run: 'run_1' }]);
  earlier.close();
  const db = new Database(join(dir, segmentName(0)));
  db.exec('update line_block set ts_to = ts_to + 1 where first = 2');
  db.close();
  const reports: string[] = [];
  const start = (): BotIngest =>
    new BotIngest('bot_1', {
      dataDir,
      retention: () => ({ days: 30, bytes: 1e9 }),
      shortage: () => null,
      buffers: new ReadBuffers(),
      ...ledgerParts(dataDir),
      now: () => 5000,
      emit: (event) => event.event === 'report' && reports.push(event.message),
    });
  for (let round = 0; round < 3; round++) {
    const ingest = start();
    expect(ingest.ready()).toBe(true);
    expect(ingest.commit()).toBe(true);
    ingest.hostLine({ level: 'info', message: `round ${round}`, runId: null });
    expect(ingest.commit()).toBe(true);
    ingest.close();
  }
  const reader = readerOf(
    dir,
    openLogs(() => undefined),
  );
  const lines = reader.logs({ lo: 0, hi: 100 }, EVERYTHING, 'asc', 100).map(({ line }) => line);
  reader.release();
  expect(lines).toEqual(['before', expect.stringContaining('was damaged'), 'round 0', 'round 1', 'round 2']);
  expect(
    reports.every((report) => report.includes('was damaged')),
    reports.join('; '),
  ).toBe(true);
});
