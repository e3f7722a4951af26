import type { StorageChange } from '../../contract/storage-settings.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import type { Arguments, Command } from '../command.ts';
import { paint } from '../terminal-text.ts';

function changeOf(args: Arguments): StorageChange | null {
  const change = {
    retention_days: args.integer('days', 1, 3650),
    retention_mb: args.integer('mb', 1, 1_048_576),
    backups_kept: args.integer('backups', 1, 365),
    min_free_mb: args.integer('min-free-mb', 1, 1_048_576),
  };
  return Object.values(change).every((value) => value === undefined) ? null : change;
}

export const command: Command = {
  positionals: [],
  options: {
    days: { type: 'string', value: 'N', help: 'Keep log lines for N days' },
    mb: { type: 'string', value: 'N', help: 'Keep N megabytes of log per bot' },
    backups: { type: 'string', value: 'N', help: 'Keep N daily copies of control.db' },
    'min-free-mb': { type: 'string', value: 'N', help: 'Stop storing lines below N megabytes of free space' },
  },
  description: 'Shows how long the host keeps logs and backups and how much space it has, or changes that.',
  examples: ['platform storage', 'platform storage --days 90 --mb 1024', 'platform storage --min-free-mb 2000'],
  async run({ client, out }, args) {
    const change = changeOf(args);
    const host = await client();
    const now = change === null ? await host.call('host.storage', {}) : await host.call('host.set_storage', change);
    out.data(now);
    const fixed = (name: (typeof now.fixed)[number]): string =>
      now.fixed.includes(name) ? ' (given to the host by a flag or the environment)' : '';
    const chosen = now.min_free_mb === null ? ' (what suits the disk)' : '';
    out.table(
      ['WHAT', 'VALUE'],
      [
        ['Logs are kept', `${now.retention_days} days${fixed('retention_days')}`],
        ['Logs of a bot', `${now.retention_mb} MB${fixed('retention_mb')}`],
        ['Daily copies', `${now.backups_kept}`],
        ['Free', `${formatBytes(now.free_bytes)} of ${formatBytes(now.total_bytes)}`],
        ['Should be free', `${formatBytes(now.low_below_bytes)}${chosen}`],
      ],
    );
    if (now.low) {
      const told = 'Too little space is free: lines of bots wait in their files, and bots that write much are paused.';
      out.line(paint(out.colours, 'yellow', told));
    }
    return 0;
  },
};
