import { createStore } from 'zustand/vanilla';
import type { LiveBatch, LogEntry, LogPage, LogQuery } from '../../../../contract/telemetry.ts';
import { type HostError, toHostError } from '../../../data/host-error.ts';
import type { HostSocket, Subscription } from '../../../data/socket.ts';
import { LiveTail } from './live-tail.ts';
import { filterQuery, keeps, type LogFilter, NO_FILTER } from './log-filter.ts';
import { emptyWindow, type LogWindow, reachOf, withNewer, withOlder } from './log-window.ts';

/** State of a log as the list shows it. */
export interface FeedState {
  readonly window: LogWindow;
  /** True if the window reaches the newest line that the filter keeps. */
  readonly atEnd: boolean;
  readonly following: boolean;
  /** New lines since following stopped. */
  readonly fresh: number;
  /** First and last seq of the log, of its time range if there is one; null until known. */
  readonly bounds: { readonly first: number; readonly last: number } | null;
  /** Lines being read. `window`: those to show; `older`, `newer`: more of them. */
  readonly reading: 'window' | 'older' | 'newer' | null;
  /** Seq that a search through much of the log has reached; null without such a search. */
  readonly soughtTo: number | null;
  readonly error: HostError | null;
  /** Place to which the list is to scroll; a new object each time. */
  readonly target: { readonly seq: number } | 'end' | null;
  /** Grows whenever the window is replaced rather than extended. */
  readonly round: number;
}

/** Methods of the connection that a log uses. */
export type FeedSocket = Pick<HostSocket, 'read' | 'stream' | 'onLink'>;

const PAGE = 250;
/** Number of missed lines, after a lost connection, above which the feed reads only the newest lines. */
const TOO_FAR = 20_000;
/** Interval of showing new lines; people read no faster. */
const SHOW_MS = 50;
const SHOW_FLOOD_MS = 120;
const FLOOD_LINES = 200;

const START: FeedState = {
  window: emptyWindow(0),
  atEnd: false,
  following: true,
  fresh: 0,
  bounds: null,
  reading: 'window',
  soughtTo: null,
  error: null,
  target: null,
  round: 0,
};

/**
 * The visible part of one bot's log: a window of lines around the view, and the newest ones, which arrive live. Neither
 * grows with the log, nor with time.
 */
export class LogFeed {
  readonly store = createStore<FeedState>(() => START);
  /** Called with every line that arrives and that the filter keeps. */
  onLive: (entries: readonly LogEntry[]) => void = () => undefined;
  readonly #socket: FeedSocket;
  readonly #botId: string;
  #filter: LogFilter = NO_FILTER;
  readonly #tail = new LiveTail();
  #round = 0;
  /** Reading that replaces the window; kept until it has succeeded, and tried again after an error. */
  #asked: ((round: number) => Promise<void>) | null = null;
  #live: Subscription | null = null;
  #stopLink: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unshown = 0;
  #stopped = false;

  constructor(socket: FeedSocket, botId: string) {
    this.#socket = socket;
    this.#botId = botId;
  }

