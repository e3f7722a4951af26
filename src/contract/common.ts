import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds (wire.md section 3). */
export const Timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds' });

/** Identifier of an instance: opaque, URL-safe, sortable by creation (wire.md section 1). */
export const BotId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Identifier of a bot, exactly as bot list returned it', examples: ['bot_01kxyzabcdefgh'] });

export type JsonObject = Record<string, unknown>;
/** A JSON object as a person wrote it. Keys are data: `__proto__` is a key like any other, which a record would drop. */
export const JsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  )
  .meta({ type: 'object', additionalProperties: true });

/** Converts milliseconds since the epoch to the wire's time text. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** As toTimestamp, with null kept. */
export function toTimestampOrNull(ms: number | null): string | null {
  return ms === null ? null : toTimestamp(ms);
}
