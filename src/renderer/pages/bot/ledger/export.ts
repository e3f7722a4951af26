import type { LedgerEntry } from '../../../../contract/ledger.ts';
import { csvText } from '../../../../shared/csv.ts';
import type { GroupSum } from '../../../data/ledger/add-sums.ts';

/** Rows as CSV, the head first; amounts keep all their digits. */
function csv(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  return csvText(
    head,
    rows.map((row) => row.map((cell) => cell ?? '')),
  );
}

export function sumsCsv(by: string, rows: readonly GroupSum[]): string {
  return csv(
    [by, 'currency', 'realised', 'fees', 'cash', 'net'],
    rows.map(({ group, currency, realised, fees, cash, net }) => [group, currency, realised, fees, cash, net]),
  );
}

const FIELDS = [
  'at',
  'mode',
  'type',
  'id',
  'venue',
  'account',
  'symbol',
  'side',
  'kind',
  'quantity',
  'price',
  'realised',
  'realised_currency',
  'charge',
  'charge_currency',
  'difference',
  'problem',
] as const satisfies readonly (keyof LedgerEntry)[];

export function entriesCsv(entries: readonly LedgerEntry[]): string {
  return csv(
    FIELDS,
    entries.map((entry) => FIELDS.map((field) => entry[field])),
  );
}
