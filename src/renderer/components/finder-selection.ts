/** The next row for a key; null for a key that moves nothing. It goes round at both ends. */
export function moved(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}

/** Index of the chosen row; the first one without a choice, or when it is gone. */
export function indexOfId(ids: readonly string[], chosenId: string | null): number {
  return Math.max(0, chosenId === null ? 0 : ids.indexOf(chosenId));
}
