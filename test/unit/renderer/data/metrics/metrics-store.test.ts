import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Input, StreamName } from '../../../../../src/contract/operations.ts';
import type { MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { type MetricsClient, MetricsStore } from '../../../../../src/renderer/data/metrics/metrics-store.ts';
import type { StreamHandlers } from '../../../../../src/renderer/data/socket.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = { kind: 'last', span: 3_600_000 } as const;
const PRICE = { type: 'price', field: 'value', symbol: null, count: 2, last: 2, last_at: null };
const KEY = JSON.stringify(['price', 'value', null]);

beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => vi.useRealTimers());

/** A host with one series that records its requests. */
class FakeHost implements MetricsClient {
  readonly asked: { readonly name: string; readonly input: Record<string, unknown> }[] = [];
  series = { t: [NOW - 2000, NOW - 1000], values: [1, 2] };
  live: StreamHandlers<'logs.stream'> | null = null;
  link: ((link: 'open' | 'lost') => void) | null = null;
  types: unknown[] = [];
  cancelled = 0;
  failing: string | null = null;

  // biome-ignore lint/suspicious/noExplicitAny: the answers of many operations
  async read(name: string, input: object): Promise<any> {
    this.asked.push({ name, input: { ...input } });
    if (name === this.failing) throw new Error('no');
    const { t, values } = this.series;
    if (name === 'metrics.get') return { bot_id: 'bot_1', types: this.types, series: [PRICE] };
    if (name === 'metrics.list') return { bot_id: 'bot_1', events: [signal(1)], truncated: false };
    if (name === 'runs.list') return { items: [{ run_id: 'run_1', started_at: new Date(NOW - 5000).toISOString() }] };
    return { t, min: values, max: values, avg: values, last: values, count: values.map(() => 1) };
  }

  stream<N extends StreamName>(_name: N, _input: Input<N>, handlers: StreamHandlers<N>) {
    const { event } = handlers;
    this.live = { event: (batch) => event(JSON.parse(JSON.stringify(batch))) };
    return {
      cancel: () => {
        this.cancelled += 1;
      },
    };
  }

  onLink(listener: (link: 'open' | 'lost') => void) {
    this.link = listener;
    return () => {
      this.link = null;
    };
  }

  emit(...metrics: readonly MetricEvent[]): void {
    this.live?.event({ logs: [], metrics: [...metrics], seq: 9 });
  }

  askedFor(name: string) {
    return this.asked.filter((one) => one.name === name);
  }
}

const price = (seq: number, t: number, value: number, run = 'run_1'): MetricEvent => ({
  seq,
  ts: new Date(t).toISOString(),
  time: null,
  type: 'price',
  data: { value },
  run_id: run,
});
const signal = (seq: number): MetricEvent => ({ ...price(seq, NOW - 1500, 0), type: 'signal', data: { type: 'SELL' } });
const settle = () => vi.advanceTimersByTimeAsync(0);

async function opened() {
  const host = new FakeHost();
  const store = new MetricsStore(host, 'bot_1', HOUR);
  const close = store.open();
  store.want([PRICE]);
  await settle();
  return { host, store, close };
}

it('reads a window once, and goes on with what is emitted, a few times a second', async () => {
  const { host, store } = await opened();
  expect(store.read()).toMatchObject({ loading: false, error: null, signals: [{ side: 'SELL' }] });
  expect(store.read().runs).toMatchObject([{ run_id: 'run_1', t: NOW - 5000 }]);
  let changes = 0;
  store.follow(() => {
    changes += 1;
  });
  for (let i = 1; i <= 100; i++) host.emit(price(10 + i, NOW + i, i));
  expect(changes).toBe(0);
  await vi.advanceTimersByTimeAsync(300);
  expect(changes).toBe(1);
  expect(store.read().points.get(KEY)?.t.length).toBe(102);
  expect(store.read().overview?.series).toMatchObject([{ last: 100, count: 102 }]);
  expect(host.askedFor('metrics.series')).toHaveLength(1);
});

it('does not count twice what the answer of the host knew already', async () => {
  const host = new FakeHost();
  const store = new MetricsStore(host, 'bot_1', HOUR);
  store.open();
  store.want([PRICE]);
  host.emit(price(2, NOW - 1000, 2), price(1, NOW - 2000, 1));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(store.read().points.get(KEY)?.t).toEqual(host.series.t);
  expect(host.askedFor('metrics.series')).toHaveLength(1);
});

it('reads again, once for many, what cannot be added at the end', async () => {
  const { host } = await opened();
  for (let i = 0; i < 20; i++) host.emit(price(20 + i, NOW - 1900 + i, 5));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(host.askedFor('metrics.series')).toHaveLength(2);
});

