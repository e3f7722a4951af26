import type { Run } from '../../../contract/bot.ts';
import type { MetricEvent, MetricOverview, SeriesData } from '../../../contract/telemetry.ts';
import {
  append,
  downsample,
  dropBefore,
  firstAt,
  framed,
  NO_POINTS,
  type Points,
  type Sample,
} from '../../../shared/series-points.ts';
import { hostNow } from '../../host-clock.ts';
import { type HostError, toHostError } from '../host-error.ts';
import type { HostSocket } from '../socket.ts';
import { numbersOf, type SeriesName, seriesKey, timeOf, withEvents } from './series.ts';
import { mergeSignals, SIGNAL, type Signal, toSignal } from './signals.ts';
import { boundsOf, type TimeWindow } from './time-window.ts';

/** Methods of the connection that the store uses. */
export type MetricsClient = Pick<HostSocket, 'read' | 'stream' | 'onLink'>;

/** The part of a run that charts mark. */
export type RunStart = Pick<Run, 'run_id' | 'version' | 'trigger'> & { readonly t: number };

export interface MetricsState {
  /** Null until the first answer. */
  readonly overview: MetricOverview | null;
  readonly error: HostError | null;
  readonly window: TimeWindow;
  /** Points in the window, by seriesKey; only for requested series. */
  readonly points: ReadonlyMap<string, Points>;
  /** Grain of these points when they were read. */
  readonly grains: ReadonlyMap<string, SeriesData['grain']>;
  /** True while points of the window are on their way; the store shows those of the last window until then. */
  readonly loading: boolean;
  readonly signals: readonly Signal[];
  /** True if there were more signals than the store keeps. */
  readonly signalsCut: boolean;
  readonly runs: readonly RunStart[];
}

interface Received {
  readonly event: MetricEvent;
  readonly n: number;
}

const FLUSH_MS = 250;
/** Points requested for one line, also on a narrow page. */
const LEAST_POINTS = 1000;
/** The host gives no more for one line. */
const FINEST = 5000;
/** Live points of a usual page are halved here when they have become this many. */
const MOST_POINTS = 3000;
const MOST_SIGNALS = 3000;
const SIGNAL_PAGE = 1000;
const RUNS = 200;
/** Shortest time between readings for samples that do not fit behind the known points: a bot may measure at times of its own. */
const REREAD_MS = 5000;
const RETRY_MS = 5000;
const MOST_EARLY = 5000;

/** The metrics of one bot over a window of time: read once, then kept in line with its stream. */
export class MetricsStore {
  readonly #socket: MetricsClient;
  readonly #botId: string;
  readonly #listeners = new Set<() => void>();
  readonly #ends: (() => void)[] = [];
  #state: MetricsState;
  #wanted: ReadonlyMap<string, SeriesName> = new Map();
  #waiting: Received[] = [];
  /** Events that arrived before the overview to which they belong. */
  #early: MetricEvent[] = [];
  #received = 0;
  /** Number of events that had arrived when the host answered with the points of a series: the answer includes those. */
  readonly #answered = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reread: ReturnType<typeof setTimeout> | undefined;
  /** Grows with each new reading of everything; `#look` grows with each new window as well. */
  #round = 0;
  #look = 0;
  #runId: string | null = null;

