import type { FleetColumn, FleetSort } from '../../../contract/preference-choices.ts';

/** A column of the fleet that can be left out. */
export interface Column {
  readonly id: FleetColumn;
  readonly label: string;
  /** Part of the class of its cells. */
  readonly className: 'custom' | 'doing' | 'metric' | 'last' | 'trouble' | 'cpu' | 'memory';
  readonly title?: string;
  /** Null: only the rows in sight know it, so that nothing can be sorted by it. */
  readonly sort: FleetSort | null;
}

/** In the order in which they stand. */
export const COLUMNS: readonly Column[] = [
  { id: 'custom_bot', label: 'Custom bot', className: 'custom', sort: 'custom_bot' },
  { id: 'now', label: 'Now', className: 'doing', sort: null },
  { id: 'metric', label: 'Metric', className: 'metric', sort: null },
  { id: 'last_run', label: 'Last run', className: 'last', sort: 'last_run' },
  {
    id: 'last_hour',
    label: 'Last hour',
    className: 'trouble',
    title: 'Errors and warnings of the last hour',
    sort: null,
  },
  { id: 'cpu', label: 'CPU', className: 'cpu', sort: null },
  { id: 'memory', label: 'Memory', className: 'memory', sort: null },
];
