import type { Bot } from '../../../contract/bot.ts';

/** Bulk actions, and the bots for which each makes sense. */
export const BULK = {
  start: {
    label: 'Start',
    done: 'Started',
    description: 'Each of them runs from now on, or by its schedule.',
    applies: (bot: Bot) => !bot.enabled || bot.status === 'failed',
  },
  stop: {
    label: 'Stop',
    done: 'Stopped',
    description: 'Their current runs end, and none runs again until you start it.',
    applies: (bot: Bot) => bot.enabled,
  },
  restart: {
    label: 'Restart',
    done: 'Restarted',
    description: 'Each of them stops and starts once.',
    applies: (bot: Bot) => bot.enabled && bot.type.startsWith('realtime/'),
  },
} as const;
export type BulkAction = keyof typeof BULK;

/** The action that undoes a bulk action, and the bots to apply it to, as they were before; null where nothing undoes it. */
export function undoOf(action: BulkAction, before: readonly Bot[]) {
  // A failed bot was not working: to start it would be a new action, not an undo.
  if (action === 'stop') return { action: 'start', bots: before.filter((bot) => bot.status !== 'failed') } as const;
  // A bot that was already enabled was only tried again.
  if (action === 'start') return { action: 'stop', bots: before.filter((bot) => !bot.enabled) } as const;
  return null;
}

const MOST_UNASKED = 10;

/** True for a number of bots that one click should not change without a question. */
export function needsConfirmation(count: number): boolean {
  return count > MOST_UNASKED;
}
