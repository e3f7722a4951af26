/** Longest text that counts as a piece of a value. */
const LONGEST_PIECE = 64;
/** Number of bytes, and of pieces, below which no value can be spelled out. */
const FEWEST_BYTES = 6;
const FEWEST_PIECES = 2;

const isByte = (item: unknown): item is number => Number.isInteger(item) && Number(item) >= 0 && Number(item) < 256;
const isPiece = (item: unknown): item is string => typeof item === 'string' && item.length <= LONGEST_PIECE;

/** True if the keys of an object count its items from 0, as JSON shows a Uint8Array. */
const isCounted = (value: object): boolean => Object.keys(value).every((key, i) => key === String(i));

/**
 * Returns what the items of a list of bytes or of short texts say together, such as the letters of a key of which no
 * item alone shows anything: the text itself, and the list as it is written, because the items may be codes. Empty for
 * any other value.
 */
export function textsOfItems(value: object): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : isCounted(value) ? Object.values(value) : [];
  const asWritten = (): string => JSON.stringify(items);
  if (items.length >= FEWEST_BYTES && items.every(isByte)) return [Buffer.from(items).toString(), asWritten()];
  if (items.length >= FEWEST_PIECES && items.every(isPiece)) return [items.join(''), asWritten()];
  return [];
}
