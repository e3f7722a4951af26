import type { RunStatus } from '../../../contract/bot.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunRow, RunStore } from '../control/run-store.ts';
import type { Decision, SchedulePort } from '../schedule/scheduler.ts';
import { newRun } from './new-run.ts';
import { reason } from './reasons.ts';
import type { Supervisor } from './supervisor.ts';

interface PortDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly supervisor: Pick<Supervisor, 'startRun'>;
  readonly transaction: <T>(work: () => T) => T;
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

type DueRun = NonNullable<Decision['run']>;

/** Due times of scheduled bots as rows of the control database; the scheduler's view of the instances. */
export function createSchedulePort(d: PortDeps): SchedulePort {
  const row = (bot: BotRow, due: DueRun, status: RunStatus, why: { code: string; message: string } | null): RunRow => ({
    ...newRun(bot, d.newRunId(), due.trigger, d.now()),
    status,
    scheduledAt: due.scheduledAt,
    endedAt: status === 'skipped' ? d.now() : null,
    reason: why === null ? null : reason(why.code, why.message, null, d.now()),
  });

  const recordMissed = (bot: BotRow, decision: Decision): void => {
    const { missedMore } = decision;
    decision.missed.forEach((scheduledAt, index) => {
      const more = index === 0 && missedMore > 0 ? ` (and ${missedMore} earlier ones)` : '';
      const why = { code: 'MISSED', message: `Missed while the host was not running${more}` };
      d.runs.insert(row(bot, { scheduledAt, trigger: 'schedule' }, 'skipped', why));
    });
  };

  const recordDue = (bot: BotRow, due: DueRun): RunRow | null => {
    if (bot.options.overlap !== 'allow' && d.runs.goesOn(bot.botId)) {
      d.runs.insert(row(bot, due, 'skipped', { code: 'OVERLAP', message: 'The run before was still going on' }));
      return null;
    }
    const run = row(bot, due, 'starting', null);
    return d.runs.insert(run) ? run : null;
  };

  /** The run that is to start now, if any. */
  const record = (decision: Decision): RunRow | null => {
    const bot = d.bots.get(decision.botId);
    if (bot === null || bot.deleting || !bot.enabled) return null;
    recordMissed(bot, decision);
    d.bots.update(bot.botId, { scheduledFrom: decision.decidedTo });
    return decision.run === null ? null : recordDue(bot, decision.run);
  };

  return {
    enabled: () =>
      d.bots
        .all()
        .filter((bot) => bot.type === 'scheduled' && bot.enabled && !bot.deleting)
        .flatMap((bot) =>
          bot.schedule === null
            ? []
            : [
                {
                  botId: bot.botId,
                  schedule: bot.schedule,
                  decidedTo: bot.scheduledFrom ?? bot.createdAt,
                  catchUp: bot.options.catch_up ?? 'run_once',
                } as const,
              ],
        ),
    decide(decisions: readonly Decision[]): void {
      for (const run of d.transaction(() => decisions.flatMap((one) => record(one) ?? []))) {
        d.supervisor.startRun(run).catch((error: unknown) => d.onError(`run ${run.runId}`, error));
      }
    },
  };
}
