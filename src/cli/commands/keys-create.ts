import { KeyScope } from '../../contract/account.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {
    scope: { type: 'string', value: 'SCOPE', help: 'full (default), deploy: bots only, or read: changes nothing' },
    bots: { type: 'string', value: 'BOT,BOT', help: 'The only bots that the key reaches' },
    extended: { type: 'boolean', help: 'Allow an assistant the further tools of /mcp/extended' },
    expires: { type: 'string', value: 'DAYS', help: 'Days until it expires (default: never)' },
  },
  description: 'Makes an API key. It is shown once, alone on stdout.',
  examples: [
    'platform keys create my-program',
    'KEY=$(platform keys create ci --scope read --expires 30)',
    'platform keys create assistant --bots "sma live" --scope read',
  ],
  async run({ client, out }, args) {
    const scope = KeyScope.optional().safeParse(args.text('scope'));
    if (!scope.success) throw new UsageError(`--scope is ${KeyScope.options.join(', ')}.`, 'keys create');
    const host = await client();
    const named = args.text('bots')?.split(',');
    const key = await host.call('keys.create', {
      name: args.positionals[0] ?? '',
      scope: scope.data,
      bots: named === undefined ? undefined : await Promise.all(named.map((text) => host.botId(text.trim()))),
      extended: args.flag('extended') ? true : undefined,
      expires_in_days: args.integer('expires'),
    });
    out.data(key);
    out.line(key.key);
    if (!out.json) out.note('Keep it now: it is not shown again.');
    if (!out.json && scope.data === 'deploy') {
      out.note(
        'A bot runs under the account of its host: a person who may deploy can read what that account can read.',
      );
    }
    return 0;
  },
};
