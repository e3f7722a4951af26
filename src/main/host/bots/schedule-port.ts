import type { RunStatus } from '../../../contract/bot.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunRow, RunStore } from '../control/run-store.ts';
import type { Decision, SchedulePort } from '../schedule/scheduler.ts';
import { newRun } from './new-run-row.ts';
import { reason } from './reasons.ts';
import type { Supervisor } from './supervisor.ts';

interface PortDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly supervisor: Pick<Supervisor, 'startRun'>;
  readonly transaction: <T>(work: () => T) => T;
  readonly newRunId: () => string;
  readonly now: () => number;
  /** Called in the transaction that records due times without a run, oldest first; `more` even older ones are not listed. */
  readonly missed?: (bot: BotRow, dueTimes: readonly number[], more: number, code: string, at: number) => void;
  readonly onError: (where: string, error: unknown) => void;
}

type DueRun = NonNullable<Decision['run']>;

/** Due times of scheduled bots as rows of the control database; the scheduler's view of the instances. */
export function createSchedulePort(deps: PortDeps): SchedulePort {
  const row = (bot: BotRow, due: DueRun, status: RunStatus, why: { code: string; message: string } | null): RunRow => ({
    ...newRun(bot, deps.newRunId(), due.trigger, deps.now()),
    status,
    scheduledAt: due.scheduledAt,
    endedAt: status === 'skipped' ? deps.now() : null,
    reason: why === null ? null : reason(why.code, why.message, null, deps.now()),
  });

  const recordMissed = (bot: BotRow, decision: Decision): void => {
    const { missedMore } = decision;
    decision.missed.forEach((scheduledAt, index) => {
      const more = index === 0 && missedMore > 0 ? ` (and ${missedMore} earlier ones)` : '';
      const why = { code: 'MISSED', message: `Missed while the host was not running${more}` };
      deps.runs.insert(row(bot, { scheduledAt, trigger: 'schedule' }, 'skipped', why));
    });
    deps.missed?.(bot, decision.missed, missedMore, 'MISSED', deps.now());
  };

  const recordDue = (bot: BotRow, due: DueRun): RunRow | null => {
    if (bot.options.overlap !== 'allow' && deps.runs.goesOn(bot.botId)) {
      deps.runs.insert(row(bot, due, 'skipped', { code: 'OVERLAP', message: 'The run before was still going on' }));
      deps.missed?.(bot, [due.scheduledAt], 0, 'OVERLAP', deps.now());
      return null;
    }
    const run = row(bot, due, 'starting', null);
    return deps.runs.insert(run) ? run : null;
  };

  /** The run that is to start now, if any. */
  const record = (decision: Decision): RunRow | null => {
    const bot = deps.bots.get(decision.botId);
    if (bot === null || bot.deleting || !bot.enabled) return null;
    recordMissed(bot, decision);
    deps.bots.update(bot.botId, { scheduledFrom: decision.decidedTo });
    return decision.run === null ? null : recordDue(bot, decision.run);
  };

  return {
    enabled: () =>
      deps.bots
        .all()
        .filter((bot) => bot.type === 'scheduled' && bot.enabled && !bot.deleting)
        .flatMap((bot) =>
          bot.schedule === null
            ? []
            : [
                {
                  botId: bot.botId,
                  schedule: bot.schedule,
                  timezone: bot.timezone,
                  decidedTo: bot.scheduledFrom ?? bot.createdAt,
                  catchUp: bot.options.catch_up ?? 'run_once',
                } as const,
              ],
        ),
    decide(decisions: readonly Decision[]): void {
      for (const run of deps.transaction(() => decisions.flatMap((one) => record(one) ?? []))) {
        deps.supervisor.startRun(run).catch((error: unknown) => deps.onError(`run ${run.runId}`, error));
      }
    },
  };
}
