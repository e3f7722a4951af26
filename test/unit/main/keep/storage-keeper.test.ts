import { describe, expect, it } from 'vitest';
import { readSettings, writeSettings } from '../../../../src/main/host/settings.ts';
import {
  StorageKeeper,
  type StorageKeeperOptions,
  type StorageRules,
} from '../../../../src/main/keep/storage-keeper.ts';
import { tempDir } from '../../../support/temp.ts';

const MB = 1024 * 1024;

type Save = StorageKeeperOptions['save'];

function keeper(
  fixed: readonly ('retention_days' | 'retention_mb')[] = [],
  rules: Partial<StorageRules> = {},
  save?: Save,
) {
  const told: unknown[] = [];
  const kept = new StorageKeeper({
    dataDir: tempDir(),
    rules: { retention: { days: 30, bytes: 512 * MB }, backupsKept: 7, minFreeBytes: 1, ...rules },
    fixed,
    waitingBytes: 512 * MB,
    save: save ?? (async (change) => void told.push(['save', change])),
    keep: (retention) => told.push(['keep', retention]),
    hold: (shortage) => told.push(['hold', shortage === null ? null : shortage.includes('lines wait')]),
    onError: () => undefined,
  });
  return { kept, told };
}

describe('what a host keeps', () => {
  it('changes at once and is stored, but for what a flag has fixed', async () => {
    const { kept, told } = keeper(['retention_days']);
    const now = await kept.change({ retention_days: 5, retention_mb: 64, backups_kept: 3 });
    expect(now).toMatchObject({ retention_days: 30, retention_mb: 64, backups_kept: 3, fixed: ['retention_days'] });
    expect(told).toEqual([
      ['save', { retention_days: 5, retention_mb: 64, backups_kept: 3 }],
      ['keep', { days: 30, bytes: 64 * MB }],
    ]);
    expect(kept.backupsKept).toBe(3);
  });

  it('keeps both of two changes that come at once', async () => {
    const dir = tempDir();
    const { kept } = keeper([], {}, (change) => writeSettings(dir, change));
    await Promise.all([kept.change({ retention_days: 5 }), kept.change({ backups_kept: 3 })]);
    expect(readSettings(dir)).toEqual({ retention_days: 5, backups_kept: 3 });
    const refused = keeper([], {}, () => Promise.reject(new Error('the disk is full'))).kept;
    await expect(refused.change({ backups_kept: 3 })).rejects.toThrow('full');
    await expect(refused.change({ backups_kept: 4 })).rejects.toThrow('full');
  });

  it('is held back below the line, lets less wait then, and goes on above it', async () => {
    const { kept, told } = keeper([], { minFreeBytes: 1024 ** 5 });
    expect(await kept.info()).toMatchObject({ low: true, low_below_bytes: 1024 ** 5 });
    const { free_bytes } = await kept.info();
    expect(kept.waitingBytes()).toBeLessThanOrEqual(Math.max(free_bytes / 20, 512 * MB));
    expect(await kept.change({ min_free_mb: 1 })).toMatchObject({ low: false });
    expect(kept.waitingBytes()).toBe(512 * MB);
    expect(told.filter((one) => Array.isArray(one) && one[0] === 'hold')).toEqual([
      ['hold', true],
      ['hold', null],
    ]);
  });

  it('leaves 500 MB free, or 2 % of a smaller disk, where nothing is set', async () => {
    const { kept } = keeper([], { minFreeBytes: null });
    const { total_bytes, low_below_bytes, min_free_mb } = await kept.info();
    expect(min_free_mb).toBe(null);
    expect(low_below_bytes).toBe(Math.round(Math.min(500 * MB, total_bytes * 0.02)));
  });
});
