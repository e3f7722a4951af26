import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CustomBotVersion } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { contentHash, type ManifestEntry } from '../../../packaging/content-hash.ts';
import { START_BYTES, startsProgram } from '../../../packaging/executable-header.ts';
import { packFiles, type WithFile } from '../../../packaging/pack.ts';
import { parseEntrypoint } from '../../../shared/parse-entrypoint.ts';
import { listVersionFiles, type VersionFile, withVersionFile } from './version-files.ts';

/** A version as a file. */
export interface ExportedVersion {
  /** `<name>-<version>.tar.gz` */
  readonly fileName: string;
  /** Read it to its end, or destroy it. It carries an error of reading the version. */
  readonly stream: Readable;
}

function damaged({ name, version }: CustomBotVersion): PlatformError {
  return new PlatformError('DATA_DAMAGED', `The files of ${name} ${version} are not those that were published`, {
    hint: 'Another program has changed them in the data folder. Export the version from where it came from.',
  });
}

/** Reads a file once, without following links; throws for one that is gone. */
async function entryOf(dir: string, file: VersionFile): Promise<ManifestEntry | null> {
  return withVersionFile(dir, file.path, async (handle) => {
    const hash = createHash('sha256');
    let size = 0;
    let start = Buffer.alloc(0);
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      const bytes = Buffer.from(chunk);
      if (start.length < START_BYTES) start = Buffer.concat([start, bytes.subarray(0, START_BYTES)]);
      size += bytes.length;
      hash.update(bytes);
    }
    // Windows keeps no executable bit.
    const executable = process.platform === 'win32' ? startsProgram(start) : file.executable;
    return { path: file.path, size, executable, sha256: hash.digest('hex') };
  });
}

/**
 * The manifest of a version as it was published; throws DATA_DAMAGED if its folder holds anything else. Publishing makes
 * the entries of compiled bots executable whatever their package said of them, so both are tried.
 */
async function publishedManifest(dir: string, record: CustomBotVersion): Promise<ManifestEntry[]> {
  const manifest: ManifestEntry[] = [];
  for (const file of await listVersionFiles(dir)) {
    const entry = await entryOf(dir, file);
    if (entry === null) throw damaged(record);
    manifest.push(entry);
  }
  const { bot, query } = record.entrypoints;
  const programs = [bot, query].map((entry) => (entry === null ? '' : parseEntrypoint(entry).file));
  for (const plain of [[], programs, ...programs.map((path) => [path])]) {
    const tried = manifest.map((entry) => (plain.includes(entry.path) ? { ...entry, executable: false } : entry));
    if (contentHash(tried) === record.hash) return tried;
  }
  throw damaged(record);
}

/**
 * A published version as a package: its files as they were published, the same bytes each time. All of them are read and
 * held against the content hash before the first byte is given. Throws DATA_DAMAGED; the stream ends with that error if
 * they change meanwhile.
 */
export async function exportVersion(dir: string, record: CustomBotVersion): Promise<Readable> {
  const manifest = await publishedManifest(dir, record);
  const files = manifest.map(({ path, size, executable }) => ({ path, source: join(dir, path), size, executable }));
  const withFile: WithFile = async ({ path }, use) => {
    const done = await withVersionFile(dir, path, async (handle: FileHandle) => ({ value: await use(handle) }));
    if (done === null) throw damaged(record);
    return done.value;
  };
  const { stream, summary } = packFiles(files, { withFile });
  const checked = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
    flush: (done) => done(summary().hash === record.hash ? null : damaged(record)),
  });
  // The reader of `checked` gets the error.
  pipeline(stream, checked).catch(() => undefined);
  return checked;
}
