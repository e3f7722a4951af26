import { describe, expect, it } from 'vitest';
import {
  filterQuery,
  keeps,
  NO_FILTER,
  readAddress,
  writeAddress,
} from '../../../../../../src/renderer/pages/bot/logs/log-filter.ts';
import { entryOf } from './make-entry.ts';

describe('filters', () => {
  it('are the same in an address, a question to the host and a live line', () => {
    const address = '?level=warn&source=stderr&from=2026-09-30T12%3A00%3A00.000Z&run=run_1&q=a+%26+b&only=1&line=7';
    const read = readAddress(address);
    expect(writeAddress(read)).toBe(address);
    const filter = {
      level: read.level,
      source: read.source,
      from: read.from,
      to: read.to,
      run: read.run,
      text: 'a & b',
    };
    expect(filterQuery(filter)).toEqual({
      level: 'warn',
      source: 'stderr',
      run_id: 'run_1',
      search: 'a & b',
      date_range: '2026-09-30T12:00:00.000Z/9999-12-31',
    });
    const kept = { level: 'error', source: 'stderr', message: 'x A & B' } as const;
    expect(keeps(filter, entryOf(1, kept))).toBe(true);
    for (const change of [{ level: 'info' }, { source: 'stdout' }, { run_id: null }, { message: 'x' }] as const) {
      expect(keeps(filter, entryOf(1, { ...kept, ...change }))).toBe(false);
    }
    expect(keeps({ ...NO_FILTER, to: entryOf(1).ts }, entryOf(1))).toBe(false);
    expect(keeps({ ...NO_FILTER, text: 'aapl' }, entryOf(1, { fields: { symbol: 'AAPL' } }))).toBe(true);
  });

  it('leave out of an address what cannot be meant', () => {
    expect(writeAddress(readAddress('?level=loud&source=x&from=never&line=-3&other=1'))).toBe('');
  });
});
