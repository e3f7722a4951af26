import { createHmac } from 'node:crypto';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { stableStringify } from '../../../shared/json.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { TombstoneStore } from '../control/tombstone-store.ts';

interface Deps {
  readonly store: TombstoneStore;
  /** Secret key of the host: a plain hash of a configuration would let its secrets be guessed. */
  readonly hostKey: string;
  readonly now: () => number;
}

function deletedByPerson({ botId, at }: { readonly botId: string; readonly at: number }, what: string): PlatformError {
  const until = toTimestamp(at + LIMITS.tombstoneMs);
  return new PlatformError('DELETED_BY_PERSON', `A person deleted ${what} at ${toTimestamp(at)}`, {
    hint: `No key makes it again before ${until}. Ask the person: they can deploy it, or restore it with \`platform trash restore\`.`,
    details: { bot_id: botId, until },
  });
}

type Made = Pick<BotRow, 'userId' | 'name' | 'customBot' | 'config' | 'schedule'>;

/**
 * What persons have deleted, which no key makes again for a day: neither a bot of that name, nor one of the same custom bot with the
 * same configuration and schedule.
 */
export class Tombstones {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Remembers a bot that a person deletes. Must run in the transaction of the deletion. */
  remember(bot: Made & Pick<BotRow, 'botId'>, at: number): void {
    const { userId, botId, name } = bot;
    this.#deps.store.add({ userId, botId, name, print: this.#print(bot), at }, this.#since());
  }

  /** A person has restored the bot. */
  forget({ userId, botId }: Pick<BotRow, 'userId' | 'botId'>): void {
    this.#deps.store.remove(userId, botId);
  }

  /** Throws DELETED_BY_PERSON for a bot, as a key would make it, that a person deleted within a day. */
  refuse(bot: Made): void {
    const found = this.#deps.store.find(bot.userId, { name: bot.name, print: this.#print(bot) }, this.#since());
    if (found === null) return;
    const what = found.name === bot.name ? `the bot "${bot.name}"` : `the bot "${found.name}", which was the same,`;
    throw deletedByPerson(found, what);
  }

  /**
   * Throws DELETED_BY_PERSON for a bot of the trash that a key would restore under its own or another name within a day. Its record
   * says who deleted it: a tombstone may be missing, or be of a configuration whose secrets could not be opened then.
   */
  refuseRestored({ trash, ...bot }: Made & Pick<BotRow, 'botId' | 'trash'>): void {
    if (trash?.inPerson === true && trash.at > this.#since())
      throw deletedByPerson({ botId: bot.botId, at: trash.at }, `the bot "${bot.name}"`);
    this.refuse(bot);
  }

  #since(): number {
    return this.#deps.now() - LIMITS.tombstoneMs;
  }

  #print({ customBot, config, schedule }: Made): string {
    return createHmac('sha256', this.#deps.hostKey)
      .update(`deleted bot\n${stableStringify([customBot, config, schedule])}`)
      .digest('hex');
  }
}
