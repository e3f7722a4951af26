import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { open, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Header, type Pack, pack } from 'tar-stream';
import { readAtMost } from '../../../node/read-untrusted.ts';
import type { UntrustedEntry } from '../../../node/walk-untrusted.ts';
import { MANIFEST, type Manifest } from './archive-format.ts';

/** Up to this size a file is read at once; a larger one is copied first, as a bot may go on writing it. */
const WHOLE_BYTES = 1024 * 1024;

type Named = Partial<Header> & { readonly name: string };
type Known = Pick<Stats, 'mode' | 'uid' | 'gid' | 'mtime'>;

/** The largest number of a user or group that fits into its field of six octal digits. */
const MOST_ID = 0o777777;

function headerOf(path: string, { mode, uid, gid, mtime }: Known): Named {
  const large = uid > MOST_ID || gid > MOST_ID ? { pax: { uid: String(uid), gid: String(gid) } } : {};
  return { name: path, mode: mode & 0o777, uid, gid, mtime, ...large };
}

/** Writes the entries of a backup one after another, with the sum of each in a manifest at its end. */
export class ArchiveWriter {
  readonly #archive: Pack = pack();
  readonly #files: Manifest['files'] = [];
  readonly #tempDir: string;
  readonly #written: Promise<void>;

  /** The file must not be there yet. `tempDir` takes copies of large files while they are added. */
  constructor(file: string, tempDir: string) {
    this.#tempDir = tempDir;
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#archive, createGzip({ level: 3 }), out);
    // The next entry, or the end, reports the error.
    this.#written.catch(() => undefined);
  }

  /** Adds a text that stands in no file. */
  async text(path: string, text: string, now: number): Promise<void> {
    await this.#whole(
      { name: path, mode: 0o600, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mtime: new Date(now) },
      Buffer.from(text),
    );
  }

  /** Adds a file that no process writes to. */
  async file(path: string, from: string, known: Known & { readonly size: number }): Promise<void> {
    const header = headerOf(path, known);
    if (known.size <= WHOLE_BYTES) await this.#whole(header, await readFile(from));
    else await this.#stream(header, from, known.size);
  }

  /**
   * Adds an entry of a walk under `prefix`, with the size it had then: its bot may keep writing. False for one that is
   * too large: a bot can make an arbitrarily large sparse file, whose copy would fill the disk of this host and of the
   * one that restores it.
   */
  async met(prefix: string, met: UntrustedEntry): Promise<boolean> {
    const path = met.path === '' ? prefix : `${prefix}/${met.path}`;
    const header = headerOf(path, met.stat);
    if (met.kind === 'folder') {
      await this.#entry({ ...header, type: 'directory' }, null);
      return true;
    }
    const content = await readAtMost(met.handle, WHOLE_BYTES);
    if (content !== null) {
      await this.#whole(header, content);
      return true;
    }
    const { size } = met.stat;
    const { bavail, bsize } = await statfs(this.#tempDir);
    if (size > (bavail * bsize) / 2) return false;
    const copy = join(this.#tempDir, 'large');
    const target = await open(copy, 'w', 0o600);
    try {
      const part = Buffer.allocUnsafe(WHOLE_BYTES);
      let at = 0;
      while (at < size) {
        const { bytesRead } = await met.handle.read(part, 0, Math.min(WHOLE_BYTES, size - at), at);
        if (bytesRead === 0) break;
        await target.writeFile(part.subarray(0, bytesRead));
        at += bytesRead;
      }
      await this.#stream(header, copy, at);
      return true;
    } finally {
      await target.close();
      await rm(copy, { force: true });
    }
  }

  /** Adds a link as it is. */
  async link(path: string, linkname: string): Promise<void> {
    await this.#entry({ name: path, type: 'symlink', linkname }, null);
  }

  /** Ends the archive; resolves when all of it is on the disk. */
  async end(): Promise<void> {
    const manifest = Buffer.from(JSON.stringify({ files: this.#files }));
    await this.#entry({ name: MANIFEST, mode: 0o600, size: manifest.length }, manifest);
    this.#archive.finalize();
    await this.#written;
  }

  /** Lets go of the file. */
  async abandon(): Promise<void> {
    this.#archive.destroy();
    await this.#written.catch(() => undefined);
  }

  async #whole(header: Named, content: Buffer): Promise<void> {
    await this.#entry({ ...header, size: content.length }, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    this.#files.push({ path: header.name, size: content.length, sha256 });
  }

  async #stream(header: Named, from: string, size: number): Promise<void> {
    const hash = createHash('sha256');
    const watched = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await Promise.race([
      pipeline(createReadStream(from), watched, this.#archive.entry({ ...header, size })),
      this.#failed(),
    ]);
    this.#files.push({ path: header.name, size, sha256: hash.digest('hex') });
  }

  async #entry(header: Named, content: Buffer | null): Promise<void> {
    const added = new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null): void => (error ? reject(error) : resolve());
      if (content === null) this.#archive.entry(header, done);
      else this.#archive.entry(header, content, done);
    });
    await Promise.race([added, this.#failed()]);
  }

  /** Never resolves: a disk that is full ends the writing before the entry is taken. */
  #failed(): Promise<never> {
    return new Promise((_, reject) => this.#written.catch(reject));
  }
}
