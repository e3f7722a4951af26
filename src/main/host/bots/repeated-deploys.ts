import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { stableStringify } from '../../../shared/json.ts';
import { KeyedMutex } from '../../../shared/keyed-mutex.ts';
import type { IdempotencyKeyStore } from '../control/idempotency-key-store.ts';

interface Deps {
  readonly keys: IdempotencyKeyStore;
  /** Secret key of the host: a plain hash of a request would let its secrets be guessed. */
  readonly hostKey: string;
  readonly now: () => number;
}

/** A deployment whose request carries an idempotency key. */
export interface KeyedDeploy<T> {
  readonly userId: string;
  readonly key: string;
  /** The request without its key. */
  readonly request: JsonObject;
  /** Makes the bot; `record` is to be called in the transaction that stores it. */
  readonly make: (record: (botId: string) => void) => Promise<T>;
  /** The bot that was made before; null if it was deleted since. */
  readonly read: (botId: string) => T | null;
}

/**
 * Deployments that a client may repeat. A key is stored with the bot that it made in one transaction, so that neither a lost
 * answer nor the death of the host between the two makes a second bot.
 */
export class RepeatedDeploys {
  readonly #deps: Deps;
  readonly #turns = new KeyedMutex();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Makes the bot, or answers with the one that the same request made before. Throws IDEMPOTENCY_CONFLICT for another request
   * with the key, and if that bot was deleted.
   */
  run<T>(deploy: KeyedDeploy<T>): Promise<T> {
    const { userId, key } = deploy;
    return this.#turns.run(`${userId} ${key}`, async () => {
      const { keys, now } = this.#deps;
      const print = this.#print(deploy.request);
      const known = keys.find(userId, key, now() - LIMITS.deployKeyMs);
      if (known === null) {
        const at = now();
        const times = { now: at, since: at - LIMITS.deployKeyMs };
        return await deploy.make((botId) => keys.add(userId, key, { print, botId }, times));
      }
      if (known.print !== print) {
        throw new PlatformError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for another request', {
          hint: 'Nothing was deployed. Use a new key for a new bot, and the same request to repeat one.',
          details: { bot_id: known.botId },
        });
      }
      const bot = deploy.read(known.botId);
      if (bot !== null) return bot;
      throw new PlatformError('IDEMPOTENCY_CONFLICT', 'The bot that this idempotency key made was deleted', {
        hint: 'Nothing was deployed. Use a new key if you want the bot again.',
        details: { bot_id: known.botId },
      });
    });
  }

  #print(request: JsonObject): string {
    return createHmac('sha256', this.#deps.hostKey)
      .update(`deploy request\n${stableStringify(request)}`)
      .digest('hex');
  }
}
