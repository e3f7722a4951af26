import type { LedgerSum } from '../../../contract/ledger.ts';
import { sumDigits } from '../../../shared/exact-digits.ts';

/** Cash that came or left without being earned or paid. */
const CAPITAL: ReadonlySet<string> = new Set(['deposit', 'withdrawal']);

/** Amounts of one group in one currency; where the rows name none, it is null, and so is `net`. */
export interface GroupSum {
  readonly group: string;
  readonly currency: string | null;
  readonly realised: string;
  readonly fees: string;
  /** Flows of cash but deposits and withdrawals. */
  readonly cash: string;
  readonly net: string | null;
}

/** The flows of a sum that were earned or paid. */
function cashOf({ flows }: LedgerSum): string {
  return sumDigits(Object.entries(flows).flatMap(([kind, amount]) => (CAPITAL.has(kind) ? [] : [amount])));
}

/**
 * Adds sums up by group and currency, in the order in which the groups came. Rows that name no currency may be in any: those of
 * two symbols stay apart.
 */
export function addSums(parts: Iterable<readonly [group: string, sum: LedgerSum]>): readonly GroupSum[] {
  const groups = Map.groupBy(parts, ([group, { currency, symbol }]) =>
    JSON.stringify(currency === null ? [group, null, symbol] : [group, currency]),
  );
  return [...groups.values()].map((list) => {
    const [[group = '', { currency }] = ['', { currency: null }]] = list;
    const sums = list.map(([, sum]) => sum);
    return {
      group,
      currency,
      realised: sumDigits(sums.map(({ realised }) => realised)),
      fees: sumDigits(sums.map(({ fees }) => fees)),
      cash: sumDigits(sums.map(cashOf)),
      net: currency === null ? null : sumDigits(sums.map(({ net }) => net ?? '0')),
    };
  });
}

/** Venue and account of a sum, as people name it. */
export function accountLabel({ venue, account }: Pick<LedgerSum, 'venue' | 'account'>): string {
  const parts = [venue, account].filter((part) => part !== null);
  return parts.length === 0 ? 'no account named' : parts.join(' · ');
}
