import type { Statements } from '../../../../node/statements.ts';
import type { BlockTable, LostPart } from './block-table.ts';

/**
 * Returns the rows that are missing at the end of a segment; null if none are. Each seq that was given out in it belongs to a
 * line or a metric, and is stored with it.
 */
export function lostEnd(statements: Statements, lines: BlockTable, metrics: BlockTable): LostPart | null {
  const state = (key: string): number | null =>
    statements.get<{ value: number }>('select value from state where key = ?', key)?.value ?? null;
  const newest = state('seq') ?? 0;
  const [line, metric] = [lines.last(), metrics.last()];
  const last = Math.max(line?.last ?? 0, metric?.last ?? 0);
  if (newest <= last || newest < (state('from_seq') ?? 1)) return null;
  // A block whose head is damaged is there: the reader that passes it over reports it.
  if (Math.max(lines.newest(), metrics.newest()) > last) return null;
  const from = Math.max(line?.ts_to ?? 0, metric?.ts_to ?? 0);
  return {
    kind: 'row',
    after: last,
    before: null,
    rows: newest - last,
    from: from === 0 ? null : from,
    to: null,
    reason: 'the last rows are missing',
  };
}
