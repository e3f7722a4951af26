import type { MetricEvent } from '../../../contract/telemetry.ts';
import { type Decimal, decimalText, quotient, readDecimal, storedDecimal, ZERO } from '../ledger/decimal.ts';
import type { JudgedLine } from '../logs/telemetry-types.ts';
import type { EquitySeries, GuardMemory } from './guard-memory.ts';
import { type GuardSpec, MOST_COUNTED } from './guard-spec.ts';

const MINUTE_MS = 60_000;
/** Accounts, symbols and orders of one bot that a guard knows at a time: a bot could invent them without end. */
const MOST_KEYS = 1000;
/** After this time without the rows that it needs, a guard says that it cannot be computed. */
const WAITS_MIN = 10;
/** Statuses of an order that was sent before. */
const LATER = new Set(['accepted', 'partially_filled', 'filled', 'cancelled', 'rejected', 'expired']);

const days = new Map<string, Intl.DateTimeFormat>();

/** The day of a time in a zone, as YYYY-MM-DD. */
export function dayIn(zone: string, at: number): string {
  let format = days.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    days.set(zone, format);
  }
  return format.format(at);
}

const numberOf = (value: unknown): Decimal | null =>
  typeof value === 'string' || typeof value === 'number' ? readDecimal(String(value)) : null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.has(key) || map.size < MOST_KEYS) map.set(key, value);
}

/** True for rows of a guard's symbol: the same name in any case, or the one that is traded in a pair. */
export function isOfSymbol(symbol: string | null, of: string): boolean {
  if (symbol === null) return true;
  const [wanted, has] = [symbol.toUpperCase(), of.toUpperCase()];
  return has === wanted || (has.startsWith(wanted) && /^[/:_-]/.test(has.slice(wanted.length)));
}

const needsEquity = ({ kind, unit }: GuardSpec): boolean =>
  kind === 'daily_loss' || kind === 'drawdown' || unit === 'percent';

/** Takes rows of a bot, in the order in which they were stored. Times are those of their arrival, which no bot can choose. */
export function takeRows(
  spec: GuardSpec,
  memory: GuardMemory,
  logs: readonly JudgedLine[],
  metrics: readonly MetricEvent[],
): void {
  const own = logs.filter(({ source }) => source !== 'host');
  if (own.length + metrics.length > 0) memory.quietMs = 0;
  if (spec.kind === 'error_rate') for (const { level, ts } of own) if (level === 'error') count(memory, Date.parse(ts));
  for (const metric of metrics) takeMetric(spec, memory, metric);
}

function count(memory: GuardMemory, at: number): void {
  if (memory.times.length >= MOST_COUNTED) {
    // No limit is higher, so that more within the same minute changes nothing.
    if ((memory.times[0] ?? 0) > at - MINUTE_MS) return;
    noteWorst(memory, storedDecimal(String(mostInAMinute(memory.times))));
    memory.times = memory.times.filter((time) => time > at - MINUTE_MS);
  }
  memory.times.push(at);
}

function takeMetric(spec: GuardSpec, memory: GuardMemory, { type, data, ts }: MetricEvent): void {
  const at = Date.parse(ts);
  if (needsEquity(spec) && (type === 'equity' || type === 'portfolio_value')) takeEquity(spec, memory, data, at);
  if (spec.kind === 'orders_per_minute' && (type === 'order' || type === 'trade')) takeOrder(memory, type, data, at);
  if (spec.kind === 'position_limit') takePosition(spec, memory, type, data);
}

function takeEquity(spec: GuardSpec, memory: GuardMemory, data: MetricEvent['data'], at: number): void {
  const value = numberOf(data.value);
  if (value === null) return;
  const day = dayIn(spec.zone, at);
  if (day !== memory.day) {
    memory.day = day;
    for (const [key, series] of memory.equity) memory.equity.set(key, { ...series, start: series.last });
  }
  const key = JSON.stringify([textOf(data.account), textOf(data.currency)]);
  const known = memory.equity.get(key);
  const last = decimalText(value);
  const peak = known !== undefined && storedDecimal(known.peak).gt(value) ? known.peak : last;
  const series: EquitySeries = { start: known?.start ?? last, last, peak };
  keep(memory.equity, key, series);
  memory.waitingMs = 0;
  memory.waitTold = false;
  if (spec.kind !== 'position_limit') noteWorst(memory, fallIn(spec, series));
}

/** An order counts once, whatever else it lacks: one without an id or with an unknown status counts by itself. */
function takeOrder(memory: GuardMemory, type: string, data: MetricEvent['data'], at: number): void {
  const id = type === 'order' ? textOf(data.client_order_id) : '';
  if (id !== '' && memory.orders.includes(id)) return;
  if (id !== '') {
    memory.orders.push(id);
    if (memory.orders.length > MOST_KEYS) memory.orders.shift();
  } else if (LATER.has(textOf(data.status))) return;
  count(memory, at);
}

