import { PlatformError } from '../../../contract/errors.ts';

type Waiting = PromiseWithResolvers<void>;

/** A deleted bot whose program the host could not end yet. */
export function notYetEnded(): PlatformError {
  return new PlatformError('BOT_RUNNING', 'A program of this bot could not be ended yet', {
    hint: 'The bot is deleted. The host log says why its program goes on; the host tries again every few seconds.',
  });
}

/** Callers that wait until a deleted bot stands still, or is gone. */
export class DeletionWaiters {
  readonly #waiting = new Map<string, Waiting>();

  /** Resolves once no program of the bot can run, and it is gone if it was to be; rejects with BOT_RUNNING when one could not be ended. */
  wait(botId: string): Promise<void> {
    const known = this.#waiting.get(botId);
    if (known !== undefined) return known.promise;
    const gone = Promise.withResolvers<void>();
    // It may fail before its caller comes to wait for it.
    gone.promise.catch(() => undefined);
    this.#waiting.set(botId, gone);
    return gone.promise;
  }

  has(botId: string): boolean {
    return this.#waiting.has(botId);
  }

  gone(botId: string): void {
    this.#take(botId)?.resolve();
  }

  /** The bot stays for now, and the host tries again later. */
  notYet(botId: string): void {
    this.#take(botId)?.reject(notYetEnded());
  }

  /** A part of it could not be removed. The bot stays, and the host tries again later. */
  failed(botId: string): void {
    const error = new PlatformError('INTERNAL', 'Something of this bot could not be removed yet', {
      hint: 'The host log says what. The host tries again every few seconds and deletes the bot once cleanup succeeds.',
    });
    this.#take(botId)?.reject(error);
  }

  #take(botId: string): Waiting | undefined {
    const waiting = this.#waiting.get(botId);
    this.#waiting.delete(botId);
    return waiting;
  }
}
