import type { BotHold, Reason } from '../../../contract/bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { isUnwritable, MEND_DISK } from '../../../node/storage-error.ts';
import { type BotRow, type BotStore, unrecordedHold } from '../control/bot-store.ts';
import type { Wish } from '../control/wishes.ts';
import type { Journal } from './journal.ts';
import { guardFired, heldReason } from './reasons.ts';
import type { StagedChanges } from './staged-changes.ts';

interface Deps {
  readonly bots: BotStore;
  readonly journal: Journal;
  readonly staged: Pick<StagedChanges, 'drop'>;
  readonly now: () => number;
}

/** The event of a hold. */
function toldOf(hold: BotHold): { readonly kind: 'held' | 'guard_fired'; readonly why: Reason } {
  return hold.by === 'guard'
    ? { kind: 'guard_fired', why: guardFired(hold.message, Date.parse(hold.since)) }
    : { kind: 'held', why: heldReason(hold) };
}

/** Stops, holds and deletions of bots that a full disk keeps out of the records until there is space again. */
export class BotWishes {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Must work on any disk: if the change cannot be recorded, it is kept as a wish, and the bot obeys that at once. */
  orWish({ botId }: BotRow, wish: Wish['wish'], record: () => void): void {
    try {
      record();
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.#deps.bots.wish(botId, { wish, at: this.#deps.now() });
    }
  }

  /**
   * To be called once the program was told to end: no disk may keep it running. Throws STORAGE_FULL when not even the
   * wish could be stored.
   */
  store({ botId, name }: BotRow): void {
    if (this.#deps.bots.storeWish(botId)) return;
    throw new PlatformError('STORAGE_FULL', `${name} was ended, but the disk prevented recording it`, {
      hint: `${MEND_DISK} The host then records it by itself. A host that starts before that starts the bot again.`,
    });
  }

  /** Records the wish of a bot, if there is one; throws while the disk is still full. */
  settle(botId: string): void {
    const wish = this.#deps.bots.wishes().find(([of]) => of === botId)?.[1];
    if (wish === undefined) return;
    const bot = this.#deps.bots.get(botId);
    if (bot !== null) {
      const change = { enabled: false, nextAttemptAt: null, updatedAt: this.#deps.now() };
      const hold = wish.wish === 'hold' ? unrecordedHold(bot, wish) : null;
      const more = wish.wish === 'delete' ? { deleting: true } : hold === null ? {} : { hold };
      // As a panic does that finds space: what keys have asked of the bot waits no longer.
      const also = (): void => {
        if (hold?.by === 'panic') this.#deps.staged.drop(botId);
      };
      this.#deps.journal.change(botId, { ...change, ...more }, hold === null ? {} : { ...toldOf(hold), also });
    }
    this.#deps.bots.dropWish(botId);
  }
}
