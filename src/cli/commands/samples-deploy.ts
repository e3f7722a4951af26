import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { botLines } from '../show-bot.ts';

export const command: Command = {
  positionals: ['[name]'],
  options: {},
  description:
    "Publishes a bot that comes with the product and deploys it against the host's offline price feed. Without a name it is the one that runs on every machine.",
  examples: ['platform samples deploy', 'platform samples deploy node-price-alerts'],
  async run(context, { positionals: [given] }) {
    const { client, name: called, out } = context;
    const host = await client();
    const { items } = given === undefined ? await host.call('samples.list', {}) : { items: [] };
    const name = given ?? items.find((one) => one.recommended)?.name ?? '';
    const { instance } = await host.call('samples.publish', { name });
    const bot = await host.call('bots.deploy', instance);
    out.data(bot);
    for (const line of botLines(bot, Date.now(), out.colours, called)) out.line(line);
    out.line();
    out.line(`Follow it with: ${typed(called, 'bot logs', bot.name, '-w')}`);
    return 0;
  },
};
