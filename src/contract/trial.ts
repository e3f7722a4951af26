import { z } from 'zod';
import { BotType } from './bot.ts';
import { JsonObject } from './common.ts';
import { LIMITS } from './limits.ts';

/** Code to try, as text files or a published version, and the settings of the trial. */
export const TrialRequest = z.strictObject({
  files: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'All text files by relative path, instead of name and version' }),
  name: z.string().min(1).max(64).optional().meta({ description: 'Name of a published custom bot' }),
  version: z.string().optional().meta({ description: 'Version of it; default: the highest' }),
  config: JsonObject.optional().meta({
    description: 'Settings of the bot; default: those of instance.json, else the defaults of the schema',
  }),
  seconds: z
    .number()
    .int()
    .min(1)
    .max(LIMITS.trialMaxSec)
    .optional()
    .meta({ description: `How long a realtime bot runs, and a run may take; default ${LIMITS.trialSec}` }),
  query: z
    .string()
    .max(2048)
    .regex(/^\//, 'must start with "/"')
    .optional()
    .meta({ description: 'The query to ask; default: those that the bot names' }),
});
export type TrialRequest = z.infer<typeof TrialRequest>;

/** Result of a trial for one promise of the contract. */
export const TrialCheck = z.object({
  id: z.string(),
  name: z.string(),
  level: z.enum(['ok', 'spare', 'note', 'fault']).meta({
    description: 'spare: there is nothing to check; note: it works, but look at it; fault: it does not hold',
  }),
  /** The finding. It may quote the bot. */
  message: z.string(),
  why: z.string(),
  hint: z.string().nullable(),
});

/** Result of a trial. */
export const TrialReport = z.object({
  /** Null for files that cannot be read as a custom bot. */
  custom_bot: z.object({ name: z.string(), version: z.string(), type: BotType }).nullable(),
  engine: z.string().meta({ description: 'Name of the engine that ran it, as for a new bot' }),
  checks: z.array(TrialCheck),
  faults: z.number().int(),
  notes: z.number().int(),
});
export type TrialReport = z.infer<typeof TrialReport>;
