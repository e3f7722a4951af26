import { APPROVAL_MS, type BotApproval } from '../../../contract/approvals.ts';
import type { UpdateRequest } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { NEEDS_ARMING } from '../../../shared/waiting-reasons.ts';
import type { BotRow } from '../control/bot-store.ts';
import { type StagedRow, type StagedStore, stagedRecord } from '../control/staged-store.ts';
import type { Vault } from '../vault/vault.ts';

/** An update without the bot and the generation for which it was sent. */
export type StagedRequest = Omit<UpdateRequest, 'bot_id' | 'if_generation'>;

/** A change that is asked for, with what was found of it. */
export interface AskedChange {
  readonly request: StagedRequest;
  /** The version that would run, with the hash of its content. */
  readonly version: string;
  readonly versionHash: string;
  /** What would change, in words that quote no secret. */
  readonly changes: readonly string[];
}

/** Who asks for a change. */
export interface AskedBy {
  readonly name: string;
  readonly keyId: string;
  readonly client: string | null;
}

interface StagedChangesDeps {
  readonly store: StagedStore;
  readonly vault: Pick<Vault, 'seal' | 'open' | 'sealedError'>;
  readonly isRevoked: (keyId: string) => boolean;
  readonly newId: () => string;
  readonly now: () => number;
  /** Base URL of the host, for links. */
  readonly url: () => string;
}

const CLIENT_CHARS = 200;

/**
 * What keys have asked of armed bots, held until a person approves or rejects it: one change of a bot, so that a newer one takes the
 * place of the one that waits. It holds them, and makes none.
 */
export class StagedChanges {
  readonly #deps: StagedChangesDeps;
  #revision = 0;

  constructor(deps: StagedChangesDeps) {
    this.#deps = deps;
  }

  /** Another number after each change of what waits. */
  get revision(): number {
    return this.#revision;
  }

  /** What waits of a bot; null for none, for what is too old, and for what a key has asked that was revoked since. */
  of(botId: string): StagedRow | null {
    const row = this.#deps.store.get(botId);
    return row === null || this.#isOver(row) ? null : row;
  }

  all(): StagedRow[] {
    return this.#deps.store.all().filter((row) => !this.#isOver(row));
  }

  /** Those whose time is over, or whose key was revoked. */
  over(): StagedRow[] {
    return this.#deps.store.all().filter((row) => this.#isOver(row));
  }

  /** What waits of a bot, as its record shows it. */
  shown({ botId, generation }: BotRow): BotApproval | null {
    const row = this.of(botId);
    if (row === null) return null;
    return {
      id: row.changeId,
      status: row.generation === generation ? 'waiting' : 'outdated',
      reason: NEEDS_ARMING,
      asked_by: row.askedBy,
      asked_at: toTimestamp(row.askedAt),
      expires_at: toTimestamp(row.expiresAt),
      changes: [...row.changes],
      url: `${this.#deps.url()}/waiting`,
    };
  }

  /** When what `shown` says of this bot changes by itself, in milliseconds since the epoch. */
  shownUntil(botId: string): number {
    return this.of(botId)?.expiresAt ?? Number.POSITIVE_INFINITY;
  }

  /** The change of this id. Throws APPROVAL_NOT_FOUND: it was settled, is too old, or another one has taken its place. */
  named(botId: string, changeId: string): StagedRow {
    const row = this.of(botId);
    if (row?.changeId === changeId) return row;
    throw new PlatformError('APPROVAL_NOT_FOUND');
  }

  /** What was asked for. Throws SECRETS_SEALED. */
  requestOf(row: StagedRow): StagedRequest {
    const request = this.opened(row);
    if (request === null) throw this.#deps.vault.sealedError();
    return request;
  }

  /** What was asked for; null for what no key on this machine opens. */
  opened({ changeId, request }: StagedRow): StagedRequest | null {
    const text = this.#deps.vault.open(stagedRecord(changeId), request);
    return text === undefined ? null : JSON.parse(text);
  }

  /** Holds a change, in place of what waited. Throws SECRETS_SEALED. */
  hold(bot: BotRow, { request, ...asked }: AskedChange, by: AskedBy): void {
    const { store, vault, newId, now } = this.#deps;
    const changeId = newId();
    store.put({
      botId: bot.botId,
      changeId,
      generation: bot.generation,
      ...asked,
      request: vault.seal(stagedRecord(changeId), JSON.stringify(request)),
      askedBy: by.name,
      keyId: by.keyId,
      client: by.client?.slice(0, CLIENT_CHARS) ?? null,
      askedAt: now(),
      expiresAt: now() + APPROVAL_MS,
    });
    this.#revision += 1;
  }

  drop(botId: string): void {
    this.#deps.store.remove(botId);
    this.#revision += 1;
  }

  isExpired({ expiresAt }: StagedRow): boolean {
    return this.#deps.now() >= expiresAt;
  }

  #isOver(row: StagedRow): boolean {
    return this.isExpired(row) || this.#deps.isRevoked(row.keyId);
  }
}
