import { type Zippable, zipSync } from 'fflate';

/** A file in a zip archive. */
export interface ZipFile {
  /** Path with forward slashes. */
  readonly name: string;
  readonly data: Buffer;
}

/** The first day that the format knows: equal files make equal archives. */
const MTIME = new Date(1980, 0, 1);
const FILE_MODE = 0o100644;
const UNIX = 3;

/** A zip archive of small files, stored as they are. */
export function zip(files: readonly ZipFile[]): Buffer {
  const entries: Zippable = Object.fromEntries(files.map(({ name, data }) => [name, data]));
  return Buffer.from(zipSync(entries, { level: 0, mtime: MTIME, os: UNIX, attrs: FILE_MODE * 0x10000 }));
}
