import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { schedule as cronTask } from 'node-cron';
import { backup, type ControlDatabase } from '../store/control-database.ts';

const BACKUPS_KEPT = 7;

export interface Housekeeping {
  stop(): void;
}

/** Keeps the newest daily copies of the control database; copies made before a migration are never removed. */
async function dailyBackup(db: ControlDatabase, dir: string, now: number): Promise<void> {
  backup(db, dir, `daily-${new Date(now).toISOString().slice(0, 10)}`);
  const old = (await readdir(dir)).filter((name) => name.startsWith('control-daily-')).sort();
  for (const name of old.slice(0, -BACKUPS_KEPT)) await rm(join(dir, name), { force: true });
}

/** Wakes the scheduler every 15 s by the wall clock, and does what must be done once a day. */
export function startHousekeeping(d: {
  readonly db: ControlDatabase;
  readonly backupDir: string;
  readonly tick: () => void;
  /** Further work of once a day. */
  readonly daily: () => void;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}): Housekeeping {
  const daily = (): void => {
    d.daily();
    dailyBackup(d.db, d.backupDir, d.now()).catch((error: unknown) => d.onError('daily backup', error));
  };
  const tasks = [
    cronTask('*/15 * * * * *', () => d.tick(), { timezone: 'UTC', noOverlap: true }),
    cronTask('17 3 * * *', daily, { timezone: 'UTC', noOverlap: true }),
  ];
  return {
    stop() {
      for (const task of tasks) void task.destroy();
    },
  };
}
