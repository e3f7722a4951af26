import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { PathFault } from './package-path-rules.ts';

/** Fields of a record of a zip's central directory that say what an entry is. */
export interface ZipRecord {
  readonly versionMadeBy: number;
  readonly generalPurposeBitFlag: number;
  readonly compressionMethod: number;
  readonly externalFileAttributes: number;
  readonly uncompressedSize: number;
  readonly fileNameRaw: Buffer;
  readonly extraFields: readonly { readonly id: number; readonly data: Buffer }[];
}

/** An entry as its maker meant it. */
export interface ZipItem {
  /** With `/`, without the one at the end of a folder. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Null where the zip does not say: its maker has no such bit. */
  readonly executable: boolean | null;
  /** What keeps it from being read. */
  readonly fault: PathFault | null;
}

const ENCRYPTED = 0x1;
const NAME_IS_UTF8 = 0x800;
const UNICODE_PATH = 0x7075;
const STORED = 0;
const DEFLATED = 8;
/** Systems, in the upper byte of `versionMadeBy`. */
const UNIX = new Set([3, 19]);
const DOS = new Set([0, 6, 10, 11, 14]);
const KIND_BITS = 0o170000;
const KINDS = new Map<number, ZipItem['kind']>([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/** The name in UTF-8 that Info-ZIP and others write beside one in another encoding; null without one for this name. */
function unicodePath({ fileNameRaw, extraFields }: ZipRecord): Buffer | null {
  const field = extraFields.find(({ id, data }) => id === UNICODE_PATH && data.length > 5 && data[0] === 1);
  if (field === undefined || field.data.readUInt32LE(1) !== crc32(fileNameRaw)) return null;
  return field.data.subarray(5);
}

function nameOf(record: ZipRecord): { readonly name: string; readonly isKnown: boolean } {
  const { fileNameRaw: raw, generalPurposeBitFlag: flags } = record;
  const bytes = (flags & NAME_IS_UTF8) === 0 ? (unicodePath(record) ?? raw) : raw;
  // macOS writes UTF-8 and does not say so. A name of an old encoding that is UTF-8 by chance would be a rare one.
  if (isUtf8(bytes)) return { name: bytes.toString('utf8'), isKnown: true };
  return { name: bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '_'), isKnown: false };
}

function faultOf(record: ZipRecord, isKnown: boolean, isFolder: boolean): PathFault | null {
  const { compressionMethod: method, generalPurposeBitFlag: flags, uncompressedSize } = record;
  if (!isKnown) {
    const hint = 'Rename it with letters from a to z, or make a .tar.gz: `tar -czf my-bot.tar.gz my-bot`.';
    return { message: 'has a name in an encoding that the zip does not name', hint };
  }
  if (isFolder)
    return uncompressedSize === 0 ? null : { message: 'is a folder with content', hint: 'Make the zip again.' };
  if ((flags & ENCRYPTED) !== 0) return { message: 'is encrypted', hint: 'Make the zip again without a password.' };
  if (method === STORED || method === DEFLATED) return null;
  const hint = 'Make the zip again with the usual method (deflate), or make a .tar.gz.';
  return { message: `is compressed by a method that is not read here (number ${method})`, hint };
}

/** Reads a record of a zip's central directory. */
export function zipItem(record: ZipRecord): ZipItem {
  const { versionMadeBy, externalFileAttributes } = record;
  const system = versionMadeBy >>> 8;
  const { name, isKnown } = nameOf(record);
  // Names of these systems hold no backslash: it separates folders there, and some programs write it.
  const written = DOS.has(system) ? name.replaceAll('\\', '/') : name;
  const mode = UNIX.has(system) ? externalFileAttributes >>> 16 : 0;
  const bits = mode & KIND_BITS;
  const kind = written.endsWith('/') ? 'folder' : bits === 0 ? 'file' : (KINDS.get(bits) ?? 'other');
  return {
    path: written.replace(/^(\.\/)+/, '').replace(/\/$/, ''),
    kind,
    executable: mode === 0 ? null : (mode & 0o111) !== 0,
    fault: faultOf(record, isKnown, kind === 'folder'),
  };
}
