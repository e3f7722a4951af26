import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { invalid, PlatformError, type Problem } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { BOT_CONFIG_FILE, namedFiles, readBotConfig } from './bot-config.ts';
import type { ManifestEntry } from './content-hash.ts';
import { PathSet, pathFault } from './package-path-rules.ts';
import { PackageWriter } from './package-writer.ts';
import { IGNORE_FILE, PackagePatterns } from './project-files.ts';
import { TarEndCheck } from './tar-end-check.ts';
import { isFileManagers, topFolder } from './top-folder.ts';
import {
  checkRatio,
  MAX_PROBLEMS,
  refuse,
  refuseCount,
  refuseDamaged,
  refusePacked,
  refuseUnpacked,
  type UnpackLimits,
} from './unpack-limits.ts';
import { matchPaths, planZip } from './zip-plan.ts';

type Entry = Extract extends AsyncIterable<infer T> ? T : never;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Counts packed bytes. */
function packedGate(limits: UnpackLimits, count: { packed: number }): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count.packed += chunk.length;
      if (count.packed <= limits.packedBytes) done(null, chunk);
      else done(refusePacked(limits));
    },
  });
}

/** Counts unpacked bytes, stops archive bombs, and checks the archive's frame. */
function unpackedGate(limits: UnpackLimits, count: { packed: number }): Transform {
  const frame = new TarEndCheck();
  // Headers and padding take up to 3 blocks a file beside its content.
  const cap = limits.unpackedBytes + limits.files * 1536;
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      try {
        if (bytes > cap) throw refuseUnpacked(limits);
        checkRatio(limits, count.packed, bytes);
        frame.push(chunk);
        done(null, chunk);
      } catch (error) {
        done(asError(error));
      }
    },
    flush(done) {
      try {
        frame.end();
        done();
      } catch (error) {
        done(asError(error));
      }
    },
  });
}

const KINDS: Readonly<Record<string, string>> = {
  link: 'a hard link',
  symlink: 'a symbolic link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a named pipe',
};

/** Checks entries and has them written; after the first problem it only checks. */
class Entries {
  readonly problems: Problem[] = [];
  #count = 0;
  readonly #names = new PathSet();
  readonly #writer: PackageWriter;
  readonly #limits: UnpackLimits;

  constructor(writer: PackageWriter, limits: UnpackLimits) {
    this.#writer = writer;
    this.#limits = limits;
  }

