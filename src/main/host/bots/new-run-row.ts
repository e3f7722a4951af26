import type { RunTrigger } from '../../../contract/bot.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { RunRow } from '../control/run-store.ts';

/** A run of a bot that is about to start, as a row; `at` is now, in ms. */
export function newRun(bot: BotRow, runId: string, trigger: RunTrigger, at: number): RunRow {
  return {
    runId,
    botId: bot.botId,
    version: bot.version,
    trigger,
    status: 'starting',
    scheduledAt: null,
    startedAt: null,
    endedAt: null,
    exitCode: null,
    signal: null,
    result: null,
    reason: null,
    createdAt: at,
    // Of a run that never starts nothing more is known.
    mode: 'unverified',
    versionHash: null,
  };
}
