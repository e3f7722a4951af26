import type { MetricEvent, MetricOverview } from '../../../contract/telemetry.ts';
import { symbolOf, timeOf } from './series.ts';
import { SIGNAL, toSignal } from './signals.ts';

/** The newest thing that a bot decided or did, in words. Written by the bot. */
export interface Trade {
  readonly what: 'signal' | 'fill';
  readonly side: 'BUY' | 'SELL';
  /** Its symbol, without more. */
  readonly symbol: string | null;
  /** As the bot wrote it: digits or a number. */
  readonly price: string | number | null;
  readonly at: number;
}

const FILL = 'fill';
/** Digits as the ledger takes them. */
const DIGITS = /^-?\d+(\.\d+)?$/;

function toFill(event: MetricEvent): Trade | null {
  const { side, price } = event.data;
  if (side !== 'BUY' && side !== 'SELL') return null;
  const isPrice = typeof price === 'number' || (typeof price === 'string' && DIGITS.test(price));
  return {
    what: 'fill',
    side,
    symbol: symbolOf(event.data),
    price: isPrice ? price : null,
    at: timeOf(event),
  };
}

function toTrade(event: MetricEvent): Trade | null {
  if (event.type === FILL) return toFill(event);
  const signal = toSignal(event);
  if (signal === null) return null;
  return { what: 'signal', side: signal.side, symbol: signal.symbol, price: signal.price, at: signal.t };
}

/** The newest signal or fill among the newest event of each metric type; null where there is none. */
export function newestTrade(types: MetricOverview['types']): Trade | null {
  const found = types
    .filter(({ type }) => type === SIGNAL || type === FILL)
    .flatMap(({ latest }) => toTrade(latest) ?? [])
    // A fill follows the signal that caused it, often in the same millisecond.
    .sort((a, b) => b.at - a.at || (a.what === 'fill' ? -1 : 1));
  return found[0] ?? null;
}
