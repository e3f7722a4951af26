import type { ContainerStats } from 'dockerode';
import type { UnitStats } from '../engine.ts';

/** Translates the engine's figures; null for a container that has ended. */
export function toStats(stats: ContainerStats): UnitStats | null {
  const { pids_stats, memory_stats, cpu_stats, networks } = stats;
  const processes = pids_stats?.current;
  if (processes === undefined || processes === 0) return null;
  // Pages of files that can be given back at once are not the bot's; cgroup v1 and v2 name them differently.
  const files = memory_stats.stats?.total_inactive_file ?? memory_stats.stats?.inactive_file ?? 0;
  const used = memory_stats.usage ?? 0;
  const all = Object.values(networks ?? {});
  return {
    cpuMs: Math.round((cpu_stats.cpu_usage.total_usage ?? 0) / 1e6),
    memoryBytes: Math.max(0, used - files),
    processes,
    network:
      networks === undefined
        ? null
        : {
            receivedBytes: all.reduce((sum, one) => sum + one.rx_bytes, 0),
            sentBytes: all.reduce((sum, one) => sum + one.tx_bytes, 0),
          },
  };
}
