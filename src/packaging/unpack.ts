import type { Readable } from 'node:stream';
import { byPath, contentHash, type ManifestEntry } from './content-hash.ts';
import { DEFAULT_LIMITS, refuse, type UnpackLimits } from './unpack-limits.ts';
import { isTar, unpackTar } from './unpack-tar.ts';
import { unpackZip } from './unpack-zip.ts';

/** Bytes that tell the kind of an archive: the first block of a tar. */
const HEAD_BYTES = 512;
const GZIP = '\x1f\x8b';
const ZIP = 'PK';

/** Files of an unpacked package, with their size and hash. */
export interface Unpacked {
  /** Sorted by path. */
  readonly files: readonly ManifestEntry[];
  readonly bytes: number;
  /** Content hash over the manifest. */
  readonly hash: string;
  /** Files and folders (`…/`) of a zip that do not belong to a package. */
  readonly leftOut: readonly string[];
}

/** The beginning of a body, which tells its kind. */
async function readHead(input: AsyncIterator<unknown>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const { value, done } = await input.next();
    if (done === true) break;
    if (!(value instanceof Uint8Array)) throw new TypeError('a package arrives as bytes');
    head = Buffer.concat([head, value]);
  }
  return head;
}

/** A body whose beginning was read, from there on. */
async function* wholeOf(head: Buffer, input: AsyncIterator<unknown>): AsyncGenerator<unknown> {
  yield head;
  for (let next = await input.next(); next.done !== true; next = await input.next()) yield next.value;
}

const refuseEmpty = () => refuse('The package is empty', 'Send the .tar.gz or .zip as the body.');
const refuseKind = () =>
  refuse(
    'The package is neither a .tar.gz, nor a .tar, nor a .zip',
    'Use `platform custom-bot deploy`, or `tar -czf`.',
  );

async function unpackAny(
  input: AsyncIterator<unknown>,
  target: string,
  limits: UnpackLimits,
): Promise<Pick<Unpacked, 'files' | 'leftOut'>> {
  const head = await readHead(input);
  const start = head.toString('latin1', 0, 2);
  const whole = wholeOf(head, input);
  if (start === GZIP || isTar(head)) return unpackTar(whole, target, limits, start === GZIP);
  if (start === ZIP) return unpackZip(whole, target, limits);
  throw head.length === 0 ? refuseEmpty() : refuseKind();
}

/**
 * Unpacks a `.tar.gz`, `.tar` or `.zip` into an empty folder: a tar while it arrives, a zip from a file beside the folder
 * that is removed again. Writes only regular files whose names are safe on every system, as 0444 or 0555; caps sizes,
 * counts and the ratio. A folder that holds the whole project is taken off. Of such a folder, and of a zip, which people
 * make of the folder in which they work, it leaves out what `custom-bot deploy` leaves out. Throws INVALID_PACKAGE with all problems, or TOO_LARGE for the
 * packed size; the caller then removes the folder's content. `source` is not destroyed on failure, so that an HTTP request
 * can still be answered.
 */
export async function unpackPackage(
  source: Readable,
  target: string,
  limits: Partial<UnpackLimits> = {},
): Promise<Unpacked> {
  const caps = { ...DEFAULT_LIMITS, ...limits };
  const input = source.iterator({ destroyOnReturn: false });
  try {
    const { files, leftOut } = await unpackAny(input, target, caps);
    const sorted = [...files].sort(byPath);
    const bytes = sorted.reduce((sum, { size }) => sum + size, 0);
    return { files: sorted, bytes, hash: contentHash(sorted), leftOut };
  } finally {
    await input.return?.(undefined);
  }
}
