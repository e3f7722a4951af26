import { type JsonObject, toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { Secret, SecretClass } from '../../../contract/secrets.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { isSealed, replaceValues, secretNameOf, secretNames, valuesWhere } from '../../../shared/secret-references.ts';
import type { BotStore } from '../control/bot-store.ts';
import { type SecretRow, type SecretStore, secretRecord } from '../control/secret-store.ts';
import type { Vault } from './vault.ts';

/** Secrets that a user may have. */
const MOST_SECRETS = 500;

/** A config as its program gets it. */
export interface OpenedConfig {
  readonly config: JsonObject;
  /** Values of the secrets to which it refers: they are masked in everything that the program says. */
  readonly values: readonly string[];
  /** True if one of them moves real money. */
  readonly isLive: boolean;
}

export interface NamedSecretsDeps {
  readonly store: SecretStore;
  readonly vault: Pick<Vault, 'seal' | 'open' | 'sealedError'>;
  readonly bots: Pick<BotStore, 'list' | 'trashed' | 'readAgain'>;
  readonly now: () => number;
}

/** Secrets with names, to which configs refer as `{"$secret": "NAME"}`. Values leave it only into programs. */
export class NamedSecrets {
  readonly #deps: NamedSecretsDeps;

  constructor(deps: NamedSecretsDeps) {
    this.#deps = deps;
  }

  list(userId: string): Secret[] {
    const users = this.#usersByName(userId);
    return this.#deps.store.list(userId).map((row) => this.#shown(row, users.get(row.name) ?? []));
  }

  /** Throws SECRET_NOT_FOUND. */
  usedBy(userId: string, name: string): Secret['used_by'] {
    this.#row(userId, name);
    return this.#users(userId, name);
  }

  /** The class of a secret; null if there is none of this name. */
  classOf(userId: string, name: string): SecretClass | null {
    return this.#deps.store.get(userId, name)?.class ?? null;
  }

  /** Throws SECRET_NOT_FOUND, with the name, for a config that refers to a secret which does not exist. */
  assertKnown(userId: string, config: unknown): void {
    for (const name of secretNames(config)) this.#referred(userId, name);
  }

  /** Throws NAME_TAKEN, or SECRETS_SEALED. `by` names who stores it. */
  set(userId: string, input: { name: string; class: SecretClass; value: string }, by: string): Secret {
    const { store, vault, now } = this.#deps;
    if (store.list(userId).length >= MOST_SECRETS) {
      throw new PlatformError('INVALID_REQUEST', `There are ${MOST_SECRETS} secrets already`, {
        hint: 'Remove one that no bot uses.',
      });
    }
    const row: SecretRow = {
      user_id: userId,
      name: input.name,
      class: input.class,
      sealed: vault.seal(secretRecord(userId, input.name), input.value),
      created_at: now(),
      created_by: by,
      rotated_at: null,
      rotated_by: null,
    };
    if (!store.add(row)) {
      throw new PlatformError('NAME_TAKEN', `There is a secret ${input.name} already`, {
        hint: `Replace its value with \`platform secrets rotate ${input.name}\`, or choose another name.`,
      });
    }
    this.#deps.bots.readAgain();
    return this.#shown(row);
  }

  /** Throws SECRET_NOT_FOUND, or SECRETS_SEALED. */
  rotate(userId: string, { name, value }: { name: string; value: string }, by: string): Secret {
    const { store, vault, now } = this.#deps;
    this.#row(userId, name);
    const sealed = vault.seal(secretRecord(userId, name), value);
    store.rotate({ user_id: userId, name, sealed, rotated_at: now(), rotated_by: by });
    this.#deps.bots.readAgain();
    return this.#shown(this.#row(userId, name));
  }

  /** Throws SECRET_NOT_FOUND, or SECRET_IN_USE with the bots that use it. */
  remove(userId: string, name: string): void {
    this.#row(userId, name);
    // A bot of the trash must find its secret when it is restored.
    const trashed = this.#deps.bots
      .trashed()
      .filter((bot) => bot.userId === userId && secretNames(bot.config).includes(name))
      .map((bot) => ({ bot_id: bot.botId, name: `${bot.name} (in the trash)` }));
    const users = [...this.#users(userId, name), ...trashed];
    if (users.length > 0) {
      const names = users.slice(0, 5).map((bot) => JSON.stringify(bot.name));
      const more = users.length > names.length ? ` and ${users.length - names.length} more` : '';
      throw new PlatformError('SECRET_IN_USE', `The secret ${name} is used by ${names.join(', ')}${more}`, {
        hint: 'Have these bots use another secret, or delete them; remove those in the trash for good (`platform trash empty`). Then remove it.',
        details: users,
      });
    }
    this.#deps.store.remove(userId, name);
  }

  /**
   * Opens a config for a program: references become the values for which they stand. Throws SECRET_NOT_FOUND, or
   * SECRETS_SEALED if this machine does not have the key.
   */
  openConfig(userId: string, config: JsonObject): OpenedConfig {
    const { vault } = this.#deps;
    if (valuesWhere(config, isSealed).length > 0) throw vault.sealedError();
    const rows = new Map(secretNames(config).map((name) => [name, this.#referred(userId, name)]));
    if (rows.size === 0) return { config, values: [], isLive: false };
    const values = new Map(
      [...rows].map(([name, { sealed }]) => {
        const value = vault.open(secretRecord(userId, name), sealed);
        if (value === undefined) throw vault.sealedError();
        return [name, value];
      }),
    );
    const opened = replaceValues(config, (value) => values.get(secretNameOf(value) ?? ''));
    return {
      config: isJsonObject(opened) ? opened : config,
      values: [...values.values()],
      isLive: [...rows.values()].some((row) => row.class === 'live'),
    };
  }

  #row(userId: string, name: string): SecretRow {
    const row = this.#deps.store.get(userId, name);
    if (row === null) throw new PlatformError('SECRET_NOT_FOUND');
    return row;
  }

  /** The secret to which a config refers. Throws SECRET_NOT_FOUND, which names it: a config may refer to several. */
  #referred(userId: string, name: string): SecretRow {
    const row = this.#deps.store.get(userId, name);
    if (row !== null) return row;
    throw new PlatformError('SECRET_NOT_FOUND', `There is no secret ${JSON.stringify(name)}`, {
      hint: `Store it with \`platform secrets set ${name}\`, or list those that there are: \`platform secrets list\`.`,
    });
  }

  #users(userId: string, name: string): Secret['used_by'] {
    return this.#usersByName(userId).get(name) ?? [];
  }

  /** The bots of a user by the secrets to which their configs refer, in one pass over the configs. */
  #usersByName(userId: string): Map<string, Secret['used_by']> {
    const users = new Map<string, Secret['used_by']>();
    for (const { botId, name, config } of this.#deps.bots.list(userId)) {
      for (const secret of secretNames(config)) {
        const those = users.get(secret);
        if (those === undefined) users.set(secret, [{ bot_id: botId, name }]);
        else those.push({ bot_id: botId, name });
      }
    }
    return users;
  }

  #shown(row: SecretRow, users = this.#users(row.user_id, row.name)): Secret {
    return {
      name: row.name,
      class: row.class,
      opens: this.#deps.vault.open(secretRecord(row.user_id, row.name), row.sealed) !== undefined,
      used_by: users,
      created_at: toTimestamp(row.created_at),
      created_by: row.created_by,
      rotated_at: toTimestampOrNull(row.rotated_at),
      rotated_by: row.rotated_by,
    };
  }
}
