import { createHash } from 'node:crypto';

/** One file of a package. */
export interface ManifestEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
  /** Hex. */
  readonly sha256: string;
}

/** Order of paths by their UTF-8 bytes, the same on every machine and in every language. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
}

/**
 * Identity of a package's content: sha256 (hex) over the sorted manifest of path, executable bit, size and content
 * hash. Compression, order, times and owners do not change it, so publishing the same files again succeeds.
 */
export function contentHash(entries: readonly ManifestEntry[]): string {
  const hash = createHash('sha256');
  for (const entry of [...entries].sort(byPath))
    hash.update(`${entry.path}\0${entry.executable ? 'x' : '-'}\0${entry.size}\0${entry.sha256}\n`);
  return hash.digest('hex');
}
