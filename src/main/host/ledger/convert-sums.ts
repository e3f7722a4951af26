import type { LedgerConversion, LedgerRate, LedgerSum } from '../../../contract/ledger.ts';
import { type Decimal, decimalText, quotient, storedDecimal, ZERO } from './decimal.ts';

/** The newest rate between the wanted currency and another. */
interface Found {
  readonly rate: LedgerRate;
  readonly value: Decimal;
  /** It was written the other way round: `value` is what one unit of the wanted currency is worth. */
  readonly isInverse: boolean;
}

/** The newest rate of each currency into the wanted one or back. */
function newestRates(rates: readonly LedgerRate[], currency: string): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  for (const rate of rates) {
    const value = storedDecimal(rate.value);
    const other = rate.quote === currency ? rate.base : rate.base === currency ? rate.quote : null;
    if (other === null || other === currency || !value.gt(ZERO)) continue;
    const known = found.get(other);
    if (known !== undefined && known.rate.at >= rate.at) continue;
    found.set(other, { rate, value, isInverse: rate.quote !== currency });
  }
  return found;
}

/** Converts a sum. Each amount is rounded once: the inverse of a rate would be rounded before it is multiplied. */
function converted(sum: LedgerSum, { value, isInverse }: Found, currency: string): LedgerSum {
  const amount = (digits: string): string => {
    const given = storedDecimal(digits);
    return decimalText(isInverse ? given.div(value) : quotient(given.times(value)));
  };
  return {
    ...{ ...sum, currency, realised: amount(sum.realised), fees: amount(sum.fees) },
    flows: Object.fromEntries(Object.entries(sum.flows).map(([kind, digits]) => [kind, amount(digits)])),
    net: sum.net === null ? null : amount(sum.net),
  };
}

function added(a: LedgerSum, b: LedgerSum): LedgerSum {
  const plus = (one: string, other: string): string => decimalText(storedDecimal(one).plus(storedDecimal(other)));
  const kinds = [...new Set([...Object.keys(a.flows), ...Object.keys(b.flows)])].sort();
  return {
    ...{ ...a, realised: plus(a.realised, b.realised), fees: plus(a.fees, b.fees) },
    flows: Object.fromEntries(kinds.map((kind) => [kind, plus(a.flows[kind] ?? '0', b.flows[kind] ?? '0')])),
    net: a.net === null || b.net === null ? null : plus(a.net, b.net),
  };
}

/**
 * Converts sums of one mode into a currency, by rates that bots wrote in that mode, and adds those of one group up. Sums in a
 * currency without a rate, or in none, stay apart as they are. `rates` may be of any mode and in any order.
 */
export function convertSums(
  sums: readonly LedgerSum[],
  currency: string,
  rates: readonly LedgerRate[],
): { readonly sums: LedgerSum[]; readonly conversion: LedgerConversion } {
  const known = newestRates(rates, currency);
  const used = new Map<string, LedgerRate>();
  const missing = new Set<string>();
  const groups = new Map<string, LedgerSum>();
  const apart: LedgerSum[] = [];
  for (const sum of sums) {
    const found = sum.currency === null ? undefined : known.get(sum.currency);
    if (sum.currency !== currency && found === undefined) {
      if (sum.currency !== null) missing.add(sum.currency);
      apart.push(sum);
      continue;
    }
    if (found !== undefined && sum.currency !== null) used.set(sum.currency, found.rate);
    const own = found === undefined ? sum : converted(sum, found, currency);
    const group = JSON.stringify([sum.day, sum.symbol, sum.venue, sum.account]);
    const before = groups.get(group);
    groups.set(group, before === undefined ? own : added(before, own));
  }
  return {
    sums: [...groups.values(), ...apart],
    conversion: { currency, rates: [...used.values()], missing: [...missing].sort() },
  };
}
