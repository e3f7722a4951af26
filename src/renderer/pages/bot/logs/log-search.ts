import { createStore } from 'zustand/vanilla';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import { type HostError, toHostError } from '../../../data/host-error.ts';
import type { FeedSocket } from './log-feed.ts';
import { filterQuery, hasText, type LogFilter } from './log-filter.ts';

/** Result of a search for a text in the log. */
export interface SearchState {
  readonly text: string;
  /** Seqs of the lines that contain the text, oldest first; only the newest ones while the search goes on. */
  readonly hits: readonly number[];
  /** True when no older hit can exist: the search has read every line, and has dropped no hit. */
  readonly complete: boolean;
  readonly looking: boolean;
  /** The selected hit. */
  readonly current: number | null;
  readonly error: HostError | null;
}

const NONE: SearchState = { text: '', hits: [], complete: true, looking: false, current: null, error: null };
const PAGE = 1000;
/** Number of hits after which the search pauses; going on beyond the oldest finds as many more. */
const AT_ONCE = 10_000;
/** Live lines can match forever; the search then drops the oldest hits. */
const MOST = 100_000;

/** Searches the whole log for a text, from its end, a page at a time. */
export class LogSearch {
  readonly store = createStore<SearchState>(() => NONE);
  readonly #socket: FeedSocket;
  readonly #botId: string;
  #filter: LogFilter | null = null;
  #before: number | null = null;
  #round = 0;

  constructor(socket: FeedSocket, botId: string) {
    this.#socket = socket;
    this.#botId = botId;
  }

  /** Searches for another text, or among other lines. */
  async set(text: string, filter: LogFilter): Promise<void> {
    this.#round += 1;
    this.#filter = filter;
    this.#before = null;
    this.store.setState({ ...NONE, text, complete: text === '' });
    if (text !== '') await this.#look(AT_ONCE);
  }

  stop(): void {
    this.#round += 1;
  }

  /** Takes lines that have just arrived. */
  add(entries: readonly LogEntry[]): void {
    const { text, hits, complete } = this.store.getState();
    if (text === '') return;
    const last = hits.at(-1) ?? 0;
    const found = entries.filter((entry) => entry.seq > last && hasText(entry, text)).map((entry) => entry.seq);
    if (found.length === 0) return;
    const all = [...hits, ...found];
    const kept = all.length > MOST ? all.slice(all.length - MOST / 2) : all;
    if (kept.length < all.length) this.#before = kept[0] ?? null;
    this.store.setState({ hits: kept, complete: complete && kept.length === all.length });
  }

  /** The next hit from a line in one direction, wrapping at the ends. Null without one. */
  async step(direction: 'older' | 'newer', from: number): Promise<number | null> {
    const found = this.#among(direction, this.store.getState().current ?? from);
    if (found !== null) return this.#stand(found);
    if (direction === 'older' && !this.store.getState().complete) {
      const before = this.store.getState().current ?? from;
      await this.#look(AT_ONCE);
      const more = this.#among(direction, before);
      if (more !== null) return this.#stand(more);
    }
    const { hits } = this.store.getState();
    const round = direction === 'older' ? hits.at(-1) : hits[0];
    return round === undefined ? null : this.#stand(round);
  }

  #stand(seq: number): number {
    this.store.setState({ current: seq });
    return seq;
  }

  #among(direction: 'older' | 'newer', from: number): number | null {
    const { hits } = this.store.getState();
    if (direction === 'newer') return hits[lowerBound(hits, from + 1)] ?? null;
    return hits[lowerBound(hits, from) - 1] ?? null;
  }

  async #look(most: number): Promise<void> {
    const round = this.#round;
    const { text } = this.store.getState();
    const filter = this.#filter;
    if (filter === null) return;
    this.store.setState({ looking: true, error: null });
    try {
      let found = 0;
      while (found < most) {
        const before = this.#before === null ? {} : { before: this.#before };
        const query = { ...filterQuery(filter), ...before, search: text, limit: PAGE, bot_id: this.#botId };
        const page = await this.#socket.read('logs.get', query);
        if (round !== this.#round) return;
        const seqs = page.entries.map((entry) => entry.seq);
        found += seqs.length;
        this.#before = page.older_before;
        const { hits } = this.store.getState();
        const first = hits[0] ?? Number.POSITIVE_INFINITY;
        const older = seqs.filter((seq) => seq < first);
        this.store.setState({ hits: [...older, ...hits], complete: page.older_before === null });
        if (page.older_before === null) break;
      }
    } catch (thrown) {
      if (round === this.#round) this.store.setState({ error: toHostError(thrown) });
    } finally {
      if (round === this.#round) this.store.setState({ looking: false });
    }
  }
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
