import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../../src/contract/limits.ts';
import { createBotMasker } from '../../../../src/main/telemetry/bot-masker.ts';
import type { Piece } from '../../../../src/main/telemetry/line-splitter.ts';
import { type DecodedChunk, ReadBuffers, SpoolTail } from '../../../../src/main/telemetry/spool-tail.ts';
import { tempDir } from '../../../support/temp.ts';

const MIB = 1024 * 1024;

it('space that could not be given back is part of the next range, and not tried again before', () => {
  const tail = new SpoolTail({ botId: 'b', runId: 'r', path: '/none', source: 'stdout' }, createBotMasker([]));
  const rangeAt = (offset: number) => {
    tail.offset = offset;
    return tail.takePunchRange();
  };
  expect(rangeAt(10 * MIB)).toBeNull();
  expect(rangeAt(71 * MIB)).toEqual([0, 70 * MIB]);
  expect(rangeAt(72 * MIB)).toBeNull();
  expect(rangeAt(141 * MIB)).toEqual([0, 140 * MIB]);
  tail.punched(140 * MIB);
  expect(rangeAt(211 * MIB)).toEqual([140 * MIB, 210 * MIB]);
});

it.runIf(process.platform === 'linux')(
  'an offset of before rows that were lost goes on behind what was given back',
  () => {
    const path = join(tempDir(), 'bot.out');
    writeFileSync(path, 'stored\n');
    truncateSync(path, 2 * MIB);
    appendFileSync(path, 'rest of a line\nnext\n');
    const masker = createBotMasker([]);
    const tail = new SpoolTail({ botId: 'b', runId: 'r', path, source: 'stdout' }, masker);
    onTestFinished(() => tail.close());
    const row = { path, run: 'r', offset: 7, inside: 1, level: 3 };
    const buffers = new ReadBuffers();
    tail.restore(row, masker, buffers);
    expect(tail.row()).toEqual(row);
    tail.restore(row, masker, buffers, false);
    expect(tail.row()).toEqual({ ...row, offset: 2 * MIB + 'rest of a line\n'.length, inside: 0, level: 1 });
    expect(tail.dirty).toBe(true);
    const next = { ...row, offset: 2 * MIB + 'rest of a line\n'.length };
    tail.restore(next, masker, buffers, false);
    expect(tail.row(), 'nothing is missing there').toEqual(next);
  },
);

it('a file that a power cut made shorter than what is stored of it is not stored again, one that was emptied is', () => {
  const path = join(tempDir(), 'bot.out');
  writeFileSync(path, 'stored\nstored\n');
  const masker = createBotMasker([]);
  const buffers = new ReadBuffers();
  const tail = new SpoolTail({ botId: 'b', runId: 'r', path, source: 'stdout' }, masker);
  onTestFinished(() => tail.close());
  const said: string[] = [];
  const turn = (): string[] => {
    const lines: string[] = [];
    tail.turn(masker, buffers, {
      piece: (_, chunk, piece) => lines.push(chunk.bytes.toString('utf8', piece.start, piece.end)),
      report: (message) => said.push(message),
    });
    return lines;
  };
  tail.restore({ path, run: 'r', offset: 100, inside: 0, level: 1 }, masker, buffers);
  expect([turn(), tail.offset, tail.dirty]).toEqual([[], 14, true]);
  appendFileSync(path, 'new\n');
  expect(turn()).toEqual(['new']);
  truncateSync(path, 0);
  appendFileSync(path, 'anew\n');
  expect(turn()).toEqual(['anew']);
  expect(said).toHaveLength(2);
});

it('a secret that lies where a line of more than one entry would be cut is whole in one of the entries', () => {
  const secret = 'S3cr3t-Value-1234567890';
  const masker = createBotMasker([secret]);
  const path = join(tempDir(), 'bot.out');
  const before = Array.from({ length: secret.length + 2 }, (_, i) => LIMITS.lineBytes - secret.length - 1 + i);
  writeFileSync(path, before.map((length) => `${'a'.repeat(length - 1)} ${secret} ${'b'.repeat(100)}\n`).join(''));
  const tail = new SpoolTail({ botId: 'b', runId: 'r', path, source: 'stdout' }, masker);
  onTestFinished(() => tail.close());
  const entries: string[] = [];
  const buffers = new ReadBuffers();
  const reader = {
    piece: (_: unknown, chunk: DecodedChunk, piece: Piece) =>
      entries.push(chunk.bytes.toString('utf8', piece.start, piece.end)),
    report: (message: string) => expect.unreachable(message),
  };
  while (tail.turn(masker, buffers, reader) !== 'idle');
  expect(entries).toHaveLength(before.length * 2);
  expect(entries.filter((entry) => entry.includes(secret))).toHaveLength(before.length);
});
