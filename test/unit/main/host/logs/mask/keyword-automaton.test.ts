import { describe, expect, it } from 'vitest';
import { KeywordAutomaton, type Signs } from '../../../../../../src/main/host/logs/mask/keyword-automaton.ts';
import { unescapedOf } from '../../../../../../src/main/host/logs/mask/unescaped-text.ts';
import { WordIndex } from '../../../../../../src/main/host/logs/mask/word-index.ts';
import { SeededRandom, testSeed } from '../../../../../support/seeded-random.ts';

interface Scanned {
  readonly ends: number[];
  readonly flags: number[];
}

const NOTHING = (): void => undefined;
const automatonOf = (words: readonly string[], signs: Signs = 'none'): KeywordAutomaton =>
  new KeywordAutomaton([new WordIndex(words)], signs);

function scanAll(words: readonly string[], text: string | Buffer, signs: Signs = 'none'): Scanned {
  const buf = Buffer.from(text);
  const ends = new Uint32Array(100);
  const flags = new Uint8Array(100);
  const lines = automatonOf(words, signs).scan(buf, 0, buf.length, ends, flags);
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

  it('finds words of three letters wherever they stand in a line', () => {
    expect(scanAll(['eyj', 'key'], 'eyJ\nthe key\nkeys\nke\ny\neyjk').flags).toEqual([1, 1, 1, 0, 0]);
    expect(() => automatonOf(['ab'])).toThrow('three bytes');
  });

  it('stops when the arrays are full and goes on from there', () => {
    const automaton = automatonOf(['xyz']);
    const buf = Buffer.from('a\nxyz\nb\nxyz\n');
    const ends = new Uint32Array(3);
    const flags = new Uint8Array(3);
    expect(automaton.scan(buf, 0, buf.length, ends, flags)).toBe(3);
    expect([...ends, ...flags]).toEqual([1, 5, 7, 0, 1, 0]);
    expect(automaton.scan(buf, 8, buf.length, ends, flags)).toBe(1);
    expect([ends[0], flags[0]]).toEqual([11, 1]);
  });

  it('only looks at its range', () => {
    const buf = Buffer.from('wxyz\nabc\nwxyz\n');
    const ends = new Uint32Array(4);
    const flags = new Uint8Array(4);
    const automaton = automatonOf(['wxyz', 'xyz']);
    expect(automaton.scan(buf, 3, 9, ends, flags)).toBe(2);
    expect([...ends.subarray(0, 2), ...flags.subarray(0, 2)]).toEqual([4, 8, 0, 0]);
  });

  it('works with no words, non-ASCII words and every byte there is', () => {
    expect(scanAll([], 'abc\n').flags).toEqual([0]);
    expect(scanAll(['schlüssel', '🔑🔑'], 'der Schlüssel\n🔑🔑\n🔑\n').flags).toEqual([1, 1, 0]);
    const all = Array.from({ length: 0x500 }, (_, i) => String.fromCharCode(i + 11)).join('');
    expect(scanAll([all, 'tail9'], `${all}\nxxx\ntail9\n`).flags).toEqual([1, 0, 1]);
    expect(scanAll(['abc'], Buffer.from([255, 254, 0, 97, 98, 99, 10, 255, 10])).flags).toEqual([1, 0]);
    // These differ in the one bit in which the cases of a letter differ.
    expect(scanAll(['[x-y]'], '[x-y]\n{X-Y}\n[X-Y]\n{x\ry}\n').flags).toEqual([1, 0, 1, 0]);
  });

  it('finds what only stands at the start of a word there, and behind what may be an escape', () => {
    const automaton = new KeywordAutomaton([new WordIndex(['token-', 'key'], (word) => word === 0)]);
    const lines = ['token-', 'my-token-', 'my token-', '\\ntoken-', '%20token-', '\u001b[1mtoken-', 'akey'];
    const buf = Buffer.from(`${lines.join('\n')}\n`);
    const flags = new Uint8Array(lines.length);
    expect(automaton.scan(buf, 0, buf.length, new Uint32Array(lines.length), flags)).toBe(lines.length);
    expect([...flags]).toEqual([1, 0, 1, 1, 1, 1, 1]);
  });

  it('tells the lines that may be shown otherwise than they are, if it is asked to', () => {
    const ordinary = [
      '100 %, a&b',
      'C:\\bots\\run {"m":"a \\"b\\" c\\nd"}',
      'größe über 5 €, caf\u00e9',
      'Цена BTC выросла, 价格上涨到，订单 ✓ 🚀',
      '\u001b[32mINFO\u001b[0m price=\u001b[1;33m5\u001b[0m',
      '\\u001b[32mINFO\\u001b[0m caf\\u00e9',
      'x=BTC%2FUSDT&lt;side',
      '\ta\r',
    ];
    const hiding = [
      'k\u001b[31mR',
      'k\u001b[0m\u001b[31mR',
      'k\u009b31mR',
      'k\u0000R',
      'k\u200bR',
      'k\u00adR',
      'k\u0336R\u0336',
      'kаR',
      'ＫＲ',
      '𝐤R',
      'k%41',
      'k%2541',
      '&#107;',
      'k&shy;R',
      '\\u006b',
      '\\x6b',
      '\\153',
      'k\\u001b[31mR',
      'k\\!R',
    ];
    const flags = (lines: readonly string[], signs?: Signs): number[] =>
      scanAll(['word'], `${lines.join('\n')}\n`, signs).flags;
    expect(flags(ordinary, 'in words')).toEqual(ordinary.map(() => 0));
    expect(flags(hiding, 'in words')).toEqual(hiding.map(() => 1));
    expect(flags(hiding)).toEqual(hiding.map(() => 0));
    expect(flags(['größe', 'k \u001b[31m R'], 'all')).toEqual([1, 1]);
    for (const line of [...ordinary, ...hiding]) {
      const found = automatonOf(['word'], 'in words').find(Buffer.from(line), Buffer.byteLength(line), NOTHING);
      expect(found, line).toBe(hiding.includes(line));
    }
    expect(hiding.filter((line) => unescapedOf(line) === null)).toEqual([]);
  });
});

describe('find', () => {
  it('agrees with a plain search on random texts', () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    for (let round = 0; round < 300; round++) {
      const words = [
        ...new Set(Array.from({ length: 1 + random.below(12) }, () => random.text('abÄ', 3 + random.below(5)))),
      ];
      const half = random.below(words.length);
      const automaton = new KeywordAutomaton([new WordIndex(words.slice(0, half)), new WordIndex(words.slice(half))]);
      const bytes = Buffer.from(random.text('abcÄ', 60));
      const found: string[] = [];
      automaton.find(bytes, bytes.length, (word, at) => found.push(`${word}@${at}`));
      const expected: string[] = [];
      for (const [word, item] of words.entries()) {
        const needle = Buffer.from(item);
        for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
          expected.push(`${word}@${at}`);
        }
      }
      expect(found.sort(), `TEST_SEED=${seed}`).toEqual(expected.sort());
    }
  });
});
