import type { LedgerEquityCurve, LedgerEquityPoint } from '../../../contract/ledger.ts';
import { inOneUnit } from '../../../shared/exact-digits.ts';
import type { CurvePoint } from './profit-curve.ts';

/** A curve of equity, with the bot that wrote it. */
export interface BotCurve extends LedgerEquityCurve {
  readonly botId: string;
}

/** More points than a curve of a page can show. */
const MOST_POINTS = 500;

/** The equity of one account over time, oldest first. */
type Account = readonly { readonly at: string; readonly value: string }[];

/**
 * The curves of each account, once, even if several bots report it. One without an account is that of the bot's whole, so that
 * the bot's named accounts are not added to it (as `equityOf` says of the newest values).
 */
function accountsOf(curves: readonly BotCurve[]): readonly Account[] {
  const wholes = new Set(curves.flatMap((one) => (one.venue === null && one.account === null ? [one.botId] : [])));
  const isWhole = (one: BotCurve): boolean => one.venue === null && one.account === null;
  const counted = curves.filter((one) => isWhole(one) || !wholes.has(one.botId));
  const groups = Map.groupBy(counted, (one) => JSON.stringify(isWhole(one) ? [one.botId] : [one.venue, one.account]));
  return [...groups.values()].map((group) => merged(group.flatMap(({ points }) => points)));
}

/** Points of one account, oldest first. Of what several bots say that it was worth before, the newest holds. */
function merged(points: readonly LedgerEquityPoint[]): Account {
  const before = points
    .filter(({ since }) => since !== undefined)
    .sort((a, b) => compare(a.since ?? '', b.since ?? ''));
  const within = points.filter(({ since }) => since === undefined).sort((a, b) => compare(a.at, b.at));
  return [...before.slice(-1), ...within];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The last of each of at most so many stretches of time: a page shows no more. */
function downsampled<Point>(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  const width = points.length / MOST_POINTS;
  return points.filter((_, i) => i === points.length - 1 || Math.floor((i + 1) / width) > Math.floor(i / width));
}

/**
 * The equity of bots in one currency, added up over their accounts, with how far it was below its highest. Each account keeps its
 * value until the next one; before its first it has none, so the curve begins once every account has told one.
 */
export function equityCurve(curves: readonly BotCurve[], currency: string): readonly CurvePoint[] {
  const accounts = accountsOf(curves.filter((one) => one.currency === currency && one.points.length > 0));
  const firsts = accounts.map((points) => points[0]?.at ?? '').sort();
  const begin = firsts.at(-1);
  if (begin === undefined) return [];
  const steps = accounts
    .flatMap((points, account) => points.map(({ at, value }) => ({ at, value, account })))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const { units, write } = inOneUnit(steps.map(({ value }) => value));
  const values = accounts.map(() => 0n);
  let total = 0n;
  let peak: bigint | null = null;
  const curve: { readonly at: string; readonly total: bigint; readonly peak: bigint }[] = [];
  for (const [i, { at, account }] of steps.entries()) {
    const value = units[i] ?? 0n;
    total += value - (values[account] ?? 0n);
    values[account] = value;
    // A sum counts once every account has its value of that time.
    if (at < begin || steps[i + 1]?.at === at) continue;
    if (peak === null || total > peak) peak = total;
    curve.push({ at, total, peak });
  }
  return downsampled(curve).map((point) => ({
    ...{ day: point.at, total: write(point.total), drawdown: write(point.total - point.peak) },
  }));
}
