import type { Bot } from '../../contract/bot.ts';
import { type HostError, toHostError } from './host-error.ts';
import type { HostSocket } from './socket.ts';

/** Receives changes of a user's bots. */
export interface FleetSink {
  readonly all: (bots: readonly Bot[]) => void;
  /** `bot` is null when the bot is gone. */
  readonly one: (botId: string, bot: Bot | null) => void;
  readonly failed: (error: HostError) => void;
}

const AT_ONCE = 3;
/** Number of changed bots above which one list takes less work of the host than a reading of each. */
const LIST_ABOVE = 20;
/** Wait, in ms, after the host has refused a request as one too many, or the connection was lost. */
const SOON_MS = 1000;
/** Wait, in ms, after any other error, which may stay for good. */
const LATER_MS = 10_000;

/** Keeps the known bots in line with their changes; reads every change. */
export class FleetSync {
  readonly #socket: Pick<HostSocket, 'read' | 'stream' | 'onLink' | 'link'>;
  readonly #sink: FleetSink;
  readonly #dirty = new Set<string>();
  /** Bots being read, and those that have changed meanwhile. */
  readonly #going = new Set<string>();
  /** True when everything must be read: at first, and after a possible gap. */
  #all = true;
  #isListing = false;
  /** Number of the current list: answers to earlier requests are older than the list. */
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #later = new Set<ReturnType<typeof setTimeout>>();
  #isOver = false;

  constructor(socket: Pick<HostSocket, 'read' | 'stream' | 'onLink' | 'link'>, sink: FleetSink) {
    this.#socket = socket;
    this.#sink = sink;
  }

  /** Begins to follow; the returned function stops it. */
  start(): () => void {
    // The stream first: a change between it and the list is then read twice, and not missed.
    const events = this.#socket.stream(
      'bots.stream',
      {},
      { event: ({ bot_id, kind }) => (kind === 'deleted' ? this.#deleted(bot_id) : this.#changed(bot_id)) },
    );
    const unlink = this.#socket.onLink((link) => {
      if (link !== 'open') {
        this.#all = true;
        return;
      }
      this.#stopWaiting();
      this.#pump();
    });
    this.#pump();
    return () => {
      this.#isOver = true;
      this.#stopWaiting();
      for (const timer of this.#later) clearTimeout(timer);
      unlink();
      events.cancel();
    };
  }

  #changed(botId: string): void {
    this.#dirty.add(botId);
    this.#pump();
  }

  #deleted(botId: string): void {
    this.#sink.one(botId, null);
    // An answer that is on its way may still contain the bot.
    if (this.#isListing || this.#going.has(botId)) this.#changed(botId);
    else this.#dirty.delete(botId);
  }

  #pump(): void {
    if (this.#isOver || this.#isListing || this.#timer !== undefined || this.#socket.link !== 'open') return;
    if (this.#all || this.#dirty.size > LIST_ABOVE) {
      void this.#list();
      return;
    }
    for (const botId of this.#dirty) {
      if (this.#going.size >= AT_ONCE) return;
      if (!this.#going.has(botId)) void this.#read(botId);
    }
  }

  async #list(): Promise<void> {
    this.#all = false;
    this.#isListing = true;
    this.#dirty.clear();
    this.#round += 1;
    try {
      const { items } = await this.#socket.read('bots.list', {});
      if (!this.#isOver) this.#sink.all(items);
    } catch (thrown) {
      this.#all = true;
      const error = toHostError(thrown);
      if (!this.#isOver) this.#sink.failed(error);
      this.#wait(isBusy(error) ? SOON_MS : LATER_MS);
    }
    this.#isListing = false;
    this.#pump();
  }

  async #read(botId: string): Promise<void> {
    const round = this.#round;
    this.#dirty.delete(botId);
    this.#going.add(botId);
    const tell = (bot: Bot | null): void => {
      if (!this.#isOver && round === this.#round) this.#sink.one(botId, bot);
    };
    try {
      tell(await this.#socket.read('bots.get', { bot_id: botId }));
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code === 'BOT_NOT_FOUND') tell(null);
      else if (isBusy(error)) {
        this.#dirty.add(botId);
        this.#wait(SOON_MS);
      } else this.#again(botId);
    }
    this.#going.delete(botId);
    this.#pump();
  }

  /** Sends no requests for a while. */
  #wait(ms: number): void {
    if (this.#isOver || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, ms);
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** A bot that cannot be read does not delay the others. */
  #again(botId: string): void {
    if (this.#isOver) return;
    const timer = setTimeout(() => {
      this.#later.delete(timer);
      this.#changed(botId);
    }, LATER_MS);
    this.#later.add(timer);
  }
}

function isBusy({ code }: HostError): boolean {
  return code === 'RATE_LIMITED' || code === 'CONNECTION_LOST';
}
