import type { Command } from '../command.ts';
import { botLines } from '../show-bot.ts';
import { failureSummary } from '../show-failure.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description: 'Shows a bot: status with its reason, why it failed and what to do, schedule, last run, config.',
  examples: ['platform bot get "sma live"'],
  async run({ client, name: called, out }, { positionals: [name = ''] }) {
    const host = await client();
    const bot = await host.call('bots.get', { bot_id: await host.botId(name) });
    out.data(bot);
    if (out.json) return 0;
    const { failure } = await host.call('bots.diagnosis', { bot_id: bot.bot_id });
    const rows = failure === null ? null : failureSummary(failure, called);
    for (const line of botLines(bot, Date.now(), out.colours, called, rows)) out.line(line);
    return 0;
  },
};
