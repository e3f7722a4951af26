import type { Command } from '../command.ts';
import { readJsonObject } from '../json-file.ts';
import { botLines } from '../show-bot.ts';

export const command: Command = {
  positionals: ['<bot>', '<file>'],
  options: {},
  description:
    'Changes a bot. The file holds any of name, version, schedule, enabled, options and config; a config replaces the old one. A running realtime bot restarts once.',
  examples: [
    'platform bot update "sma live" change.json',
    `echo '{"version":"1.1.0"}' | platform bot update "sma live" -`,
  ],
  async run(context, { positionals: [name = '', file = ''] }) {
    const { out } = context;
    const change = await readJsonObject(context, file);
    const host = await context.client();
    const bot = await host.call('bots.update', { ...change, bot_id: await host.botId(name) });
    out.data(bot);
    for (const line of botLines(bot, Date.now(), out.colours)) out.line(line);
    return 0;
  },
};
