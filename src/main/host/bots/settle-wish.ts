import type { BotHold, Reason } from '../../../contract/bot.ts';
import { type BotRow, type BotStore, unrecordedHold } from '../control/bot-store.ts';
import type { Journal } from './journal.ts';
import { guardFired, heldReason } from './reasons.ts';
import type { StagedChanges } from './staged-changes.ts';

export interface SettleWishDeps {
  readonly bots: Pick<BotStore, 'get' | 'wishes' | 'dropWish'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly staged: Pick<StagedChanges, 'drop'>;
  /** Records that a bot was deleted, as what its row says by the wish. */
  readonly putAway: (bot: BotRow) => void;
  readonly now: () => number;
}

/** The event of a hold. */
function toldOf(hold: BotHold): { readonly kind: 'held' | 'guard_fired'; readonly why: Reason } {
  return hold.by === 'guard'
    ? { kind: 'guard_fired', why: guardFired(hold.message, Date.parse(hold.since)) }
    : { kind: 'held', why: heldReason(hold) };
}

/** Records the wish of a bot, if there is one; throws while the disk is still full. */
export function settleWish({ bots, journal, staged, putAway, now }: SettleWishDeps, botId: string): void {
  const wish = bots.wishes().find(([of]) => of === botId)?.[1];
  if (wish === undefined) return;
  const bot = bots.get(botId);
  if (bot !== null && wish.wish === 'trash') putAway(bot);
  else if (bot !== null) {
    const change = { enabled: false, nextAttemptAt: null, updatedAt: now() };
    const hold = wish.wish === 'hold' ? unrecordedHold(bot, wish) : null;
    const more = wish.wish === 'delete' ? { deleting: true } : hold === null ? {} : { hold };
    // As a panic does that finds space: what keys have asked of the bot waits no longer.
    const also = (): void => {
      if (hold?.by === 'panic') staged.drop(botId);
    };
    journal.change(botId, { ...change, ...more }, hold === null ? {} : { ...toldOf(hold), also });
  }
  bots.dropWish(botId);
}
