import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { durationOption } from '../duration-option.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'alarms watch';

export const command: Command = {
  positionals: ['[action]', '[url]'],
  options: {
    every: { type: 'string', value: 'TIME', help: 'How often it is called (default 1m)' },
    'all-bots': { type: 'boolean', help: 'Call it only while no enabled bot needs you' },
  },
  description:
    'Shows, sets (set URL) or removes (off) an address that the host calls while it is well. A service there, such as healthchecks.io, tells you when the calls stop: when the machine, its network or the host is down. Owner only.',
  examples: [
    'platform alarms watch',
    'platform alarms watch set https://hc-ping.com/your-id --every 1m',
    'platform alarms watch off',
  ],
  async run({ client, out, name }, args) {
    const [action, url] = args.positionals;
    if (action !== undefined && action !== 'set' && action !== 'off')
      throw new UsageError('The actions are set and off.', WORDS);
    if ((action === 'set') !== (url !== undefined))
      throw new UsageError('set needs a URL, and nothing else takes one.', WORDS);
    const every = args.text('every');
    const host = await client();
    const watch =
      action === undefined
        ? await host.call('alarms.watch', {})
        : await host.call('alarms.set_watch', {
            url: url ?? null,
            every_sec: every === undefined ? undefined : durationOption('every', every, WORDS),
            all_bots: args.flag('all-bots') ? true : undefined,
          });
    out.data(watch);
    if (!watch.set) out.line(`No address is called. Set one with: ${typed(name, WORDS, 'set', 'URL')}`);
    else {
      const when = watch.all_bots ? 'while no enabled bot needs you' : 'while the host runs';
      out.line(`${watch.target} is called every ${watch.every_sec} s ${when}.`);
      out.line(`Last answered: ${watch.last_at ?? 'never'}${watch.problem === null ? '' : `. ${watch.problem}`}`);
    }
    return 0;
  },
};