  constructor(socket: MetricsClient, botId: string, window: TimeWindow) {
    this.#socket = socket;
    this.#botId = botId;
    this.#state = {
      overview: null,
      error: null,
      window,
      points: new Map(),
      grains: new Map(),
      loading: false,
      signals: [],
      signalsCut: false,
      runs: [],
    };
  }

  readonly read = (): MetricsState => this.#state;

  readonly follow = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Begins to read; the returned function stops it. */
  open(): () => void {
    // The stream first: events between it and the answers then arrive twice, and none is missed.
    const stream = this.#socket.stream(
      'logs.stream',
      { bot_id: this.#botId },
      { event: (batch) => 'metrics' in batch && this.#receive(batch.metrics) },
    );
    let lost = false;
    const unlink = this.#socket.onLink((link) => {
      if (link === 'open' && lost) this.reload();
      lost = link !== 'open';
    });
    this.#ends.push(() => stream.cancel(), unlink);
    this.reload();
    return () => this.#close();
  }

  #close(): void {
    this.#round += 1;
    this.#look += 1;
    clearTimeout(this.#timer);
    clearTimeout(this.#reread);
    this.#timer = undefined;
    this.#reread = undefined;
    for (const end of this.#ends.splice(0)) end();
  }

  /** Reads everything again. */
  reload(): void {
    this.#round += 1;
    this.#look += 1;
    const input = { bot_id: this.#botId };
    this.#ask(
      () => this.#socket.read('metrics.get', input),
      (overview) => {
        const early = this.#early.splice(0);
        this.#set({ overview: withEvents(overview, early), error: null });
      },
    );
    this.#ask(
      () => this.#socket.read('metrics.list', { ...input, type: SIGNAL, limit: SIGNAL_PAGE }),
      (page) => this.#gotSignals(page.events, page.truncated),
    );
    this.#readRuns();
    this.#fetch([...this.#wanted.values()]);
  }

  /**
   * Makes a request that is independent of the window. A failure is retried until it succeeds or everything is read
   * again.
   */
  #ask<T>(call: () => Promise<T>, then: (answer: T) => void, failedWith: HostError | null = null): void {
    const round = this.#round;
    call().then(
      (answer) => {
        if (round !== this.#round) return;
        if (failedWith !== null && this.#state.error === failedWith) this.#set({ error: null });
        then(answer);
      },
      (thrown) => {
        if (round !== this.#round) return;
        const error = toHostError(thrown);
        this.#set({ error });
        setTimeout(() => round === this.#round && this.#ask(call, then, error), RETRY_MS);
      },
    );
  }

  /** Moves to another window. The old data stays until the host has answered. */
  look(window: TimeWindow): void {
    this.#look += 1;
    this.#set({ window });
    this.#fetch([...this.#wanted.values()]);
  }

  /** Sets the series whose points are shown; the store reads no others. */
  want(series: readonly SeriesName[]): void {
    const before = this.#wanted;
    this.#wanted = new Map(series.map((one) => [seriesKey(one), one]));
    this.#fetch([...this.#wanted].filter(([key]) => !before.has(key)).map(([, one]) => one));
  }

  #fetch(series: readonly SeriesName[]): void {
    if (series.length === 0) return;
    const look = this.#look;
    const { window } = this.#state;
    this.#set({ loading: true });
    const reading = series.map(async (one) => {
      const points = await this.#points(one, window);
      if (look !== this.#look) return;
      const key = seriesKey(one);
      this.#answered.set(key, this.#received);
      const before = this.#state.points.get(key) ?? NO_POINTS;
      const shown = window.kind === 'fixed' ? framed(points, before) : points;
      const grains = new Map(this.#state.grains).set(key, points.grain);
      this.#set({ points: new Map(this.#state.points).set(key, shown), grains });
    });
    Promise.all(reading).then(
      () => look === this.#look && this.#set({ loading: false, error: null }),
      (thrown) => look === this.#look && this.#set({ loading: false, error: toHostError(thrown) }),
    );
  }

  /** The points of a series in a window, as fine as asked for. */
  #points({ type, field, symbol }: SeriesName, window: TimeWindow, points = onScreen()): Promise<SeriesData> {
    const { from, to } = boundsOf(window, hostNow());
    return this.#socket.read('metrics.series', {
      bot_id: this.#botId,
      type,
      field,
      points,
      ...(symbol === null ? {} : { symbol }),
      ...(from === null ? {} : { from: new Date(Math.max(0, from)).toISOString() }),
      ...(to === null ? {} : { to: new Date(to).toISOString() }),
    });
  }

  /** Reads the points of the window as fine as the host gives them, for a file. */
  finest(one: SeriesName): Promise<Points> {
    return this.#points(one, this.#state.window, FINEST);
  }

  #gotSignals(events: readonly MetricEvent[], truncated: boolean): void {
    const signals = events.flatMap((event) => toSignal(event) ?? []);
    this.#set({
      signals: mergeSignals(this.#state.signals, signals, MOST_SIGNALS),
      signalsCut: this.#state.signalsCut || truncated,
    });
  }

  #readRuns(): void {
    this.#ask(
      () => this.#socket.read('runs.list', { bot_id: this.#botId, limit: RUNS }),
      ({ items }) => {
        this.#runId = items[0]?.run_id ?? null;
        const runs = items.flatMap(({ run_id, version, trigger, started_at }) =>
          started_at === null ? [] : [{ run_id, version, trigger, t: Date.parse(started_at) }],
        );
        this.#set({ runs: runs.reverse() });
      },
    );
  }

  #receive(metrics: readonly MetricEvent[]): void {
    if (metrics.length === 0) return;
    for (const event of metrics) {
      this.#received += 1;
      this.#waiting.push({ event, n: this.#received });
    }
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Publishes the waiting samples: they come by the thousand, and the page changes a few times a second. */
  #flush(): void {
    this.#timer = undefined;
    const { overview, signals, window } = this.#state;
    const waiting = this.#waiting;
    const events = waiting.map(({ event }) => event);
    this.#waiting = [];
    const fresh = mergeSignals(
      signals,
      events.flatMap((event) => toSignal(event) ?? []),
      MOST_SIGNALS,
    );
    if (overview === null) {
      // The answer may be long in coming, and includes the older ones.
      this.#early = [...this.#early, ...events].slice(-MOST_EARLY);
    }
    const change = { overview: overview === null ? null : withEvents(overview, events), signals: fresh };
    this.#set(window.kind === 'fixed' ? change : { ...change, points: this.#grown(waiting, window.span) });
    const runId = events.at(-1)?.run_id ?? this.#runId;
    if (overview !== null && runId !== this.#runId) {
      this.#runId = runId;
      this.#readRuns();
    }
  }

  #grown(waiting: readonly Received[], span: number | null): ReadonlyMap<string, Points> {
    const samples = new Map<string, Sample[]>();
    for (const { event, n } of waiting) {
      const t = timeOf(event);
      for (const { name, value } of numbersOf(event)) {
        const key = seriesKey(name);
        if (!this.#wanted.has(key)) continue;
        const isNew = n > (this.#answered.get(key) ?? 0);
        if (isNew && isOutOfLine(this.#state.points.get(key) ?? NO_POINTS, t)) this.#readAgainSoon();
        const known = samples.get(key);
        if (known === undefined) samples.set(key, [{ t, value }]);
        else known.push({ t, value });
      }
    }
    const points = new Map(this.#state.points);
    // Half of them still are one a pixel.
    const most = Math.max(MOST_POINTS, 2 * onScreen());
    for (const [key, more] of samples) {
      const before = points.get(key) ?? NO_POINTS;
      const grown = downsample(append(before, more), most);
      points.set(key, span === null ? grown : dropBefore(grown, hostNow() - span));
    }
    return points;
  }

  #readAgainSoon(): void {
    this.#reread ??= setTimeout(() => {
      this.#reread = undefined;
      this.#fetch([...this.#wanted.values()]);
    }, REREAD_MS);
  }

  #set(change: Partial<MetricsState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Points of a line that are one a pixel of a chart as wide as the page, whatever the resolution of the screen is. */
function onScreen(): number {
  const { innerWidth = 0, devicePixelRatio = 1 } = globalThis;
  return Math.min(FINEST, Math.max(LEAST_POINTS, Math.ceil(innerWidth * devicePixelRatio)));
}

/** A sample from before the newest point that is not that point: it cannot be added at the end. */
function isOutOfLine({ t }: Points, sample: number): boolean {
  return sample < (t.at(-1) ?? Number.NEGATIVE_INFINITY) && t[firstAt(t, sample)] !== sample;
}
