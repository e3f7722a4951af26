import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';

export const command: Command = {
  positionals: [],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Makes a new key and seals with it every secret that opens. For a recovery key that was lost or seen by others, or a key file that is gone for good: secrets that do not open stay as they are, and must be given again.',
  examples: ['platform secrets new-key', 'platform secrets new-key -y'],
  async run({ client, out, confirm, name }, args) {
    const host = await client();
    const { vault } = await host.call('secrets.list', {});
    const question = vault.open
      ? 'Make a new key? The recovery key of the old one opens nothing new.'
      : 'Make a new key? Secrets that were sealed with the missing key do not open with it.';
    if (!args.flag('yes') && !(await confirm(question))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was changed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    const made = await host.call('secrets.new_key', {});
    out.data(made);
    out.line(
      `Secrets are sealed with the key ${made.key_id} now. Its recovery key: ${typed(name, 'secrets recovery-key')}`,
    );
    return 0;
  },
};
