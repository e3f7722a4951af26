import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SmallLines } from '../../../../../src/renderer/data/metrics/sparklines.ts';
import type { HostSocket } from '../../../../../src/renderer/data/socket.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const always = () => true;

beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => vi.useRealTimers());

/** A host whose bots measure one thing; each answer takes a moment. */
function host() {
  const told = { field: 'price', asked: [] as string[], atOnce: 0, most: 0 };
  const read = async (name: string, { bot_id }: { bot_id: string }) => {
    told.asked.push(`${name} ${bot_id}`);
    told.atOnce += 1;
    told.most = Math.max(told.most, told.atOnce);
    await new Promise((done) => setTimeout(done, 10));
    told.atOnce -= 1;
    if (name === 'metrics.series') return { t: [1, 2], last: [3, 4] };
    const last_at = new Date(Date.now()).toISOString();
    return { types: [], series: [{ type: told.field, field: 'value', symbol: null, count: 9, last: 1, last_at }] };
  };
  return { told, client: { read } as unknown as Pick<HostSocket, 'read'> };
}

it('asks for two rows at once, and not for those that have left by their turn', async () => {
  const { told, client } = host();
  const lines = new SmallLines();
  const ids = Array.from({ length: 8 }, (_, i) => `bot_${i}`);
  const all = Promise.all(ids.map((id, i) => lines.refresh(client, id, () => i < 5)));
  await vi.advanceTimersByTimeAsync(1000);
  expect((await all).map((small) => small?.series?.values.length ?? 0)).toEqual([2, 2, 2, 2, 2, 0, 0, 0]);
  expect([told.most, told.asked.length]).toEqual([2, 10]);
});

it('goes on with the next row when one cannot be read', async () => {
  const { client } = host();
  const lines = new SmallLines();
  const failing = { read: () => Promise.reject(new Error('no')) } as unknown as Pick<HostSocket, 'read'>;
  const first = Promise.allSettled(['a', 'b', 'c'].map((id) => lines.refresh(failing, id, always)));
  const last = lines.refresh(client, 'd', always);
  await vi.advanceTimersByTimeAsync(1000);
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect((await last)?.series?.values).toEqual([3, 4]);
});

it('draws the series that is wished for where a bot has it, at once when the wish changes', async () => {
  const { told, client } = host();
  const lines = new SmallLines();
  const named = async (wish: string | null) => {
    const small = lines.refresh(client, 'bot_1', always, wish);
    await vi.advanceTimersByTimeAsync(100);
    return (await small)?.series?.name;
  };
  const series = (type: string) => ({ type, field: 'value', symbol: null, count: 1, last: 1, last_at: null });
  const two = {
    read: (name: string) => (name === 'metrics.get' ? { types: [], series: ['price', 'equity'].map(series) } : null),
  };
  client.read = (async (name: string, input: object) =>
    two.read(name) ?? { t: [1, 2], last: [1, 2], ...input }) as typeof client.read;
  expect(await named('equity')).toBe('equity');
  expect(await named(null)).toBe('price');
  expect(await named('no such series')).toBe('price');
  expect(told.asked).toEqual([]);
});

it('chooses the series again after some minutes, and forgets bots that are gone', async () => {
  const { told, client } = host();
  const lines = new SmallLines();
  const read = async () => {
    const small = lines.refresh(client, 'bot_1', always);
    await vi.advanceTimersByTimeAsync(100);
    return (await small)?.series?.name;
  };
  const before = await read();
  told.field = 'equity';
  await vi.advanceTimersByTimeAsync(31_000);
  expect(await read()).toBe(before);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(await read()).toMatch(/equity/);
  expect(lines.small('bot_1')).not.toBeNull();
  lines.keep(new Map([['bot_2', null]]));
  expect(lines.small('bot_1')).toBeNull();
});

it('tells with each reading what a bot did last', async () => {
  const { told, client } = host();
  const lines = new SmallLines();
  const price = { type: 'price', field: 'value', symbol: null, count: 1, last: 1, last_at: null };
  let side: string | null = null;
  client.read = (async (name: string) => {
    told.asked.push(name);
    if (name === 'metrics.series') return { t: [1, 2], last: [3, 4] };
    const latest = {
      seq: 1,
      ts: '2026-01-01T00:00:00.000Z',
      time: null,
      type: 'signal',
      data: { type: side },
      run_id: null,
    };
    return { types: side === null ? [] : [{ type: 'signal', count: 1, latest }], series: [price] };
  }) as typeof client.read;
  const trade = async () => {
    const small = lines.refresh(client, 'bot_1', always);
    await vi.advanceTimersByTimeAsync(31_000);
    return (await small)?.trade?.side ?? null;
  };
  expect(await trade()).toBeNull();
  side = 'BUY';
  expect(await trade()).toBe('BUY');
  side = 'SELL';
  expect(await trade()).toBe('SELL');
});
