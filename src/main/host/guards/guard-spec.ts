import { invalid } from '../../../contract/errors.ts';
import { GUARD_KINDS, type GuardKind, type GuardUnit, UNITS_OF } from '../../../contract/guard-choices.ts';
import type { NewGuard } from '../../../contract/guards.ts';
import { storedDecimal } from '../ledger/decimal.ts';

/** Highest limit of rows within a minute. */
export const MOST_COUNTED = 10_000;

/** A guard with everything that whoever set it left out. */
export interface GuardSpec {
  readonly kind: GuardKind;
  readonly limit: string;
  readonly unit: GuardUnit;
  /** Null: each symbol by itself; always so for kinds without symbols. */
  readonly symbol: string | null;
  readonly action: 'alarm' | 'stop';
  readonly zone: string;
  readonly failClosedMin: number | null;
}

/** True for a name of a time zone that this Node knows. */
function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Fills what a request leaves out. Throws INVALID_REQUEST for what does not go together. */
export function readSpec(given: NewGuard): GuardSpec {
  const { kind, limit, symbol = null, action = 'stop', zone = 'UTC', fail_closed_min = null } = given;
  const units = UNITS_OF[kind];
  const unit = given.unit ?? units[0];
  const wrong = (path: string, message: string) => invalid('INVALID_REQUEST', [{ path, message }]);
  if (!units.includes(unit)) throw wrong('unit', `of ${kind} is ${units.join(' or ')}`);
  if (unit === 'count' && Number(limit) > MOST_COUNTED) throw wrong('limit', `is at most ${MOST_COUNTED} a minute`);
  if (symbol !== null && kind !== 'position_limit') throw wrong('symbol', 'only position_limit takes a symbol');
  if (!isZone(zone)) throw wrong('zone', 'is no time zone, such as Europe/Berlin');
  return { kind, limit, unit, symbol, action, zone, failClosedMin: fail_closed_min };
}

/** True for guards of the same kind and symbol, of which a bot has one. */
export function isAlike(one: GuardSpec, other: GuardSpec): boolean {
  return one.kind === other.kind && one.symbol === other.symbol;
}

/** True if a guard lets pass anything that the one before it did not. What cannot be compared counts as looser. */
export function isLooser(before: GuardSpec, after: GuardSpec): boolean {
  const failsLater =
    before.failClosedMin !== null && (after.failClosedMin === null || after.failClosedMin > before.failClosedMin);
  return (
    before.unit !== after.unit ||
    before.zone !== after.zone ||
    storedDecimal(after.limit).gt(storedDecimal(before.limit)) ||
    (before.action === 'stop' && after.action === 'alarm') ||
    failsLater
  );
}

const UNIT_WORDS: Readonly<Record<GuardUnit, string>> = {
  currency: 'in its currency',
  percent: '% of the equity at the start of the day',
  quantity: 'units',
  count: '',
  seconds: 'seconds',
};

/** The guard for people. */
export function sentenceOf({ kind, limit, unit, symbol, action, zone, failClosedMin }: GuardSpec): string {
  const amount = `${limit} ${UNIT_WORDS[unit]}`.trim();
  const day = kind === 'daily_loss' || unit === 'percent' ? ` The day begins in ${zone}.` : '';
  const of = symbol === null ? '' : ` of ${symbol}`;
  const closed =
    failClosedMin === null ? '' : ` It fires as well once it could not be computed for ${failClosedMin} minutes.`;
  return `${action === 'stop' ? 'Stops and holds the bot' : 'Tells you'} when ${GUARD_KINDS[kind]}: ${amount}${of}.${day}${closed}`;
}
