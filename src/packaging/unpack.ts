import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { invalid, PlatformError, type Problem } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { contentHash, type ManifestEntry } from './content-hash.ts';
import { PathSet, pathFault } from './package-path-rules.ts';
import { TarEndCheck } from './tar-end-check.ts';

type Entry = Extract extends AsyncIterable<infer T> ? T : never;

/** Caps of unpacking; the defaults are LIMITS of contract/limits.ts. */
export interface UnpackLimits {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly files: number;
  /** Unpacked to packed bytes, once more than `ratioFrom` bytes were unpacked. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

const DEFAULT_LIMITS: UnpackLimits = {
  packedBytes: LIMITS.packageBytes,
  unpackedBytes: LIMITS.unpackedBytes,
  files: LIMITS.packageFiles,
  ratio: 200,
  ratioFrom: 10 * 2 ** 20,
};

const MAX_PROBLEMS = 20;

/** Files of an unpacked package, with their size and hash. */
export interface Unpacked {
  /** Sorted by path. */
  readonly files: readonly ManifestEntry[];
  readonly bytes: number;
  /** Content hash over the manifest. */
  readonly hash: string;
}

function refuse(message: string, hint: string): PlatformError {
  return invalid('INVALID_PACKAGE', [{ path: '', message, hint }]);
}

const mib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** Counts packed bytes and checks the first two, so that the error names a wrong kind of file. */
function packedGate(limits: UnpackLimits, count: { packed: number }): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const start = chunk.subarray(0, 2).toString('latin1');
      if (count.packed === 0 && start === 'PK')
        return done(refuse('The package is a zip archive', 'Send a .tar.gz; `platform custom-bot deploy` makes one.'));
      if (count.packed === 0 && chunk[0] !== 0x1f)
        return done(refuse('The package is not a .tar.gz', 'Use `platform custom-bot deploy`, or `tar -czf`.'));
      count.packed += chunk.length;
      if (count.packed <= limits.packedBytes) return done(null, chunk);
      const message = `The package is larger than ${mib(limits.packedBytes)} compressed`;
      done(new PlatformError('TOO_LARGE', message, { hint: 'Exclude what the bot does not need in .platformignore.' }));
    },
    flush: (done) => done(count.packed > 0 ? null : refuse('The package is empty', 'Send the .tar.gz as the body.')),
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
      if (bytes > cap) return done(refuse(`The package unpacks to more than ${mib(limits.unpackedBytes)}`, TOO_BIG));
      if (bytes > limits.ratioFrom && bytes > limits.ratio * count.packed)
        return done(refuse(`The package unpacks to more than ${limits.ratio} times its size`, RATIO));
      try {
        frame.push(chunk);
        done(null, chunk);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    flush(done) {
      try {
        frame.end();
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}

const TOO_BIG = 'Exclude what the bot does not need in .platformignore.';
const RATIO = 'Files that compress this well are empty space; leave them out and let the bot make them.';

const KINDS: Readonly<Record<string, string>> = {
  link: 'a hard link',
  symlink: 'a symbolic link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a named pipe',
};

/** Checks names and writes files; after the first problem it only checks. */
class Writer {
  readonly files: ManifestEntry[] = [];
  readonly problems: Problem[] = [];
  bytes = 0;
  #entries = 0;
  readonly #made = new Set<string>();
  readonly #names = new PathSet();
  readonly #target: string;
  readonly #limits: UnpackLimits;

  constructor(target: string, limits: UnpackLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  async entry(entry: Entry): Promise<void> {
    const { header } = entry;
    const isFolder = header.type === 'directory';
    const path = header.name.replace(/^\.\//, '').replace(isFolder ? /\/$/ : /$^/, '');
    const isRoot = isFolder && (path === '' || path === '.');
    if (++this.#entries > this.#limits.files * 2 || this.files.length >= this.#limits.files + (isFolder ? 1 : 0))
      throw refuse(`The package has more than ${this.#limits.files} files`, TOO_BIG);
    const fault = this.#fault(entry, path, isFolder, isRoot);
    if (fault !== null) this.problems.push({ path: JSON.stringify(path).slice(1, -1), ...fault });
    // The reader mistakes a folder's content for the next entry and never ends its stream.
    const lost = isFolder && entry.header.size !== 0;
    if (lost || this.problems.length >= MAX_PROBLEMS) throw invalid('INVALID_PACKAGE', this.problems);
    if (this.problems.length > 0 || isRoot) await drain(entry);
    else if (isFolder) await Promise.all([drain(entry), this.#folder(join(this.#target, path))]);
    else await this.#file(entry, path);
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

  async #folder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o755 });
    this.#made.add(path);
  }

  async #file(entry: Entry, path: string): Promise<void> {
    const executable = ((entry.header.mode ?? 0) & 0o111) !== 0;
    const target = join(this.#target, path);
    await this.#folder(dirname(target));
    const hash = createHash('sha256');
    let size = 0;
    const file = await open(target, 'wx', 0o600);
    try {
      for await (const chunk of entry) {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('the archive reader gave no bytes');
        size += chunk.length;
        this.bytes += chunk.length;
        if (this.bytes > this.#limits.unpackedBytes)
          throw refuse(`The package unpacks to more than ${mib(this.#limits.unpackedBytes)}`, TOO_BIG);
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      // Only these two modes exist: setuid, setgid and write permission never survive unpacking.
      await file.chmod(executable ? 0o555 : 0o444);
    } finally {
      await file.close();
    }
    this.files.push({ path, size, executable, sha256: hash.digest('hex') });
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
  if (!broken) return error;
  return refuse(`The package is damaged: ${error.message}`, 'Make it again with `platform custom-bot deploy`.');
}

/**
 * Unpacks a `.tar.gz` into an empty folder while it arrives. Writes only regular files and folders whose names are safe
 * on every system, as 0444 or 0555; caps sizes, counts and the ratio while streaming. Throws INVALID_PACKAGE with all
 * problems, or TOO_LARGE for the packed size; the caller then removes the folder's content. `source` is not destroyed
 * on failure, so that an HTTP request can still be answered.
 */
export async function unpackPackage(
  source: Readable,
  target: string,
  limits: Partial<UnpackLimits> = {},
): Promise<Unpacked> {
  const caps = { ...DEFAULT_LIMITS, ...limits };
  const count = { packed: 0 };
  const writer = new Writer(target, caps);
  const reader = extract();
  const input = source.iterator({ destroyOnReturn: false });
  const gunzip = createGunzip({ rejectGarbageAfterEnd: true, chunkSize: 128 * 1024 });
  const flow = pipeline(input, packedGate(caps, count), gunzip, unpackedGate(caps, count), new PassThrough(), reader);
  const take = async () => {
    for await (const entry of reader) await writer.entry(entry);
  };
  const outcomes = await Promise.allSettled([flow, take()]);
  const errors: unknown[] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  // The first fault ends both sides; the other side's error only reports that.
  const cause = errors.find((error) => error instanceof PlatformError) ?? errors.find((error) => !wasEnded(error));
  if (errors.length > 0) throw translate(cause ?? errors[0]);
  if (writer.problems.length > 0) throw invalid('INVALID_PACKAGE', writer.problems);
  const files = writer.files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return { files, bytes: writer.bytes, hash: contentHash(files) };
}
