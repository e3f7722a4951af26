import { KeyScope } from '../../contract/account.ts';
import { DEVICE_DAYS, DEVICE_SCOPE } from '../../contract/key-choices.ts';
import type { Arguments, Command } from '../command.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

/** Days as typed; null for `never`, undefined where the host decides. */
function daysOf(args: Arguments): number | null | undefined {
  return args.text('expires') === 'never' ? null : args.integer('expires', 1, 3650);
}

export const command: Command = {
  positionals: ['<code>'],
  options: {
    scope: {
      type: 'string',
      value: 'SCOPE',
      help: `What its key may do: read, deploy or full (default ${DEVICE_SCOPE})`,
    },
    expires: { type: 'string', value: 'DAYS', help: `Days until its key ends, or never (default ${DEVICE_DAYS})` },
  },
  description:
    'Approves the log-in of another machine that shows this code. It gets a key of yours, listed under `keys list`.',
  examples: ['platform auth approve ABCD-EFGH', 'platform auth approve ABCD-EFGH --scope read --expires 30'],
  async run({ client, out }, args) {
    const scope = KeyScope.optional().safeParse(args.text('scope'));
    if (!scope.success) throw new UsageError(`--scope is ${KeyScope.options.join(', ')}.`, 'auth approve');
    const days = daysOf(args);
    const host = await client();
    const given = await host.call('auth.device_approve', {
      user_code: args.positionals[0] ?? '',
      ...(scope.data === undefined ? {} : { scope: scope.data }),
      ...(days === undefined ? {} : { expires_in_days: days }),
    });
    out.data(given);
    const ends = given.expires_in_days === null ? 'does not end' : `ends in ${given.expires_in_days} days`;
    out.line(`Approved "${printable(given.client)}" at ${printable(given.source)}: scope ${given.scope}, ${ends}.`);
    return 0;
  },
};
