import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['[bot...]'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Stops bots at once, and holds them until a person starts each again: those that you name, else all of yours, and for an owner all of the host. It closes no position.',
  examples: ['platform panic', 'platform panic "sma live" -y'],
  async run({ client, out, confirm }, { positionals, flag }) {
    const host = await client();
    const bot_ids = await Promise.all(positionals.map((name) => host.botId(name)));
    const which = positionals.length === 0 ? 'all bots' : positionals.map((name) => `"${printable(name)}"`).join(', ');
    if (!flag('yes') && !(await confirm(`Stop ${which} now, until you start each again?`))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was stopped', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    const answer = await host.call('bots.panic', bot_ids.length === 0 ? {} : { bot_ids });
    out.data(answer);
    for (const { name, stopped, problem } of answer.items) {
      const what = stopped ? 'told to end, and held' : 'NOT stopped';
      out.line(`${printable(name)}: ${what}${problem === null ? '' : `. ${printable(problem)}`}`);
    }
    if (answer.items.length === 0) out.line('There is no bot to stop.');
    else out.line('Positions stay open: look at your exchange.');
    return answer.items.every(({ stopped }) => stopped) ? 0 : 1;
  },
};
