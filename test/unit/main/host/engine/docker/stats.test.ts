import type { ContainerStats } from 'dockerode';
import { describe, expect, it } from 'vitest';
import { toStats } from '../../../../../../src/main/host/engine/docker/stats.ts';

const NETWORK = {
  eth0: { rx_bytes: 1000, tx_bytes: 200 },
  eth1: { rx_bytes: 5, tx_bytes: 7 },
};
const CPU = { cpu_usage: { total_usage: 1_234_567_890 } };

const read = (stats: object) => toStats(stats as ContainerStats);

describe('what a container uses', () => {
  it('from an engine with cgroup v2', () => {
    const memory_stats = { usage: 50_000, limit: 1e9, stats: { inactive_file: 20_000, anon: 30_000 } };
    expect(read({ pids_stats: { current: 3 }, memory_stats, cpu_stats: CPU, networks: NETWORK })).toEqual({
      cpuMs: 1235,
      memoryBytes: 30_000,
      processes: 3,
      network: { receivedBytes: 1005, sentBytes: 207 },
    });
  });

  it('from an engine with cgroup v1, where the figure of the whole tree counts', () => {
    const stats = { total_inactive_file: 20_000, inactive_file: 1 };
    const memory_stats = { usage: 50_000, max_usage: 60_000, stats };
    expect(read({ pids_stats: { current: 1 }, memory_stats, cpu_stats: CPU, networks: NETWORK })).toMatchObject({
      memoryBytes: 30_000,
    });
  });

  it('of a container without a network of its own', () => {
    const memory_stats = { usage: 1, stats: {} };
    expect(read({ pids_stats: { current: 1 }, memory_stats, cpu_stats: CPU })).toMatchObject({ network: null });
  });

  it('is never less than nothing', () => {
    const memory_stats = { usage: 10, stats: { inactive_file: 20 } };
    expect(read({ pids_stats: { current: 1 }, memory_stats, cpu_stats: CPU })).toMatchObject({ memoryBytes: 0 });
  });

  it.each([
    ['has ended', { pids_stats: {}, memory_stats: {}, cpu_stats: { cpu_usage: { total_usage: 0 } } }],
    ['is about to end', { pids_stats: { current: 0 }, memory_stats: {}, cpu_stats: CPU }],
    ['an old engine has forgotten', { memory_stats: {}, cpu_stats: CPU }],
  ])('is unknown for one that %s', (_, stats) => {
    expect(read(stats)).toBeNull();
  });
});
