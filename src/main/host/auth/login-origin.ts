/** Where a log-in comes from, as far as the host can tell. */
export interface LoginOrigin {
  /** A network address, or a user account of this machine: what failures are counted by, and what people are shown. */
  readonly source: string;
  /** What the program calls itself (User-Agent). */
  readonly client: string | null;
  /** Token of a known browser as the request carries it, unchecked. */
  readonly known: string | null;
}
