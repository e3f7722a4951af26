import type { Command } from '../command.ts';
import { readSecretValue } from '../secret-value.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {
    live: { type: 'boolean', help: 'It moves real money (default)' },
    paper: { type: 'boolean', help: 'It opens a test account' },
  },
  description:
    'Stores a secret under a name. The value is typed hidden, or read from stdin; nothing shows it again. A configuration refers to it as {"$secret": "NAME"}. Only a person stores a live one.',
  examples: ['platform secrets set KRAKEN_KEY', 'platform secrets set BINANCE_TEST --paper < key.txt'],
  async run(context, args) {
    const { client, out } = context;
    const [name = ''] = args.positionals;
    if (args.flag('live') && args.flag('paper')) throw new UsageError('A secret is live or paper.', 'secrets set');
    const host = await client();
    const value = await readSecretValue(context, `Value of ${printable(name)}`);
    const secret = await host.call('secrets.set', { name, class: args.flag('paper') ? 'paper' : 'live', value });
    out.data(secret);
    out.line(
      `${secret.name} is stored (${secret.class}). Refer to it in a configuration as {"$secret": "${secret.name}"}.`,
    );
    return 0;
  },
};
