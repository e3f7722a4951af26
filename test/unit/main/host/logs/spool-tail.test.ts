import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../../../src/contract/limits.ts';
import { type BotMasker, createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { takePiece } from '../../../../../src/main/host/logs/line-intake.ts';
import { HIDDEN, type Piece } from '../../../../../src/main/host/logs/line-splitter.ts';
import { type DecodedChunk, ReadBuffers, SpoolTail } from '../../../../../src/main/host/logs/spool-tail.ts';
import { everyVariant } from '../../../../support/proof.ts';
import { tempDir } from '../../../../support/temp.ts';

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

/** The entries of a file, as they are read and as they are stored. */
function entriesOf(content: string, masker: BotMasker): { readonly read: string[]; readonly stored: string[] } {
  const path = join(tempDir(), 'bot.out');
  writeFileSync(path, content);
  const tail = new SpoolTail({ botId: 'b', runId: 'r', path, source: 'stdout' }, masker);
  onTestFinished(() => tail.close());
  const read: string[] = [];
  const stored: string[] = [];
  const reader = {
    piece: (_: unknown, chunk: DecodedChunk, piece: Piece) => {
      const text = chunk.bytes.toString('utf8', piece.start, piece.end);
      read.push(text);
      const taken = takePiece(text, piece.flagged, piece.inside === HIDDEN, undefined, tail.stream);
      stored.push(taken.kind === 'log' ? taken.line : taken.data);
    },
    report: (message: string) => expect.unreachable(message),
  };
  const buffers = new ReadBuffers();
  while (tail.turn(masker, buffers, reader) !== 'idle');
  return { read, stored };
}

/** Its base64 is whole groups. */
const SECRET = 'S3cr3t-Value-12345678901';

describe.each([
  ['as it is', SECRET],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['escaped', [...SECRET].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
])('a secret %s that lies where a line of more than one entry would be cut', (_, shown) => {
  it.each(['a', '='])(
    'is whole in one entry, and nothing of it is stored, wherever that is behind a run of "%s"',
    (run) => {
      // Steps that meet each place within an escape.
      const isEscaped = shown.length > 6 * SECRET.length - 1;
      const step = (isEscaped ? 7 : 1) + (everyVariant ? 0 : 4);
      const count = Math.ceil((shown.length + 2) / step);
      const places = Array.from({ length: count }, (_, i) => LIMITS.lineBytes - shown.length - 1 + i * step);
      const content = places.map((at) => `${run.repeat(at - 1)} ${shown} ${'b'.repeat(100)}\n`).join('');
      const { read, stored } = entriesOf(content, createBotMasker([SECRET]));
      expect(read).toHaveLength(places.length * 2);
      expect(read.filter((entry) => entry.includes(shown))).toHaveLength(places.length);
      const lines = places.map((_, i) => `${stored[i * 2]}${stored[i * 2 + 1]}`);
      expect(lines).toEqual(places.map((at) => `${run.repeat(at - 1)} *** ${'b'.repeat(100)}`));
    },
  );
});
