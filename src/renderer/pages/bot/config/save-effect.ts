import type { Bot } from '../../../../contract/bot.ts';

/** Effect of saving a bot's config, in the words of the button, of the line beside it, and of the message afterwards. */
export interface Effect {
  readonly verb: string;
  readonly before: string;
  readonly done: string;
}

export function effectOf({ type, enabled, status }: Pick<Bot, 'type' | 'enabled' | 'status'>): Effect {
  if (type.startsWith('scheduled/')) {
    return { verb: 'Save', before: 'It takes effect at the next run.', done: 'They take effect at the next run.' };
  }
  if (!enabled) {
    return { verb: 'Save', before: 'It takes effect at the next start.', done: 'They take effect at the next start.' };
  }
  if (status === 'running' || status === 'starting') {
    return { verb: 'Save and restart', before: 'The bot restarts once.', done: 'It restarts now.' };
  }
  return { verb: 'Save and try again', before: 'The bot is tried again at once.', done: 'It is tried again now.' };
}
