import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Shows the least isolation that the host demands, and the bots of all users that run with less, as exceptions. Owner only.',
  examples: ['platform isolation list', 'platform isolation list --json'],
  async run({ client, out }) {
    const host = await client();
    const [{ least_isolation: least }, { items }] = [
      await host.call('host.get', {}),
      await host.call('exceptions.list', {}),
    ];
    out.data({ least_isolation: least, items });
    out.line(`This host demands at least "${least}".`);
    if (items.length === 0) out.line('No bot runs with less.');
    else {
      out.table(
        ['NAME', 'USER', 'ISOLATION', 'SINCE', 'ID'],
        items.map((bot) => [bot.name, bot.user, bot.level, bot.since, bot.bot_id]),
      );
    }
    return 0;
  },
};
