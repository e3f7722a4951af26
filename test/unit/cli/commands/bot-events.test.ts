import { describe, expect, it } from 'vitest';
import type { Arguments, Client, Context } from '../../../../src/cli/command.ts';
import { command } from '../../../../src/cli/commands/bot-events.ts';
import { commandName } from '../../../../src/cli/copyable-command.ts';

const event = (event_id: number, kind = 'started') => ({
  event_id,
  bot_id: 'bot_1',
  at: `2026-01-31T00:00:0${event_id}.000Z`,
  kind,
  status: null,
  reason: null,
  changes: [],
});
const gap = (from_seq: number) => ({ gap: { from_seq, reason: 'read again' } });

/** Follows a bot on a host that sends these events and ends; what is said on stdout and stderr. */
async function follow(...sent: readonly object[]) {
  const shown = { out: [] as string[], err: [] as string[] };
  async function* stream() {
    for (const data of sent) yield { id: '', data };
  }
  const out = {
    json: true,
    raw: (text: string) => shown.out.push(text.trim()),
    note: (text: string) => shown.err.push(text),
  };
  const client = async () => ({ stream, botId: async () => 'bot_1' }) as unknown as Client;
  const context = { out, client, name: commandName({}), signal: new AbortController().signal };
  const args: Pick<Arguments, 'positionals' | 'flag'> = { positionals: ['sma'], flag: () => true };
  await command.run(context as unknown as Context, args as Arguments);
  return shown;
}

describe('bot events -w', () => {
  it('says that changes are missing when the host was restored to an earlier time', async () => {
    const { out, err } = await follow(event(7), gap(3), event(4));
    expect(err).toEqual([
      'Changes are missing here: the host was restored to an earlier time. How the bot is now: platform bot get bot_1',
    ]);
    expect(out.map((line) => JSON.parse(line).event_id)).toEqual([7, 4]);
  });

  it('says so too when nothing had come before', async () => {
    expect((await follow(gap(3))).err).toHaveLength(1);
  });

  it('says nothing of a gap that it is sent the rest of', async () => {
    expect((await follow(event(2), gap(2), event(3))).err).toEqual([]);
  });
});
