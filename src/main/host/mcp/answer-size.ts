/** Most text of one answer, in bytes: what a model can read without losing the thread. */
export const PAGE_BYTES = 20_000;
/** Room that an answer keeps for everything beside its long part. */
const FRAME_BYTES = 1500;
/** Room for the long part of an answer. */
export const ROOM_BYTES = PAGE_BYTES - FRAME_BYTES;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null');

/** The first items that fit on a page; `room` is their total, in bytes. Each item must be smaller than that. */
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

/** A text cut to a number of bytes at a character, silently; a short text stays. */
export function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text).subarray(0, bytes).toString('utf8').replace(/�+$/, '');
}

/** A text cut to about a number of bytes, with a note of its length; a short text stays. */
export function cutAloud(text: string, bytes: number): string {
  const size = Buffer.byteLength(text);
  return size <= bytes ? text : `${cut(text, bytes)} … [cut: ${size} bytes in all]`;
}

/**
 * The longest beginning of a text that fits on a page in the form of `shown`. It ends at a line end where possible, and
 * never within a character.
 */
export function beginningFor(text: string, shown: (text: string) => string): string {
  const fits = (length: number): boolean => bytesOf(shown(text.slice(0, length))) <= ROOM_BYTES;
  if (text.length <= ROOM_BYTES && fits(text.length)) return text;
  let [least, most] = [1, Math.min(text.length, ROOM_BYTES)];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  const line = text.lastIndexOf('\n', least - 1) + 1;
  if (line > least / 2) return text.slice(0, line);
  const splits = /[\ud800-\udbff]/.test(text.charAt(least - 1)) && least < text.length;
  return text.slice(0, splits ? (least > 1 ? least - 1 : 2) : least);
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
