import { decimalText } from './decimal.ts';
import type { Adjustment, CashFlow, Fill, FillCancel, Place } from './vocabulary.ts';

/** Rows that have an id of their own, by which one that is sent again is known. */
export type IdentifiedRow = Fill | FillCancel | CashFlow | Adjustment;

/** Identity of a row within one book: trade ids are unique for a symbol alone on some venues. */
export function rowKey(row: IdentifiedRow): string {
  const type = row.type === 'fill' && row.unverified ? 'trade' : row.type;
  return keyOf(type, row, row.symbol, row.id);
}

/** Key of the row that a correction corrects; null for a row that corrects none. */
export function targetKey(row: IdentifiedRow): string | null {
  if (row.type === 'fill_cancel') return keyOf('fill', row, row.symbol, row.cancels);
  if (row.type === 'fill' && row.revises !== null) return keyOf('fill', row, row.symbol, row.revises);
  return null;
}

function keyOf(type: string, { venue, account }: Place, symbol: string | null, id: string): string {
  return JSON.stringify([type, venue, account, symbol ?? '', id]);
}

/** True if two rows of one key say the same: numbers by their value, unknown fields left out. */
export function saySame(a: IdentifiedRow, b: IdentifiedRow): boolean {
  return differentFields(a, b).length === 0;
}

/** The fields in which two rows of one key differ, as rows name them. */
export function differentFields(a: IdentifiedRow, b: IdentifiedRow): string[] {
  const [fields, others] = [a, b].map((row) => new Map<string, unknown>(Object.entries(row)));
  const names = new Set([...(fields?.keys() ?? []), ...(others?.keys() ?? [])]);
  return [...names]
    .filter((name) => comparable(fields?.get(name)) !== comparable(others?.get(name)))
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function comparable(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? decimalText(value as Fill['price']) : value;
}