  async take(entry: Entry): Promise<void> {
    const { header } = entry;
    const isFolder = header.type === 'directory';
    const path = header.name.replace(/^\.\//, '').replace(isFolder ? /\/$/ : /$^/, '');
    const isRoot = isFolder && (path === '' || path === '.');
    const tooMany = this.#writer.files.length >= this.#limits.files + (isFolder ? 1 : 0);
    if (++this.#count > this.#limits.files * 2 || tooMany) throw refuseCount(this.#limits);
    const fault = this.#fault(entry, path, isFolder, isRoot);
    if (fault !== null) this.problems.push({ path: JSON.stringify(path).slice(1, -1), ...fault });
    // The reader mistakes a folder's content for the next entry and never ends its stream.
    const lost = isFolder && entry.header.size !== 0;
    if (lost || this.problems.length >= MAX_PROBLEMS) throw invalid('INVALID_PACKAGE', this.problems);
    if (this.problems.length > 0 || isRoot) await drain(entry);
    else if (isFolder) await Promise.all([drain(entry), this.#writer.folder(path)]);
    else await this.#writer.file(path, entry, ((header.mode ?? 0) & 0o111) !== 0);
  }

  #fault(
    { header }: Entry,
    path: string,
    isFolder: boolean,
    isRoot: boolean,
  ): { message: string; hint: string } | null {
    if (!isFolder && header.type !== 'file') {
      const kind = KINDS[header.type ?? ''] ?? 'an entry of an unknown kind';
      return { message: `is ${kind}`, hint: 'Pack regular files and folders only; replace links by copies.' };
    }
    if (Object.keys(header.pax ?? {}).some((key) => key === 'size' || key.startsWith('GNU.sparse')))
      return { message: 'is stored as a sparse or extended file', hint: 'Make the archive without these extensions.' };
    if (isFolder && header.size !== 0) return { message: 'is a folder with content', hint: 'Make the archive again.' };
    if (isRoot) return null;
    return pathFault(path) ?? this.#names.add(path, isFolder ? 'directory' : 'file');
  }
}

async function drain(entry: Entry): Promise<void> {
  for await (const chunk of entry) void chunk;
}

const wasEnded = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

function translate(error: unknown): unknown {
  if (error instanceof PlatformError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  const broken =
    code.startsWith('Z_') ||
    code.startsWith('ERR_TRAILING') ||
    /tar header|Header exceeds|Invalid header|Unexpected end/.test(error.message);
  return broken ? refuseDamaged(error.message) : error;
}

/** The files of an unpacked archive, and what was left out. */
export interface UnpackedTar {
  readonly files: readonly ManifestEntry[];
  readonly leftOut: readonly string[];
}

/** Text of a small file at the root of the project; null without it. */
async function textOf(target: string, files: readonly ManifestEntry[], path: string): Promise<string | null> {
  const found = files.find((file) => file.path === path);
  if (found === undefined) return null;
  if (found.size > LIMITS.metadataFileBytes)
    throw refuse(`${path} is larger than ${LIMITS.metadataFileBytes / 1024} KiB`, 'Shorten it.');
  return readFile(join(target, path), 'utf8');
}

/** Removes what the patterns of the project leave out of its package, such as `.env` and `.git/`. */
async function leaveOut(target: string, found: readonly ManifestEntry[]): Promise<UnpackedTar> {
  const patterns = new PackagePatterns(await textOf(target, found, IGNORE_FILE));
  const { config } = readBotConfig((await textOf(target, found, BOT_CONFIG_FILE)) ?? '');
  const members = found.map((file) => {
    return { item: { path: file.path, kind: 'file', executable: null, fault: null } as const, entry: file };
  });
  const { files, leftOut } = planZip(
    await matchPaths(members, patterns),
    config === undefined ? [] : namedFiles(config),
  );
  const kept = files.map(({ entry }) => entry);
  const keeps = new Set(kept);
  for (const file of found.filter((one) => !keeps.has(one))) await rm(join(target, file.path));
  for (const folder of leftOut.filter((path) => path.endsWith('/')))
    await rm(join(target, folder), { recursive: true, force: true });
  return { files: kept, leftOut };
}

/**
 * Moves the project out of the folder that an archive of a folder has at its top. People make such archives of the folder in which
 * they work, so it holds what belongs into no package.
 */
async function liftTopFolder(target: string, files: readonly ManifestEntry[]): Promise<UnpackedTar> {
  const top = topFolder(files.map(({ path }) => path));
  if (top === null) return { files, leftOut: [] };
  const aside = `${target}.top`;
  await rename(join(target, top), aside);
  await rm(target, { recursive: true });
  await rename(aside, target);
  const inside = files.filter(({ path }) => path.startsWith(`${top}/`));
  const moved = inside.map((file) => ({ ...file, path: file.path.slice(top.length + 1) }));
  for (const { path } of moved.filter((file) => isFileManagers(file.path))) await rm(join(target, path));
  return leaveOut(
    target,
    moved.filter(({ path }) => !isFileManagers(path)),
  );
}

/** Unpacks a tar stream, compressed or not, while it arrives. */
export async function unpackTar(
  input: AsyncIterable<unknown>,
  target: string,
  limits: UnpackLimits,
  isCompressed: boolean,
): Promise<UnpackedTar> {
  const count = { packed: 0 };
  const writer = new PackageWriter(target, limits);
  const entries = new Entries(writer, limits);
  const reader = extract();
  const gunzip = isCompressed
    ? createGunzip({ rejectGarbageAfterEnd: true, chunkSize: 128 * 1024 })
    : new PassThrough();
  const gates = [packedGate(limits, count), gunzip, unpackedGate(limits, count)] as const;
  const flow = pipeline(input, ...gates, new PassThrough(), reader);
  const take = async () => {
    for await (const entry of reader) await entries.take(entry);
  };
  const outcomes = await Promise.allSettled([flow, take()]);
  const errors: unknown[] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  // The first fault ends both sides; the other side's error only reports that.
  const cause = errors.find((error) => error instanceof PlatformError) ?? errors.find((error) => !wasEnded(error));
  if (errors.length > 0) throw translate(cause ?? errors[0]);
  if (entries.problems.length > 0) throw invalid('INVALID_PACKAGE', entries.problems);
  return liftTopFolder(target, writer.files);
}

/** True for the first block of a tar archive. */
export const isTar = (head: Uint8Array): boolean => Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar';
