import { invalid, PlatformError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';

/** Caps of unpacking; the defaults are LIMITS of contract/limits.ts. */
export interface UnpackLimits {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly files: number;
  /** Unpacked to packed bytes, once more than `ratioFrom` bytes were unpacked. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

export const DEFAULT_LIMITS: UnpackLimits = {
  packedBytes: LIMITS.packageBytes,
  unpackedBytes: LIMITS.unpackedBytes,
  files: LIMITS.packageFiles,
  ratio: 200,
  ratioFrom: 10 * 2 ** 20,
};

/** Problems of one package that an answer lists. */
export const MAX_PROBLEMS = 20;

const LEAVE_OUT = 'Exclude what the bot does not need in .platformignore.';

const mib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** The refusal of a whole package, INVALID_PACKAGE. */
export function refuse(message: string, hint: string): PlatformError {
  return invalid('INVALID_PACKAGE', [{ path: '', message, hint }]);
}

/** The refusal of a package that is damaged. */
export function refuseDamaged(what: string): PlatformError {
  return refuse(`The package is damaged: ${what}`, 'Make it again, or get it again from whoever made it.');
}

/** The refusal of a package that is too large before it is unpacked, TOO_LARGE. */
export function refusePacked({ packedBytes }: UnpackLimits): PlatformError {
  const message = `The package is larger than ${mib(packedBytes)} compressed`;
  return new PlatformError('TOO_LARGE', message, { hint: LEAVE_OUT });
}

export function refuseUnpacked({ unpackedBytes }: UnpackLimits): PlatformError {
  return refuse(`The package unpacks to more than ${mib(unpackedBytes)}`, LEAVE_OUT);
}

export function refuseCount({ files }: UnpackLimits): PlatformError {
  return refuse(`The package has more than ${files} files`, LEAVE_OUT);
}

/** Throws for content that grows too much: it is made to fill a disk. */
export function checkRatio({ ratio, ratioFrom }: UnpackLimits, packed: number, unpacked: number): void {
  if (unpacked <= ratioFrom || unpacked <= ratio * packed) return;
  const hint = 'Files that compress this well are empty space; leave them out and let the bot make them.';
  throw refuse(`The package unpacks to more than ${ratio} times its size`, hint);
}
