import { describe, expect, it } from 'vitest';
import type { BotEvent } from '../../../../../../src/contract/bot.ts';
import { rowOf, toRows } from '../../../../../../src/renderer/pages/bot/logs/rows.ts';
import { entriesOf, entryOf } from './make-entry.ts';

describe('rows', () => {
  const event = (id: number, seq: number, kind: string): BotEvent => ({
    event_id: id,
    bot_id: 'bot_1',
    at: entryOf(seq).ts,
    kind,
    status: null,
    health: null,
    reason: null,
    run_id: null,
    changes: [],
  });
  const show = (rows: ReturnType<typeof toRows>): string[] =>
    rows.map((row) => (row.kind === 'line' ? String(row.seq) : row.kind));

  it('have rules where a run begins, where something was changed, and where a day begins', () => {
    const entries = [entryOf(1), entryOf(2), entryOf(3, { run_id: 'run_2' }), entryOf(4), entryOf(50_000)];
    const rows = toRows({
      entries,
      events: [event(1, 0, 'deployed'), event(2, 3, 'updated')],
      zone: 'UTC',
      atStart: true,
      atEnd: true,
    });
    expect(show(rows)).toEqual(['event', 'run', '1', '2', 'event', 'run', '3', '4', 'day', '50000']);
    expect([rowOf(rows, 3), rowOf(rows, 60_000), rowOf([], 1)]).toEqual([6, 9, -1]);
  });

  it('claim nothing about what lies outside of the window', () => {
    const events = [event(1, 1, 'deployed'), event(2, 99, 'updated')];
    const input = { entries: entriesOf(10, 12), events, zone: 'UTC' } as const;
    expect(show(toRows({ ...input, atStart: false, atEnd: false }))).toEqual(['10', '11', '12']);
    expect(show(toRows({ ...input, atStart: false, atEnd: true }))).toEqual(['10', '11', '12', 'event']);
  });
});
