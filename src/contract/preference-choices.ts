/** Columns of the fleet that can be left out; status and name are always there. */
export const FLEET_COLUMNS = ['custom_bot', 'now', 'metric', 'last_run', 'last_hour', 'cpu', 'memory'] as const;
export type FleetColumn = (typeof FLEET_COLUMNS)[number];
/** Columns by which the fleet can be sorted. */
export const FLEET_SORTS = ['name', 'status', 'custom_bot', 'last_run'] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];
export const FLEET_FILTERS = ['all', 'running', 'failed', 'scheduled', 'stopped'] as const;

/** Most bots that can be muted. */
export const MUTED_MAX = 1000;
/** Sizes of the editor's panes in pixels: least, most, and the default. */
export const EDITOR_SIZES = {
  editor_side_px: { min: 160, max: 900, usual: 240 },
  editor_below_px: { min: 80, max: 900, usual: 240 },
} as const;

/** Preferences of a user who has chosen none. */
export const DEFAULT_PREFERENCES = {
  theme: 'system' as const,
  zone: 'local' as const,
  log_wrap: false,
  log_relative: false,
  fleet_columns: [...FLEET_COLUMNS],
  fleet_sort: 'name' as const,
  fleet_descending: false,
  fleet_filter: 'all' as const,
  fleet_metric: null,
  muted_bots: [] as string[],
  editor_side_px: EDITOR_SIZES.editor_side_px.usual,
  editor_below_px: EDITOR_SIZES.editor_below_px.usual,
};
