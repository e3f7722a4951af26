import type { LogEntry } from '../../../../contract/telemetry.ts';
import { stripAnsi } from '../../../../shared/ansi.ts';

/** A line for copying: time, level, source and message, without escape sequences. */
export function asText({ ts, level, source, message, fields }: LogEntry): string {
  const more = fields === null ? '' : ` ${JSON.stringify(fields)}`;
  return `${ts} ${level.padEnd(5)} ${source} ${stripAnsi(message)}${more}`;
}

/** A line as JSON on one line. */
export const asJson = (entry: LogEntry): string => JSON.stringify(entry);

/** Further fields of a line, over several lines; null without any. */
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
