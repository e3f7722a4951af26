import { PlatformError } from '../../contract/errors.ts';

type Waiting = PromiseWithResolvers<void>;

/** Those who wait until a bot that is being deleted is gone. */
export class Departures {
  readonly #waiting = new Map<string, Waiting>();

  /** Resolves once the bot is gone; rejects with BOT_RUNNING when a program of it could not be ended. */
  wait(botId: string): Promise<void> {
    const known = this.#waiting.get(botId);
    if (known !== undefined) return known.promise;
    const gone = Promise.withResolvers<void>();
    // It may fail before its caller comes to wait for it.
    gone.promise.catch(() => undefined);
    this.#waiting.set(botId, gone);
    return gone.promise;
  }

  gone(botId: string): void {
    this.#take(botId)?.resolve();
  }

  /** It stays, and is tried again later. */
  notYet(botId: string): void {
    const error = new PlatformError('BOT_RUNNING', 'A program of this bot could not be ended yet', {
      hint: 'The host log says why. It is tried again every few seconds: the bot goes once that program has ended.',
    });
    this.#take(botId)?.reject(error);
  }

  /** Something of it could not be removed. It stays, and is tried again later. */
  failed(botId: string): void {
    const error = new PlatformError('INTERNAL', 'Something of this bot could not be removed yet', {
      hint: 'The host log says what. It is tried again every few seconds: the bot goes once that can be removed.',
    });
    this.#take(botId)?.reject(error);
  }

  #take(botId: string): Waiting | undefined {
    const waiting = this.#waiting.get(botId);
    this.#waiting.delete(botId);
    return waiting;
  }
}
