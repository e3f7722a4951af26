import { describe, expect, it } from 'vitest';
import { collectLines } from '../../../../../../src/renderer/pages/bot/logs/log-download.ts';
import { NO_FILTER } from '../../../../../../src/renderer/pages/bot/logs/log-filter.ts';
import { LogSearch } from '../../../../../../src/renderer/pages/bot/logs/log-search.ts';
import { FakeLog } from './fake-log.ts';
import { entryOf } from './make-entry.ts';

describe('search', () => {
  it('finds every line, goes from one to the next and round', async () => {
    const log = new FakeLog(3000);
    log.step = 700;
    const search = new LogSearch(log.socket, 'bot_1');
    await search.set('line 29', NO_FILTER);
    const { hits, complete } = search.store.getState();
    expect([hits.length, hits[0], hits.at(-1), complete]).toEqual([111, 29, 2999, true]);
    expect(await search.step('older', 2950)).toBe(2949);
    expect(await search.step('older', 0)).toBe(2948);
    expect(await search.step('newer', 0)).toBe(2949);
    search.store.setState({ current: 29 });
    expect(await search.step('older', 0)).toBe(2999);
    search.add([entryOf(3001), entryOf(3002, { message: 'LINE 29!' })]);
    expect(await search.step('newer', 0)).toBe(3002);
    await search.set('nowhere', NO_FILTER);
    expect([search.store.getState().hits, await search.step('older', 5)]).toEqual([[], null]);
  });

  it('finds many in parts and goes on when one gets there', async () => {
    const log = new FakeLog(25_000);
    const search = new LogSearch(log.socket, 'bot_1');
    await search.set('line', NO_FILTER);
    const { hits, complete } = search.store.getState();
    expect([hits.length, hits[0], complete]).toEqual([10_000, 15_001, false]);
    search.store.setState({ current: 15_001 });
    expect(await search.step('older', 0)).toBe(15_000);
  });
});

describe('download', () => {
  it('writes every line that the filter keeps', async () => {
    const log = new FakeLog(2500);
    log.print(1, { level: 'error' });
    const stop = new AbortController();
    const seen: number[] = [];
    const input = {
      socket: log.socket,
      botId: 'bot_1',
      filter: NO_FILTER,
      form: 'json',
      signal: stop.signal,
      onProgress: (lines: number) => seen.push(lines),
    } as const;
    const all = await (await collectLines(input))?.text();
    const lines = all
      ?.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq);
    expect([lines?.length, lines?.[0], lines?.at(-1), seen]).toEqual([2501, 1, 2501, [1000, 2000]]);
    const filtered = await collectLines({ ...input, form: 'text', filter: { ...NO_FILTER, level: 'error' } });
    expect(await filtered?.text()).toMatch(/^\S+ error stdout line 2501\n$/);
    stop.abort();
    expect(await collectLines(input)).toBeNull();
  });
});
