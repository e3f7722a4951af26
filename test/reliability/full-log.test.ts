import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTelemetry } from '../../src/main/host/logs/create-telemetry.ts';
import { segmentsIn } from '../../src/main/host/logs/log-segments.ts';
import { openLogSession } from '../../src/main/host/logs/log-session.ts';
import { isDiskFull } from '../../src/node/storage-error.ts';
import { builtWorker } from '../support/built-worker.ts';
import { logRows } from '../support/log-files.ts';
import { LogHere, readerOf } from '../support/log-here.ts';
import { noise } from '../support/noise.ts';
import { prove } from '../support/proof.ts';
import { fillDisk, freeBytes, mountTmpfs } from '../support/small-disk.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const FEW_ROOT = 'only root may mount a small disk here';

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${from + at} ${noise(from + at, 640)}\n`).join('');

describe.runIf(process.platform === 'linux')('R3: the log of a bot on a full disk', () => {
  it('makes room by removing whole segments, and what waited is stored', async ({ onTestFinished, skip }) => {
    const disk = mountTmpfs(28);
    if (disk === null) return skip(FEW_ROOT);
    onTestFinished(() => disk.unmount());
    const out = join(tempDir('spool-'), 'bot.out');
    const errors: string[] = [];
    const telemetry = await createTelemetry({
      dataDir: disk.dir,
      startWorker: builtWorker,
      retention: { days: 30, bytes: 24 * MB },
      onError: ({ message }) => errors.push(message),
    });
    onTestFinished(() => telemetry.close());
    await telemetry.openBot('bot_1', []);
    appendFileSync(out, lines(0, 36_000));
    await telemetry.attach({ botId: 'bot_1', runId: 'run_1', path: out, source: 'stdout' });
    await until('all lines', async () => (await telemetry.summary('bot_1')).total === 36_000);
    let written = 36_000;
    const isStored = async (): Promise<boolean> => {
      try {
        return (await telemetry.logs({ bot_id: 'bot_1', search: `line ${written - 1} ` })).entries.length === 1;
      } catch (error) {
        // While there is no room at all, a reader may have none either; nothing else may go wrong.
        expect(error).toMatchObject({ code: 'STORAGE_FULL' });
        return false;
      }
    };
    // A segment that is merged or removed after the disk was filled makes room once more.
    await until('the disk to be full', async () => {
      if (errors.some((message) => message.includes('The disk is full'))) return true;
      if (!(await isStored())) return false;
      fillDisk(join(disk.dir, `ballast-${written}`));
      appendFileSync(out, lines(written, 4_000));
      written += 4_000;
      return false;
    });
    const finished = telemetry.finish('bot_1', 'run_1').then(
      () => 'stored',
      ({ code }: { code: string }) => code,
    );
    expect(freeBytes(disk.dir)).toBeLessThan(MB);
    telemetry.setRetention({ days: 30, bytes: 8 * MB });
    await until('what waited to be stored', isStored);
    expect(['stored', 'STORAGE_FULL']).toContain(await finished);
    const sql = "select cast(substr(line, 6) as int) number from log where line glob 'line *' order by seq";
    const numbers = [...logRows<{ number: number }>(disk.dir, 'bot_1', sql)].map(({ number }) => number);
    const first = numbers[0] ?? 0;
    expect(numbers).toEqual(Array.from({ length: written - first }, (_, at) => first + at));
    expect(numbers.length).toBeLessThan(25_000);
    expect(freeBytes(disk.dir)).toBeGreaterThan(4 * MB);
    await prove('R3', 'retention on a full disk', { lines: written, 'lost of what waited': 0 }, 'R3-retention');
  });

  it('gives old charts up, and says so, where there is no room to keep them', ({ onTestFinished, skip }) => {
    const disk = mountTmpfs(16);
    if (disk === null) return skip(FEW_ROOT);
    onTestFinished(() => disk.unmount());
    const log = new LogHere(join(disk.dir, 'bot'));
    onTestFinished(() => log.close());
    const now = Date.UTC(2026, 0, 1);
    for (let at = 0; at < 4; at++) {
      const filler = Array.from({ length: 2000 }, (_, at) => ({ line: noise(at, 1200), level: 1, run: 'r' }));
      const values = Object.fromEntries(Array.from({ length: 60 }, (_, field) => [`field ${field}`, field]));
      log.write(now + at * 60_000, [...filler, { type: 'wide', symbol: null, values, time: null, run: 'r' }]);
      log.next();
    }
    fillDisk(join(disk.dir, 'ballast'));
    expect(log.next(), 'no room for another segment').toBe(false);
    log.retainAll({ days: 30, bytes: 4 * MB }, now);
    expect(log.segments()[0]).toBeGreaterThan(0);
    expect(freeBytes(disk.dir)).toBeGreaterThan(MB);
    expect(log.warnings[0]).toMatch(/disk is full: the oldest lines were removed without keeping their metrics/);
    // There is room again for what is left.
    const count = readerOf(log.dir).charts.pointCount(
      'minute',
      { type: 'wide', field: 'field 7', symbol: '' },
      0,
      now * 2,
    );
    expect(count).toBe(4 - log.warnings.length);
    log.write(now + 300_000, [{ line: 'goes on', level: 1, run: 'r' }]);
    expect(log.next()).toBe(true);
  });

  it('puts no sound segment aside where there is no room to follow a damaged one', ({ onTestFinished, skip }) => {
    const disk = mountTmpfs(16);
    if (disk === null) return skip(FEW_ROOT);
    onTestFinished(() => disk.unmount());
    const dir = join(disk.dir, 'bot');
    const log = new LogHere(dir);
    for (let at = 0; at < 3; at++) {
      log.write(1000 + at, [{ line: `of ${at}`, level: 1, run: 'r' }]);
      if (at < 2) log.next();
    }
    log.close();
    const ballast = join(disk.dir, 'ballast');
    fillDisk(ballast);
    const aside: string[] = [];
    const options = {
      dir,
      now: 5000,
      damage: { number: 2, reason: 'a bad page' },
      memory: { seq: 50, ts: 4000 },
      onSetAside: (path: string) => aside.push(path),
      onLost: (file: string) => aside.push(file),
      factsOf: () => null,
    };
    const failure = (): unknown => {
      try {
        openLogSession(options).close();
      } catch (error) {
        return error;
      }
      return null;
    };
    expect([1, 2, 3].map(() => isDiskFull(failure()))).toEqual([true, true, true]);
    rmSync(ballast);
    const session = openLogSession(options);
    onTestFinished(() => session.close());
    expect([session.number, session.seq, session.ts, session.afterLoss]).toEqual([3, 50, 4000, true]);
    expect(aside).toEqual([join(dir, 'log-2.db.corrupt-5000')]);
    expect(segmentsIn(dir)).toEqual([0, 1, 3]);
  });

  it('asks readers to let go of a segment that cannot be removed while it is open, and tries again', ({
    onTestFinished,
    skip,
  }) => {
    const disk = mountTmpfs(16);
    if (disk === null) return skip(FEW_ROOT);
    onTestFinished(() => disk.unmount());
    const log = new LogHere(join(disk.dir, 'bot'));
    onTestFinished(() => log.close());
    log.write(1000, [{ line: 'old', level: 1, run: 'r' }]);
    log.next();
    const file = join(log.dir, 'log.db');
    // A mounted file is busy, as every open one is on Windows.
    execFileSync('mount', ['--bind', file, file]);
    const rule = { days: 1, bytes: MB };
    const later = 30 * 86_400_000;
    try {
      log.retainAll(rule, later);
      log.retainAll(rule, later);
      expect([log.releases, log.segments()]).toEqual([2, [0, 1]]);
    } finally {
      execFileSync('umount', [file]);
    }
    log.retainAll(rule, later);
    expect([log.releases, log.segments(), log.warnings]).toEqual([2, [1], []]);
  });
});
