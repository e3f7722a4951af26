import type { LogEntry, MetricEvent } from '../../../contract/telemetry.ts';
import type { JudgedRows, LiveSink } from './telemetry-types.ts';
import type { StoredRows } from './worker-protocol.ts';

/** Calls to the two workers that the hub needs. */
export interface LiveSources {
  /** Starts batches of a bot; resolves to the last committed seq. */
  watch(botId: string): Promise<number>;
  unwatch(botId: string): void;
  acknowledge(botId: string): void;
  stored(botId: string, after: number): Promise<StoredRows>;
  judged(botId: string, after: number): Promise<JudgedRows>;
  onError(error: Error): void;
}

/** Committed rows `first` to `seq` of a bot, without a hole. */
export interface Committed {
  readonly botId: string;
  readonly first: number;
  readonly seq: number;
  readonly logs: LogEntry[];
  readonly metrics: MetricEvent[];
}

interface Subscriber {
  readonly sink: LiveSink;
  /** Last seq that was handed over. */
  cursor: number;
  reading: boolean;
  ended: boolean;
}

interface WatchedBot {
  readonly botId: string;
  readonly subscribers: Set<Subscriber>;
  /** Number of subscribers, including those about to subscribe. */
  users: number;
  /** Newest committed seq known here. */
  latest: number;
  watching: Promise<void>;
}

/**
 * Live readers of all bots. A reader is either up to date and gets each batch on arrival, or behind and reads stored
 * rows until it has caught up; a batch that does not follow its cursor makes it read again. This one rule covers
 * resuming, a lost worker and a busy main thread without gap or repeat.
 */
export class LiveHub {
  readonly #sources: LiveSources;
  readonly #bots = new Map<string, WatchedBot>();

  constructor(sources: LiveSources) {
    this.#sources = sources;
  }

  async subscribe(botId: string, after: number | null, sink: LiveSink): Promise<() => void> {
    const bot = this.#bots.get(botId) ?? this.#watch(botId);
    bot.users++;
    try {
      await bot.watching;
    } catch (error) {
      this.#leave(bot);
      throw error;
    }
    // A cursor beyond the end comes from a log that is gone: all rows that follow are new to its reader.
    const cursor = Math.min(after ?? bot.latest, bot.latest);
    const subscriber: Subscriber = { sink, cursor, reading: false, ended: false };
    bot.subscribers.add(subscriber);
    sink.start?.(cursor);
    void this.#catchUp(bot, subscriber);
    return () => this.#end(bot, subscriber);
  }

  /** Handles rows that were just committed. */
  committed(batch: Committed): void {
    this.#sources.acknowledge(batch.botId);
    const bot = this.#bots.get(batch.botId);
    if (bot === undefined) return;
    bot.latest = Math.max(bot.latest, batch.seq);
    // One object for all readers, so that it is serialised only once (http/event-text.ts).
    const rows = { logs: batch.logs, metrics: batch.metrics, seq: batch.seq };
    for (const subscriber of bot.subscribers) {
      if (subscriber.reading || batch.seq <= subscriber.cursor) continue;
      if (batch.first === subscriber.cursor + 1)
        this.#push(bot, subscriber, rows.seq, () => subscriber.sink.push(rows));
      else void this.#catchUp(bot, subscriber);
    }
  }

  /** Handles rows up to `seq` that were committed without being sent. */
  skipped(botId: string, seq: number): void {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return;
    bot.latest = Math.max(bot.latest, seq);
    for (const subscriber of bot.subscribers) void this.#catchUp(bot, subscriber);
  }

  /** Watches all bots again, because the restarted ingest worker does not know them. */
  rewatch(): void {
    for (const bot of this.#bots.values()) {
      bot.watching = this.#startWatching(bot);
      bot.watching.then(
        () => {
          for (const subscriber of bot.subscribers) void this.#catchUp(bot, subscriber);
        },
        (error: unknown) => this.#sources.onError(toError(error)),
      );
    }
  }

  /** Ends all readers of a bot that is removed. */
  drop(botId: string): void {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return;
    for (const subscriber of bot.subscribers) this.#end(bot, subscriber);
  }

  #watch(botId: string): WatchedBot {
    const bot: WatchedBot = { botId, subscribers: new Set(), users: 0, latest: 0, watching: Promise.resolve() };
    this.#bots.set(botId, bot);
    bot.watching = this.#startWatching(bot);
    return bot;
  }

  async #startWatching(bot: WatchedBot): Promise<void> {
    const seq = await this.#sources.watch(bot.botId);
    bot.latest = Math.max(bot.latest, seq);
  }

  async #catchUp(bot: WatchedBot, subscriber: Subscriber): Promise<void> {
    if (subscriber.reading) return;
    subscriber.reading = true;
    try {
      while (!subscriber.ended && subscriber.cursor < bot.latest) {
        const { rows, push } = await this.#read(bot.botId, subscriber);
        if (subscriber.ended) return;
        // Rows up to there are gone, because the log was damaged and restarted: the reader continues with new ones.
        if (rows.seq <= subscriber.cursor) subscriber.cursor = bot.latest;
        else if (rows.logs.length + rows.metrics.length === 0) subscriber.cursor = rows.seq;
        else this.#push(bot, subscriber, rows.seq, push);
      }
    } catch (error) {
      this.#sources.onError(toError(error));
      this.#cut(bot, subscriber, `Stored lines cannot be read: ${toError(error).message}`);
    } finally {
      subscriber.reading = false;
    }
  }

  /** Reads stored rows as a sink takes them, and returns how it does. */
  async #read(botId: string, { sink, cursor }: Subscriber): Promise<{ rows: JudgedRows; push: () => boolean }> {
    if (sink.behind === 'judged') {
      const rows = await this.#sources.judged(botId, cursor);
      return { rows, push: () => sink.push(rows) };
    }
    const rows = await this.#sources.stored(botId, cursor);
    return { rows, push: () => sink.push(rows) };
  }

  #push(bot: WatchedBot, subscriber: Subscriber, seq: number, push: () => boolean): void {
    if (this.#offer(push)) subscriber.cursor = seq;
    else this.#cut(bot, subscriber, 'The reader is too slow; read on from this seq.');
  }

  /** Ends a reader with a gap. `from_seq` is the last seq that it got: reading on `after` it loses and repeats nothing. */
  #cut(bot: WatchedBot, subscriber: Subscriber, reason: string): void {
    if (subscriber.ended) return;
    this.#offer(() => subscriber.sink.push({ gap: { from_seq: subscriber.cursor, reason } }));
    this.#end(bot, subscriber);
  }

  #offer(push: () => boolean): boolean {
    try {
      return push();
    } catch (error) {
      this.#sources.onError(toError(error));
      return false;
    }
  }

  #end(bot: WatchedBot, subscriber: Subscriber): void {
    if (subscriber.ended) return;
    subscriber.ended = true;
    bot.subscribers.delete(subscriber);
    this.#leave(bot);
  }

  #leave(bot: WatchedBot): void {
    if (--bot.users > 0 || this.#bots.get(bot.botId) !== bot) return;
    this.#bots.delete(bot.botId);
    this.#sources.unwatch(bot.botId);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
