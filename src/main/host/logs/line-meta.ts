const META_CONTINUED = 16;
const META_NUL = 32;
const META_MASKED = 64;

/** True if a line is undamaged: a cut or zeroed page reads as NULL, or as NULs without the flag. */
export function isSoundLine(line: unknown, meta: unknown): boolean {
  return typeof line === 'string' && typeof meta === 'number' && ((meta & META_NUL) !== 0 || !line.includes('\0'));
}

/** SQL tests on `meta`; LIKE stops at a NUL, so rows with one always go through the exact test. */
export const META_SQL = { level: '(meta & 3)', source: '((meta >> 2) & 3)', nul: `(meta & ${META_NUL})` } as const;

/**
 * Content of `meta`: level 0-3, source 0-3, whether the line continues in the next row or contains a NUL, and the
 * number of masked places.
 */
export interface LogMeta {
  readonly level: number;
  readonly source: number;
  readonly continued: boolean;
  readonly nul: boolean;
  readonly masked: number;
}

export function packMeta(meta: LogMeta): number {
  return (
    meta.level +
    (meta.source << 2) +
    (meta.continued ? META_CONTINUED : 0) +
    (meta.nul ? META_NUL : 0) +
    meta.masked * META_MASKED
  );
}

export function unpackMeta(meta: number): LogMeta {
  return {
    level: meta & 3,
    source: (meta >> 2) & 3,
    continued: (meta & META_CONTINUED) !== 0,
    nul: (meta & META_NUL) !== 0,
    masked: Math.floor(meta / META_MASKED),
  };
}
