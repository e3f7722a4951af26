import type { Bot, Run } from '../../../contract/bot.ts';
import type { Failure } from '../../../contract/failure.ts';

const WELL = new Set(['succeeded', 'stopped']);

/** The version to go back to: that of the run that worked last, where it is another one than now. */
export function versionThatWorked(
  bot: Pick<Bot, 'version'>,
  failure: Pick<Failure, 'last_worked_at'>,
  runs: readonly Run[],
): string | null {
  if (failure.last_worked_at === null) return null;
  const worked =
    runs.find((run) => run.ended_at === failure.last_worked_at) ?? runs.find((run) => WELL.has(run.status));
  return worked === undefined || worked.version === bot.version ? null : worked.version;
}
