import type { ProjectMatch } from '../contract/project.ts';

/** Characters of a line that are shown on each side of a match. */
const AROUND = 80;

/** Finds a text as it is written; not by comparing lower case, in which some letters get longer and positions move. */
function needleOf(wanted: string, matchCase: boolean): RegExp {
  return new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), matchCase ? 'gu' : 'giu');
}

/** Yields the places of a text in the lines of a file. */
export function* matchesIn(path: string, text: string, wanted: string, matchCase: boolean): Generator<ProjectMatch> {
  const needle = needleOf(wanted, matchCase);
  for (const [index, whole] of text.split('\n').entries()) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    for (const { index: at, 0: found } of line.matchAll(needle)) {
      const from = Math.max(0, at - AROUND);
      const shown = line.slice(from, at + found.length + AROUND);
      yield { path, line: index + 1, column: at + 1, length: found.length, text: shown, offset: at - from };
    }
  }
}

/** Puts a text in the place of each match of {@link matchesIn}; `replacement` is taken as it is, `$` included. */
export function replaceMatches(text: string, wanted: string, matchCase: boolean, replacement: string): string {
  return text.replaceAll(needleOf(wanted, matchCase), () => replacement);
}
