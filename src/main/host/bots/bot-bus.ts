import type { BotEvent } from '../../../contract/bot.ts';

type Listener = (event: BotEvent, userId: string) => void;

/** Live changes of state, after they are stored. Listeners are called in order and must not throw. */
export class BotBus {
  readonly #listeners = new Set<Listener>();

  /** Returns the end of the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: BotEvent, userId: string): void {
    for (const listener of this.#listeners) listener(event, userId);
  }
}