function takePosition(spec: GuardSpec, memory: GuardMemory, type: string, data: MetricEvent['data']): void {
  const symbol = textOf(data.symbol);
  if (!isOfSymbol(spec.symbol, symbol)) return;
  const price = numberOf(type === 'price' ? (data.price ?? data.value) : data.price);
  if (price !== null) keep(memory.prices, symbol, decimalText(price));
  const key = JSON.stringify([textOf(data.venue), textOf(data.account), symbol, textOf(data.position_side)]);
  const quantity = numberOf(data.quantity);
  if (quantity === null) return;
  if (type === 'position') keep(memory.positions, key, decimalText(quantity));
  else if (!takeFill(memory, type, data, key, quantity)) return;
  noteWorst(memory, sizeOf(spec, memory, key));
}

/** Adds a fill to its position; false for a row that is none. */
function takeFill(
  memory: GuardMemory,
  type: string,
  data: MetricEvent['data'],
  key: string,
  quantity: Decimal,
): boolean {
  if (type !== 'fill' && type !== 'trade') return false;
  const side = textOf(data.side).toUpperCase();
  if (side !== 'BUY' && side !== 'SELL') return false;
  const before = storedDecimal(memory.positions.get(key) ?? '0');
  keep(memory.positions, key, decimalText(side === 'BUY' ? before.plus(quantity) : before.minus(quantity)));
  return true;
}

function noteWorst(memory: GuardMemory, value: Decimal | null): void {
  if (value === null || (memory.worst !== null && !value.gt(storedDecimal(memory.worst)))) return;
  memory.worst = decimalText(value);
}

/**
 * The present value of a guard in its unit; null while it cannot be computed. `now`: time of the host, in ms; null while older rows
 * may still come, so that a minute is judged by its rows alone.
 */
function presentValue(spec: GuardSpec, memory: GuardMemory, now: number | null): Decimal | null {
  switch (spec.kind) {
    case 'daily_loss':
    case 'drawdown':
      return fallOf(spec, memory);
    case 'position_limit':
      return largestPosition(spec, memory);
    case 'silent_for':
      return storedDecimal(String(Math.floor(memory.quietMs / 1000)));
    case 'orders_per_minute':
    case 'error_rate': {
      const most = mostInAMinute(memory.times);
      const newest = memory.times.at(-1) ?? 0;
      // The clock of the host may have been set back: what seems to come from the future counts.
      memory.times = memory.times.filter((at) => at > Math.max(now ?? newest, newest) - MINUTE_MS);
      return storedDecimal(String(most));
    }
  }
}

/** Rows that are read late, because no host ran, are judged by their own times. */
function mostInAMinute(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? time) <= time - MINUTE_MS) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

/** How far one account has fallen; null where a percentage has no whole. */
function fallIn({ kind, unit }: GuardSpec, { start, last, peak }: EquitySeries): Decimal | null {
  const fall = storedDecimal(kind === 'daily_loss' ? start : peak).minus(storedDecimal(last));
  return unit === 'percent' ? ofPercent(fall, storedDecimal(start)) : fall;
}

function fallOf(spec: GuardSpec, { equity }: GuardMemory): Decimal | null {
  let most: Decimal | null = null;
  for (const series of equity.values()) {
    const value = fallIn(spec, series);
    if (value === null) return null;
    if (most === null || value.gt(most)) most = value;
  }
  return most === null || most.gt(ZERO) ? most : ZERO;
}

function ofPercent(value: Decimal, whole: Decimal): Decimal | null {
  return whole.gt(ZERO) ? quotient(value.times(100).div(whole)) : null;
}

function largestPosition(spec: GuardSpec, memory: GuardMemory): Decimal | null {
  let most = ZERO;
  for (const key of memory.positions.keys()) {
    const value = sizeOf(spec, memory, key);
    if (value === null) return null;
    if (value.gt(most)) most = value;
  }
  return most;
}

/** The size of one position in the guard's unit; null without the price or the equity that it takes. */
function sizeOf({ unit }: GuardSpec, { positions, prices, equity }: GuardMemory, key: string): Decimal | null {
  const quantity = storedDecimal(positions.get(key) ?? '0').abs();
  if (unit === 'quantity' || quantity.eq(ZERO)) return quantity;
  const [, , symbol] = JSON.parse(key);
  const price = prices.get(symbol);
  if (price === undefined) return null;
  const value = quantity.times(storedDecimal(price)).abs();
  if (unit === 'currency') return value;
  const [only] = equity.values();
  return only === undefined || equity.size > 1 ? null : ofPercent(value, storedDecimal(only.start));
}

