import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds. */
export const Timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds' });

/** Identifier of an instance: opaque, URL-safe, sortable by creation. */
export const BotId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Identifier of a bot, exactly as bot list returned it', examples: ['bot_01kxyzabcdefgh'] });

/** A visible character: no blank, no zero-width or bidirectional control, no character that fonts leave blank. */
const SEEN = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * A name of up to `max` characters in any script. Control characters could drive a terminal, and a name without a
 * visible character could neither be told from others nor typed: both are refused.
 */
export function visibleText(max: number): z.ZodString {
  return z
    .string()
    .refine(
      (text) => [...text].length <= max && SEEN.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text),
      `must be 1 to ${max} characters, one that is seen among them, no control character and no half of a character`,
    )
    .meta({ minLength: 1, maxLength: max });
}

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
