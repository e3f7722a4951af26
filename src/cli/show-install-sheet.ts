import type { InstallSheet } from '../contract/permits.ts';
import { sheetSummary } from '../shared/permit-words.ts';
import { printable } from './terminal-text.ts';

/** An install sheet as lines: what a version asks for, and what has changed since the one before. */
export function sheetLines(sheet: InstallSheet): string[] {
  const { wants, since, added, removed } = sheet;
  const marked = wants.map((line) => `  ${added.includes(line) ? '+' : ' '} ${printable(line)}`);
  const gone = removed.map((line) => `  - ${printable(line)}`);
  const changed = added.length + removed.length === 0 || since === null ? [] : [`(+ new, - removed, since ${since})`];
  return [[sheetSummary(sheet), ...changed].join(' '), ...marked, ...gone];
}
