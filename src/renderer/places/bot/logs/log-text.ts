import type { LogEntry } from '../../../../contract/telemetry.ts';
import { stripAnsi } from '../../../../isomorphic/ansi.ts';

/** A line as one copies it: time, level, source and what was said, without escape sequences. */
export function asText({ ts, level, source, message, fields }: LogEntry): string {
  const more = fields === null ? '' : ` ${JSON.stringify(fields)}`;
  return `${ts} ${level.padEnd(5)} ${source} ${stripAnsi(message)}${more}`;
}

/** A line as JSON on one line. */
export const asJson = (entry: LogEntry): string => JSON.stringify(entry);

/** What a line says beyond its words, set out over several lines; null when it says no more. */
export function detailOf({ message, fields }: LogEntry): string | null {
  if (fields !== null) return JSON.stringify(fields, null, 2);
  const text = message.trim();
  if (!/^[[{]/.test(text)) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Only looks like JSON.
    return null;
  }
}
