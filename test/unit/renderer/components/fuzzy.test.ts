import { describe, expect, it } from 'vitest';
import { fuzzy } from '../../../../src/renderer/components/fuzzy.ts';

/** The text with what fits in brackets; null when it does not fit. */
function shown(typed: string, text: string, also = ''): string | null {
  const match = fuzzy(typed, text, also);
  if (match === null) return null;
  return [...text].map((letter, index) => (match.marks.includes(index) ? `[${letter}]` : letter)).join('');
}
const score = (typed: string, text: string, also = ''): number => fuzzy(typed, text, also)?.score ?? -1;

describe('fuzzy', () => {
  it('finds a piece anywhere, whatever the case', () => {
    expect(shown('SMA', 'Price sma')).toBe('Price [s][m][a]');
    expect(shown('ert', 'Alerts')).toBe('Al[e][r][t]s');
  });

  it('finds letters at the starts of words', () => {
    expect(shown('sc', 'sma crossover')).toBe('[s]ma [c]rossover');
    expect(shown('pt', 'python-portfolio-tracker')).toBe('[p]ython-portfolio-[t]racker');
  });

  it('needs each word, in any order', () => {
    expect(fuzzy('live sma', 'sma live')).not.toBeNull();
    expect(fuzzy('live rsi', 'sma live')).toBeNull();
  });

  it('finds by words that nobody sees, in one piece only', () => {
    expect(shown('disable sma', 'Stop sma', 'disable pause')).toBe('Stop [s][m][a]');
    expect(fuzzy('sma', 'Stop My portfolio', 'disable pause')).toBeNull();
  });

  it('does not fit what is not there, nor letters strewn over a long text', () => {
    expect(fuzzy('xyz', 'sma live')).toBeNull();
    expect(fuzzy('ez', `e${'-'.repeat(60)}bz`)).toBeNull();
    expect(fuzzy('z', 'sma')).toBeNull();
  });

  it('prefers the start of a word, one piece, what is seen and short texts', () => {
    expect(score('al', 'alerts')).toBeGreaterThan(score('al', 'final'));
    expect(score('sc', 'scout')).toBeGreaterThan(score('sc', 'sma crossover'));
    expect(score('stop', 'Stop bot')).toBeGreaterThan(score('stop', 'End bot', 'stop'));
    expect(score('sma', 'sma')).toBeGreaterThan(score('sma', 'sma with a long name'));
  });

  it('fits everything when nothing was typed', () => {
    expect(fuzzy('  ', 'sma')).toMatchObject({ marks: [] });
  });
});
