import { isArmed } from '../../shared/arming-words.ts';
import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { nowText, scheduleWords, statusText } from '../show-bot.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Lists your bots: what each is doing, since when or until when, and its schedule in words.',
  examples: ['platform bot list', 'platform bot list --json'],
  async run({ client, name, out }) {
    const host = await client();
    const answer = await host.call('bots.list', {});
    out.data(answer);
    if (answer.items.length === 0) {
      out.line('No bots yet. Start one of your own:');
      out.line(`  ${typed(name, 'init', 'my-bot')}`);
      out.line('or see one at work:');
      out.line(`  ${typed(name, 'demo')}`);
      return 0;
    }
    const now = Date.now();
    const scheduled = answer.items.some((bot) => bot.schedule !== null);
    out.table(
      ['NAME', 'STATUS', 'MODE', 'CUSTOM BOT', 'NOW', ...(scheduled ? ['SCHEDULE'] : []), 'ID'],
      answer.items.map((bot) => [
        bot.name,
        statusText(bot, false),
        isArmed(bot) ? 'LIVE' : (bot.last_run?.mode ?? ''),
        `${bot.type.split('/')[1] ?? bot.type} ${bot.version}`,
        nowText(bot, now),
        ...(scheduled ? [scheduleWords(bot)] : []),
        bot.bot_id,
      ]),
      ['ID', 'CUSTOM BOT'],
    );
    const exceptions = answer.items.filter((bot) => bot.isolation_exception !== null).map((bot) => bot.name);
    if (exceptions.length > 0) {
      out.line();
      out.line(`Less isolated than this host demands, as exceptions: ${exceptions.map(printable).join(', ')}`);
      out.line(`  ${typed(name, 'bot', 'get', exceptions[0] ?? '')} says why and how to end it.`);
    }
    return 0;
  },
};
