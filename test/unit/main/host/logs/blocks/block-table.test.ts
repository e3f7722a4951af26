import Database from 'better-sqlite3';
import { describe, expect, it, onTestFailed } from 'vitest';
import { type BlockHead, headSum, ZSTD } from '../../../../../../src/main/host/logs/blocks/block-head.ts';
import { BLOCK_TABLES, BlockTable, type LostPart } from '../../../../../../src/main/host/logs/blocks/block-table.ts';
import { BlockWriter } from '../../../../../../src/main/host/logs/blocks/block-writer.ts';
import { LINES } from '../../../../../../src/main/host/logs/blocks/line-and-metric-blocks.ts';
import { lostEnd } from '../../../../../../src/main/host/logs/blocks/lost-end.ts';
import type { StoredLog } from '../../../../../../src/main/host/logs/stored-row-types.ts';
import { Statements } from '../../../../../../src/node/statements.ts';
import { idOfRun, newLines } from '../../../../../support/block-rows.ts';
import { SeededRandom, testSeed } from '../../../../../support/seeded-random.ts';

/** A segment's blocks of lines in memory, with all that was told of lost parts. */
class Blocks {
  readonly db = new Database(':memory:');
  readonly lost: LostPart[] = [];
  readonly table: BlockTable;
  seq = 0;

  constructor() {
    this.db.exec(BLOCK_TABLES);
    this.table = this.reader();
  }

  reader(): BlockTable {
    return new BlockTable(new Statements(this.db), 'line', (lost) => this.lost.push(lost));
  }

  writer() {
    return new BlockWriter(this.table, LINES, idOfRun);
  }

  /** Lines as a bot prints them; each third one takes a seq that a metric would have. */
  lines(count: number): StoredLog[] {
    return Array.from({ length: count }, () => {
      this.seq += this.seq % 3 === 2 ? 2 : 1;
      const line = `line ${this.seq} ${'x'.repeat(this.seq % 50)}`;
      return { seq: this.seq, ts: 1000 + this.seq, meta: 1, run: '1', line, time: null, fields: null };
    });
  }

  stored(order: 'asc' | 'desc' = 'asc'): string[] {
    const found: string[] = [];
    // Another reader, because each tells a loss once.
    const table = this.reader();
    for (const head of table.walk(0, Number.MAX_SAFE_INTEGER, order)) {
      const block = table.read(head, LINES.parse);
      const lines = Array.from({ length: block?.count ?? 0 }, (_, at) => block?.line(at).line ?? '');
      found.push(...(order === 'asc' ? lines : lines.reverse()));
    }
    return order === 'asc' ? found : found.reverse();
  }

  codes(): number[] {
    return this.db.prepare<[], number>('select code from line_block order by first').pluck().all();
  }
}

const textOf = (lines: readonly StoredLog[]): string[] => lines.map(({ line }) => line);

describe('blocks of lines', () => {
  it('hold every line in order, however many come at a time and whoever goes on', () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const blocks = new Blocks();
    const all: string[] = [];
    let writer = blocks.writer();
    for (let batch = 0; batch < 300; batch++) {
      const lines = blocks.lines(random.below(20) === 0 ? random.below(9000) : random.below(60));
      writer.append(newLines(lines));
      all.push(...textOf(lines));
      if (random.below(9) === 0) writer = blocks.writer();
    }
    expect(blocks.stored()).toEqual(all);
    expect(blocks.stored('desc')).toEqual(all);
    expect(blocks.lost).toEqual([]);
    const codes = blocks.codes();
    const firstOpen = codes.includes(0) ? codes.indexOf(0) : codes.length;
    expect(codes.slice(firstOpen).every((code) => code === 0)).toBe(true);
    expect(codes.length - firstOpen).toBeLessThanOrEqual(128);
    const rows = blocks.db.prepare<[], number>('select n from line_block where code = 1').pluck().all();
    expect(Math.min(...rows)).toBeGreaterThanOrEqual(2000);
  });

  it('of a flood are compressed at once, unless rows before them wait or they are few', () => {
    const blocks = new Blocks();
    const writer = blocks.writer();
    const all: string[] = [];
    const append = (count: number): number[] => {
      const lines = blocks.lines(count);
      all.push(...textOf(lines));
      writer.append(newLines(lines));
      return blocks.codes();
    };
    expect(append(6500)).toEqual([ZSTD, ZSTD]);
    expect(append(2000)).toEqual([ZSTD, ZSTD, ZSTD]);
    expect(append(1999)).toEqual([ZSTD, ZSTD, ZSTD, 0]);
    expect(append(2000)).toEqual([ZSTD, ZSTD, ZSTD, 0, 0]);
    expect(append(2001)).toEqual([ZSTD, ZSTD, ZSTD, ZSTD, ZSTD]);
    expect(append(1)).toEqual([ZSTD, ZSTD, ZSTD, ZSTD, ZSTD, 0]);
    expect(blocks.stored()).toEqual(all);
    expect(blocks.lost).toEqual([]);
  });

  it('of a quiet bot are few', () => {
    const blocks = new Blocks();
    const writer = blocks.writer();
    for (let at = 0; at < 3999; at++) writer.append(newLines(blocks.lines(1)));
    expect(blocks.codes().length).toBeLessThanOrEqual(128);
    writer.append(newLines(blocks.lines(1)));
    expect(blocks.codes()).toEqual([ZSTD]);
  });

  it('go back to what they were when their transaction is rolled back', () => {
    const blocks = new Blocks();
    const before = blocks.lines(3990);
    blocks.writer().append(newLines(before));
    const fail = blocks.db.transaction(() => {
      blocks.writer().append(newLines(blocks.lines(20)));
      expect(blocks.codes()).toEqual([ZSTD, 0]);
      throw new Error('the disk is full');
    });
    expect(fail).toThrow('the disk is full');
    expect(blocks.stored()).toEqual(textOf(before));
  });
});

