/** The person ended a command (Ctrl-C, end of input at a question): nothing to tell, exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('interrupted');
  }
}

/** True for Interrupted and for what Node's own functions throw when their signal is aborted. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
