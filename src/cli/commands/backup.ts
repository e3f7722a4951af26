import { constants, existsSync } from 'node:fs';
import { access, copyFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BackupInfo, NewBackup } from '../../contract/backup.ts';
import { PlatformError } from '../../contract/errors.ts';
import { errorText } from '../../node/system-error.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import { backUpFolder, backupsInFolder } from '../archive-process.ts';
import type { Command, Context } from '../command.ts';
import { isLocal } from '../context.ts';
import { UsageError } from '../usage-error.ts';

async function list(context: Context): Promise<void> {
  const { out } = context;
  const items: readonly BackupInfo[] = isLocal(context)
    ? await backupsInFolder(context)
    : (await (await context.client()).call('host.backups', {})).items;
  out.data({ items });
  if (items.length === 0) out.line('There are no backups yet.');
  else {
    const words = ({ kind, with_logs }: BackupInfo): string =>
      kind === 'control' ? 'control.db' : with_logs ? 'all, with logs' : 'all';
    out.table(
      ['MADE', 'WHAT', 'SIZE', 'FILE'],
      items.map((one) => [one.made_at, words(one), formatBytes(one.size_bytes), one.file]),
    );
  }
}

/** Throws INVALID_REQUEST where no new file can be written, before a backup is made that would have no place. */
async function checkFree(to: string): Promise<void> {
  if (existsSync(to))
    throw new PlatformError('INVALID_REQUEST', `${to} exists already`, { hint: 'Choose another name.' });
  try {
    await access(join(dirname(to), '/'), constants.W_OK);
  } catch (error) {
    throw new PlatformError('INVALID_REQUEST', `${to} cannot be written: ${errorText(error)}`, {
      hint: 'Name a file in a folder that exists and that you may write to.',
      cause: error,
    });
  }
}

/** Moves a file, also to another disk, and never over another one. */
async function moveTo(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await rm(from);
  }
}

// On this machine the folder is read by itself, whether a host runs on it or not: no answer over HTTP waits for hours.
async function make(context: Context, withLogs: boolean, out: string | undefined): Promise<NewBackup> {
  const to = out === undefined ? null : resolve(context.cwd, out);
  if (to !== null && !isLocal(context)) {
    throw new UsageError('--out is for a host on this machine: a backup holds secrets and is not sent.', 'backup');
  }
  if (to !== null) await checkFree(to);
  const progress = context.out.progress();
  progress.update('Backing up', null);
  const made = await (isLocal(context)
    ? backUpFolder(context, withLogs)
    : context.client().then((host) => host.call('host.backup', { with_logs: withLogs }))
  ).finally(() => progress.done());
  if (to === null) return made;
  try {
    await moveTo(made.file, to);
  } catch (error) {
    throw new PlatformError('INVALID_REQUEST', `The backup was made, but not put to ${to}: ${errorText(error)}`, {
      hint: `It is ${made.file}. Move it, or remove it before you make another one.`,
      cause: error,
    });
  }
  return { ...made, file: to };
}

export const command: Command = {
  positionals: [],
  options: {
    out: { type: 'string', value: 'FILE', help: 'Where to put it (default: backups/ of the data folder)' },
    'with-logs': { type: 'boolean', help: 'Log lines and metrics, too' },
    list: { type: 'boolean', help: 'List the backups that there are' },
  },
  description:
    'Backs up bots, their code, configuration and state, users and keys into one file, while the host runs or not. The file holds secrets: keep it as you keep those.',
  examples: [
    'platform backup',
    'platform backup --out ~/bots.tar.gz',
    'platform backup --with-logs',
    'platform backup --list',
  ],
  async run(context, args) {
    const { out } = context;
    if (args.flag('list')) {
      await list(context);
      return 0;
    }
    const made = await make(context, args.flag('with-logs'), args.text('out'));
    out.data(made);
    out.line(`${made.file} (${formatBytes(made.size_bytes)}, ${made.bots} ${made.bots === 1 ? 'bot' : 'bots'})`);
    out.line('It holds secrets; only you can read it.');
    for (const path of made.left_out)
      out.note(`Left out because it is missing, unreadable, not a regular file, nested too deep or too large: ${path}`);
    return 0;
  },
};
