import type { Bot, BotEvent, BotHealth, BotStatus, HealthState } from '../../contract/bot.ts';
import { errorText } from '../../node/system-error.ts';
import { LOOP } from '../../shared/health.ts';
import { callHost, followStream, type HostAddress } from './host-client.ts';

/** A bot as the tray and the questions of the app know it. */
export type KnownBot = Pick<Bot, 'bot_id' | 'name' | 'status'> & {
  readonly health: Pick<BotHealth, 'state' | 'failures'>;
};

export interface BotWatchParts {
  /** The bots as they are now, after each change. */
  changed(bots: readonly KnownBot[]): void;
  /** A change that the host has reported, with its bot. */
  event(event: BotEvent, bot: KnownBot | null): void;
  /** The host has ended the connection, or it broke. */
  lost(): void;
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
  onError(where: string, error: unknown): void;
}

const AGAIN_MS = 1000;

/** Bots whose program runs, or is about to. */
export const isActive = (status: BotStatus): boolean =>
  status === 'running' || status === 'starting' || status === 'backing_off' || status === 'stopping';

/**
 * The health after an event, which names a state but no number of failures: the known number, or the least that the state
 * means.
 */
function healthAfter(before: KnownBot['health'], state: HealthState | null): KnownBot['health'] {
  if (state === null) return before;
  if (state === 'ok') return { state, failures: 0 };
  return { state, failures: Math.max(before.failures, state === 'crash_looping' ? LOOP : 0) };
}

/** A host that is followed. */
interface Followed {
  readonly host: HostAddress;
  readonly signal: AbortSignal;
  /** One list at a time; a change during it asks for one more. */
  listing: Promise<void> | null;
  again: boolean;
}

/** Follows the bots of a host for as long as there is one. */
export class BotWatch {
  readonly #parts: BotWatchParts;
  readonly #bots = new Map<string, KnownBot>();
  #host: HostAddress | null = null;
  #isKnown = false;
  #over = new AbortController();
  /** The newest reported change: what happened while no host was followed is reported after it. */
  #lastId = '';

  constructor(parts: BotWatchParts) {
    this.#parts = parts;
  }

  get bots(): readonly KnownBot[] {
    return [...this.#bots.values()];
  }

  /** False until the host that is followed has said which bots there are. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Follows this host from now on; null for none. */
  follow(host: HostAddress | null): void {
    if (host?.url === this.#host?.url && host?.token === this.#host?.token) return;
    this.#over.abort();
    this.#over = new AbortController();
    this.#host = host;
    this.#isKnown = false;
    if (host !== null) void this.#run({ host, signal: this.#over.signal, listing: null, again: false });
  }

  async #run(followed: Followed): Promise<void> {
    const { host, signal } = followed;
    let isTold = false;
    while (!signal.aborted) {
      try {
        await followStream(host, 'bots.stream', this.#lastId, signal, {
          onOpen: () => {
            isTold = false;
            // The list is read only now: later changes are reported as events.
            void this.#list(followed);
          },
          onEvent: (event) => this.#take(followed, event),
          onId: (id) => {
            this.#lastId = id;
          },
        });
      } catch (error) {
        if (signal.aborted) return;
        if (!isTold) this.#parts.onError('changes of bots', new Error(errorText(error)));
        isTold = true;
      }
      if (signal.aborted) return;
      this.#parts.lost();
      await this.#parts.wait(AGAIN_MS, signal);
    }
  }

  /** Reads which bots there are, until that is known. */
  #list(followed: Followed): Promise<void> {
    followed.again = true;
    followed.listing ??= this.#read(followed).finally(() => {
      followed.listing = null;
    });
    return followed.listing;
  }

  async #read(followed: Followed): Promise<void> {
    const { host, signal } = followed;
    let isTold = false;
    while (followed.again && !signal.aborted) {
      followed.again = false;
      try {
        const { items } = await callHost(host, 'bots.list', {});
        if (signal.aborted) return;
        this.#bots.clear();
        for (const { bot_id, name, status, health } of items) {
          const { state, failures } = health;
          this.#bots.set(bot_id, { bot_id, name, status, health: { state, failures } });
        }
        this.#isKnown = true;
        this.#parts.changed(this.bots);
      } catch (error) {
        if (signal.aborted) return;
        if (!isTold) this.#parts.onError('list of bots', error);
        isTold = true;
        followed.again = true;
        await this.#parts.wait(AGAIN_MS, signal);
      }
    }
  }

  #take(followed: Followed, event: BotEvent): void {
    const known = this.#bots.get(event.bot_id) ?? null;
    if (event.kind === 'deleted') this.#bots.delete(event.bot_id);
    else if (known === null || event.kind === 'updated') void this.#list(followed);
    else if (event.status !== null)
      this.#bots.set(event.bot_id, { ...known, status: event.status, health: healthAfter(known.health, event.health) });
    // A list already on its way may be older than this event.
    if (followed.listing !== null) followed.again = true;
    this.#parts.changed(this.bots);
    void this.#tell(followed, event);
  }

  /** Reports a change; for a new bot, once its name is known. */
  async #tell({ listing }: Followed, event: BotEvent): Promise<void> {
    if (!this.#bots.has(event.bot_id)) await listing;
    this.#parts.event(event, this.#bots.get(event.bot_id) ?? null);
  }
}
