import { describe, expect, it } from 'vitest';
import { diffLines, hunkHead, hunks, linesOf } from '../../../src/shared/line-diff.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const SIGN = { same: ' ', removed: '-', added: '+' } as const;
const shown = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ kind, text }) => `${SIGN[kind]}${text}`);

describe('the difference of two texts', () => {
  it('keeps what is the same, in its order', () => {
    expect(shown('a\nb\nc\n', 'a\nx\nc\n')).toEqual([' a', '-b', '+x', ' c']);
    expect(shown('a\nb\n', 'b\nc\n')).toEqual(['-a', ' b', '+c']);
    expect(shown('', 'a\n')).toEqual(['+a']);
    expect(shown('a', '')).toEqual(['-a']);
    expect(shown('a\nb', 'a\nb\n')).toEqual([' a', ' b']);
  });

  it('leads from one text to the other by the fewest steps, whatever they are', () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < 300; round++) {
      const text = (): string => Array.from({ length: random.below(13) }, () => `${'abc'[random.below(3)]}\n`).join('');
      const [before, after] = [text(), text()];
      const lines = diffLines(before, after);
      const side = (kind: 'removed' | 'added') => lines.filter((one) => one.kind !== kind).map((one) => one.text);
      expect(side('added')).toEqual(linesOf(before));
      expect(side('removed')).toEqual(linesOf(after));
      expect(lines.filter(({ kind }) => kind === 'same').length).toBe(longestCommon(linesOf(before), linesOf(after)));
      expect(lines.flatMap((one) => one.before ?? [])).toEqual(linesOf(before).map((_, i) => i + 1));
      expect(lines.flatMap((one) => one.after ?? [])).toEqual(linesOf(after).map((_, i) => i + 1));
    }
  });

  it('takes texts that have nothing in common as replaced, however long they are', () => {
    const text = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`).join('\n');
    const lines = diffLines(`head\n${text('a')}\nend`, `head\n${text('b')}\nend`);
    expect(lines.length).toBe(40_002);
    expect(lines[0]?.kind).toBe('same');
    expect(lines.at(-1)?.kind).toBe('same');
  });

  it('shows the places of differences with lines around them', () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
    const after = before.map((line, i) => (i === 4 || i === 25 ? `${line}!` : line));
    const found = hunks(diffLines(before.join('\n'), after.join('\n')));
    expect(found.map(hunkHead)).toEqual(['@@ -2,7 +2,7 @@', '@@ -23,7 +23,7 @@']);
    expect(hunks(diffLines('a\n', 'a\n'))).toEqual([]);
  });
});

/** Length of the longest common part, by the plain table that everybody can check. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    for (const [j, right] of b.entries())
      next.push(left === right ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
