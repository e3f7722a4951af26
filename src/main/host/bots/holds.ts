import type { BotHold } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import { BotWishes } from './bot-wishes.ts';
import type { Journal } from './journal.ts';
import { heldReason } from './reasons.ts';
import type { StagedChanges } from './staged-changes.ts';
import type { Supervisor } from './supervisor.ts';

/** Throws BOT_HELD for a bot that only a person may start. */
export function assertNotHeld({ name, hold }: BotRow): void {
  if (hold === null) return;
  throw new PlatformError('BOT_HELD', `${name} is held: ${hold.message}`, { details: { hold } });
}

/**
 * Throws BOT_HELD for a held bot whose hold is not named, HOLD_UNREAD where another one is named: a person must have read why
 * the bot stands now.
 */
export function assertReleased(bot: BotRow, release: string | null): void {
  if (release === null) assertNotHeld(bot);
  if (release === null || bot.hold === null || bot.hold.hold_id === release) return;
  throw new PlatformError('HOLD_UNREAD', `${bot.name} is held for another reason by now: ${bot.hold.message}`, {
    details: { hold: bot.hold },
  });
}

interface HoldsDeps {
  readonly bots: BotStore;
  readonly journal: Journal;
  readonly supervisor: Pick<Supervisor, 'held' | 'liveRuns'>;
  readonly staged: Pick<StagedChanges, 'drop'>;
  readonly newHoldId: () => string;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** Stops bots so that only a person can start them again. */
export class Holds {
  readonly #deps: HoldsDeps;
  readonly #wishes: BotWishes;

  constructor(deps: HoldsDeps) {
    this.#deps = deps;
    this.#wishes = new BotWishes(deps);
  }

  /**
   * The change of a bot's record that holds it. Its status shows that its programs end; the supervisor's `held` ends them once
   * the change is stored.
   */
  change({ botId }: BotRow, hold: BotHold): Partial<BotRow> {
    const runs = this.#deps.supervisor.liveRuns(botId).length > 0;
    return {
      enabled: false,
      hold,
      reason: heldReason(hold),
      nextAttemptAt: null,
      updatedAt: this.#deps.now(),
      ...(runs ? { status: 'stopping' as const } : {}),
    };
  }

  /** Ends the programs of a bot whose hold is stored, without waiting for that. */
  end(botId: string): void {
    this.#deps.supervisor.held(botId).catch((error: unknown) => this.#deps.onError(`hold of ${botId}`, error));
  }

  /** Holds a bot although the disk refused to record that a guard fired, and ends its programs. The record follows. */
  endUnrecorded({ botId }: BotRow, guard: string, message: string): void {
    this.#deps.bots.wish(botId, { wish: 'hold', at: this.#deps.now(), guard, message });
    this.end(botId);
    this.#deps.bots.storeWish(botId);
  }

  /**
   * Stores the hold of a panic and begins to end the programs of the bot; does not wait for their end, nor for other work on
   * the bot. What keys have asked of it is dropped. On a full disk the bot is held all the same, and STORAGE_FULL says what could not be
   * recorded.
   */
  async panic(bot: BotRow, who: string): Promise<void> {
    const at = this.#deps.now();
    const hold: BotHold = {
      hold_id: this.#deps.newHoldId(),
      by: 'panic',
      since: toTimestamp(at),
      guard_id: null,
      who,
      message: `Stopped by a panic of ${who}`,
    };
    this.#wishes.orWish(bot, 'hold', () => {
      this.#deps.journal.change(bot.botId, this.change(bot, hold), {
        kind: 'held',
        why: heldReason(hold),
        also: () => this.#deps.staged.drop(bot.botId),
      });
    });
    await this.#deps.supervisor.held(bot.botId);
    this.#wishes.store(bot);
  }
}
