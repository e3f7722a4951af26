import type { JsonObject } from '../../../contract/common.ts';
import { setOwn } from '../../../shared/json.ts';
import { NumberText, parseWithDigits } from '../ledger/vocabulary.ts';

/** Fields that say which row, position or account is meant: if two of them became equal, the books would be wrong. */
const IDENTITY: ReadonlySet<string> = new Set([
  ...['client_order_id', 'fill_id', 'flow_id', 'adjustment_id', 'decision_id', 'leg', 'revises', 'cancelled'],
  ...['symbol', 'venue', 'account', 'base', 'quote', 'currency', 'fee_currency'],
]);

/** Fields whose numbers count, written as numbers or as text. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...['quantity', 'price', 'average_price', 'fee', 'multiplier', 'realised', 'amount', 'ratio', 'cost', 'value'],
  ...['time', 'timestamp'],
]);
const NUMBER = /^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/;

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value));

/** How a bot's masker masks the parts of a row. */
export interface RowMask {
  /** A text without the bot's secrets, and different for different texts. */
  maskIdentity(text: string): string;
  maskJson(value: JsonObject): { readonly value: JsonObject; readonly spans: number };
}

/**
 * Masks a row of the ledger; returns the same object when nothing was masked. What identifies it is masked only where it
 * holds a secret of the bot, and the numbers of the vocabulary stay as they are.
 */
export function maskLedgerRow(row: JsonObject, mask: RowMask): { readonly value: JsonObject; readonly spans: number } {
  const kept: JsonObject = {};
  const others: JsonObject = {};
  let spans = 0;
  for (const [key, value] of Object.entries(row)) {
    if ((typeof value === 'string' || typeof value === 'number') && IDENTITY.has(key)) {
      const text = String(value);
      const masked = mask.maskIdentity(text);
      if (masked !== text) spans += 1;
      setOwn(kept, key, masked === text ? value : masked);
    } else setOwn(NUMBERS.has(key) && isNumber(value) ? kept : others, key, value);
  }
  const masked = mask.maskJson(others);
  spans += masked.spans;
  return spans === 0 ? { value: row, spans } : { value: { ...kept, ...masked.value }, spans };
}

/** The JSON text of a masked row, whose numbers have the digits with which the line was written. */
export function ledgerRowText(line: string, masked: JsonObject): string {
  const written = new Map<string, unknown>(Object.entries(parseWithDigits(line) ?? {}));
  const fields = Object.entries(masked).map(([key, value]) => {
    const number = typeof value === 'number' ? written.get(key) : undefined;
    return `${JSON.stringify(key)}:${number instanceof NumberText ? number.text : JSON.stringify(value)}`;
  });
  return `{${fields.join(',')}}`;
}
