import { describe, expect, it } from 'vitest';
import { compileGate, findWords, scan } from '../../../../../src/main/telemetry/mask/gate.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';

interface Scanned {
  readonly ends: number[];
  readonly flags: number[];
}

function scanAll(words: readonly string[], text: string | Buffer, room = 100): Scanned {
  const buf = Buffer.from(text);
  const ends = new Uint32Array(room);
  const flags = new Uint8Array(room);
  const lines = scan(compileGate(words), buf, 0, buf.length, ends, flags);
  return { ends: [...ends.subarray(0, lines)], flags: [...flags.subarray(0, lines)] };
}

describe('scan', () => {
  it('finds line ends and flags lines that hold a word in any case', () => {
    const { ends, flags } = scanAll(['secret', 'akia'], 'a\n\nmy SeCrEt\r\nxAKIAx\nakisecre\nsecret without end');
    expect(ends).toEqual([1, 2, 13, 20, 29]);
    expect(flags).toEqual([0, 0, 1, 1, 0]);
  });

  it('never finds a word across a line end', () => {
    expect(scanAll(['secret'], 'sec\nret\n').flags).toEqual([0, 0]);
  });

  it('stops when the arrays are full and goes on from there', () => {
    const gate = compileGate(['x']);
    const buf = Buffer.from('a\nx\nb\nx\n');
    const ends = new Uint32Array(3);
    const flags = new Uint8Array(3);
    expect(scan(gate, buf, 0, buf.length, ends, flags)).toBe(3);
    expect([...ends, ...flags]).toEqual([1, 3, 5, 0, 1, 0]);
    expect(scan(gate, buf, 6, buf.length, ends, flags)).toBe(1);
    expect([ends[0], flags[0]]).toEqual([7, 1]);
  });

  it('only looks at its range', () => {
    const buf = Buffer.from('x\nabc\nx\n');
    const ends = new Uint32Array(4);
    const flags = new Uint8Array(4);
    expect(scan(compileGate(['x']), buf, 2, 6, ends, flags)).toBe(1);
    expect([ends[0], flags[0]]).toEqual([5, 0]);
  });

  it('works with no words, non-ASCII words and every byte there is', () => {
    expect(scanAll([], 'abc\n').flags).toEqual([0]);
    expect(scanAll([''], 'abc\n').flags).toEqual([0]);
    expect(scanAll(['schlüssel', '🔑🔑'], 'der Schlüssel\n🔑🔑\n🔑\n').flags).toEqual([1, 1, 0]);
    const all = Array.from({ length: 0x500 }, (_, i) => String.fromCharCode(i + 11)).join('');
    expect(scanAll([all, 'tail9'], `${all}\nxx\ntail9\n`).flags).toEqual([1, 0, 1]);
    expect(scanAll(['ab'], Buffer.from([255, 254, 0, 97, 98, 10, 255, 10])).flags).toEqual([1, 0]);
  });

  it('uses wide states for very many words', () => {
    const random = new SeededRandom(7);
    const words = Array.from({ length: 3000 }, () => random.text('abcdefgh', 16));
    const gate = compileGate(words);
    expect(gate.table).toBeInstanceOf(Uint32Array);
    expect(scanAll(words, `${words[2999]}\nabcdefgh\n`).flags).toEqual([1, 0]);
  });
});

describe('findWords', () => {
  it('agrees with a plain search on random texts', () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    for (let round = 0; round < 300; round++) {
      const words = [
        ...new Set(Array.from({ length: 1 + random.below(12) }, () => random.text('abÄ', 1 + random.below(5)))),
      ];
      const text = random.text('abcÄ', 60);
      const bytes = Buffer.from(text);
      const found: string[] = [];
      findWords(compileGate(words), bytes, bytes.length, (word, end) => found.push(`${word}@${end}`));
      const expected: string[] = [];
      for (const [word, item] of words.entries()) {
        const needle = Buffer.from(item);
        for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
          expected.push(`${word}@${at + needle.length}`);
        }
      }
      expect(found.sort(), `TEST_SEED=${seed}`).toEqual(expected.sort());
    }
  });
});
