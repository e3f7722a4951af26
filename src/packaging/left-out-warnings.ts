import type { FileProblem } from '../contract/custom-bot.ts';

const MOST_NAMED = 20;

/** Warnings that name what was sent and is not in the package; of many the first. */
export function leftOutWarnings(paths: readonly string[]): FileProblem[] {
  const hint = 'Packages leave such names out; see .platformignore.';
  const note = (file: string, message: string): FileProblem => ({ file, line: 1, column: 1, message, hint });
  const named = paths.slice(0, MOST_NAMED).map((path) => note(path, 'is not in the package'));
  const [next] = paths.slice(MOST_NAMED);
  if (next === undefined) return named;
  const more = paths.length - MOST_NAMED - 1;
  const message = more === 0 ? 'is not in the package' : `and ${more} more are not in the package`;
  return [...named, note(next, message)];
}
