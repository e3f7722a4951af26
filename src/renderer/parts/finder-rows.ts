/** The next row for a key; null for a key that moves nothing. It goes round at both ends. */
export function moved(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}

/** The row of what was chosen; the first while nothing was, or when it is not among them any more. */
export function indexOfId(ids: readonly string[], chosenId: string | null): number {
  return Math.max(0, chosenId === null ? 0 : ids.indexOf(chosenId));
}
