import type { BotStore } from '../control/bot-store.ts';
import { provenBy } from './health.ts';
import type { Journal } from './journal.ts';
import type { LiveRun } from './live-run.ts';

/** Records which realtime bots have run for long enough since they failed; to be called every few seconds. */
export function recordProven(d: {
  readonly bots: Pick<BotStore, 'all'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly liveRuns: (botId: string) => readonly LiveRun[];
  readonly now: () => number;
}): void {
  for (const { botId, type, status, health } of d.bots.all()) {
    if (health.state === 'ok' || type !== 'realtime' || status !== 'running') continue;
    const [live] = d.liveRuns(botId);
    const proven = live === undefined ? null : provenBy(health, d.now() - live.unit.startedAt);
    if (proven === null) continue;
    d.journal.change(botId, { health: proven, ...(proven.state === 'ok' ? { failures: 0 } : {}) });
  }
}
