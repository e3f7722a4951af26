import type { LedgerRebuilt } from '../contract/ledger-upkeep.ts';
import { counted } from '../shared/counted.ts';
import type { Output } from './command.ts';

/** Says what came of making the books of a bot again. */
export function tellRebuilt(out: Output, { rows, added, changed_days, method }: LedgerRebuilt): void {
  const from = added === 0 ? '' : `, ${counted(added, 'of which is', 'of which are')} new`;
  out.line(`The books are made of ${counted(rows, 'row')}${from}.`);
  out.line(changed_days === 0 ? 'No sum has changed.' : `The sums of ${counted(changed_days, 'day')} have changed.`);
  out.line(method === 'fifo' ? 'A sale closes the oldest units.' : 'A sale closes units at their average cost.');
}
