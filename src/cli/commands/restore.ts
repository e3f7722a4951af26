import { resolve } from 'node:path';
import { restoreFolder } from '../archive-process.ts';
import type { Command } from '../command.ts';
import { isLocal } from '../context.ts';
import { typed } from '../copyable-command.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<file>'],
  options: {
    'start-bots': { type: 'boolean', help: 'Bots that were enabled start with the host, e.g. after a move' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  },
  description:
    'Puts a backup in the place of what the data folder holds. All of it is checked first; what is there now is moved aside, never removed. The host must be stopped. Bots wait until you start them.',
  examples: [
    'platform restore ~/bots.tar.gz',
    'platform restore backups/control-daily-2026-11-20.db',
    'platform restore ~/bots.tar.gz --data /srv/bots --start-bots -y',
  ],
  async run(context, args) {
    const { out, name, cwd, dataDir } = context;
    if (!isLocal(context)) throw new UsageError('A backup is restored on the machine of the host.', 'restore');
    const file = resolve(cwd, args.positionals[0] ?? '');
    if (!args.flag('yes') && !(await context.confirm(`Restore ${file} into ${dataDir}?`))) {
      out.note('Nothing was changed. Answer with y, or give -y.');
      return EXIT.usage;
    }
    const progress = out.progress();
    progress.update('Checking the backup and putting it in place', null);
    const restored = await restoreFolder(context, file, args.flag('start-bots')).finally(() => progress.done());
    out.data(restored);
    const { aside, bots, copied, ended, finished, made_at } = restored;
    if (finished !== null) {
      out.line(`The restore of ${finished.file} had been interrupted; it was completed first.`);
      if (finished.aside !== null) out.line(`To go back to before that one: ${typed(name, 'restore', finished.aside)}`);
    }
    out.line(`Restored as of ${made_at}: ${bots.length} bots.`);
    if (ended > 0) out.line(`${ended} programs of bots still ran; they were ended.`);
    if (aside !== null) out.line(`To go back: ${typed(name, 'restore', aside)}`);
    out.line(`Start the host: ${typed(name, 'start')}`);
    if (copied) {
      out.line(
        `This folder was copied or moved here: no bot starts before you say that it has moved (${typed(name, 'moved-here')}).`,
      );
    }
    const waiting = bots.filter(({ waits }) => waits);
    if (waiting.length > 0) {
      const step =
        copied && args.flag('start-bots') ? 'for that' : `until you start them (${typed(name, 'bot', 'start')} BOT)`;
      out.line(`These bots ran then, and wait ${step}:`);
      for (const bot of waiting) out.line(`  ${bot.name}`);
    }
    out.line('Keys that were revoked and passwords that were changed in this folder since the backup stay so.');
    out.line('A key that was revoked in another folder, or in a lost control.db, is valid again: revoke it once more.');
    return 0;
  },
};
