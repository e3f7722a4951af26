import type { Bot, Run } from '../../../contract/bot.ts';
import type { Failure } from '../../../contract/failure.ts';

const WELL = new Set(['succeeded', 'stopped']);

/** Returns the version to go back to: that of the last run that worked, if it differs from the present one. */
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

/** Effect of a rollback on a bot, in the words before it and of the message afterwards. */
export interface RollbackEffect {
  readonly before: string;
  readonly done: string;
}

export function rollbackEffect({ type, enabled, status }: Pick<Bot, 'type' | 'enabled' | 'status'>): RollbackEffect {
  if (type.startsWith('scheduled/')) {
    const again = enabled ? '' : ', and it runs by its schedule again';
    return {
      before: `Rolling back takes effect at its next run${again}.`,
      done: `It takes effect at its next run${again}.`,
    };
  }
  if (!enabled || status === 'stopped') return { before: 'Rolling back starts the bot.', done: 'It starts now.' };
  if (status === 'running' || status === 'starting') {
    return { before: 'Rolling back restarts the bot once.', done: 'It restarts now.' };
  }
  return { before: 'Rolling back tries the bot again at once.', done: 'It is tried again now.' };
}

/** Effect of another version on a bot, which starts none that is stopped. */
export function versionEffect({ type, enabled, status }: Pick<Bot, 'type' | 'enabled' | 'status'>): RollbackEffect {
  if (type.startsWith('scheduled/')) {
    return { before: 'Another version takes effect at the next run.', done: 'It takes effect at the next run.' };
  }
  if (!enabled || status === 'stopped') {
    return { before: 'Another version takes effect at the next start.', done: 'It takes effect at the next start.' };
  }
  if (status === 'running' || status === 'starting') {
    return { before: 'Another version restarts the bot once.', done: 'It restarts now.' };
  }
  return { before: 'Another version tries the bot again at once.', done: 'It is tried again now.' };
}
