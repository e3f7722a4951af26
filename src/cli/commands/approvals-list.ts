import { seenTime } from '../../shared/written-time.ts';
import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Lists the changes that API keys and assistants asked of your armed bots. The host has made none of them: you approve or reject each.',
  examples: ['platform approvals list', 'platform approvals list --json'],
  async run({ client, out, name }) {
    const host = await client();
    const answer = await host.call('approvals.list', {});
    out.data(answer);
    const { items } = answer;
    if (items.length === 0) {
      out.line('Nothing waits for you.');
      return 0;
    }
    const view = { now: Date.now(), zone: 'local' } as const;
    out.table(
      ['BOT', 'ASKED BY', 'ASKED', 'CHANGES', 'STATUS', 'EXPIRES'],
      items.map((one) => [
        printable(one.bot),
        printable(one.asked_by),
        seenTime(one.asked_at, view),
        printable(one.changes.join('; ')),
        one.status,
        seenTime(one.expires_at, view),
      ]),
      ['EXPIRES', 'ASKED'],
    );
    out.note(`Read one with: ${typed(name, 'approvals show', items[0]?.bot ?? '')}`);
    return 0;
  },
};
