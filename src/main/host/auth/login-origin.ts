/** Origin of a log-in, as far as the host can tell. */
export interface LoginOrigin {
  /** A network address, or a user account of this machine. Failures are counted by it, and people are shown it. */
  readonly source: string;
  /** User-Agent of the program that logs in; null without one. */
  readonly client: string | null;
  /** Token of a known browser as the request carries it, unchecked. */
  readonly known: string | null;
}
