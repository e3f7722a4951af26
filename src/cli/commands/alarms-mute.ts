import type { Command } from '../command.ts';
import { durationOption } from '../duration-option.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'alarms mute';
const ALL = 'all';

export const command: Command = {
  positionals: ['[bot]'],
  options: {
    for: { type: 'string', value: 'TIME', help: 'How long, such as 30m, 2h or 1d' },
    off: { type: 'boolean', help: 'End the silence now' },
  },
  description:
    'Tells no channel of a bot, or of anything (all), for some time; the log goes on. Without a bot it lists what is muted.',
  examples: [
    'platform alarms mute sma --for 2h',
    'platform alarms mute all --for 30m',
    'platform alarms mute sma --off',
  ],
  async run({ client, out }, args) {
    const [bot] = args.positionals;
    const text = args.text('for');
    if (bot !== undefined && (text === undefined) === !args.flag('off'))
      throw new UsageError('Give either --for TIME or --off.', WORDS);
    const host = await client();
    const minutes = text === undefined ? 0 : Math.max(1, Math.round(durationOption('for', text, WORDS) / 60));
    const answer =
      bot === undefined
        ? await host.call('alarms.mutes', {})
        : await host.call('alarms.mute', { bot_id: bot === ALL ? null : await host.botId(bot), minutes });
    out.data(answer);
    if (answer.items.length === 0) out.line('Nothing is muted.');
    else
      out.table(
        ['MUTED', 'UNTIL'],
        answer.items.map(({ bot_id, until }) => [bot_id ?? 'everything', until]),
      );
    return 0;
  },
};
