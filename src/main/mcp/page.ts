/** Most text of one answer, in bytes (wire.md section 1): what a model can read without losing the thread. */
export const PAGE_BYTES = 20_000;
/** Room that an answer keeps for everything beside its long part. */
const FRAME_BYTES = 1500;
const ROOM_BYTES = PAGE_BYTES - FRAME_BYTES;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null');

/** The first items that fit on a page; `room` is what they may take together, in bytes. An item is to be smaller than that. */
export function fitting<T>(items: readonly T[], room = ROOM_BYTES): T[] {
  let used = 0;
  const kept: T[] = [];
  for (const item of items) {
    used += bytesOf(item) + 1;
    if (used > room) break;
    kept.push(item);
  }
  return kept;
}

/** A text cut to a number of bytes at a character, without a word about it; the same text when it is short enough. */
export function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text).subarray(0, bytes).toString('utf8').replace(/�+$/, '');
}

/** A text cut to about a number of bytes that says how long it was; the same text when it is short enough. */
export function cutAloud(text: string, bytes: number): string {
  const size = Buffer.byteLength(text);
  return size <= bytes ? text : `${cut(text, bytes)} … [cut: ${size} bytes in all]`;
}

/**
 * A JSON value as part of an answer: whole as `<name>` when it fits, else its beginning as text in `<name>_preview` with
 * `truncated`. A value is never shortened without saying so.
 */
export function valueField(name: string, value: unknown, room = ROOM_BYTES): Record<string, unknown> {
  const size = bytesOf(value);
  if (size <= room) return { [name]: value, truncated: false };
  return { [`${name}_preview`]: cut(JSON.stringify(value), Math.floor(room / 2)), truncated: true, size_bytes: size };
}

/** The data of one metric: whole, or its beginning where it alone would fill a page. */
export function metricData(data: unknown): Record<string, unknown> {
  const { truncated, ...field } = valueField('data', data, 4000);
  return truncated === true ? { ...field, truncated } : field;
}