describe('damage', () => {
  /** Five compressed blocks and an open one, and what is in each. */
  function five(): { readonly blocks: Blocks; readonly parts: string[][] } {
    const blocks = new Blocks();
    const writer = blocks.writer();
    const parts = Array.from({ length: 5 }, () => {
      const lines = blocks.lines(4000);
      writer.append(newLines(lines));
      return textOf(lines);
    });
    const rest = blocks.lines(10);
    writer.append(newLines(rest));
    parts.push(textOf(rest));
    expect(blocks.codes()).toEqual([1, 1, 1, 1, 1, 0]);
    return { blocks, parts };
  }

  it('of any one byte of a body costs that block, and is told', () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const { blocks, parts } = five();
    const bodies = blocks.db.prepare<[], { first: number; body: Buffer }>('select first, body from line_block').all();
    const set = blocks.db.prepare('update line_block set body = ? where first = ?');
    for (let round = 0; round < 100; round++) {
      const which = random.below(bodies.length);
      const { first, body } = bodies[which] ?? { first: 0, body: Buffer.of() };
      const changed = Buffer.from(body);
      const at = random.below(body.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      set.run(changed, first);
      blocks.lost.length = 0;
      const stored = blocks.stored(round % 2 === 0 ? 'asc' : 'desc');
      const left = parts.filter((_, part) => part !== which).flat();
      expect(stored.length === left.length && stored.every((line, i) => line === left[i]), `byte ${at}`).toBe(true);
      expect(blocks.lost).toMatchObject([{ kind: 'line', rows: which === 5 ? 10 : 4000 }]);
      set.run(body, first);
    }
  });

  it('of any column of a head costs that block, and is told', () => {
    const { blocks, parts } = five();
    const columns = 'last before code n size ts_from ts_to run_from run_to kinds types t_from body_sum head_sum'.split(
      ' ',
    );
    const firsts = blocks.db.prepare<[], number>('select first from line_block order by first').pluck().all();
    for (const [which, first] of firsts.entries()) {
      for (const column of columns) {
        const get = blocks.db.prepare<[number], number>(`select ${column} from line_block where first = ?`).pluck();
        const set = blocks.db.prepare(`update line_block set ${column} = ? where first = ?`);
        const was = get.get(first) ?? null;
        set.run((was ?? 0) + 1, first);
        for (const order of ['asc', 'desc'] as const) {
          blocks.lost.length = 0;
          const stored = blocks.stored(order);
          expect(stored.length, `${column} of ${which}`).toBe(parts.filter((_, part) => part !== which).flat().length);
          expect(new Set(blocks.lost.map(({ after }) => after)).size, `${column} of ${which} ${order}`).toBe(1);
        }
        set.run(was, first);
      }
    }
  });

  it('that takes a whole block away is told by its neighbours', () => {
    const { blocks, parts } = five();
    const firsts = blocks.db.prepare<[], number>('select first from line_block order by first').pluck().all();
    blocks.table.remove(firsts[2] ?? 0);
    for (const order of ['asc', 'desc'] as const) {
      blocks.lost.length = 0;
      expect(blocks.stored(order)).toEqual(parts.filter((_, part) => part !== 2).flat());
      expect(blocks.lost).toMatchObject([{ reason: 'a block is missing', before: firsts[3] }]);
    }
  });

  it('of rows that wait to be compressed costs them alone, is told once, and all others are stored as before', () => {
    for (const harm of [
      "body = x'00'",
      'ts_to = ts_to + 1',
      'size = 9e15',
      "n = 'many'",
      'last = 1',
      'first = first + 60',
    ]) {
      const { blocks, parts } = five();
      const rest = parts[5] ?? [];
      blocks.writer().append(newLines(blocks.lines(1)));
      const writer = blocks.writer();
      const [open] = blocks.table.open(0);
      blocks.db.prepare(`update line_block set ${harm} where first = ?`).run(open?.first);
      const more: string[] = [];
      for (let batch = 0; batch < 300; batch++) {
        const lines = blocks.lines(20);
        writer.append(newLines(lines));
        more.push(...textOf(lines));
      }
      const all = blocks.stored();
      expect(
        all.filter((line) => rest.includes(line)),
        harm,
      ).toEqual([]);
      expect(all.slice(-more.length), harm).toEqual(more);
      expect(all.length, harm).toBe(5 * 4000 + 1 + more.length);
      expect(blocks.codes().filter((code) => code === ZSTD).length, harm).toBeGreaterThan(5);
      // The writer tells it, or the first reader.
      expect(new Set(blocks.lost.map(({ after }) => after)).size, harm).toBe(1);
    }
  });

  it('at either end of a segment is told', () => {
    const { blocks } = five();
    blocks.db.exec('create table state(key text primary key, value integer)');
    blocks.db.prepare("insert into state values('seq', ?)").run(blocks.seq);
    const statements = new Statements(blocks.db);
    const metrics = new BlockTable(statements, 'metric', () => undefined);
    expect(lostEnd(statements, blocks.table, metrics)).toBeNull();
    const firsts = blocks.db.prepare<[], number>('select first from line_block order by first').pluck().all();
    blocks.table.remove(firsts[5] ?? 0);
    expect(lostEnd(statements, blocks.table, metrics)).toMatchObject({
      kind: 'row',
      reason: 'the last rows are missing',
    });
    blocks.table.remove(firsts[0] ?? 0);
    for (const order of ['asc', 'desc'] as const) {
      const table = blocks.reader();
      blocks.lost.length = 0;
      expect([...table.walk(0, Number.MAX_SAFE_INTEGER, order)]).toHaveLength(4);
      expect(blocks.lost).toMatchObject([{ after: 0, before: firsts[1] }]);
    }
  });

  it('of many heads, or at seqs that are none, costs no time', () => {
    const { blocks, parts } = five();
    const firsts = blocks.db.prepare<[], number>('select first from line_block order by first').pluck().all();
    const columns = 'last, before, code, n, size, ts_from, ts_to, run_from, run_to, kinds, body_sum, head_sum, body';
    const copy = blocks.db.prepare(
      `insert into line_block(first, ${columns}) select ?, ${columns} from line_block where first = ?`,
    );
    const after = Number(blocks.seq) + 1;
    for (let at = 0; at < 3000; at++) copy.run(after + at, firsts[0]);
    for (const first of ['9007199254740992', '9223372036854775807', '-9007199254740993']) {
      copy.run(BigInt(first), firsts[0]);
    }
    for (const order of ['asc', 'desc'] as const) {
      blocks.lost.length = 0;
      expect(blocks.stored(order)).toEqual(parts.flat());
      expect(blocks.lost.length).toBe(1);
    }
    expect(blocks.table.withPoints(0, 1e15, 0, 1e6)).toEqual({ heads: [], next: null });
  });

  it('that gives a head another meaning with the right checksum is no block', () => {
    const { blocks, parts } = five();
    const head = blocks.table.first();
    if (head === null) throw new Error('there is no block');
    const hostile: Partial<BlockHead>[] = [
      { last: head.first - 1 },
      { last: 2 ** 60 },
      { n: -1e9 },
      { n: 1e9 },
      { size: 1e12 },
      { ts_to: 9e15 },
      { before: head.first },
      { run_from: -1 },
      { code: 7 },
      { n: head.n - 1 },
      { ts_from: head.ts_from - 1 },
    ];
    for (const change of hostile) {
      const changed = { ...head, ...change };
      const columns = [...Object.keys(change), 'head_sum'];
      blocks.db
        .prepare(`update line_block set ${columns.map((column) => `${column} = ?`).join()} where first = ?`)
        .run(...Object.values(change), headSum(changed), head.first);
      const table = blocks.reader();
      blocks.lost.length = 0;
      const lines = [...table.walk(0, Number.MAX_SAFE_INTEGER, 'asc')].flatMap((one) => {
        const block = table.read(one, LINES.parse);
        return Array.from({ length: block?.count ?? 0 }, (_, at) => block?.line(at).line ?? '');
      });
      expect(lines.length, JSON.stringify(change)).toBe(parts.slice(1).flat().length);
      expect(blocks.lost.length, JSON.stringify(change)).toBe(1);
    }
  });
});

it('a writer whose compressing was rolled back goes on where it was', () => {
  const blocks = new Blocks();
  const writer = blocks.writer();
  const before = blocks.lines(10);
  writer.append(newLines(before));
  const fail = blocks.db.transaction(() => {
    writer.compress();
    throw new Error('the disk is full');
  });
  expect(fail).toThrow('the disk is full');
  writer.reload();
  const after = blocks.lines(5);
  writer.append(newLines(after));
  expect(blocks.stored()).toEqual(textOf([...before, ...after]));
  expect([blocks.lost, blocks.codes()]).toEqual([[], [0, 0]]);
  expect(() => writer.append(newLines(before))).toThrow('would follow row');
});
