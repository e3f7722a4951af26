import type { Statements } from '../../../node/statements.ts';
import { damage } from '../../../node/storage-error.ts';
import { HoldingBook } from './holding-book.ts';
import type { LotMethod } from './lots.ts';
import { readRow } from './read-row.ts';
import type { IdentifiedRow } from './row-identity.ts';
import type { LedgerRow, LedgerType } from './vocabulary.ts';

/** A place in the order of booking. */
export interface BookingPlace {
  readonly at: number;
  readonly seq: number;
}

/** Before every entry. */
export const START: BookingPlace = { at: Number.NEGATIVE_INFINITY, seq: 0 };

/** What was held after an entry. */
export interface Checkpoint {
  readonly holdings: HoldingBook;
  readonly last: BookingPlace;
}

/** Returns the last checkpoint of a book before a place, or the last of all; without one, an empty book. */
export function lastCheckpoint(
  statements: Statements,
  book: number,
  method: LotMethod,
  before: BookingPlace | null,
): Checkpoint {
  const { at, seq } = before ?? { at: Number.POSITIVE_INFINITY, seq: 0 };
  const stored = statements.get<BookingPlace & { holdings: string }>(
    'select at, seq, holdings from checkpoint where book = ? and (at, seq) < (?, ?) order by at desc, seq desc limit 1',
    book,
    at,
    seq,
  );
  const holdings = new HoldingBook(method, stored === undefined ? [] : JSON.parse(stored.holdings));
  return { holdings, last: stored === undefined ? START : { at: stored.at, seq: stored.seq } };
}

/** A row as an entry refers to it. */
export interface EntryRow extends BookingPlace {
  readonly row: number;
  readonly row_type: LedgerType;
  readonly text: string;
}

/** Returns the entries of a book after a place with their rows, in the order of booking, at most `limit`. */
export function entriesAfter<Entry>(
  statements: Statements,
  book: number,
  { at, seq }: BookingPlace,
  limit: number,
): (Entry & EntryRow)[] {
  return statements.all<Entry & EntryRow>(
    `select entry.*, row.text as text, row.type as row_type from entry
      join row on row.book = entry.book and row.seq = entry.row
      where entry.book = ? and (entry.at, entry.seq) > (?, ?) order by entry.at, entry.seq limit ?`,
    ...[book, at, seq, limit],
  );
}

/** Rows that entries are made of. */
export type BookedRow = Exclude<IdentifiedRow, { type: 'fill_cancel' }>;

/** True for a row that has an id of its own. */
export function isIdentified(row: LedgerRow): row is IdentifiedRow {
  return row.type === 'fill' || row.type === 'fill_cancel' || row.type === 'cash_flow' || row.type === 'adjustment';
}

/** Reads the row of an entry again. @throws damage if it is not one that could have been booked */
export function bookedRow({ row_type, text, row }: EntryRow): BookedRow {
  const read = readRow(row_type, text, row).row;
  if (read === null || !isIdentified(read) || read.type === 'fill_cancel') {
    throw damage('the row of an entry is not as it was stored');
  }
  return read;
}