/** What has become of a guard: it fires for a value, or because it could not be computed for so long; or says that it cannot be. */
export type Verdict =
  | { readonly is: 'fired'; readonly value: Decimal }
  | { readonly is: 'failed_closed'; readonly minutes: number }
  | { readonly is: 'unknown'; readonly minutes: number };

/**
 * What keeps a bot stopped, as far as a guard asks: nothing, so that the guard may fire; this guard itself, which has fired; or
 * something else.
 */
export type HeldBy = 'nothing' | 'this guard' | 'another';

/**
 * Judges a guard after rows or time. What gets worse while the bot is held is known to whoever starts it again, so that only
 * further loss fires. Changes the memory. `rowsCome`: further rows, from before now, may follow at once.
 */
export function judge(
  spec: GuardSpec,
  memory: GuardMemory,
  { now, heldBy, rowsCome }: { readonly now: number; readonly heldBy: HeldBy; readonly rowsCome: boolean },
): Verdict | null {
  const present = presentValue(spec, memory, rowsCome ? null : now);
  const worst = memory.worst === null ? null : storedDecimal(memory.worst);
  memory.value = present === null ? null : decimalText(present);
  memory.worst = null;
  const value = worst !== null && (present === null || worst.gt(present)) ? worst : present;
  const limit = storedDecimal(spec.limit);
  if (value === null || value.lt(limit)) {
    if (value !== null) memory.told = null;
    return judgeWaiting(spec, memory, now, heldBy === 'nothing');
  }
  return judgeReached(spec, memory, now, value, heldBy);
}

/** A value that comes and goes with every batch is told of once a minute. A clock that was set back keeps nothing from being told. */
const firedJustNow = ({ firedAt }: GuardMemory, now: number): boolean =>
  firedAt !== null && now >= firedAt && now - firedAt < MINUTE_MS;

function judgeReached(
  spec: GuardSpec,
  memory: GuardMemory,
  now: number,
  value: Decimal,
  heldBy: HeldBy,
): Verdict | null {
  const told = memory.told === null ? null : storedDecimal(memory.told);
  if (told !== null && (spec.action === 'alarm' || !value.gt(told))) return null;
  if (spec.action === 'alarm' && firedJustNow(memory, now)) return null;
  // A bot that something else holds is told of the first time once it has been started.
  if (heldBy === 'another' && told === null) return null;
  memory.told = decimalText(value);
  if (heldBy !== 'nothing') return null;
  memory.firedAt = now;
  // The next minute is judged by its own rows.
  memory.times = [];
  return { is: 'fired', value };
}

function judgeWaiting(spec: GuardSpec, memory: GuardMemory, now: number, mayFire: boolean): Verdict | null {
  const minutes = spec.failClosedMin ?? WAITS_MIN;
  if (memory.waitingMs < minutes * MINUTE_MS || !mayFire) return null;
  if (spec.failClosedMin !== null) {
    memory.waitingMs = 0;
    memory.firedAt = now;
    return { is: 'failed_closed', minutes };
  }
  if (memory.waitTold) return null;
  memory.waitTold = true;
  return { is: 'unknown', minutes };
}

/** Lets time pass. `runs`: the bot is expected to print; else the time counts as nothing. */
export function passTime(spec: GuardSpec, memory: GuardMemory, ms: number, runs: boolean): void {
  if (!runs) {
    memory.quietMs = 0;
    memory.waitingMs = 0;
    return;
  }
  memory.quietMs += ms;
  const lacksPrice = spec.kind === 'position_limit' && spec.unit !== 'quantity' && memory.value === null;
  if (spec.kind === 'daily_loss' || spec.kind === 'drawdown' || lacksPrice) memory.waitingMs += ms;
  else memory.waitingMs = 0;
}

/** What a verdict means, for people. */
export function verdictWords({ kind, limit, unit, symbol }: GuardSpec, verdict: Verdict): string {
  const name = `Guard ${kind}${symbol === null ? '' : ` of ${symbol}`}`;
  const sign = unit === 'percent' ? ' %' : unit === 'seconds' ? ' s' : '';
  if (verdict.is === 'fired')
    return `${name} fired: ${decimalText(verdict.value.round(8))}${sign} has reached the limit of ${limit}${sign}`;
  const why = `it could not be computed for ${verdict.minutes} minutes, because the rows that it needs are missing`;
  return verdict.is === 'failed_closed' ? `${name} fired: ${why}` : `${name} does not watch: ${why}`;
}
