import { z } from 'zod';

/** RFC 3339 in UTC with milliseconds (wire.md section 3). */
export const Timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds' });

/** Identifier of an instance: opaque, URL-safe, sortable by creation (wire.md section 1). */
export const BotId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Identifier of a bot, exactly as bot list returned it', examples: ['bot_01kxyzabcdefgh'] });

/** A character that is seen: no blank, no sign without width or for the order of text, nothing that is drawn as nothing. */
const SEEN = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * A name of up to so many characters, in any writing (wire.md section 1). What controls a terminal is refused, and so is a
 * name in which nothing is seen: it could not be told from others, nor be asked for in a list.
 */
export function visibleText(max: number): z.ZodString {
  return z
    .string()
    .refine(
      (text) => [...text].length <= max && SEEN.test(text) && !/\p{Cc}/u.test(text),
      `must be 1 to ${max} characters, one that is seen among them and no control character`,
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
