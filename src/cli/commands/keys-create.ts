import { KeyScope } from '../../contract/account.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {
    scope: { type: 'string', value: 'SCOPE', help: 'full (default) or read: changes nothing' },
    expires: { type: 'string', value: 'DAYS', help: 'Days until it expires (default: never)' },
  },
  description: 'Makes an API key. It is shown once, alone on stdout.',
  examples: ['platform keys create my-program', 'KEY=$(platform keys create ci --scope read --expires 30)'],
  async run({ client, out }, args) {
    const scope = KeyScope.optional().safeParse(args.text('scope'));
    if (!scope.success) throw new UsageError('--scope is full or read.', 'keys create');
    const host = await client();
    const key = await host.call('keys.create', {
      name: args.positionals[0] ?? '',
      scope: scope.data,
      expires_in_days: args.integer('expires'),
    });
    out.data(key);
    out.line(key.key);
    if (!out.json) out.note('Keep it now: it is not shown again.');
    return 0;
  },
};
