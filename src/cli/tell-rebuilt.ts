import type { LedgerRebuilt } from '../contract/ledger-changes.ts';
import type { Output } from './command.ts';

const count = (n: number, one: string, many: string): string => `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

/** Says what came of making the books of a bot again. */
export function tellRebuilt(out: Output, { rows, added, changed_days, method }: LedgerRebuilt): void {
  const from = added === 0 ? '' : `, ${count(added, 'of which is', 'of which are')} new`;
  out.line(`The books are made of ${count(rows, 'row', 'rows')}${from}.`);
  out.line(
    changed_days === 0 ? 'No sum has changed.' : `The sums of ${count(changed_days, 'day', 'days')} have changed.`,
  );
  out.line(method === 'fifo' ? 'A sale closes the oldest units.' : 'A sale closes units at their average cost.');
}
