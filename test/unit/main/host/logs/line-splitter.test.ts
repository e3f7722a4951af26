import { describe, expect, it } from 'vitest';
import { HIDDEN, INSIDE, OUTSIDE, type Piece, splitLines } from '../../../../../src/main/host/logs/line-splitter.ts';

interface Options {
  maxBytes?: number;
  overlap?: number;
  /** A text that must never be cut in two; lines that hold it are flagged. */
  secret?: string;
}

/** Feeds bytes as a tail does: unconsumed ones come again with the next bytes. */
function feed(chunks: Iterable<Buffer>, { maxBytes = 64, overlap = 16, secret = '\0' }: Options = {}) {
  const pieces: { text: string; continued: boolean; inside: number }[] = [];
  let state: number = OUTSIDE;
  let kept = Buffer.alloc(0);
  const offer = (bytes: Buffer, atEnd: boolean) => {
    const ends = new Uint32Array(bytes.length + 1);
    const flags = new Uint8Array(bytes.length + 1);
    let count = 0;
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
      flags[count] = bytes.subarray(from, at).includes(secret) ? 1 : 0;
      ends[count++] = at;
      from = at + 1;
    }
    const holds = (start: number, end: number) => bytes.subarray(start, end).includes(secret);
    const parts = (start: number, end: number) => bytes.toString('utf8', start, end).split(secret).length;
    let next = 0;
    state = splitLines(
      { bytes, length: bytes.length, ends, flags, count },
      state,
      {
        maxBytes,
        overlap,
        atEnd,
        flag: holds,
        separable: (start, cut, end) => parts(start, cut) + parts(cut, end) - 1 === parts(start, end),
      },
      (piece: Piece) => {
        pieces.push({
          text: bytes.toString('utf8', piece.start, piece.end),
          continued: piece.continued,
          inside: piece.inside,
        });
        next = piece.next;
      },
    );
    return next;
  };
  for (const chunk of chunks) {
    const bytes = Buffer.concat([kept, chunk]);
    kept = bytes.subarray(offer(bytes, false));
  }
  const before = pieces.length;
  if (kept.length > 0) offer(kept, true);
  return { pieces, lastWasOpen: pieces.length > before };
}

/** Lines as they were before long ones were cut. */
function join(pieces: readonly { text: string; continued: boolean }[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    line += piece.text;
    if (piece.continued) continue;
    lines.push(line);
    line = '';
  }
  expect(line).toBe('');
  return lines;
}

function* slices(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const TEXT = [
  'plain',
  '',
  'Kurs für BTC gestiegen → 12.5 € 📈',
  'x'.repeat(64),
  'y'.repeat(65),
  '📈'.repeat(100),
  `${'ä'.repeat(200)}z`,
  'tab\there and \u2028 and \x1b[31mcolour\x1b[0m',
  'a'.repeat(1000),
  'last without newline',
];

describe('lines across read borders', () => {
  it.each([1, 2, 3, 5, 7, 64, 81, 4096])('are the same bytes when read %d at a time', (size) => {
    const { pieces, lastWasOpen } = feed(slices(Buffer.from(TEXT.join('\n')), size));
    expect(join(pieces)).toEqual(TEXT);
    expect(lastWasOpen).toBe(true);
    for (const piece of pieces) expect(Buffer.byteLength(piece.text)).toBeLessThanOrEqual(64);
    for (const piece of pieces) expect(piece.text).not.toContain('\ufffd');
  });

  it('takes one carriage return off the end of a line and no other', () => {
    const { pieces } = feed([Buffer.from('one\r\ntwo\rmid\n\r\nthree\r\r\n')]);
    expect(join(pieces)).toEqual(['one', 'two\rmid', '', 'three\r']);
  });

  it('says for each piece whether it goes on and whether it began before', () => {
    const { pieces } = feed([Buffer.from(`${'a'.repeat(150)}\nb\n`)]);
    expect(pieces.map((piece) => [piece.text.length, piece.continued, piece.inside])).toEqual([
      [64, true, OUTSIDE],
      [64, true, INSIDE],
      [22, false, INSIDE],
      [1, false, OUTSIDE],
    ]);
  });

  it('waits with a cut until the overlap behind it is there', () => {
    const withoutEnd = feed([Buffer.from('a'.repeat(80)), Buffer.from('\n')]);
    expect(withoutEnd.pieces.map((piece) => piece.text.length)).toEqual([64, 16]);
    const early: number[] = [];
    const bytes = Buffer.from('a'.repeat(80));
    splitLines(
      { bytes, length: 80, ends: new Uint32Array(1), flags: new Uint8Array(1), count: 0 },
      OUTSIDE,
      { maxBytes: 64, overlap: 16, atEnd: false, flag: () => false, separable: () => true },
      (piece) => early.push(piece.end),
    );
    expect(early).toEqual([]);
  });

  it('cuts invalid UTF-8 somewhere rather than never', () => {
    const { pieces } = feed([Buffer.concat([Buffer.alloc(500, 0x80), Buffer.from('\n')])]);
    expect(pieces.length).toBeGreaterThan(7);
    expect(pieces.at(-1)?.continued).toBe(false);
  });
});

describe('a secret where a long line must be cut', () => {
  const secret = 'S3CRET-VALUE';
  it.each(Array.from({ length: 40 }, (_, i) => 480 + i))('is never cut in two (at %d)', (at) => {
    const line = `${'a'.repeat(at)}${secret}${'b'.repeat(600)}`;
    for (const size of [100, 4096]) {
      const { pieces } = feed(slices(Buffer.from(`${line}\n`), size), { maxBytes: 512, overlap: 32, secret });
      expect(join(pieces)).toEqual([line]);
      expect(pieces.filter((piece) => piece.text.includes(secret))).toHaveLength(1);
    }
  });

  it('hides the rest of the line when no cut is clean', () => {
    const line = secret.repeat(100);
    const pieces: Piece[] = [];
    const bytes = Buffer.from(`${line}\nnext\n`);
    splitLines(
      {
        bytes,
        length: bytes.length,
        ends: Uint32Array.of(line.length, bytes.length - 1),
        flags: Uint8Array.of(1, 0),
        count: 2,
      },
      OUTSIDE,
      { maxBytes: 512, overlap: 32, atEnd: false, flag: () => true, separable: () => false },
      (piece) => pieces.push(piece),
    );
    expect(pieces.slice(0, -1).every((piece) => piece.inside === HIDDEN)).toBe(true);
    expect(pieces.at(-1)).toMatchObject({ inside: OUTSIDE, continued: false });
  });
});
