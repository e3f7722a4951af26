import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { approvalLines } from '../show-approval.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description:
    'Shows the change of an armed bot that waits for you: who asked for it, and everything that it would make different. Values of secrets are never shown.',
  examples: ['platform approvals show "sma live"'],
  async run({ client, out, name }, { positionals: [bot = ''] }) {
    const host = await client();
    const one = await host.call('approvals.get', { bot_id: await host.botId(bot) });
    out.data(one);
    for (const line of approvalLines(one, { now: Date.now(), zone: 'local' })) out.line(line);
    if (one.problem === null) out.line(`Make it with: ${typed(name, 'approvals approve', one.bot)}`);
    out.line(`Drop it with: ${typed(name, 'approvals reject', one.bot)}`);
    return 0;
  },
};
