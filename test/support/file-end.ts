/** What is done when the tests of a file are over, the latest first. */
const ends: (() => void | Promise<void>)[] = [];

/**
 * Has something done at the end of every file of tests. Not by `afterAll` beside what it tidies: where files share a
 * process, a module is loaded for the first of them only, and what the others leave would stay.
 */
export function atFileEnd(end: () => void | Promise<void>): void {
  ends.unshift(end);
}

/** For the set-up of a project, which vitest runs for each file. */
export async function endFile(): Promise<void> {
  for (const end of ends) await end();
}
