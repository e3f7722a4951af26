import { spawn } from 'node:child_process';
import { z } from 'zod';
import { BackupInfo, NewBackup, Restored } from '../contract/backup.ts';
import { ERROR_RULES, type ErrorCode, PlatformError } from '../contract/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import type { Context } from './command.ts';
import { ARCHIVE_FILE, hostNode } from './resources.ts';

const LAST_CHARS = 2000;

function failure(error: unknown, stderr: string): PlatformError {
  if (isJsonObject(error) && typeof error.code === 'string' && Object.hasOwn(ERROR_RULES, error.code)) {
    const hint = typeof error.hint === 'string' ? error.hint : undefined;
    return new PlatformError(error.code as ErrorCode, String(error.message), { hint, details: error.details });
  }
  return new PlatformError('INTERNAL', `It ended without a word${stderr === '' ? '' : `: ${stderr}`}`, {
    hint: '`platform doctor` checks this machine.',
  });
}

/** Runs the program that works on a data folder itself: only Node 24 can open its databases. */
async function run(context: Context, args: readonly string[]): Promise<unknown> {
  const { dataDir, env } = context;
  // In a group of its own: Ctrl-C must not cut a restore short in the middle.
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
  throw failure(isJsonObject(said) ? said.error : null, stderr.trim());
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
