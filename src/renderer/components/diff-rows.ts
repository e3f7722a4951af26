import type { DiffLine } from '../../shared/line-diff.ts';

/** One row of two columns; null where a side has no line. */
export interface SideBySide {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Lines in two columns: removed lines beside their replacements. */
export function sideBySide(lines: readonly DiffLine[]): SideBySide[] {
  const rows: SideBySide[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++)
      rows.push({ left: removed[i] ?? null, right: added[i] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
