import { DAYS_SERVED, type DayBar, dayBar, defaultAnchor, FEED_DAY_MS, OPENING_MS, openDayBar } from './wave.ts';

/** An answer of the feed: an HTTP status and a JSON body. */
export interface FeedAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Days per `range`, as far back as the feed goes. */
const RANGES: Readonly<Record<string, number>> = {
  '1d': 1,
  '5d': 5,
  '1mo': 22,
  '3mo': 65,
  '6mo': 130,
  '1y': DAYS_SERVED,
  '2y': DAYS_SERVED,
  max: DAYS_SERVED,
};
/** Entries older than this many days have holes, as real daily series do. */
const HOLES_BEYOND_DAYS = 210;
const CHART = /^\/feed(?:\/from\/(\d{1,15}))?\/v8\/finance\/chart\/([^/]+)$/;
const SYMBOL = /^\^?[A-Z0-9][A-Z0-9.=-]{0,14}$/;
const CALENDAR_DAY_MS = 86_400_000;
const SESSION_OPEN_MS = 14.5 * 3_600_000;

function failure(status: number, code: string, description: string): FeedAnswer {
  return { status, body: { chart: { result: null, error: { code, description } } } };
}

const notFound = (what: string): FeedAnswer => failure(404, 'Not Found', `No data found for ${what}`);

/** The bars of a window that ends now, oldest first; a hole is undefined. */
function bars(symbol: string, now: number, anchor: number, days: number): (DayBar | undefined)[] {
  const today = Math.floor((now - anchor) / FEED_DAY_MS);
  const elapsed = now - anchor - today * FEED_DAY_MS;
  const opening = elapsed < OPENING_MS;
  return Array.from({ length: days }, (_, index) => {
    const age = days - 1 - index;
    const day = today - age;
    const hole = (age === 0 && opening) || (age > HOLES_BEYOND_DAYS && day % 7 === 0);
    if (hole) return undefined;
    return age === 0 ? openDayBar(symbol, day, elapsed) : dayBar(symbol, day);
  });
}

function timestamps(now: number, days: number): number[] {
  const lastOpen = Math.floor(now / CALENDAR_DAY_MS) * CALENDAR_DAY_MS + SESSION_OPEN_MS;
  return Array.from({ length: days }, (_, index) => (lastOpen - (days - 1 - index) * CALENDAR_DAY_MS) / 1000);
}

/**
 * The daily chart of a symbol in the JSON shape of public chart APIs.
 *
 * @param now wall clock in milliseconds since the epoch
 * @param query `interval` (only `1d`) and `range` (`1d 5d 1mo 3mo 6mo 1y 2y max`, default `1y`)
 * @param anchor where the feed's clock starts, in milliseconds since the epoch; without one, the symbol's own
 * @returns 200 with at most 260 days; 404 for an unknown symbol, 422 for another interval or range, each with
 *   `chart.error`
 */
export function chart(
  symbol: string,
  now: number,
  query: URLSearchParams,
  anchor: number | undefined = defaultAnchor(symbol.toUpperCase()),
): FeedAnswer {
  const name = symbol.toUpperCase();
  if (!SYMBOL.test(name)) return notFound(`symbol ${JSON.stringify(symbol)}`);
  const range = query.get('range') ?? '1y';
  const days = Object.hasOwn(RANGES, range) ? RANGES[range] : undefined;
  if (days === undefined) {
    return failure(422, 'Unprocessable Entity', `Range ${range} is not one of ${Object.keys(RANGES).join(', ')}`);
  }
  const interval = query.get('interval') ?? '1d';
  if (interval !== '1d') return failure(422, 'Unprocessable Entity', `Interval ${interval} is not offered, only 1d`);

  const window = bars(name, now, anchor, days);
  const column = (pick: keyof DayBar) => window.map((bar) => bar?.[pick] ?? null);
  const known = window.filter((bar) => bar !== undefined);
  const times = timestamps(now, days);
  const meta = {
    currency: 'USD',
    symbol: name,
    exchangeName: 'OFFLINE',
    instrumentType: 'EQUITY',
    timezone: 'UTC',
    gmtoffset: 0,
    dataGranularity: '1d',
    range,
    regularMarketPrice: known.at(-1)?.close ?? null,
    regularMarketTime: Math.floor(now / 1000),
    chartPreviousClose: known[0]?.open ?? null,
  };
  const quote = {
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
  return {
    status: 200,
    body: { chart: { result: [{ meta, timestamp: times, indicators: { quote: [quote] } }], error: null } },
  };
}

/**
 * The offline price feed, a pure function of address and time: it stands in for a public chart API on a machine without
 * a network, and lets the sample bots trade within a minute.
 *
 * Addresses: `/feed/v8/finance/chart/<SYMBOL>?interval=1d&range=1y`, and `/feed/from/<ms>/v8/…` for a clock that starts
 * at `<ms>` (milliseconds since the epoch). A bot that starts within 15 s of that moment and looks every 30 s sees
 * SMA(5) cross SMA(20) upwards at its second look, downwards at its third, and so on. Without an anchor the same holds
 * except for the rare start that has a crossing between 30 s and the bot's delay on top of it (of 30 s, as many
 * milliseconds as the bot is late): that bot sees its first crossing one look later. No function of time alone can do
 * better, because a sign that differs 30 s later for every start and for a range of delays would have to be constant.
 *
 * @param pathname path of the request, still percent-encoded
 * @param nowMs wall clock in milliseconds since the epoch
 * @returns undefined for a path outside `/feed/`
 */
export function offlineFeed(pathname: string, query: URLSearchParams, nowMs: number): FeedAnswer | undefined {
  if (!pathname.startsWith('/feed/')) return undefined;
  const [, anchor, encoded] = CHART.exec(pathname) ?? [];
  if (encoded === undefined) return notFound(`address ${pathname}; use /feed/v8/finance/chart/<SYMBOL>`);
  if (!/^(?:[^%]|%[0-7][0-9A-Fa-f])*$/.test(encoded)) return notFound(`symbol ${JSON.stringify(encoded)}`);
  return chart(decodeURIComponent(encoded), nowMs, query, anchor === undefined ? undefined : Number(anchor));
}
