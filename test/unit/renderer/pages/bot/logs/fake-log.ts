import type { Input, Output, StreamName } from '../../../../../../src/contract/operations.ts';
import type { LiveBatch, LogEntry } from '../../../../../../src/contract/telemetry.ts';
import type { HostError } from '../../../../../../src/renderer/data/host-error.ts';
import type { Link, StreamHandlers } from '../../../../../../src/renderer/data/socket.ts';
import type { FeedSocket } from '../../../../../../src/renderer/pages/bot/logs/log-feed.ts';
import { keeps, type LogFilter, NO_FILTER } from '../../../../../../src/renderer/pages/bot/logs/log-filter.ts';
import { entryOf, pageOf } from './make-entry.ts';

/** A host's log, as far as a page asks for it. Answers come a turn later, as over a wire. */
export class FakeLog {
  readonly lines: LogEntry[] = [];
  readonly calls: Input<'logs.get'>[] = [];
  readonly followedAfter: number[] = [];
  /** How many lines one call looks at before it gives up; a search then goes on with the next call. */
  step = Number.POSITIVE_INFINITY;
  failWith: Error | null = null;
  /** While set, the stream brings nothing: calls know lines that it brings later. */
  isHeld = false;
  #held: LiveBatch[] = [];
  #live: ((batch: LiveBatch) => void) | null = null;
  #end: (error: HostError | null) => void = () => undefined;
  #link: (link: Link) => void = () => undefined;

  constructor(lines: number) {
    for (let seq = 1; seq <= lines; seq++) this.lines.push(entryOf(seq));
  }

  get socket(): FeedSocket {
    return {
      read: (async (_name: string, query: Input<'logs.get'>) => this.#page(query)) as unknown as FeedSocket['read'],
      stream: ((_name: StreamName, input: Input<'logs.stream'>, handlers: StreamHandlers<'logs.stream'>) => {
        this.followedAfter.push(input.after ?? -1);
        this.#live = handlers.event;
        this.#end = handlers.end ?? this.#end;
        return { cancel: () => undefined };
      }) as unknown as FeedSocket['stream'],
      onLink: (listener) => {
        this.#link = listener;
        return () => undefined;
      },
    };
  }

  /** The host ends the stream. */
  end(error: HostError | null): void {
    this.#live = null;
    this.#end(error);
  }

  link(state: Link): void {
    this.#link(state);
  }

  /** The bot prints. */
  print(count: number, change: Partial<LogEntry> = {}): void {
    const first = (this.lines.at(-1)?.seq ?? 0) + 1;
    const logs = Array.from({ length: count }, (_, i) => entryOf(first + i, change));
    this.lines.push(...logs);
    const batch = { logs, metrics: [], seq: first + count - 1 };
    if (this.isHeld) this.#held.push(batch);
    else this.#live?.(batch);
  }

  /** The stream sends its delayed lines. */
  release(): void {
    this.isHeld = false;
    for (const batch of this.#held.splice(0)) this.#live?.(batch);
  }

  /** Lines that come while the page is away. */
  printUnseen(count: number): void {
    const live = this.#live;
    this.#live = null;
    this.print(count);
    this.#live = live;
  }

  #page(query: Input<'logs.get'>): Output<'logs.get'> {
    this.calls.push(query);
    if (this.failWith !== null) throw this.failWith;
    const [from, to] = query.date_range?.split('/') ?? [null, null];
    const filter: LogFilter = {
      ...NO_FILTER,
      level: query.level ?? null,
      source: query.source ?? null,
      run: query.run_id ?? null,
      text: query.search ?? null,
      from: from ?? null,
      to: to ?? null,
    };
    const limit = query.limit ?? 100;
    const isForward = query.after !== undefined;
    const inRange = this.lines.filter((one) => one.seq > (query.after ?? 0) && one.seq < (query.before ?? Infinity));
    const looked = isForward ? inRange.slice(0, this.step) : inRange.slice(-this.step).reverse();
    const found = looked.filter((one) => keeps(filter, one));
    const entries = found.slice(0, limit);
    const stopped = looked.length < inRange.length && found.length <= limit;
    const more = found.length > limit;
    const last = looked.at(-1)?.seq ?? 0;
    if (!isForward) {
      const oldest = more ? (entries.at(-1)?.seq ?? null) : stopped ? last : null;
      return pageOf(entries.reverse(), { truncated: more || stopped, older_before: oldest, incomplete: stopped });
    }
    const first = entries[0];
    const older = first === undefined ? (stopped ? last + 1 : null) : first.seq > 1 ? first.seq : null;
    return pageOf(entries, { truncated: more || stopped, older_before: older, incomplete: stopped });
  }
}
