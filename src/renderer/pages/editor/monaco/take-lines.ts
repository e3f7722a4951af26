/** Differing lines of two texts; an end of 0: there are none on that side, and they would follow the start. */
export interface LineChange {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

/** The change at a line of the modified text, or the next one below it, or the first. */
export function changeAt(changes: readonly LineChange[], line: number): LineChange | undefined {
  const lastLine = (one: LineChange): number => Math.max(one.modifiedStartLineNumber, one.modifiedEndLineNumber);
  return changes.find((one) => lastLine(one) >= line) ?? changes[0];
}

/** Returns the lines of the modified text with those of the original in the place of one change. */
export function takeLines(
  original: readonly string[],
  modified: readonly string[],
  { originalStartLineNumber, originalEndLineNumber, modifiedStartLineNumber, modifiedEndLineNumber }: LineChange,
): string[] {
  const taken = originalEndLineNumber === 0 ? [] : original.slice(originalStartLineNumber - 1, originalEndLineNumber);
  const isInsertion = modifiedEndLineNumber === 0;
  const from = isInsertion ? modifiedStartLineNumber : modifiedStartLineNumber - 1;
  return modified.toSpliced(from, isInsertion ? 0 : modifiedEndLineNumber - from, ...taken);
}
