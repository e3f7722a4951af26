import type { FleetColumn, FleetSort } from '../../../contract/preference-choices.ts';

/** A column of the fleet that can be left out. */
export interface Column {
  readonly id: FleetColumn;
  readonly word: string;
  /** Part of the class of its cells. */
  readonly look: 'custom' | 'doing' | 'metric' | 'last' | 'trouble' | 'cpu' | 'memory';
  readonly title?: string;
  /** Null: only the rows in sight know it, so that nothing can be sorted by it. */
  readonly sort: FleetSort | null;
}

/** In the order in which they stand. */
export const COLUMNS: readonly Column[] = [
  { id: 'custom_bot', word: 'Custom bot', look: 'custom', sort: 'custom_bot' },
  { id: 'now', word: 'Now', look: 'doing', sort: null },
  { id: 'metric', word: 'Metric', look: 'metric', sort: null },
  { id: 'last_run', word: 'Last run', look: 'last', sort: 'last_run' },
  { id: 'last_hour', word: 'Last hour', look: 'trouble', title: 'Errors and warnings of the last hour', sort: null },
  { id: 'cpu', word: 'CPU', look: 'cpu', sort: null },
  { id: 'memory', word: 'Memory', look: 'memory', sort: null },
];
