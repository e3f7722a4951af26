import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { statusText } from '../show-bot.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    release: { type: 'string', value: 'HOLD', help: 'End this hold of a guard or a panic; without it you are asked' },
  },
  description:
    'Enables a bot: a realtime bot starts, a scheduled bot runs at its times. A bot that a guard or a panic holds starts only for a person who has read why.',
  examples: ['platform bot start "sma live"', 'platform bot start "sma live" --release hold_01kxyzabcdefgh'],
  async run({ client, out, confirm }, { positionals: [name = ''], text }) {
    const host = await client();
    const bot_id = await host.botId(name);
    const { hold, ...bot } = await host.call('bots.get', { bot_id });
    let release = text('release') ?? null;
    if (hold !== null && release === null) {
      const question = `"${printable(bot.name)}" is held: ${printable(hold.message)}. Start it again?`;
      if (!(await confirm(question))) {
        throw new PlatformError('BOT_HELD', `"${printable(bot.name)}" was not started: ${printable(hold.message)}`, {
          hint: `Confirm with y, or name the hold that you have read: --release ${hold.hold_id}`,
        });
      }
      release = hold.hold_id;
    }
    const started = await host.call('bots.start', { bot_id, ...(release === null ? {} : { release }) });
    out.data(started);
    out.line(`${printable(started.name)}: ${statusText(started, out.colours)}`);
    return 0;
  },
};
