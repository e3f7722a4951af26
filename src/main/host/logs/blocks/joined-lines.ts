/** Texts one after another, each with a newline behind it, and the bytes of each in UTF-8 without it. */
export interface JoinedLines {
  readonly text: string;
  readonly lengths: readonly number[];
}

/** Joins texts, so that one call into the runtime writes all of them: one call for each costs several times as much. */
export function joinedLines(lines: readonly string[]): JoinedLines {
  if (lines.length === 0) return { text: '', lengths: [] };
  const text = `${lines.join('\n')}\n`;
  const isAscii = Buffer.byteLength(text) === text.length;
  return { text, lengths: lines.map((line) => (isAscii ? line.length : Buffer.byteLength(line))) };
}
