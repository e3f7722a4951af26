import { describe, expect, it } from 'vitest';
import {
  StorageMonitor,
  type StorageMonitorOptions,
  type StorageRules,
} from '../../../../../src/main/host/backup/storage-monitor.ts';
import { readSettings, writeSettings } from '../../../../../src/main/host/compose/settings.ts';
import { tempDir } from '../../../../support/temp.ts';

const MB = 1024 * 1024;

type Save = StorageMonitorOptions['save'];

function monitored(
  fixed: readonly ('retention_days' | 'retention_mb')[] = [],
  rules: Partial<StorageRules> = {},
  save?: Save,
) {
  const told: unknown[] = [];
  const monitor = new StorageMonitor({
    dataDir: tempDir(),
    rules: { retention: { days: 30, bytes: 512 * MB }, backupsKept: 7, minFreeBytes: 1, ...rules },
    fixed,
    waitingBytes: 512 * MB,
    save: save ?? (async (change) => void told.push(['save', change])),
    setRetention: (retention) => told.push(['retention', retention]),
    pauseIngest: (shortage) => told.push(['pause', shortage === null ? null : shortage.includes('lines wait')]),
    onError: () => undefined,
  });
  return { monitor, told };
}

describe('what a host keeps', () => {
  it('changes at once and is stored, but for what a flag has fixed', async () => {
    const { monitor, told } = monitored(['retention_days']);
    const now = await monitor.change({ retention_days: 5, retention_mb: 64, backups_kept: 3 });
    expect(now).toMatchObject({ retention_days: 30, retention_mb: 64, backups_kept: 3, fixed: ['retention_days'] });
    expect(told).toEqual([
      ['save', { retention_days: 5, retention_mb: 64, backups_kept: 3 }],
      ['retention', { days: 30, bytes: 64 * MB }],
    ]);
    expect(monitor.backupsKept).toBe(3);
  });

  it('keeps both of two changes that come at once', async () => {
    const dir = tempDir();
    const { monitor } = monitored([], {}, (change) => writeSettings(dir, change));
    await Promise.all([monitor.change({ retention_days: 5 }), monitor.change({ backups_kept: 3 })]);
    expect(readSettings(dir)).toEqual({ retention_days: 5, backups_kept: 3 });
    const refused = monitored([], {}, () => Promise.reject(new Error('the disk is full'))).monitor;
    await expect(refused.change({ backups_kept: 3 })).rejects.toThrow('full');
    await expect(refused.change({ backups_kept: 4 })).rejects.toThrow('full');
  });

  it('is held back below the line, lets less wait then, and goes on above it', async () => {
    const { monitor, told } = monitored([], { minFreeBytes: 1024 ** 5 });
    expect(await monitor.info()).toMatchObject({ low: true, low_below_bytes: 1024 ** 5 });
    const { free_bytes } = await monitor.info();
    expect(monitor.waitingBytes()).toBeLessThanOrEqual(Math.max(free_bytes / 20, 512 * MB));
    expect(await monitor.change({ min_free_mb: 1 })).toMatchObject({ low: false });
    expect(monitor.waitingBytes()).toBe(512 * MB);
    expect(told.filter((one) => Array.isArray(one) && one[0] === 'pause')).toEqual([
      ['pause', true],
      ['pause', null],
    ]);
  });

  it('leaves 500 MB free, or 2 % of a smaller disk, where nothing is set', async () => {
    const { monitor } = monitored([], { minFreeBytes: null });
    const { total_bytes, low_below_bytes, min_free_mb } = await monitor.info();
    expect(min_free_mb).toBe(null);
    expect(low_below_bytes).toBe(Math.round(Math.min(500 * MB, total_bytes * 0.02)));
  });
});
