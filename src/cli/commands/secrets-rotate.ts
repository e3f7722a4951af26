import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { readSecretValue } from '../secret-value.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {},
  description:
    'Replaces the value of a secret; the new one is typed hidden, or read from stdin. Programs that run keep the old value until they are restarted.',
  examples: ['platform secrets rotate KRAKEN_KEY', 'platform secrets rotate KRAKEN_KEY < key.txt'],
  async run(context, { positionals: [wanted = ''] }) {
    const { client, out, name } = context;
    const host = await client();
    await host.call('secrets.used_by', { name: wanted });
    const value = await readSecretValue(context, `New value of ${printable(wanted)}`);
    const secret = await host.call('secrets.rotate', { name: wanted, value });
    out.data(secret);
    out.line(`${secret.name} has a new value.`);
    for (const bot of secret.used_by) out.line(`  Restart to use it: ${typed(name, 'bot restart', bot.name)}`);
    return 0;
  },
};
