import type { MetricEvent, MetricOverview } from '../../../contract/telemetry.ts';
import { formatNumber } from '../../components/number.ts';
import { seriesName } from '../../data/metrics/chart-groups.ts';

/** One of the newest values of a bot. */
export interface LatestValue {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** Reason or confidence, shown below the value. */
  readonly note: string | null;
  readonly at: string;
  readonly side: 'buy' | 'sell' | null;
}

const MOST = 10;
/** Types with words, not only a number; they come first. */
const SAYING = new Set(['signal', 'alert', 'trade', 'order', 'fill']);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const words = (name: string): string => name.replaceAll('_', ' ');

function sideOf(word: string): LatestValue['side'] {
  const lower = word.toLowerCase();
  return lower === 'buy' || lower === 'long' ? 'buy' : lower === 'sell' || lower === 'short' ? 'sell' : null;
}

/** Renders `BUY AAPL at 295.67`, with the reason and the confidence. */
function saying(event: MetricEvent): LatestValue | null {
  const { type, side, symbol, price, confidence, reason } = event.data;
  // `type` of an order is market, limit and the like.
  const word = textOf(event.type === 'order' ? side : type) ?? textOf(event.data.action) ?? textOf(side);
  if (word === null) return null;
  // Rows of the ledger have prices as text, with the digits of the exchange.
  const shown = typeof price === 'number' ? formatNumber(price) : textOf(price);
  const at = shown === null ? '' : ` at ${shown}`;
  const sure = typeof confidence === 'number' ? `confidence ${formatNumber(Math.round(confidence * 100))} %` : null;
  const notes = [textOf(reason), sure].filter((one) => one !== null);
  return {
    id: event.type,
    name: `Last ${words(event.type)}`,
    text: `${word} ${textOf(symbol) ?? ''}`.trim() + at,
    note: notes.length === 0 ? null : notes.join(' · '),
    at: event.time ?? event.ts,
    side: sideOf(word),
  };
}

/** Returns the newest signals and numbers of a bot, the most telling first. */
export function latestValues({ types, series }: MetricOverview): readonly LatestValue[] {
  const said = types.filter((one) => SAYING.has(one.type)).flatMap((one) => saying(one.latest) ?? []);
  const spoken = new Set(said.map((one) => one.id));
  const numbers = series
    .filter((one) => !spoken.has(one.type) && one.last !== null && one.last_at !== null)
    .sort((a, b) => Number(b.field === 'value') - Number(a.field === 'value'))
    .map((one): LatestValue => {
      const name = seriesName(one);
      return {
        id: `${one.type} ${one.field} ${one.symbol ?? ''}`,
        name: one.symbol === null ? name : `${one.symbol} ${name}`,
        text: formatNumber(one.last ?? 0),
        note: null,
        at: one.last_at ?? '',
        side: null,
      };
    });
  return [...said, ...numbers].slice(0, MOST);
}

/** Time of the newest of these values; null without any. */
export function newestAt(values: readonly LatestValue[]): string | null {
  return values.reduce<string | null>((newest, { at }) => (newest === null || at > newest ? at : newest), null);
}

const OLD_MS = 60_000;

/** True for a value that is clearly older than the newest one: only there the age is worth a line. */
export function isOlder({ at }: LatestValue, newest: string): boolean {
  return Date.parse(newest) - Date.parse(at) > OLD_MS;
}