  /** Begins to follow; at a line, or at the end. */
  async start(filter: LogFilter, line: number | null): Promise<void> {
    this.#stopped = false;
    this.#filter = filter;
    let wasLost = false;
    this.#stopLink = this.#socket.onLink((link) => {
      if (link === 'open' && wasLost) void this.#reconnected();
      wasLost = link !== 'open';
    });
    await this.#attempt((round) => this.#show(round, line ?? 'end'));
  }

  stop(): void {
    this.#stopped = true;
    this.#round += 1;
    this.#live?.cancel();
    this.#live = null;
    this.#stopLink();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Shows other lines: around the line in view, or the newest when the list followed them. */
  setFilter(filter: LogFilter, around: number | null): void {
    if (JSON.stringify(filter) === JSON.stringify(this.#filter)) return;
    this.#filter = filter;
    this.#tail.clear();
    this.#unshown = 0;
    void this.#attempt((round) => this.#show(round, around ?? 'end'));
  }

  /** Goes to a line, or to the place where it would be. */
  jumpTo(seq: number): void {
    const { window } = this.store.getState();
    if (seq > window.from && seq <= window.upTo && window.entries.length > 0) {
      this.#set({ following: false, target: { seq } });
    } else void this.#attempt((round) => this.#show(round, seq));
  }

  jumpToStart(): void {
    this.jumpTo(this.store.getState().bounds?.first ?? 0);
  }

  /** Goes to the first line at or after an instant. */
  async jumpToTime(at: string): Promise<void> {
    await this.#attempt(async (round) => {
      const page = await this.#read({ limit: 1, after: 0, date_range: `${at}/9999-12-31` }, false);
      if (round === this.#round) await this.#show(round, page.entries[0]?.seq ?? 'end');
    });
  }

  /** Goes to the newest line, and stays there. */
  jumpToEnd(): void {
    const extended = this.#tail.extend(this.store.getState().window);
    const isKnown = this.#live !== null && this.#asked === null;
    if (isKnown && (extended !== null || this.#tail.window.entries.length >= PAGE)) {
      this.#unshown = 0;
      const window = extended ?? this.#tail.window;
      this.#set({ window, atEnd: true, following: true, fresh: 0, target: 'end', error: null });
    } else void this.#attempt((round) => this.#show(round, 'end'));
  }

  setFollowing(following: boolean): void {
    const state = this.store.getState();
    if (state.following === following) return;
    if (following && !state.atEnd) return;
    this.#set(following ? { following, fresh: 0 } : { following });
    if (following) this.#flush();
  }

  /** Reads more at one end of the window; does nothing while such a reading goes on. */
  more(side: 'older' | 'newer'): void {
    const state = this.store.getState();
    if (state.reading !== null || state.error !== null) return;
    if (side === 'older' ? state.window.atStart : state.atEnd) return;
    const extended = side === 'newer' ? this.#tail.extend(state.window) : null;
    if (extended !== null) {
      this.#set({ window: extended, atEnd: true });
      return;
    }
    const round = this.#round;
    this.#set({ reading: side });
    void this.#guard(round, side === 'older' ? this.#older(round) : this.#newer(round));
  }

  /** After an error: tries the same again. */
  retry(): void {
    const { following, window } = this.store.getState();
    const asked = this.#asked;
    if (asked !== null) void this.#attempt(asked);
    else if (this.#live === null || window.entries.length === 0) {
      // Without following, the viewed lines stay.
      const stays = !following && window.entries.length > 0;
      void this.#attempt(async (round) => (stays ? this.#keep() : this.#show(round, 'end')));
    } else this.#set({ error: null });
  }

  #keep(): void {
    this.#asked = null;
    const { window } = this.store.getState();
    this.#set({ reading: null, atEnd: this.#tail.reaches(window) });
  }

  async #older(round: number): Promise<void> {
    for (;;) {
      const { window } = this.store.getState();
      const page = await this.#read({ before: window.from + 1, limit: PAGE });
      if (round !== this.#round) return;
      const next = withOlder(this.store.getState().window, page);
      const isOver = page.entries.length > 0 || next.atStart;
      this.#set({
        window: next,
        atEnd: this.#tail.reaches(next),
        soughtTo: isOver ? null : next.from,
        ...(isOver ? { reading: null } : {}),
      });
      if (isOver) return;
    }
  }

  async #newer(round: number): Promise<void> {
    for (;;) {
      const { window } = this.store.getState();
      const newest = this.#tail.newest;
      const page = await this.#read({ after: window.upTo, limit: PAGE });
      if (round !== this.#round) return;
      const next = this.#tail.join(withNewer(this.store.getState().window, page, newest));
      const isOver = page.entries.length > 0 || !page.truncated;
      this.#set({
        window: next,
        atEnd: this.#tail.reaches(next),
        soughtTo: isOver ? null : next.upTo,
        ...(isOver ? { reading: null } : {}),
      });
      if (isOver) return;
    }
  }

  /** Reads another window. */
  async #show(round: number, where: number | 'end'): Promise<void> {
    this.#set({ soughtTo: null });
    const bounds = this.#readBounds(round);
    // Both may fail; the failure of the window is reported first.
    bounds.catch(() => undefined);
    if (where === 'end') await this.#showEnd(round);
    else await this.#showAround(round, where);
    await bounds;
  }

  async #showEnd(round: number): Promise<void> {
    let before: number | undefined;
    const newest = this.#tail.newest;
    for (;;) {
      const page = await this.#read({ limit: PAGE, ...(before === undefined ? {} : { before }) });
      if (round !== this.#round) return;
      const start = page.older_before;
      if (page.entries.length === 0 && start !== null) {
        before = start;
        this.#set({ soughtTo: start });
        continue;
      }
      const upTo = Math.max(newest, page.entries.at(-1)?.seq ?? 0);
      const from = start === null ? (page.entries[0]?.seq ?? 1) - 1 : start - 1;
      const read: LogWindow = { entries: page.entries, from, upTo, atStart: start === null };
      const window = this.#tail.joinAtEnd(read);
      this.#unshown = 0;
      this.#replace({ window, atEnd: true, following: true, fresh: 0, target: 'end' });
      return;
    }
  }

  async #showAround(round: number, seq: number): Promise<void> {
    const newest = this.#tail.newest;
    const [before, after] = await Promise.all([
      this.#read({ before: seq, limit: PAGE }),
      this.#read({ after: seq - 1, limit: PAGE }),
    ]);
    if (round !== this.#round) return;
    const from = before.older_before === null ? (before.entries[0]?.seq ?? 1) - 1 : before.older_before - 1;
    const read: LogWindow = {
      entries: [...before.entries, ...after.entries],
      from,
      upTo: reachOf(after, seq - 1, newest),
      atStart: before.older_before === null,
    };
    const window = this.#tail.join(read);
    // Lines that came meanwhile are in sight then.
    if (this.#tail.reaches(window)) this.#unshown = 0;
    this.#replace({ window, atEnd: this.#tail.reaches(window), following: false, target: { seq } });
  }

  async #readBounds(round: number): Promise<void> {
    const { from, to } = this.#filter;
    const range = filterQuery({ ...NO_FILTER, from, to });
    const [first, last] = await Promise.all([
      this.#read({ after: 0, limit: 1, ...range }, false),
      this.#read({ limit: 1, ...range }, false),
    ]);
    if (round !== this.#round) return;
    const [oldest] = first.entries;
    const [newest] = last.entries;
    this.#set({ bounds: oldest && newest ? { first: oldest.seq, last: newest.seq } : null });
  }

  #read(query: Omit<LogQuery, 'bot_id'>, filtered = true): Promise<LogPage> {
    const filter = filtered ? filterQuery(this.#filter) : {};
    return this.#socket.read('logs.get', { ...filter, ...query, bot_id: this.#botId });
  }

  #attempt(work: (round: number) => Promise<void>): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#asked = work;
    this.#set({ reading: 'window', error: null, soughtTo: null });
    return this.#guard(round, this.#begun(round, work));
  }

  /** The live stream starts first: without it the end of the log is unknown. */
  async #begun(round: number, work: (round: number) => Promise<void>): Promise<void> {
    if (this.#live === null) {
      const { entries } = await this.#read({ limit: 1 }, false);
      if (round !== this.#round) return;
      this.#follow(entries[0]?.seq ?? 0);
    }
    await work(round);
  }

  async #guard(round: number, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (thrown) {
      if (round === this.#round) this.#set({ error: toHostError(thrown), reading: null, soughtTo: null });
    }
  }

  #follow(after: number): void {
    this.#live?.cancel();
    this.#tail.restart(after);
    this.#live = this.#socket.stream(
      'logs.stream',
      { bot_id: this.#botId, after },
      { event: (batch) => this.#arrived(batch), end: (error) => this.#ended(error) },
    );
  }

  /** The stream has ended. The page says so rather than look live; a retry starts over. */
  #ended(error: HostError | null): void {
    this.#live = null;
    this.#round += 1;
    this.#flush();
    this.#set({
      error: error ?? toHostError(new Error('The host has stopped sending new lines')),
      reading: null,
      soughtTo: null,
    });
  }

  #arrived(batch: LiveBatch): void {
    if ('gap' in batch) return;
    const came = batch.logs.filter((entry) => keeps(this.#filter, entry));
    this.#unshown += this.#tail.add(came, batch.seq);
    if (came.length > 0) this.onLive(came);
    this.#timer ??= setTimeout(() => this.#flush(), this.#unshown > FLOOD_LINES ? SHOW_FLOOD_MS : SHOW_MS);
  }

  /** Shows the lines that have arrived since the last time. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const state = this.store.getState();
    if (this.#stopped || this.#asked !== null) return;
    const came = this.#unshown;
    this.#unshown = 0;
    const bounds = state.bounds === null ? null : this.#grown(state.bounds);
    if (state.following) {
      const window = this.#tail.extend(state.window) ?? this.#tail.window;
      this.#set({ window, bounds, atEnd: true });
    } else {
      // A window that ends where nothing the filter keeps has come since still reaches the end.
      const window = state.atEnd && came === 0 ? { ...state.window, upTo: this.#tail.newest } : state.window;
      this.#set({ window, bounds, atEnd: this.#tail.reaches(window), fresh: state.fresh + came });
    }
  }

  #grown(bounds: NonNullable<FeedState['bounds']>): FeedState['bounds'] {
    return this.#filter.to === null ? { ...bounds, last: Math.max(bounds.last, this.#tail.newest) } : bounds;
  }

  /** The connection is back. A few missed lines arrive by themselves; after many the newest are read again. */
  async #reconnected(): Promise<void> {
    const state = this.store.getState();
    if (state.error !== null) this.retry();
    if (this.#live === null) return;
    await this.#guard(
      this.#round,
      this.#read({ limit: 1 }, false).then(({ entries }) => {
        const newest = entries[0]?.seq ?? 0;
        if (this.#stopped || newest - this.#tail.newest <= TOO_FAR) return;
        this.#follow(newest);
        if (this.store.getState().following) void this.#attempt((round) => this.#show(round, 'end'));
        else this.#set({ atEnd: false });
      }),
    );
  }

  #replace(change: Partial<FeedState>): void {
    this.#asked = null;
    const round = this.store.getState().round + 1;
    this.#set({ ...change, reading: null, soughtTo: null, error: null, round });
    this.#flush();
  }

  #set(change: Partial<FeedState>): void {
    if (!this.#stopped) this.store.setState(change);
  }
}
