import { spawn } from 'node:child_process';
import { z } from 'zod';
import { BackupInfo, NewBackup, Restored } from '../contract/backup.ts';
import { PlatformError } from '../contract/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { toldError } from '../shared/parse-told-error.ts';
import type { Context } from './command.ts';
import { ARCHIVE_FILE, hostNode } from './product-paths.ts';

const LAST_CHARS = 2000;

/** Runs the program that works on a data folder itself, under the host's Node: an older Node cannot open the databases. */
async function run(context: Context, args: readonly string[]): Promise<unknown> {
  const { dataDir, env } = context;
  // In a process group of its own: Ctrl-C must not interrupt a restore.
  const child = spawn(hostNode(), [ARCHIVE_FILE, ...args, '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env,
    windowsHide: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-LAST_CHARS);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  const said: unknown = stdout === '' ? null : JSON.parse(stdout);
  if (isJsonObject(said) && said.ok === true) return said.result;
  const silent = `It ended without an answer${stderr.trim() === '' ? '' : `: ${stderr.trim()}`}`;
  const { code, message, hint, details } = toldError(said, silent);
  throw new PlatformError(code, message, { hint: hint ?? '`platform doctor` checks this machine.', details });
}

/** Makes a backup of the data folder, whether or not a host runs on it. */
export async function backUpFolder(context: Context, withLogs: boolean): Promise<NewBackup> {
  return NewBackup.parse(await run(context, ['backup', ...(withLogs ? ['--with-logs'] : [])]));
}

/** The backups in the data folder. */
export async function backupsInFolder(context: Context): Promise<BackupInfo[]> {
  return z.object({ items: z.array(BackupInfo) }).parse(await run(context, ['list'])).items;
}

/** Puts a backup in place; no host may run. `file` is absolute. */
export async function restoreFolder(context: Context, file: string, startBots: boolean): Promise<Restored> {
  const start = startBots ? ['--start-bots'] : [];
  return Restored.parse(await run(context, ['restore', '--file', file, ...start]));
}
