import { compareDigits, negateDigits, sumDigits } from '../../../shared/exact-digits.ts';

/** Net profit of a day. */
export interface DayProfit {
  readonly day: string;
  readonly net: string;
}

/** The profit up to a day, and how far it is below the highest that it was before; the drawdown is zero or negative. */
export interface CurvePoint {
  readonly day: string;
  readonly total: string;
  readonly drawdown: string;
}

/** Adds the profits of days up, oldest first. The curve begins at zero, so that a first loss is a drawdown. */
export function profitCurve(days: readonly DayProfit[]): readonly CurvePoint[] {
  let total = '0';
  let peak = '0';
  return [...days]
    .sort((a, b) => (a.day < b.day ? -1 : 1))
    .map(({ day, net }) => {
      total = sumDigits([total, net]);
      if (compareDigits(total, peak) > 0) peak = total;
      return { day, total, drawdown: sumDigits([total, negateDigits(peak)]) };
    });
}

/** The deepest point below an earlier high; '0' where there was none. */
export function worstDrawdown(curve: readonly CurvePoint[]): string {
  return curve.reduce((worst, { drawdown }) => (compareDigits(drawdown, worst) < 0 ? drawdown : worst), '0');
}

const DAY_MS = 86_400_000;

/** Days from one to another, both counted, in weeks from Monday on; null for days of a week that are outside. */
export function calendarWeeks(from: string, to: string): readonly (readonly (string | null)[])[] {
  const first = Date.parse(from);
  const last = Date.parse(to);
  // Thursday was the first day of 1970.
  const weekday = (at: number): number => (((at / DAY_MS + 3) % 7) + 7) % 7;
  const weeks: (string | null)[][] = [];
  for (let monday = first - weekday(first) * DAY_MS; monday <= last; monday += 7 * DAY_MS) {
    weeks.push(
      Array.from({ length: 7 }, (_, i) => {
        const at = monday + i * DAY_MS;
        return at < first || at > last ? null : new Date(at).toISOString().slice(0, 10);
      }),
    );
  }
  return weeks;
}
