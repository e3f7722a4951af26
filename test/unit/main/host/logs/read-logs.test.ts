import { expect, it } from 'vitest';
import type { BotLog } from '../../../../../src/main/host/logs/bot-log.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { readLogs } from '../../../../../src/main/host/logs/read-logs.ts';
import type { StoredLog } from '../../../../../src/main/host/logs/stored-row-types.ts';

const LINES = 200;

/** A log of lines that take as long to mask as any, each as long as a line may be. */
function slowLog(): BotLog {
  const line = 'seed words='.repeat(6000).slice(0, 64 * 1024);
  const row = (seq: number): StoredLog => ({ seq, ts: seq, meta: 1, run: null, line, time: null, fields: null });
  const rows = Array.from({ length: LINES }, (_, seq) => row(seq));
  const parts: Pick<BotLog, 'logBounds' | 'logs' | 'seqAt' | 'hasLogBefore' | 'part'> = {
    logBounds: () => ({ lo: 0, hi: LINES }),
    seqAt: (ts) => ts,
    hasLogBefore: (seq) => seq > 0,
    part: (range) => (range.lo < range.hi ? range : null),
    logs: ({ lo, hi }, _filter, order, limit) => {
      const found = rows.filter(({ seq }) => seq >= lo && seq < hi);
      return (order === 'desc' ? found.reverse() : found).slice(0, limit);
    },
  };
  return parts as BotLog;
}

it.each(['desc', 'asc'] as const)(
  'a search of lines that are slow to mask ends in time, lets others read, and goes on where it was (%s)',
  async (order) => {
    let turns = 0;
    const others = setInterval(() => (turns += 1), 5);
    const masker = createBotMasker([]);
    const from = order === 'desc' ? {} : { after: -1 };
    const ask = (more: object) =>
      readLogs(slowLog(), masker, { bot_id: 'bot_1', search: 'not there', ...from, ...more }, { stopped: false }, 0);
    const page = await ask({});
    clearInterval(others);
    expect(turns).toBeGreaterThan(1);
    expect(page).toMatchObject({ entries: [], incomplete: true, truncated: true });
    const next = page.older_before ?? Number.NaN;
    expect(next).toBeGreaterThan(0);
    expect(next).toBeLessThan(LINES);
    const stopped = { stopped: true };
    const on = order === 'desc' ? { before: next } : { after: next - 1 };
    const last = await readLogs(slowLog(), masker, { bot_id: 'bot_1', search: 'not there', ...on }, stopped, 0);
    expect(last.incomplete).toBe(true);
  },
);
