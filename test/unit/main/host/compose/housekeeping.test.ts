import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { dailyBackup, startHousekeeping } from '../../../../../src/main/host/compose/housekeeping.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { tempDir } from '../../../../support/temp.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T20:00:00Z');

it('keeps the newest daily copies, one for each day, and nothing else is removed', async () => {
  const dir = tempDir();
  const backupDir = join(dir, 'backups');
  const db = openControlDatabase(join(dir, 'control.db'), { backupDir, now: () => NOW });
  mkdirSync(backupDir, { recursive: true });
  const others = ['backup-2026-01-01.tar.gz', 'control-before-schema-3-1.db', 'control-daily-2026-11-19.db-wal'];
  for (const name of others) writeFileSync(join(backupDir, name), 'x');
  for (const day of [0, 1, 1, 2, 3]) await dailyBackup(db, backupDir, 2, NOW + day * DAY);
  db.close();
  expect(readdirSync(backupDir).sort()).toEqual(
    [...others, 'control-daily-2026-11-23.db', 'control-daily-2026-11-24.db'].sort(),
  );
});

afterEach(() => void vi.useRealTimers());

it('goes on looking after everything when the clock is set back', () => {
  vi.useFakeTimers();
  const dir = tempDir();
  const db = openControlDatabase(join(dir, 'control.db'), { backupDir: dir, now: Date.now });
  let ticks = 0;
  const housekeeping = startHousekeeping({
    db,
    backupDir: dir,
    backupsKept: () => 7,
    tick: () => {
      ticks += 1;
    },
    daily: () => undefined,
    backedUp: () => undefined,
    now: Date.now,
    onError: (where, error) => {
      throw new Error(where, { cause: error });
    },
  });
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(60_000);
  housekeeping.stop();
  db.close();
  expect(ticks).toBe(4);
});
