import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack as tarPack } from 'tar-stream';
import { PlatformError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { contentHash, type ManifestEntry } from './content-hash.ts';
import { type ListOptions, listPackageFiles, type ProjectFile } from './project-files.ts';

/** Progress of packing, in bytes before compression. */
export interface PackProgress {
  readonly path: string;
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Opens a file for as long as it is read. */
export type WithFile = <T>(file: ProjectFile, use: (handle: FileHandle) => Promise<T>) => Promise<T>;

export interface PackFilesOptions {
  readonly onProgress?: (progress: PackProgress) => void;
  readonly signal?: AbortSignal;
  /** Default: the file at its `source`. */
  readonly withFile?: WithFile;
}

export type PackOptions = ListOptions & Omit<PackFilesOptions, 'withFile'>;

/** A package being made. */
export interface PackedProject {
  readonly files: readonly ProjectFile[];
  /** Sum of the files' sizes. */
  readonly unpackedBytes: number;
  /** The `.tar.gz`; read it to its end, or destroy it. It carries errors of packing. */
  readonly stream: Readable;
  /** Content hash and packed size; throws before the stream has ended. */
  summary(): { readonly hash: string; readonly packedBytes: number };
}

/** The time of every file, so that packing twice gives the same bytes. */
const FIXED_TIME = new Date(0);

function changed(file: ProjectFile): PlatformError {
  return new PlatformError('INVALID_PACKAGE', `${file.path} changed while it was being packed`, {
    hint: 'Wait until your build is done, then publish again.',
  });
}

/** Files up to this size are read whole: a stream for each of thousands of small ones costs most of the time. */
const WHOLE_BYTES = 256 * 1024;

/** Joins the archive's small pieces: compressing each alone costs more than compressing itself. */
async function* inBlocks(pieces: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) throw new TypeError('an archive gives bytes');
    waiting.push(piece);
    size += piece.length;
    if (size < WHOLE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  yield Buffer.concat(waiting);
}

const withSource: WithFile = async ({ source }, use) => {
  const handle = await open(source);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
};

/** Writes one file into the archive and returns its manifest entry. */
async function addFile(
  archive: Pack,
  file: ProjectFile,
  handle: FileHandle,
  onBytes: (count: number) => void,
): Promise<ManifestEntry> {
  const header = {
    name: file.path,
    type: 'file',
    mode: file.executable ? 0o755 : 0o644,
    size: file.size,
    mtime: FIXED_TIME,
    uid: 0,
    gid: 0,
  } as const;
  const hash = createHash('sha256');
  if (file.size <= WHOLE_BYTES) {
    const content = await handle.readFile();
    if (content.length !== file.size) throw changed(file);
    hash.update(content);
    await new Promise<void>((done, fail) => {
      archive.entry(header, content, (error) => (error ? fail(error) : done()));
    });
    onBytes(content.length);
  } else {
    let size = 0;
    const watched = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        if (size > file.size) return done(changed(file));
        hash.update(chunk);
        onBytes(chunk.length);
        done(null, chunk);
      },
      flush: (done) => done(size === file.size ? null : changed(file)),
    });
    await pipeline(handle.createReadStream({ autoClose: false }), watched, archive.entry(header));
  }
  return { path: file.path, size: file.size, executable: file.executable, sha256: hash.digest('hex') };
}

/**
 * Packs files, sorted by their paths: fixed times, owners and modes (0644, 0755 where executable), so that the same files
 * give the same package and content hash on every machine.
 */
export function packFiles(files: readonly ProjectFile[], options: PackFilesOptions = {}): PackedProject {
  const { withFile = withSource } = options;
  const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
  const archive = tarPack();
  const manifest: ManifestEntry[] = [];
  let bytes = 0;
  let packedBytes = 0;
  let hash: string | null = null;

  const fill = async () => {
    for (const [i, file] of files.entries()) {
      options.signal?.throwIfAborted();
      const report = (count: number) => {
        bytes += count;
        options.onProgress?.({ path: file.path, files: i, totalFiles: files.length, bytes, totalBytes });
      };
      manifest.push(await withFile(file, (handle) => addFile(archive, file, handle, report)));
      options.onProgress?.({ path: file.path, files: i + 1, totalFiles: files.length, bytes, totalBytes });
    }
    archive.finalize();
  };
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packedBytes += chunk.length;
      if (packedBytes <= LIMITS.packageBytes) return done(null, chunk);
      const limit = `${LIMITS.packageBytes / 2 ** 20} MiB`;
      done(
        new PlatformError('TOO_LARGE', `The package is larger than ${limit} compressed`, {
          hint: 'Exclude what the bot does not need in .platformignore.',
        }),
      );
    },
    flush(done) {
      hash = contentHash(manifest);
      done();
    },
  });
  // Errors of either end reach the stream's reader through `counter`, with the first one.
  const fail = (error: unknown) => void counter.destroy(error instanceof Error ? error : new Error(String(error)));
  pipeline(inBlocks(archive), createGzip({ level: 6 }), counter).catch(fail);
  fill().catch((error: unknown) => {
    fail(error);
    archive.destroy();
  });
  return {
    files,
    unpackedBytes: totalBytes,
    stream: counter,
    summary() {
      if (hash === null) throw new Error('the package is not finished');
      return { hash, packedBytes };
    },
  };
}

/** Packs a project folder. Throws INVALID_PACKAGE when the folder cannot be packed. */
export async function packFolder(dir: string, options: PackOptions = {}): Promise<PackedProject> {
  return packFiles(await listPackageFiles(dir, options), options);
}
