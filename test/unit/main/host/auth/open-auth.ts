import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { createAuth, type LoginOrigin } from '../../../../../src/main/host/auth/auth.ts';
import { createAuthStore } from '../../../../../src/main/host/control/auth-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

export const HOST_TOKEN = 'local_0123456789012345678901234567890123456789012';
export const PASSWORD = 'correct horse battery';
export const START = Date.UTC(2026, 0, 2, 3, 4, 5);
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 86_400 * SECOND;

/** A log-in from this address, by a program of no name. */
export const cameFrom = (source: string): LoginOrigin => ({ source, client: null, known: null });

/** Auth over a real control database in a folder of its own, with a clock that the test moves. */
export function openAuth(dir = tempDir()) {
  const clock = { now: START };
  const now = (): number => clock.now;
  const db = openControlDatabase(join(dir, 'control.db'), { backupDir: join(dir, 'backups'), now });
  onTestFinished(() => void db.close());
  const store = createAuthStore(db, noWishes());
  const auth = createAuth({
    store,
    now,
    hostToken: HOST_TOKEN,
    onError: (_, error) => {
      throw error;
    },
  });
  const { userId: owner } = auth.authenticate(HOST_TOKEN);
  const count = (table: string): unknown => db.prepare(`select count(*) as n from ${table}`).pluck().get();
  return { auth, store, db, dir, clock, owner, count };
}

/** All bytes of the database files, the write-ahead log included. */
export function bytesOf(dir: string): string {
  return readdirSync(dir)
    .filter((name) => name.startsWith('control.db'))
    .map((name) => readFileSync(join(dir, name), 'latin1'))
    .join('');
}

/** The PlatformError that the work throws; anything else fails the test. */
export async function errorOf(work: () => unknown): Promise<PlatformError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The code of the PlatformError that the work throws. */
export async function codeOf(work: () => unknown): Promise<string> {
  return (await errorOf(work)).code;
}
