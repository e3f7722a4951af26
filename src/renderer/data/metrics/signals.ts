import type { MetricEvent } from '../../../contract/telemetry.ts';
import { symbolOf, timeOf } from './series.ts';

/** The metric type of bots' decisions. */
export const SIGNAL = 'signal';

/** A bot's decision, as its metric reports it. `id` is its seq. */
export interface Signal {
  readonly id: number;
  readonly t: number;
  readonly side: 'BUY' | 'SELL';
  readonly symbol: string | null;
  readonly price: number | null;
  readonly reason: string | null;
  readonly confidence: number | null;
}

const SIDE_FIELDS = ['type', 'side', 'action', 'signal', 'direction'] as const;
const SIDES: Readonly<Record<string, Signal['side']>> = { BUY: 'BUY', LONG: 'BUY', SELL: 'SELL', SHORT: 'SELL' };

/** Reads a `signal` metric; null unless it says buy or sell. */
export function toSignal(event: MetricEvent): Signal | null {
  if (event.type !== SIGNAL) return null;
  const { data } = event;
  const side = SIDE_FIELDS.map((field) => SIDES[String(data[field]).toUpperCase()]).find((one) => one !== undefined);
  if (side === undefined) return null;
  return {
    id: event.seq,
    t: timeOf(event),
    side,
    symbol: symbolOf(data),
    price: typeof data.price === 'number' ? data.price : null,
    reason: typeof data.reason === 'string' ? data.reason : null,
    confidence: typeof data.confidence === 'number' ? data.confidence : null,
  };
}

/** Adds signals to those that are known, in the order of their time and each once; the newest `most` stay. */
export function mergeSignals(known: readonly Signal[], more: readonly Signal[], most: number): readonly Signal[] {
  if (more.length === 0) return known;
  const all = new Map([...known, ...more].map((signal) => [signal.id, signal]));
  return [...all.values()].sort((a, b) => a.t - b.t || a.id - b.id).slice(-most);
}
