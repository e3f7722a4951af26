import { describe, expect, it } from 'vitest';
import { chart, offlineFeed } from '../../../../../src/main/host/feed/offline-feed.ts';
import { DAYS_SERVED, dayBar, FEED_DAY_MS, FIRST_CROSSING_MS } from '../../../../../src/main/host/feed/wave.ts';

interface ChartBody {
  chart: {
    result:
      | [
          {
            meta: { symbol: string; currency: string; regularMarketPrice: number };
            timestamp: number[];
            indicators: { quote: [Record<'open' | 'high' | 'low' | 'close' | 'volume', (number | null)[]>] };
          },
        ]
      | null;
    error: { code: string; description: string } | null;
  };
}

const START = Date.UTC(2026, 0, 15, 9, 30);
const YEAR = new URLSearchParams({ interval: '1d', range: '1y' });
const MONTH = new URLSearchParams({ range: '1mo' });
const SYMBOLS = ['AAPL', 'MSFT', 'BTC-USD', '^GSPC', 'EURUSD=X', 'BRK.B', '7203.T', 'X'];

const body = (answer: { body: unknown } | undefined): ChartBody => answer?.body as ChartBody;

function series(symbol: string, now: number, anchor?: number, query = YEAR) {
  const answer = chart(symbol, now, query, anchor);
  const result = body(answer).chart.result?.[0];
  if (result === undefined) throw new Error(`no result for ${symbol}`);
  return result;
}

function closes(symbol: string, now: number, anchor?: number, query = YEAR): number[] {
  return series(symbol, now, anchor, query).indicators.quote[0].close.filter((close) => close !== null);
}

const mean = (prices: number[], count: number): number => prices.slice(-count).reduce((a, b) => a + b, 0) / count;
const difference = (prices: number[]): number => mean(prices, 5) - mean(prices, 20);

/** The sign of SMA5 - SMA20 every 100 ms from `from` on, read through the feed. */
function signs(symbol: string, from: number, steps: number, anchor?: number): number[] {
  return Array.from({ length: steps }, (_, step) =>
    Math.sign(difference(closes(symbol, from + step * 100, anchor, MONTH))),
  );
}

describe('the wave', () => {
  it('makes the averages change places every 30 s at every phase of 100 ms, for each symbol', () => {
    for (const symbol of SYMBOLS) {
      const sign = signs(symbol, START, 900);
      for (let step = 0; step < 600; step++) expect(sign[step + 300], `${symbol} at ${step}`).toBe(-(sign[step] ?? 0));
    }
  });

  it('keeps SMA5 - SMA20 clear of zero over whole trends, for 300 symbols', () => {
    let smallest = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 300; n++) {
      const all = Array.from({ length: 260 }, (_, day) => dayBar(`S${n}`, day).close);
      for (let day = 20; day <= 260; day++) {
        const part = all.slice(0, day);
        smallest = Math.min(smallest, Math.abs(difference(part)) / mean(part, 20));
      }
    }
    expect(smallest).toBeGreaterThan(0.0003);
  });

  it('an anchored clock: BUY at the second look and SELL at the third, whatever start within 15 s and delay to 200 ms', () => {
    for (const symbol of SYMBOLS) {
      const sign = signs(symbol, START, 762, START);
      for (let start = 0; start <= 150; start++) {
        for (let late = 0; late <= 2; late++) {
          expect([sign[start], sign[start + 300 + late], sign[start + 600 + 2 * late]], `${symbol} ${start}`).toEqual([
            -1, 1, -1,
          ]);
        }
      }
    }
  });

  it('without an anchor only starts less than the delay before a change wait one look longer', () => {
    for (const symbol of SYMBOLS) {
      const sign = signs(symbol, START, 910);
      const missed = Array.from({ length: 300 }, (_, start) => start).filter(
        (start) => sign[start] === sign[start + 302],
      );
      expect(missed.length, symbol).toBe(2);
      for (const start of missed) expect(sign[start + 604]).toBe(-(sign[start] ?? 0));
    }
  });

  it('crosses upwards exactly FIRST_CROSSING_MS after the anchor', () => {
    const at = (ms: number) => Math.sign(difference(closes('AAPL', START + ms, START)));
    expect([at(FIRST_CROSSING_MS - 1), at(FIRST_CROSSING_MS)]).toEqual([-1, 1]);
  });
});

