import type { FleetColumn, FleetSort } from '../../../contract/preference-choices.ts';

/** A column of the fleet that can be left out. */
export interface Column {
  readonly id: FleetColumn;
  readonly label: string;
  /** Part of the class of its cells. */
  readonly className: 'custom' | 'profit' | 'metric' | 'trade' | 'last' | 'trouble' | 'cpu' | 'memory';
  /** Null: only the rows in sight know it, so that nothing can be sorted by it. */
  readonly sort: FleetSort | null;
  /** Width in rem. */
  readonly width: number;
}

/** In the order in which they stand; `fleet-row.tsx` fills their cells, and the preferences of a user choose among them. */
export const COLUMNS: readonly Column[] = [
  { id: 'custom_bot', label: 'Custom bot', className: 'custom', sort: 'custom_bot', width: 13 },
  {
    id: 'profit',
    label: 'Profit today',
    className: 'profit',
    sort: null,
    width: 10,
  },
  { id: 'metric', label: 'Value, last hour', className: 'metric', sort: null, width: 15.5 },
  { id: 'last_trade', label: 'Last signal or fill', className: 'trade', sort: null, width: 11 },
  { id: 'last_run', label: 'Last run', className: 'last', sort: 'last_run', width: 8.6 },
  {
    id: 'last_hour',
    label: 'Problems',
    className: 'trouble',
    sort: null,
    width: 5.5,
  },
  { id: 'cpu', label: 'CPU', className: 'cpu', sort: null, width: 4.8 },
  { id: 'memory', label: 'Memory', className: 'memory', sort: null, width: 5.8 },
];

/** Room for status, name and what is always there. */
const FIXED_REM = 32;

/** Least width of the table, in rem: with more columns than there is room for it scrolls, and none is hidden. */
export function leastWidth(shown: readonly FleetColumn[]): number {
  return COLUMNS.reduce((sum, { id, width }) => (shown.includes(id) ? sum + width : sum), FIXED_REM);
}

/** The columns of these that a table of this width in rem has room for, those further left first. */
export function fittingColumns(shown: readonly FleetColumn[], rem: number): readonly FleetColumn[] {
  let left = rem - FIXED_REM;
  return COLUMNS.flatMap(({ id, width }) => {
    if (!shown.includes(id) || width > left) return [];
    left -= width;
    return [id];
  });
}