it('asks for finer points of a stretch, and keeps what was there at its edges', async () => {
  const { host, store } = await opened();
  host.series = { t: [NOW - 1800, NOW - 1500], values: [7, 8] };
  store.look({ kind: 'fixed', from: NOW - 1900, to: NOW - 1100 });
  expect(store.read()).toMatchObject({ loading: true });
  expect(store.read().points.get(KEY)?.t).toEqual([NOW - 2000, NOW - 1000]);
  await settle();
  expect(host.askedFor('metrics.series').at(-1)?.input).toMatchObject({
    from: new Date(NOW - 1900).toISOString(),
    to: new Date(NOW - 1100).toISOString(),
  });
  expect(store.read().points.get(KEY)?.t).toEqual([NOW - 2000, NOW - 1800, NOW - 1500, NOW - 1000]);
  host.emit(price(30, NOW + 5, 9));
  await vi.advanceTimersByTimeAsync(300);
  expect(store.read().points.get(KEY)?.t).toHaveLength(4);
  expect(store.read().overview?.series).toMatchObject([{ last: 9 }]);
});

it('takes the answer of the window that is looked at now, whatever comes late', async () => {
  const { host, store } = await opened();
  store.look({ kind: 'fixed', from: NOW - 50, to: NOW - 40 });
  host.series = { t: [NOW - 9], values: [1] };
  store.look({ kind: 'last', span: null });
  await settle();
  expect(store.read().points.get(KEY)?.t).toEqual([NOW - 9]);
  expect(host.askedFor('metrics.series').at(-1)?.input).not.toHaveProperty('from');
});

it('takes what it was told of the bot when another window is looked at before the answers', async () => {
  const host = new FakeHost();
  const store = new MetricsStore(host, 'bot_1', HOUR);
  store.open();
  store.look({ kind: 'last', span: null });
  await settle();
  expect(store.read().overview?.series).toEqual([PRICE]);
  expect(store.read().signals).toHaveLength(1);
});

it('tries again what failed, and says no longer that it did', async () => {
  const host = new FakeHost();
  host.failing = 'metrics.list';
  const store = new MetricsStore(host, 'bot_1', HOUR);
  store.open();
  await settle();
  host.failing = null;
  expect(store.read()).toMatchObject({ error: { message: 'no' }, signals: [] });
  await vi.advanceTimersByTimeAsync(5000);
  expect(store.read()).toMatchObject({ error: null, signals: [{ side: 'SELL' }] });
  expect(host.askedFor('metrics.get')).toHaveLength(1);
});

it('keeps a bounded number of what comes while the overview cannot be read, and shows it then', async () => {
  const host = new FakeHost();
  host.failing = 'metrics.get';
  const store = new MetricsStore(host, 'bot_1', HOUR);
  store.open();
  for (let i = 1; i <= 6000; i++) host.emit(price(i, NOW + i, i));
  host.emit({ ...signal(6001), ts: new Date(NOW).toISOString() });
  await vi.advanceTimersByTimeAsync(300);
  expect(store.read()).toMatchObject({ overview: null, signals: [{ id: 1 }, { id: 6001 }] });
  host.failing = null;
  await vi.advanceTimersByTimeAsync(5000);
  expect(store.read().error).toBeNull();
  expect(store.read().overview?.series).toMatchObject([{ last: 6000, count: PRICE.count + 4999 }]);
});

it('does not count again what came while the connection was lost', async () => {
  const { host, store } = await opened();
  host.link?.('lost');
  host.types = [{ type: 'price', count: 2, latest: price(20, NOW, 2) }];
  host.link?.('open');
  await settle();
  host.emit(price(19, NOW - 1, 1), price(20, NOW, 2), price(21, NOW + 1, 3));
  await vi.advanceTimersByTimeAsync(300);
  expect(store.read().overview).toMatchObject({ types: [{ count: 3 }], series: [{ last: 3, count: 3 }] });
});

it('asks for the runs again when a new one emits, and for everything after a lost connection', async () => {
  const { host, store, close } = await opened();
  host.emit(price(40, NOW + 1, 3, 'run_2'));
  await vi.advanceTimersByTimeAsync(300);
  expect(host.askedFor('runs.list')).toHaveLength(2);
  host.link?.('open');
  expect(host.askedFor('metrics.get')).toHaveLength(1);
  host.link?.('lost');
  host.link?.('open');
  await settle();
  expect(host.askedFor('metrics.get')).toHaveLength(2);
  expect(store.read().signals).toHaveLength(1);
  close();
  expect(host.cancelled).toBe(1);
  expect(host.link).toBeNull();
});

it.each([
  ['a page of usual width', 1280, 1, 1280],
  ['a narrow page', 390, 2, 1000],
  ['a wide screen', 2560, 1, 2560],
  ['a wide screen of high resolution', 3840, 2, 5000],
])('asks for a point a pixel on %s', async (_, innerWidth, devicePixelRatio, points) => {
  vi.stubGlobal('innerWidth', innerWidth);
  vi.stubGlobal('devicePixelRatio', devicePixelRatio);
  try {
    const host = new FakeHost();
    const store = new MetricsStore(host, 'bot_1', HOUR);
    store.want([PRICE]);
    await vi.advanceTimersByTimeAsync(0);
    expect(host.askedFor('metrics.series').map(({ input }) => input.points)).toEqual([points]);
  } finally {
    vi.unstubAllGlobals();
  }
});
