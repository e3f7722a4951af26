/** Columns of the fleet that can be left out; status and name, with what the bot does now, are always there. */
export const FLEET_COLUMNS = [
  'custom_bot',
  'profit',
  'metric',
  'last_trade',
  'last_run',
  'last_hour',
  'cpu',
  'memory',
] as const;
export type FleetColumn = (typeof FLEET_COLUMNS)[number];
/** All of these are in sight in a window of 1280 px. */
const FLEET_COLUMNS_AT_FIRST: readonly FleetColumn[] = ['profit', 'metric', 'last_trade', 'last_hour'];
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
  fleet_columns: [...FLEET_COLUMNS_AT_FIRST],
  fleet_sort: 'status' as const,
  fleet_descending: false,
  fleet_filter: 'all' as const,
  fleet_metric: null,
  hide_amounts: false,
  muted_bots: [] as string[],
  editor_side_px: EDITOR_SIZES.editor_side_px.usual,
  editor_below_px: EDITOR_SIZES.editor_below_px.usual,
};
