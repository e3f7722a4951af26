import { csvText } from '../shared/csv.ts';
import type { Arguments, Output } from './command.ts';
import { tellZone } from './show-bot-output.ts';

/** Rows of the books of several bots. */
export interface LedgerTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The sentence for no rows. */
  readonly none: string;
  /** Columns that a narrow terminal goes without, first to go first. */
  readonly spare: readonly string[];
}

/** Prints rows as CSV. */
export function tellCsv(out: Output, head: LedgerTable['head'], rows: LedgerTable['rows']): void {
  out.raw(
    csvText(
      head.map((word) => word.toLowerCase()),
      rows,
    ),
  );
}

/** Prints rows as a table, or with --csv as CSV. Where they have times, it says in which zone. */
export function tellLedger(out: Output, args: Arguments, { head, rows, none, spare }: LedgerTable): void {
  if (args.flag('csv')) tellCsv(out, head, rows);
  else if (rows.length === 0) out.line(none);
  else {
    if (head.includes('TIME')) tellZone(out);
    out.table(head, rows, spare);
  }
}
