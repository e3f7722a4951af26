import { z } from 'zod';

export const LOG_SOURCES = ['stdout', 'stderr', 'query', 'host'] as const;
/** Source of a line: one of the bot's streams, its query program, or the host itself. */
export const LogSource = z.enum(LOG_SOURCES);
export type LogSource = z.infer<typeof LogSource>;
