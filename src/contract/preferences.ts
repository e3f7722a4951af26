import { z } from 'zod';
import { BotId } from './common.ts';
import {
  DEFAULT_PREFERENCES,
  EDITOR_SIZES,
  FLEET_COLUMNS,
  FLEET_FILTERS,
  FLEET_SORTS,
  MUTED_MAX,
} from './preference-choices.ts';

const size = (name: keyof typeof EDITOR_SIZES) =>
  z.number().int().min(EDITOR_SIZES[name].min).max(EDITOR_SIZES[name].max);

/** Display settings of a person, the same on every machine; each user of a host has their own. */
export const Preferences = z.strictObject({
  theme: z.enum(['system', 'dark', 'light']),
  zone: z.enum(['local', 'UTC']).meta({ description: 'Which clock times are shown in' }),
  log_wrap: z.boolean().meta({ description: 'Long log lines are broken rather than cut' }),
  log_relative: z.boolean().meta({ description: 'Times of log lines are written as how long ago' }),
  fleet_columns: z
    .array(z.enum(FLEET_COLUMNS))
    .max(FLEET_COLUMNS.length)
    .meta({ description: 'Columns that the fleet shows beside status and name' }),
  fleet_sort: z.enum(FLEET_SORTS),
  fleet_descending: z.boolean(),
  fleet_filter: z.enum(FLEET_FILTERS),
  fleet_metric: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .meta({ description: 'Which series the fleet draws in small, by its name; null: the most telling of each bot' }),
  hide_amounts: z.boolean().meta({ description: 'Amounts of money and what is held are not shown' }),
  muted_bots: z
    .array(BotId)
    .max(MUTED_MAX)
    .meta({ description: 'Bots whose failures the desktop app does not tell of' }),
  editor_side_px: size('editor_side_px').meta({ description: 'Width of the files beside the text of the editor' }),
  editor_below_px: size('editor_below_px').meta({ description: 'Height of problems and output below it' }),
});
export type Preferences = z.infer<typeof Preferences>;

/** The preferences that a user changed. */
export const PreferenceChange = Preferences.partial();
export type PreferenceChange = z.infer<typeof PreferenceChange>;

/** Reads stored preferences, of this release or another; an unknown choice counts as none. */
export function readPreferences(stored: unknown): Preferences {
  if (typeof stored !== 'object' || stored === null) return DEFAULT_PREFERENCES;
  const known = Object.entries(stored).filter(([name, value]) => PreferenceChange.safeParse({ [name]: value }).success);
  return Preferences.parse({ ...DEFAULT_PREFERENCES, ...Object.fromEntries(known) });
}
