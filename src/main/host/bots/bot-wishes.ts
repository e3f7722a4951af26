import { PlatformError } from '../../../contract/errors.ts';
import { isUnwritable, MEND_DISK } from '../../../node/storage-error.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { Wish } from '../control/wishes.ts';

interface Deps {
  readonly bots: Pick<BotStore, 'wish' | 'storeWish'>;
  readonly now: () => number;
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
}
