import type { LogEntry, MetricEvent } from '../contract/telemetry.ts';
import { isJsonObject } from '../shared/json.ts';
import type { Output } from './command.ts';
import { paint, printable } from './terminal-text.ts';

const LEVEL_STYLES = { debug: 'dim', info: 'dim', warn: 'yellow', error: 'red' } as const;
const TYPE_CHARS = 7;
const SOURCE_CHARS = 6;

/** An instant in UTC: the time of day, `10:14:02`, with the date in front unless it is today's. */
export function clockText(timestamp: string, now = Date.now()): string {
  const [day = '', time = ''] = [timestamp.slice(0, 10), timestamp.slice(11, 19)];
  return new Date(now).toISOString().startsWith(day) ? time : `${day} ${time}`;
}

/** Says once which clock the times go by; on a terminal only, where a person reads them. */
export function tellZone(out: Pick<Output, 'json' | 'colours' | 'columns' | 'note'>): void {
  if (!out.json && Number.isFinite(out.columns)) out.note(paint(out.colours, 'dim', 'Times are UTC.'));
}

/** Figures that a double holds for certain; the rest is noise of calculations. */
const EXACT = 15;
/** Figures of an average or a share: enough to read, and no order is placed at one. */
const ROUND = 6;
const MOST_PLACES = 20;

/** Beyond these a number is written with its exponent. */
const SMALLEST = 1e-15;
const LARGEST = 1e21;

/** A number with so many figures and at least `least` decimal places. */
function number(value: unknown, figures = EXACT, least = 0): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= LARGEST || (size !== 0 && size < SMALLEST)) return String(value);
  const wanted = size === 0 ? 0 : figures - 1 - Math.floor(Math.log10(size));
  const [whole = '', places = ''] = value.toFixed(Math.min(MOST_PLACES, Math.max(least, wanted))).split('.');
  const kept = places.replace(/0+$/, '').padEnd(least, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return number(value);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A metric's data in a few words; the well-known types read as people say them. */
function metricText(type: string, data: Readonly<Record<string, unknown>>): string {
  if (type === 'price' && typeof data.value === 'number') {
    const change =
      typeof data.change_pct === 'number'
        ? ` (${data.change_pct >= 0 ? '+' : ''}${number(data.change_pct, ROUND)} %)`
        : '';
    return `${String(data.symbol ?? '')} ${number(data.value, EXACT, 2)}${change}`;
  }
  if (type === 'sma' && typeof data.short_sma === 'number' && typeof data.long_sma === 'number') {
    const { short_period, long_period } = data;
    return `${String(data.symbol ?? '')} SMA(${String(short_period)}) ${number(data.short_sma, ROUND, 2)} · SMA(${String(long_period)}) ${number(data.long_sma, ROUND, 2)}`;
  }
  if (type === 'signal' && typeof data.type === 'string') {
    const price = data.price === undefined ? '' : ` at ${number(data.price)}`;
    const confidence = data.confidence === undefined ? '' : ` · confidence ${number(data.confidence, ROUND)}`;
    const reason = typeof data.reason === 'string' ? ` · ${data.reason}` : '';
    return `${data.type} ${String(data.symbol ?? '')}${price}${confidence}${reason}`;
  }
  const row = ledgerRowText(type, data);
  if (row !== null) return row;
  return Object.entries(data)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');
}

/** A row of the ledger as people say it; null for another metric, or for a row without what its words need. */
function ledgerRowText(type: string, data: Readonly<Record<string, unknown>>): string | null {
  const { side, quantity, symbol, price, status, value, currency = '' } = data;
  const has = (...fields: unknown[]): boolean => fields.every((one) => one !== undefined && one !== null);
  const at = has(price) ? ` at ${valueText(price)}` : '';
  if (type === 'order' && has(side, quantity, symbol, status)) {
    return `${valueText(side)} ${valueText(quantity)} ${valueText(symbol)}${at} · ${valueText(status)}`;
  }
  if (type === 'fill' && has(side, quantity, symbol, price)) {
    return `${valueText(side)} ${valueText(quantity)} ${valueText(symbol)}${at} ${valueText(currency)}`.trimEnd();
  }
  if (type === 'position' && has(quantity, symbol)) return `${valueText(quantity)} ${valueText(symbol)}${at}`;
  if (type === 'equity' && has(value)) return `${valueText(value)} ${valueText(currency)}`.trimEnd();
  return null;
}

const CONTINUED = '    ';

/** One metric as a line. */
export function metricLine(metric: Pick<MetricEvent, 'ts' | 'type' | 'data'>, colours: boolean): string {
  const { type } = metric.data;
  const style = metric.type !== 'signal' ? 'cyan' : type === 'BUY' ? 'green' : type === 'SELL' ? 'red' : 'yellow';
  const text = printable(metricText(metric.type, metric.data));
  const painted = metric.type === 'signal' ? paint(colours, 'bold', paint(colours, style, text)) : text;
  return `${paint(colours, 'dim', clockText(metric.ts))}  ${paint(colours, style, printable(metric.type).padEnd(TYPE_CHARS))} ${painted}`;
}

/** A message on all its lines, indented after the first, so that none passes for an entry. */
function messageText(message: string): string {
  return message.split('\n').map(printable).join(`\n${CONTINUED}`);
}

/** One log line; fields follow the message. `sources` names the source of every line, not only of unusual ones. */
export function logLine(
  entry: Pick<LogEntry, 'ts' | 'level' | 'source' | 'message' | 'fields'>,
  colours: boolean,
  sources = false,
): string {
  const fields = isJsonObject(entry.fields)
    ? Object.entries(entry.fields)
        .map(([name, value]) => ` ${name}=${valueText(value)}`)
        .join('')
    : '';
  const level = paint(colours, LEVEL_STYLES[entry.level], entry.level.padEnd(TYPE_CHARS));
  const usual = entry.source === 'stdout' || entry.source === 'stderr';
  const source = sources ? `${entry.source.padEnd(SOURCE_CHARS)} ` : usual ? '' : `[${entry.source}] `;
  return `${paint(colours, 'dim', clockText(entry.ts))}  ${level} ${source}${messageText(entry.message)}${paint(colours, 'dim', printable(fields))}`;
}
