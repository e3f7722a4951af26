import type { BotChange, BotEvent, Reason } from '../../../contract/bot.ts';
import { stableStringify } from '../../../shared/json.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { EventStore, NewBotEvent } from '../control/event-store.ts';
import type { BotBus } from './bot-bus.ts';
import { shownHealth } from './health.ts';

/** An event as it is stored, with the record of its bot. */
export interface StoredChange {
  readonly event: BotEvent;
  /** Null for a bot that is new or gone. */
  readonly before: BotRow | null;
  readonly after: BotRow;
}

type StatusChange = Partial<Omit<BotRow, 'botId' | 'userId'>>;

/** The fields whose change a caller may want to know before changing the bot itself. */
const SETUP = ['name', 'trash', 'version', 'schedule', 'timezone', 'config', 'options', 'engine', 'enabled'] as const;

function changesSetup(before: BotRow, change: StatusChange): boolean {
  return SETUP.some(
    (key) => change[key] !== undefined && stableStringify(change[key]) !== stableStringify(before[key]),
  );
}

/**
 * The one place where an instance's record changes: each change is stored in one transaction with its event, and
 * published only after the commit.
 */
export class Journal {
  readonly #bots: BotStore;
  readonly #events: EventStore;
  readonly #bus: BotBus;
  readonly #transaction: <T>(work: () => T) => T;
  readonly #now: () => number;
  readonly #stored: (change: StoredChange) => void;

  constructor(deps: {
    bots: BotStore;
    events: EventStore;
    bus: BotBus;
    transaction: <T>(work: () => T) => T;
    now: () => number;
    /** Called in the transaction of each event, with the record before and after it. */
    stored?: (change: StoredChange) => void;
  }) {
    this.#bots = deps.bots;
    this.#events = deps.events;
    this.#bus = deps.bus;
    this.#transaction = deps.transaction;
    this.#now = deps.now;
    this.#stored = deps.stored ?? (() => undefined);
  }

  /** Applies a change; `also` runs in the same transaction. Status changes make an event, other kinds are named. */
  change(
    botId: string,
    change: StatusChange,
    extra: {
      kind?: NewBotEvent['kind'];
      runId?: string | null;
      also?: () => void;
      changes?: readonly BotChange[];
      /** Reason in the event; default: that of the bot's state. */
      why?: Reason;
    } = {},
  ): void {
    const event = this.#transaction(() => {
      const before = this.#bots.get(botId);
      extra.also?.();
      if (before === null) return null;
      this.#bots.update(
        botId,
        changesSetup(before, change) ? { ...change, generation: before.generation + 1 } : change,
      );
      const after = this.#bots.get(botId) ?? before;
      const changed =
        before.status !== after.status ||
        before.reason?.code !== after.reason?.code ||
        shownHealth(before).state !== shownHealth(after).state;
      if (!changed && extra.kind === undefined) return null;
      const why = extra.why ?? after.reason;
      return this.#store(after, extra.kind ?? 'status', why, extra.runId ?? null, { before, changes: extra.changes });
    });
    if (event !== null && !event.isHidden) this.#bus.publish(event.event, event.userId);
  }

  /** Stores a new record; `check` runs first, and `also` once it is stored, in the same transaction. */
  add(bot: BotRow, check: () => void, also: () => void = () => undefined): void {
    const stored = this.#transaction(() => {
      check();
      this.#bots.insert(bot);
      also();
      return this.#store(bot, 'deployed', null, null);
    });
    this.#bus.publish(stored.event, stored.userId);
  }

  /** Removes a record and all its events except the deletion, from which later readers learn it. */
  remove(bot: BotRow): void {
    const stored = this.#transaction(() => {
      this.#bots.remove(bot.botId);
      this.#events.removeOf(bot.botId);
      return this.#store(bot, 'deleted', null, null);
    });
    this.#bus.publish(stored.event, stored.userId);
  }

  #store(
    bot: BotRow,
    kind: NewBotEvent['kind'],
    why: Reason | null,
    runId: string | null,
    more: { readonly before?: BotRow | null; readonly changes?: readonly BotChange[] | undefined } = {},
  ) {
    const { botId, userId, status } = bot;
    const health = shownHealth(bot).state;
    const event = this.#events.add({
      botId,
      userId,
      at: this.#now(),
      kind,
      status,
      health,
      reason: why,
      runId,
      changes: more.changes ?? [],
    });
    // What becomes of a bot in the trash is part of its history, and tells nobody anything.
    const isHidden = bot.trash !== null && kind !== 'deleted';
    if (!isHidden) this.#stored({ event, before: more.before ?? null, after: bot });
    return { event, userId, isHidden };
  }
}
