import { expect, it } from 'vitest';
import type { Arguments, Context } from '../../../src/cli/command.ts';
import { command } from '../../../src/cli/commands/bot-events.ts';

const ID = `bot_${'0'.repeat(26)}`;
const status = (event_id: number, to: string) => ({
  event_id,
  bot_id: ID,
  at: '2026-11-22T00:00:00.000Z',
  kind: 'status',
  status: to,
  reason: null,
  run_id: null,
  changes: [],
});

it.each([false, true])(
  'tells of what it cannot tell, such as events that a restore has taken back; --json %j',
  async (json) => {
    const told: string[] = [];
    const gap = { gap: { from_seq: 3, reason: 'The host was restored to an earlier time; read your bots anew.' } };
    const out = {
      json,
      raw: (text: string) => told.push(`raw ${JSON.parse(text).status}`),
      line: (text: string) => told.push(`line ${text.split('  ')[2]}`),
      note: (text: string) => told.push(`note ${text}`),
    };
    async function* stream() {
      for (const data of [status(9, 'running'), gap, status(4, 'stopped')]) yield { id: '', data };
    }
    const client = async () => ({ botId: async () => ID, stream });
    const args = { positionals: [ID], flag: () => true };
    const context = { out, client, signal: new AbortController().signal };
    await command.run(context as unknown as Context, args as unknown as Arguments);
    const shown = json ? 'raw' : 'line';
    expect(told).toEqual([`${shown} running`, `note ${gap.gap.reason}`, `${shown} stopped`]);
  },
);
