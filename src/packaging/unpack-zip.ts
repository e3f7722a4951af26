import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { PlatformError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { BOT_CONFIG_FILE, namedFiles, readBotConfig } from './bot-config.ts';
import type { ManifestEntry } from './content-hash.ts';
import { PackageWriter } from './package-writer.ts';
import { IGNORE_FILE, PackagePatterns } from './project-files.ts';
import { refuse, refuseCount, refuseDamaged, refusePacked, type UnpackLimits } from './unpack-limits.ts';
import { zipItem } from './zip-entry.ts';
import { checkSizes, matchPaths, planZip, projectMembers, type ZipMember } from './zip-plan.ts';

/** Most bytes of names and other facts of a zip's entries: they are held in memory. */
const MOST_RECORD_BYTES = 32 * 2 ** 20;

/** Files that are written at once: for small ones, most of the time goes by waiting for the disk. */
const WRITTEN_AT_ONCE = 8;

const OPTIONS = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true };

/** Files of an unpacked zip, and what of it does not belong to a package. */
export interface UnpackedZip {
  readonly files: readonly ManifestEntry[];
  readonly leftOut: readonly string[];
}

/** The list of a zip's entries stands at its end, so all of it is written to a file first. */
async function store(input: AsyncIterable<unknown>, file: string, limits: UnpackLimits): Promise<void> {
  let packed = 0;
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packed += chunk.length;
      if (packed <= limits.packedBytes) done(null, chunk);
      else done(refusePacked(limits));
    },
  });
  await pipeline(input, gate, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}

/** Errors of the reader and of inflating as refusals. */
function translate(error: unknown): unknown {
  if (error instanceof PlatformError || !(error instanceof Error)) return error;
  // An error of the disk or of this program, not of the zip.
  if ('syscall' in error || error instanceof TypeError) return error;
  if (/encryption/.test(error.message)) return refuse('The zip is encrypted', 'Make it again without a password.');
  if (/multi-disk/.test(error.message)) return refuse('The zip is a part of several', 'Make one zip of all files.');
  return refuseDamaged(error.message.split('\n', 1)[0]?.slice(0, 200) ?? '');
}

async function readMembers(zip: ZipFile, limits: UnpackLimits): Promise<ZipMember<Entry>[]> {
  const members: ZipMember<Entry>[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    // Folders have entries of their own, and so have the notes of macOS for each file.
    if (members.length >= limits.files * 4 || bytes > MOST_RECORD_BYTES) throw refuseCount(limits);
    members.push({ entry, item: zipItem(entry) });
  }
  return members;
}

/** The content of an entry; throws after its last byte if its checksum is wrong. */
async function* content(zip: ZipFile, entry: Entry, path: string): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('the archive reader gave no bytes');
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw refuseDamaged(`${JSON.stringify(path)} has another checksum than the zip says`);
}

/** Text of a small file at the root of the project; null without it, and where the plan will refuse it. */
async function textOf(zip: ZipFile, members: readonly ZipMember<Entry>[], path: string): Promise<string | null> {
  const found = members.find(({ item }) => item.path === path && item.kind === 'file' && item.fault === null);
  if (found === undefined) return null;
  if (found.entry.uncompressedSize > LIMITS.metadataFileBytes)
    throw refuse(`${path} is larger than ${LIMITS.metadataFileBytes / 1024} KiB`, 'Shorten it.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of content(zip, found.entry, path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Does work on each item, some at once. After a failure it begins no more, and throws once all that was begun has ended. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items].reverse();
  const next = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  const ended = Array.from({ length: WRITTEN_AT_ONCE }, () =>
    next().catch((error: unknown) => {
      waiting.length = 0;
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(ended)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function extractFrom(zip: ZipFile, packed: number, target: string, limits: UnpackLimits): Promise<UnpackedZip> {
  const members = projectMembers(await readMembers(zip, limits));
  const patterns = new PackagePatterns(await textOf(zip, members, IGNORE_FILE));
  const { config } = readBotConfig((await textOf(zip, members, BOT_CONFIG_FILE)) ?? '');
  const matched = await matchPaths(members, patterns);
  const { files, leftOut } = planZip(matched, config === undefined ? [] : namedFiles(config));
  checkSizes(files, packed, limits);
  const writer = new PackageWriter(target, limits);
  await inParallel(files, ({ item, entry }) => writer.file(item.path, content(zip, entry, item.path), item.executable));
  return { files: writer.files, leftOut };
}

async function extract(file: string, target: string, limits: UnpackLimits): Promise<UnpackedZip> {
  try {
    const zip = await openPromise(file, OPTIONS);
    // An error that comes when no call waits for one, such as that of closing, must not end the process.
    zip.on('error', () => undefined);
    try {
      return await extractFrom(zip, (await stat(file)).size, target, limits);
    } finally {
      zip.close();
    }
  } catch (error) {
    throw translate(error);
  }
}

/** Unpacks a zip, which lies in a file beside the target meanwhile. */
export async function unpackZip(
  input: AsyncIterable<unknown>,
  target: string,
  limits: UnpackLimits,
): Promise<UnpackedZip> {
  const file = `${target}.zip`;
  try {
    await store(input, file, limits);
    return await extract(file, target, limits);
  } finally {
    await rm(file, { force: true });
  }
}
