import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Shows the recovery key, once, at a terminal. With it the secrets of a backup open on another machine. Keep it on paper or in a password manager, never beside the backups.',
  examples: ['platform secrets recovery-key'],
  async run({ client, out, confirm }) {
    if (process.stdout.isTTY !== true || out.json)
      throw new UsageError(
        'The recovery key is shown at a terminal only, not to a file or program.',
        'secrets recovery-key',
      );
    const host = await client();
    if (!(await confirm('The recovery key is shown once. Can you write it down now?'))) return 0;
    const { key_id, recovery_key } = await host.call('secrets.recovery_key', {});
    const groups = recovery_key.split('-');
    out.line(`Recovery key of the key ${key_id}:`);
    out.line();
    for (let at = 0; at < groups.length; at += 7) out.line(`  ${groups.slice(at, at + 7).join('-')}`);
    out.line();
    out.line('Whoever has it and a copy of the data can read every secret.');
    return 0;
  },
};
