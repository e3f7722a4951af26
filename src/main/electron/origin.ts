/** Origin of the server that an address names; null for one that names none (`data:`; `blob:`, which tells its maker's). */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin, protocol } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}

/** What of a frame tells who it is. */
export interface Asking {
  readonly url: string;
  /** The frame that it is in; null for a page of its own. */
  readonly parent: unknown;
}

/** Whether a page of its own, with this origin, asks: none of its frames, no page that has gone meanwhile (null). */
export function isPageOf(asking: Asking | null, origin: string | null): boolean {
  return asking !== null && asking.parent === null && origin !== null && originOf(asking.url) === origin;
}
