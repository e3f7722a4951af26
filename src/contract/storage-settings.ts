import { z } from 'zod';

const days = z.number().int().min(1).max(3650);
const megabytes = z.number().int().min(1).max(1_048_576);
const backups = z.number().int().min(1).max(365);

/** The storage settings that a flag or an environment variable may fix. */
export const FIXABLE = ['retention_days', 'retention_mb'] as const;

/** Retention settings of a host, and the space on its disk. */
export const Storage = z.object({
  retention_days: days.meta({ description: 'Days that log lines are kept' }),
  retention_mb: megabytes.meta({ description: 'Megabytes of log kept per bot; whichever comes first' }),
  backups_kept: backups.meta({ description: 'Daily copies of control.db that are kept' }),
  min_free_mb: megabytes.nullable().meta({
    description: 'Below this much free space the host stops storing lines; null: 500 MB, or 2 % of a smaller disk',
  }),
  fixed: z
    .array(z.enum(FIXABLE))
    .meta({ description: 'Given by a flag or the environment: a change would have no effect' }),
  free_bytes: z.number(),
  total_bytes: z.number(),
  low: z
    .boolean()
    .meta({ description: 'Less space is free than should be: output of bots waits, and is stored later' }),
  low_below_bytes: z.number(),
});
export type Storage = z.infer<typeof Storage>;

/** Some of these settings; omitted ones stay. */
export const StorageChange = z.strictObject({
  retention_days: days.optional(),
  retention_mb: megabytes.optional(),
  backups_kept: backups.optional(),
  min_free_mb: megabytes.nullable().optional(),
});
export type StorageChange = z.infer<typeof StorageChange>;
