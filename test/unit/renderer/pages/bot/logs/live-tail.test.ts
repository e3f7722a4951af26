import { describe, expect, it } from 'vitest';
import { LiveTail } from '../../../../../../src/renderer/pages/bot/logs/live-tail.ts';
import { type LogWindow, WINDOW_LINES } from '../../../../../../src/renderer/pages/bot/logs/log-window.ts';
import { entriesOf } from './make-entry.ts';

const windowOf = (from: number, upTo: number): LogWindow => ({
  entries: entriesOf(from + 1, upTo),
  from,
  upTo,
  atStart: false,
});
const seqs = (window: LogWindow | null): number[] | null => window?.entries.map(({ seq }) => seq) ?? null;

function tailAfter(seq: number): LiveTail {
  const tail = new LiveTail();
  tail.restart(seq);
  return tail;
}

describe('the live tail of a log', () => {
  it('counts only lines that it did not have', () => {
    const tail = tailAfter(10);
    expect(tail.add(entriesOf(11, 12), 12)).toBe(2);
    expect(tail.add(entriesOf(12, 13), 14)).toBe(1);
    expect(seqs(tail.window)).toEqual([11, 12, 13]);
    expect(tail.newest).toBe(14);
  });

  it('keeps a part that does not grow with the log', () => {
    const tail = tailAfter(0);
    tail.add(entriesOf(1, WINDOW_LINES), WINDOW_LINES);
    expect(tail.window).toMatchObject({ from: WINDOW_LINES - 1000, upTo: WINDOW_LINES, entries: { length: 1000 } });
  });

  it('continues a window that it joins, and no other', () => {
    const tail = tailAfter(10);
    tail.add(entriesOf(11, 12), 12);
    expect(seqs(tail.extend(windowOf(8, 10)))).toEqual([9, 10, 11, 12]);
    expect(tail.extend(windowOf(5, 8))).toBeNull();
  });

  it('takes in what was read ahead of the stream, which then adds it no second time', () => {
    const tail = tailAfter(10);
    expect(seqs(tail.join(windowOf(8, 12)))).toEqual([9, 10, 11, 12]);
    expect(tail.add(entriesOf(11, 13), 13)).toBe(1);
  });

  it('shows itself where a flood has overtaken what was read at the end', () => {
    const tail = tailAfter(0);
    tail.add(entriesOf(1, 2000), 2000);
    expect(tail.joinAtEnd(windowOf(0, 3))).toBe(tail.window);
    expect(tail.window.upTo).toBe(2000);
  });

  it('knows which windows reach the end: lines that the filter leaves out do not count', () => {
    const tail = tailAfter(10);
    tail.add(entriesOf(11, 11), 15);
    expect(tail.reaches(windowOf(5, 11))).toBe(true);
    expect(tail.reaches(windowOf(5, 10))).toBe(false);
    tail.clear();
    expect(tail.reaches(windowOf(5, 11))).toBe(false);
    expect(tail.reaches(windowOf(5, 15))).toBe(true);
  });
});
