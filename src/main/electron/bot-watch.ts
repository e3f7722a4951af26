import type { Bot, BotEvent, BotStatus } from '../../contract/bot.ts';
import { errorText } from '../base/system-error.ts';
import { callHost, followBots, type HostAddress } from './host-api.ts';

/** A bot as the tray and the questions of the app know it. */
export type KnownBot = Pick<Bot, 'bot_id' | 'name' | 'status'>;

export interface BotWatchParts {
  /** The bots as they are now, after each change. */
  changed(bots: readonly KnownBot[]): void;
  /** A change that the host told of, with the bot it is about. */
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

/** Bots that the fleet lists under Failed. */
export const isFailing = (status: BotStatus): boolean => status === 'failed' || status === 'backing_off';

/** Follows the bots of a host for as long as there is one. */
export class BotWatch {
  readonly #p: BotWatchParts;
  readonly #bots = new Map<string, KnownBot>();
  #host: HostAddress | null = null;
  #over = new AbortController();
  /** One list at a time; a change during it asks for one more. */
  #listing = false;
  #again = false;

  constructor(parts: BotWatchParts) {
    this.#p = parts;
  }

  get bots(): readonly KnownBot[] {
    return [...this.#bots.values()];
  }

  /** Follows this host from now on; null: none. */
  follow(host: HostAddress | null): void {
    if (host?.url === this.#host?.url && host?.token === this.#host?.token) return;
    this.#over.abort();
    this.#over = new AbortController();
    this.#host = host;
    if (host !== null) void this.#run(host, this.#over.signal);
  }

  async #run(host: HostAddress, signal: AbortSignal): Promise<void> {
    let isTold = false;
    while (!signal.aborted) {
      try {
        await followBots(host, signal, {
          onOpen: () => {
            isTold = false;
            // Listed only now: what changes after that is told.
            void this.#list(host, signal);
          },
          onEvent: (event) => this.#take(host, signal, event),
        });
      } catch (error) {
        if (signal.aborted) return;
        if (!isTold) this.#p.onError('changes of bots', new Error(errorText(error)));
        isTold = true;
      }
      if (signal.aborted) return;
      this.#p.lost();
      await this.#p.wait(AGAIN_MS, signal);
    }
  }

  async #list(host: HostAddress, signal: AbortSignal): Promise<void> {
    this.#again = true;
    if (this.#listing) return;
    this.#listing = true;
    try {
      while (this.#again && !signal.aborted) {
        this.#again = false;
        const { items } = await callHost(host, 'bots.list', {});
        if (signal.aborted) break;
        this.#bots.clear();
        for (const { bot_id, name, status } of items) this.#bots.set(bot_id, { bot_id, name, status });
        this.#p.changed(this.bots);
      }
    } catch (error) {
      this.#p.onError('list of bots', error);
    } finally {
      this.#listing = false;
    }
  }

  #take(host: HostAddress, signal: AbortSignal, event: BotEvent): void {
    const known = this.#bots.get(event.bot_id) ?? null;
    if (event.kind === 'deleted') this.#bots.delete(event.bot_id);
    else if (known === null || event.kind === 'updated') void this.#list(host, signal);
    else if (event.status !== null) this.#bots.set(event.bot_id, { ...known, status: event.status });
    // What a list on its way brings may be older than this.
    if (this.#listing) this.#again = true;
    this.#p.event(event, known);
    this.#p.changed(this.bots);
  }
}
