/** Longest text that counts as a piece of a value. */
const LONGEST_PIECE = 64;
/** Number of bytes, and of pieces, below which no value can be spelled out. */
const FEWEST_BYTES = 6;
const FEWEST_PIECES = 2;

/** Signed bytes count as well: some languages have no others. */
const isByte = (item: unknown): item is number => Number.isInteger(item) && Number(item) >= -128 && Number(item) < 256;
const isPiece = (item: unknown): item is string => typeof item === 'string' && item.length <= LONGEST_PIECE;
/** Prices and sizes, as exchanges write them, would be a number of another kind when they are joined. */
const isFigure = (piece: string): boolean => piece.length > 1 && /^-?[\d.]+$/.test(piece);

/** What adjacent items say together: bytes as text; pieces joined, and as they are written, because they may be codes. */
function textsOf(run: readonly unknown[]): readonly string[] {
  if (run.length >= FEWEST_BYTES && run.every(isByte)) return [Buffer.from(run).toString()];
  if (run.length < FEWEST_PIECES || !run.every(isPiece) || run.every(isFigure)) return [];
  return [run.join(''), JSON.stringify(run)];
}

const kindOf = (item: unknown): 'byte' | 'piece' | null => (isByte(item) ? 'byte' : isPiece(item) ? 'piece' : null);

/**
 * Finds adjacent items that together spell a value out, such as the bytes or the letters of a key, of which no item alone
 * shows anything. Returns the places of each such run, its end excluded.
 */
export function spelledRuns(
  items: readonly unknown[],
  holdsValue: (text: string) => boolean,
): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let from = 0, to = 0; from < items.length; from = to) {
    const kind = kindOf(items[from]);
    for (to = from + 1; kind !== null && to < items.length && kindOf(items[to]) === kind; ) to += 1;
    if (textsOf(items.slice(from, to)).some(holdsValue)) found.push({ from, to });
  }
  return found;
}
