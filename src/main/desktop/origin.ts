/**
 * Origin of the server of an address; null for addresses without one (`data:`, and `blob:`, which names its creator's).
 */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin, protocol } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}

/** The identity of a frame. */
export interface Asking {
  readonly url: string;
  /** The frame that it is in; null for a page of its own. */
  readonly parent: unknown;
}

/**
 * True if the caller is the top page with this origin. False for a frame in it, and for a page that has gone meanwhile (null).
 */
export function isPageOf(asking: Asking | null, origin: string | null): boolean {
  return asking !== null && asking.parent === null && origin !== null && originOf(asking.url) === origin;
}
