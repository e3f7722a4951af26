const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Tasks after the tests of a file, the latest first. */
const ends: (() => void | Promise<void>)[] = [];

/**
 * Runs a task at the end of every test file. `afterAll` in a helper does not work: where files share a process, a
 * module is loaded only for the first, and the remains of the others would stay.
 */
export function atFileEnd(end: () => void | Promise<void>): void {
  ends.unshift(end);
}

/** For the set-up of a project, which vitest runs for each file. Rejects with the failures after trying all tasks. */
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
