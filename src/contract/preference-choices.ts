import type { Preferences } from './preferences.ts';

/** Columns of the fleet that can be left out; status and name are always there. */
export const FLEET_COLUMNS = ['custom_bot', 'now', 'metric', 'last_run', 'last_hour', 'cpu', 'memory'] as const;
export type FleetColumn = (typeof FLEET_COLUMNS)[number];
/** What the fleet can be sorted by. */
export const FLEET_SORTS = ['name', 'status', 'custom_bot', 'last_run'] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];
export const FLEET_FILTERS = ['all', 'running', 'failed', 'scheduled', 'stopped'] as const;

/** So many bots can be muted. */
export const MUTED_MAX = 1000;
/** Sizes of the editor's parts in pixels: least, most, and what they are until somebody moves a line. */
export const EDITOR_SIZES = {
  editor_side_px: { min: 160, max: 900, usual: 240 },
  editor_below_px: { min: 80, max: 900, usual: 240 },
} as const;

/** What holds until somebody chooses. */
export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  zone: 'local',
  log_wrap: false,
  log_relative: false,
  fleet_columns: [...FLEET_COLUMNS],
  fleet_sort: 'name',
  fleet_descending: false,
  fleet_filter: 'all',
  fleet_metric: null,
  muted_bots: [],
  editor_side_px: EDITOR_SIZES.editor_side_px.usual,
  editor_below_px: EDITOR_SIZES.editor_below_px.usual,
};
