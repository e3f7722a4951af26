/** The command line itself cannot be understood: told with the way to the help, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The command whose help says more; '' for the whole program. */
  readonly words: string;

  constructor(message: string, words = '') {
    super(message);
    this.words = words;
  }
}