describe('a chart', () => {
  it('has 260 days of realistic bars with two decimals, the same for the same symbol and time', () => {
    for (const symbol of SYMBOLS) {
      const { meta, timestamp, indicators } = series(symbol, START + 2_000);
      const { open, high, low, close, volume } = indicators.quote[0];
      expect(timestamp.length).toBe(DAYS_SERVED);
      for (const column of [open, high, low, close, volume]) expect(column.length).toBe(DAYS_SERVED);
      const steps = new Set(timestamp.slice(1).map((second, i) => second - (timestamp[i] ?? 0)));
      expect([...steps]).toEqual([86_400]);
      close.forEach((price, i) => {
        if (price === null) return;
        expect(price).toBeGreaterThan(75);
        expect(price).toBeLessThan(410);
        expect(Number(price.toFixed(2))).toBe(price);
        expect(high[i]).toBeGreaterThanOrEqual(price);
        expect(low[i]).toBeLessThanOrEqual(price);
      });
      expect(meta).toMatchObject({
        symbol,
        currency: 'USD',
        regularMarketPrice: close.findLast((price) => price !== null),
      });
      expect(series(symbol, START + 2_000)).toEqual(series(symbol, START + 2_000));
    }
    expect(closes('AAPL', START)).not.toEqual(closes('MSFT', START));
    expect(closes('aapl', START)).toEqual(closes('AAPL', START));
  });

  it('has a newest price that moves each second, by little, and stays what it was in the last second of its day', () => {
    for (const symbol of SYMBOLS) {
      const newest = (ms: number) => closes(symbol, START + ms, START, MONTH).at(-1) ?? 0;
      for (let day = 0; day < 30; day++) {
        const at = day * FEED_DAY_MS;
        const ticks = [1_000, 2_000, 3_000, 4_000].map((ms) => newest(at + ms));
        expect(new Set(ticks).size, `${symbol} ${day}`).toBeGreaterThan(1);
        expect(newest(at + 1_999)).toBe(ticks[0]);
        const close = dayBar(symbol, day).close;
        expect([ticks[3], newest(at + FEED_DAY_MS - 1), newest(at + FEED_DAY_MS)]).toEqual([close, close, close]);
        for (const tick of ticks) expect(Math.abs(tick / close - 1)).toBeLessThan(0.003);
      }
    }
  });

  it('has holes only beyond 210 days and in the opening second of a day', () => {
    const newest = (ms: number) => series('AAPL', START + ms, START).indicators.quote[0].close;
    for (const ms of [0, 999]) expect(newest(ms).at(-1)).toBeNull();
    for (const ms of [1_000, FEED_DAY_MS - 1]) expect(newest(ms).at(-1)).toBeTypeOf('number');
    const older = newest(2_000).slice(0, DAYS_SERVED - 211);
    expect(older.filter((close) => close === null).length).toBe(7);
    expect(newest(2_000).slice(DAYS_SERVED - 211)).not.toContain(null);
    const { open, volume } = series('AAPL', START, START).indicators.quote[0];
    expect([open.at(-1), volume.at(-1)]).toEqual([null, null]);
  });

  it('moves on by one day every five seconds', () => {
    const before = closes('AAPL', START + 4_000, START);
    expect(closes('AAPL', START + 4_900, START)).toEqual(before);
    expect(closes('AAPL', START + 7_000, START).slice(-21, -1)).toEqual(before.slice(-20));
  });

  it('serves shorter ranges that end at the same day', () => {
    const month = body(chart('AAPL', START + 2_000, new URLSearchParams('interval=1d&range=1mo'))).chart.result?.[0];
    expect(month?.indicators.quote[0].close).toEqual(
      series('AAPL', START + 2_000).indicators.quote[0].close.slice(-22),
    );
  });
});

describe('addresses', () => {
  it('answers its own paths only', () => {
    expect(offlineFeed('/api/v1/bots', YEAR, START)).toBeUndefined();
    expect(offlineFeed('/feedback/v8/finance/chart/AAPL', YEAR, START)).toBeUndefined();
    expect(offlineFeed('/feed/v8/finance/chart/AAPL', YEAR, START)).toEqual(chart('AAPL', START, YEAR));
    expect(offlineFeed('/feed/v8/finance/chart/%5EGSPC', YEAR, START)).toEqual(chart('^GSPC', START, YEAR));
    expect(offlineFeed(`/feed/from/${START}/v8/finance/chart/AAPL`, YEAR, START)).toEqual(
      chart('AAPL', START, YEAR, START),
    );
  });

  it.each(['%20', '%2e%2e', '%', '%ZZ', '%FF', 'A%2FB', 'TOO-LONG-A-SYMBOL', '$X', '%E2%82%AC'])(
    'answers 404 in the same shape for the symbol %s',
    (symbol) => {
      const answer = offlineFeed(`/feed/v8/finance/chart/${symbol}`, YEAR, START);
      expect(answer?.status).toBe(404);
      expect(body(answer).chart).toMatchObject({ result: null, error: { code: 'Not Found' } });
    },
  );

  it('answers 404 for other addresses below /feed/', () => {
    for (const path of [
      '/feed/',
      '/feed/v8/finance/chart/',
      '/feed/from/x/v8/finance/chart/A',
      '/feed/v8/finance/chart/A/B',
    ]) {
      expect(offlineFeed(path, YEAR, START)?.status, path).toBe(404);
    }
  });

  it.each(['interval=1h&range=1y', 'interval=1d&range=9y', 'range=constructor'])('refuses %s with 422', (query) => {
    const answer = chart('AAPL', START, new URLSearchParams(query));
    expect(answer.status).toBe(422);
    expect(body(answer).chart.error?.code).toBe('Unprocessable Entity');
  });
});
