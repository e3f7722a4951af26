import { PlatformError } from '../../contract/errors.ts';
import type { Client, Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { printable } from '../terminal-text.ts';

/** Refuses before the question what the host would refuse after it: a version that a bot runs. VERSION_IN_USE. */
async function refuseUsed({ name: called }: Context, host: Client, name: string, version: string): Promise<void> {
  const { items } = await host.call('bots.list', {});
  const users = items.filter((bot) => bot.type.split('/')[1] === name && bot.version === version);
  const [first] = users;
  if (first === undefined) return;
  const names = users.map((bot) => printable(bot.name)).join(', ');
  throw new PlatformError('VERSION_IN_USE', `${name} ${version} is used by ${names}`, {
    hint: `Delete it with: ${typed(called, 'bot delete', first.name)}\nor give it another version: ${typed(called, 'bot update', first.name)} --version X.Y.Z`,
  });
}

export const command: Command = {
  positionals: ['<name>', '<version>'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description: 'Removes a version that no bot runs.',
  examples: ['platform custom-bot delete sma-crossover 1.0.0 -y'],
  async run(context, args) {
    const { client, out, confirm } = context;
    const [name = '', version = ''] = args.positionals;
    const host = await client();
    // A missing version is reported before the question.
    await host.call('custom_bots.get', { name, version });
    await refuseUsed(context, host, name, version);
    if (!args.flag('yes') && !(await confirm(`Remove ${name} ${version}?`))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was removed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    out.data(await host.call('custom_bots.delete', { name, version }));
    out.line(`Removed ${name} ${version}.`);
    return 0;
  },
};
