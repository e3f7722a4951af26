import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retainOnFaultyDisk, whyNoFaultyDisk } from '../support/faulty-disk.ts';
import { LogHere, readerOf } from '../support/log-here.ts';

const MB = 1024 * 1024;
const KEEPS_ALL = 1024 * MB;

/** The folder of a bot with the closed segments 0 to 3, each with half a megabyte of lines and a metric, and the newest. */
function grown(): string {
  const log = new LogHere();
  for (let at = 0; at < 4; at++) {
    const lines = Array.from({ length: 1000 }, (_, n) => ({ line: `${n} ${'x'.repeat(500)}`, level: 1, run: 'r' }));
    log.write(Date.now(), [...lines, { type: 'price', symbol: null, values: { value: at }, time: null, run: 'r' }]);
    log.next();
  }
  log.close();
  return log.dir;
}

const pricesIn = (dir: string): number =>
  readerOf(dir).charts.pointCount('minute', { type: 'price', field: 'value', symbol: '' }, 0, Date.now() * 2);

const { EIO, EBADMSG } = constants.errno;

describe.skipIf(whyNoFaultyDisk() !== null)('on a disk that fails', () => {
  it.each([
    { what: 'the first sector', from: 0, error: EIO, bytes: KEEPS_ALL },
    { what: 'a sector within, when it is too old', from: 4096, error: EIO, bytes: MB },
    { what: 'what its file system finds changed', from: 4096, error: EBADMSG, bytes: MB },
  ])('a part of a log of which $what cannot be read is put aside, and retention goes on', async (bad) => {
    const dir = grown();
    const { said } = await retainOnFaultyDisk(dir, bad.bytes, { file: join(dir, 'log.db'), ...bad });
    expect(said).toMatch(/^A part of the log was damaged \(d.*\)\. It was moved to .*log\.db\.corrupt-\d+/);
    const names = readdirSync(dir).filter((name) => /^log(-\d)?\.db(\.corrupt-\d+)?$/.test(name));
    const left = bad.bytes === KEEPS_ALL ? ['log-1.db', 'log-2.db', 'log-3.db'] : ['log-3.db'];
    expect(names.sort()).toEqual([...left, 'log-4.db', expect.stringMatching(/^log\.db\.corrupt-/)]);
    expect(pricesIn(dir)).toBe(3);
  });

  it('the rollups of a part are flushed to it before the part is removed', async () => {
    const dir = grown();
    const { calls } = await retainOnFaultyDisk(dir, MB, null);
    const removed = calls.indexOf(`remove ${join(dir, 'log-1.db')}`);
    expect(removed).toBeGreaterThan(0);
    const before = calls.slice(0, removed).filter((call) => call.includes('rollups.db'));
    expect(before.at(-1)).toBe(`flush ${join(dir, 'rollups.db-wal')}`);
    expect(pricesIn(dir)).toBe(4);
  });
});
