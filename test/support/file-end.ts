const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is done when the tests of a file are over, the latest first. */
const ends: (() => void | Promise<void>)[] = [];

/**
 * Has something done at the end of every file of tests. Not by `afterAll` beside what it tidies: where files share a
 * process, a module is loaded for the first of them only, and what the others leave would stay.
 */
export function atFileEnd(end: () => void | Promise<void>): void {
  ends.unshift(end);
}

/** For the set-up of a project, which vitest runs for each file. Rejects with what failed, once all of it was tried. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(textOf).join('; '));
}
