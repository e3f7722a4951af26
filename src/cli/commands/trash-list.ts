import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Lists deleted bots that can still be restored, the newest first. Each is removed for good after 7 days.',
  examples: ['platform trash list', 'platform trash list --json'],
  async run({ client, out }) {
    const host = await client();
    const answer = await host.call('trash.list', {});
    out.data(answer);
    if (answer.items.length === 0) {
      out.line('The trash is empty.');
      return 0;
    }
    out.table(
      ['NAME', 'DELETED', 'BY', 'UNTIL', 'TYPE', 'VERSION', 'ID'],
      answer.items.map((bot) => [
        printable(bot.name),
        bot.deleted_at,
        printable(bot.deleted_by),
        bot.restorable_until,
        bot.type,
        bot.version,
        bot.bot_id,
      ]),
      ['TYPE', 'VERSION'],
    );
    return 0;
  },
};
