import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description:
    'Drops the change of a bot that waits for you. The bot stays as it is. It needs no PIN; no API key may do it.',
  examples: ['platform approvals reject "sma live"'],
  async run({ client, out }, { positionals: [bot = ''] }) {
    const host = await client();
    const bot_id = await host.botId(bot);
    const one = await host.call('approvals.get', { bot_id });
    out.data(await host.call('approvals.reject', { bot_id, approval_id: one.id }));
    out.line(`Rejected what ${printable(one.asked_by)} asked of ${printable(one.bot)}. It goes on as it is.`);
    return 0;
  },
};
