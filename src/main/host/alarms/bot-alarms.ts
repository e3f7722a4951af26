import { isUnwritable } from '../../../node/storage-error.ts';
import type { AlarmStore } from '../control/alarm-store.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import type { RunStore } from '../control/run-store.ts';
import { consequencesOf, missedFact, type StoredChange, silenceOf } from './bot-events.ts';
import type { Outbox } from './outbox.ts';

/**
 * Follows what the host stores about bots, within its transaction. A fault of alarms never keeps a bot from being recorded; a disk
 * that cannot be written ends the transaction as a whole.
 */
export class BotAlarms {
  readonly #outbox: Outbox;
  readonly #runs: Pick<RunStore, 'get'>;
  readonly #events: Pick<EventStore, 'lacksNetwork'>;
  readonly #store: AlarmStore;
  readonly #onError: (where: string, error: unknown) => void;

  constructor(deps: {
    readonly outbox: Outbox;
    readonly runs: Pick<RunStore, 'get'>;
    readonly events: Pick<EventStore, 'lacksNetwork'>;
    readonly store: AlarmStore;
    readonly onError: (where: string, error: unknown) => void;
  }) {
    this.#outbox = deps.outbox;
    this.#runs = deps.runs;
    this.#events = deps.events;
    this.#store = deps.store;
    this.#onError = deps.onError;
  }

  /** Call in the transaction that stores the event. */
  stored(change: StoredChange): void {
    const { event, after } = change;
    this.#attempt(`alarms of ${after.botId}`, after.userId, () => {
      const run = event.run_id === null ? null : this.#runs.get(event.run_id);
      const isOfNetwork = event.kind === 'run' || event.kind === 'network_back';
      const lacksNetwork = isOfNetwork && this.#events.lacksNetwork(after.botId);
      const { facts, recoveries, closed, settled } = consequencesOf(change, run, lacksNetwork);
      const silences =
        closed.length === 0
          ? []
          : this.#outbox.rulesOf(after.userId).map(({ ruleId }) => silenceOf(ruleId, after.botId));
      this.#outbox.close(after.userId, [...closed, ...silences, ...(settled === null ? [] : [settled])]);
      for (const recovery of recoveries) this.#outbox.recover(recovery);
      for (const fact of facts) this.#outbox.raise(fact);
    });
  }

  /** Call in the transaction that stores due times without a run, oldest first. */
  missed(bot: BotRow, dueTimes: readonly number[], more: number, code: string, at: number): void {
    if (dueTimes.length === 0) return;
    this.#attempt(`alarms of ${bot.botId}`, bot.userId, () =>
      this.#outbox.raise(missedFact(bot, dueTimes, more, at, code)),
    );
  }

  #attempt(where: string, userId: string, work: () => void): void {
    try {
      this.#store.savepoint(work);
    } catch (error) {
      this.#outbox.forget(userId);
      if (isUnwritable(error)) throw error;
      this.#onError(where, error);
    }
  }
}
