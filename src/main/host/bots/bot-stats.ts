import type { BotStats } from '../../../contract/bot-stats.ts';
import { toTimestamp } from '../../../contract/common.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { Unit, UnitRole } from '../engine/engine.ts';
import type { LiveRun } from './live-run.ts';

type Program = BotStats['programs'][number];

async function programStats(role: UnitRole, { run }: LiveRun, unit: Unit): Promise<Program[]> {
  const stats = await unit.stats();
  if (stats === null) return [];
  const { cpuMs, memoryBytes, processes, network } = stats;
  return [
    {
      role,
      run_id: run.runId,
      started_at: toTimestamp(unit.startedAt),
      cpu_ms: cpuMs,
      memory_bytes: memoryBytes,
      processes,
      network: network === null ? null : { received_bytes: network.receivedBytes, sent_bytes: network.sentBytes },
    },
  ];
}

/** Measures the programs of a bot at this moment, without one that has just ended. `at` is now, in ms. */
export async function botStats(bot: BotRow, lives: readonly LiveRun[], at: number): Promise<BotStats> {
  const asked = lives.flatMap((live) => [
    programStats('bot', live, live.unit),
    ...(live.query === null ? [] : [programStats('query', live, live.query)]),
  ]);
  const programs = (await Promise.all(asked)).flat();
  return { bot_id: bot.botId, engine: bot.engine, at: toTimestamp(at), restarts: bot.restarts, programs };
}
