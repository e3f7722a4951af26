import { describe, expect, it } from 'vitest';
import { RetentionTurns } from '../../../../../src/main/host/logs/retention-turns.ts';

/** The bots that have their turns, one after another, from a time on; each has done all it can. */
function inTurn(turns: RetentionTurns, from: number, most = 100): string[] {
  const had: string[] = [];
  for (let next = turns.next(from); next !== null && had.length < most; next = turns.next(from)) {
    had.push(next);
    turns.done(next, false, from);
  }
  return had;
}

function knows(...bots: readonly string[]): RetentionTurns {
  const turns = new RetentionTurns();
  for (const [at, botId] of bots.entries()) turns.add(botId, at);
  return turns;
}

describe('turns of retention', () => {
  it('come to each bot a second after it was added, and each minute after that', () => {
    const turns = knows('a', 'b', 'c');
    expect(turns.nextAt).toBe(1000);
    expect(turns.next(999)).toBeNull();
    expect(inTurn(turns, 1001)).toEqual(['a', 'b']);
    expect(inTurn(turns, 1002)).toEqual(['c']);
    expect(turns.next(61_000)).toBeNull();
    expect(inTurn(turns, 61_001)).toEqual(['a', 'b']);
    expect(turns.nextAt).toBe(61_002);
  });

  it('come at once to a bot that has more to do, in every other turn while others wait', () => {
    const turns = knows('a', 'b', 'c', 'd');
    turns.hurry('d');
    expect(turns.nextAt).toBe(0);
    const had: (string | null)[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const next = turns.next(5000);
      had.push(next);
      if (next !== null) turns.done(next, next === 'd', 5000);
    }
    expect(had).toEqual(['d', 'a', 'd', 'b', 'd']);
    turns.done('d', false, 5000);
    expect(inTurn(turns, 5000)).toEqual(['c']);
  });

  it('come to all at once where the limits have changed, each once', () => {
    const turns = knows('a', 'b', 'c');
    inTurn(turns, 2000);
    turns.hurryAll();
    expect(inTurn(turns, 2001)).toEqual(['a', 'b', 'c']);
    expect(turns.next(2001)).toBeNull();
  });

  it('come to no bot that is gone or was never there', () => {
    const turns = knows('a', 'b');
    turns.hurry('a');
    turns.remove('a');
    turns.hurry('strange');
    expect(turns.has('a')).toBe(false);
    expect(inTurn(turns, 2000)).toEqual(['b']);
    turns.remove('b');
    expect(turns.nextAt).toBe(Number.POSITIVE_INFINITY);
  });
});
