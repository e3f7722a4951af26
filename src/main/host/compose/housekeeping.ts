import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { schedule as cronTask } from 'node-cron';
import { backup, type ControlDatabase } from '../control/control-database.ts';

const DAILY = /^control-daily-\d{4}-\d\d-\d\d\.db$/;
const TICK_MS = 15_000;

export interface Housekeeping {
  stop(): void;
}

/**
 * Keeps the newest daily copies of the control database; copies made before a migration are never removed. A damaged
 * database is not copied: its copies would in the end displace the good ones.
 */
export async function dailyBackup(db: ControlDatabase, dir: string, kept: number, now: number): Promise<void> {
  const name = `daily-${new Date(now).toISOString().slice(0, 10)}`;
  if (existsSync(join(dir, `control-${name}.db`))) return;
  const check = db.pragma('quick_check', { simple: true });
  if (check !== 'ok') throw new Error(`The control database is damaged (${String(check)}): stop the host and restore`);
  backup(db, dir, name);
  const old = (await readdir(dir)).filter((name) => DAILY.test(name)).sort();
  for (const name of old.slice(0, -kept)) await rm(join(dir, name), { force: true });
}

/**
 * Calls `tick` every 15 s, and does the work of each hour and each day. The ticks go by the steady clock, because node-cron
 * stands still for as long as the clock of the machine was set back.
 */
export function startHousekeeping(d: {
  readonly db: ControlDatabase;
  readonly backupDir: string;
  /** Daily copies that are kept, as of now. */
  readonly backupsKept: () => number;
  readonly tick: () => void;
  /** Further daily work. */
  readonly daily: () => void;
  /** Called after each hourly look: why the daily copy failed; null if it is there. */
  readonly backedUp: (error: unknown) => void;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}): Housekeeping {
  // Each hour, and the first one of a day makes the copy: many machines sleep at any fixed hour of the night.
  const copy = (): void => {
    dailyBackup(d.db, d.backupDir, d.backupsKept(), d.now()).then(
      () => d.backedUp(null),
      (error: unknown) => {
        d.onError('daily backup', error);
        d.backedUp(error);
      },
    );
  };
  const ticks = setInterval(d.tick, TICK_MS);
  ticks.unref();
  // After sleep node-cron would print a warning for each missed time.
  const quiet = { timezone: 'UTC', noOverlap: true, suppressMissedWarning: true } as const;
  const tasks = [cronTask('17 * * * *', copy, quiet), cronTask('17 3 * * *', () => d.daily(), quiet)];
  return {
    stop() {
      clearInterval(ticks);
      for (const task of tasks) void task.destroy();
    },
  };
}
