import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFailed } from 'vitest';
import { BlockCache } from '../../src/main/host/logs/blocks/block-cache.ts';
import type { LostPart } from '../../src/main/host/logs/blocks/block-table.ts';
import { openLogDatabaseForReading } from '../../src/main/host/logs/log-database.ts';
import { LogReader } from '../../src/main/host/logs/log-database-read.ts';
import type { PointPlace, SegmentRows, SomePoints } from '../../src/main/host/logs/stored-row-types.ts';
import { isDamaged } from '../../src/node/storage-error.ts';
import { LogHere } from '../support/log-here.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';

const EVERYTHING = { minLevel: undefined, source: undefined, run: undefined, search: undefined };
const BLOCKS = 4;
const ROWS = 4000;

/** A segment of four blocks of lines, as many of metrics, and some rows that are not compressed yet. */
function segment(): string {
  const log = new LogHere();
  for (let block = 0; block < BLOCKS; block++) {
    const text = (at: number): string => createHash('sha512').update(`${block} ${at}`).digest('base64');
    log.write(
      block,
      Array.from({ length: ROWS }, (_, at) => ({ line: `line ${at} ${text(at)}`, level: at % 4, run: 'run_1' })),
    );
    log.write(
      block,
      Array.from({ length: ROWS }, (_, at) => {
        return { type: 'price', symbol: text(at).slice(0, 1), values: { value: at / 4 }, time: at, run: 'run_1' };
      }),
    );
  }
  log.write(BLOCKS, [{ line: 'the last', level: 1, run: 'run_1' }]);
  log.close();
  return join(log.dir, 'log.db');
}

function pointsOf(stored: SegmentRows): string[] {
  const points: string[] = [];
  for (let place: PointPlace | null = null; ; ) {
    const { times, seqs, values, next }: SomePoints = stored.points(1, -1e9, 1e9, place);
    points.push(...times.map((t, at) => `${t} ${seqs[at]} ${values[at]}`));
    if (next === null) return points;
    place = next;
  }
}

type Read = { readonly rows: readonly string[]; readonly lost: readonly LostPart[] } | 'damaged';

function readAll(file: string): Read {
  const lost: LostPart[] = [];
  try {
    const reader = new LogReader(openLogDatabaseForReading(file), {
      cache: new BlockCache(0),
      onLost: (part) => lost.push(part),
    });
    try {
      const rows = reader.rows((stored) => [
        ...stored.logs({ lo: 0, hi: 1e9 }, EVERYTHING, 'asc', 1e9).map((row) => JSON.stringify(row)),
        ...stored.metrics(null, -1, 1e9, 'asc', 1e9).map((row) => JSON.stringify(row)),
        ...reader.series().map(({ symbol }) => symbol),
        ...pointsOf(stored),
      ]);
      return { rows, lost };
    } finally {
      reader.close();
    }
  } catch (error) {
    if (isDamaged(error)) return 'damaged';
    throw error;
  }
}

/** Where in the file the bytes of the blocks are: SQLite cuts a long value into pages. */
function placesOfBodies(file: string): number[] {
  const db = new Database(file, { readonly: true });
  const bytes = readFileSync(file);
  const places: number[] = [];
  for (const kind of ['line', 'metric']) {
    for (const { body } of db.prepare<[], { body: Buffer }>(`select body from ${kind}_block`).iterate()) {
      for (let at = 0; at + 64 <= body.length; at += 64) {
        const part = body.subarray(at, at + 64);
        const place = bytes.indexOf(part);
        // A page from which SQLite has moved a value may still hold its bytes, for nobody.
        if (place >= 0 && bytes.indexOf(part, place + 1) < 0)
          places.push(...Array.from({ length: 64 }, (_, byte) => place + byte));
      }
    }
  }
  db.close();
  return places;
}

it('a byte of a log that changes on the disk costs one block at most, and is never taken for what was stored', async () => {
  const seed = testSeed();
  onTestFailed(() => console.error(`TEST_SEED=${seed}`));
  const random = new SeededRandom(seed);
  const file = segment();
  const whole = readAll(file);
  if (whole === 'damaged') throw new Error('the segment is damaged from the beginning');
  const truth = new Set(whole.rows);
  expect([whole.lost, truth.size > 2 * BLOCKS * ROWS]).toEqual([[], true]);
  const bytes = readFileSync(file);
  const inBlocks = placesOfBodies(file);
  expect(inBlocks.length).toBeGreaterThan(bytes.length / 2);
  const figures = { 'in blocks': 0, 'one block lost': 0, anywhere: 0, 'file set aside': 0, 'not noticed': 0 };
  const fd = openSync(file, 'r+');
  for (let round = 0; round < rounds(150, 12_000); round++) {
    const isInBlock = round % 6 !== 0;
    const place = isInBlock ? random.pick(inBlocks) : random.below(bytes.length);
    const was = bytes[place] ?? 0;
    writeSync(fd, Buffer.of(was ^ (1 << random.below(8))), 0, 1, place);
    const read = readAll(file);
    writeSync(fd, Buffer.of(was), 0, 1, place);
    figures[isInBlock ? 'in blocks' : 'anywhere'] += 1;
    if (read === 'damaged') {
      expect(isInBlock, `byte ${place}`).toBe(false);
      figures['file set aside'] += 1;
      continue;
    }
    const strange = read.rows.filter((row) => !truth.has(row));
    const lostRows = new Set(read.lost.map(({ kind, after }) => `${kind} ${after}`)).size;
    if (strange.length > 0 || (lostRows === 0 && read.rows.length !== whole.rows.length)) figures['not noticed'] += 1;
    expect([place, lostRows, isInBlock], 'blocks lost').toEqual([place, isInBlock ? 1 : lostRows, isInBlock]);
    expect(lostRows, `byte ${place}`).toBeLessThanOrEqual(1);
    figures['one block lost'] += lostRows;
  }
  closeSync(fd);
  expect(figures['not noticed']).toBe(0);
  await prove('R4', 'bytes of a log changed on the disk', figures, 'R4-bytes');
});
