import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ManifestEntry } from './content-hash.ts';
import { START_BYTES, startsProgram } from './executable-header.ts';
import { refuseUnpacked, type UnpackLimits } from './unpack-limits.ts';

/** Writes the files of a package into an empty folder. Names were checked before. */
export class PackageWriter {
  readonly files: ManifestEntry[] = [];
  bytes = 0;
  readonly #made = new Set<string>();
  readonly #target: string;
  readonly #limits: UnpackLimits;

  constructor(target: string, limits: UnpackLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  /** Makes a folder of the package. */
  folder(path: string): Promise<void> {
    return this.#folder(join(this.#target, path));
  }

  async #folder(dir: string): Promise<void> {
    if (this.#made.has(dir)) return;
    await mkdir(dir, { recursive: true, mode: 0o755 });
    this.#made.add(dir);
  }

  /** Writes one file as 0444 or 0555; `executable` null: its first bytes decide. */
  async file(path: string, content: AsyncIterable<unknown>, executable: boolean | null): Promise<void> {
    const target = join(this.#target, path);
    await this.#folder(dirname(target));
    const hash = createHash('sha256');
    let size = 0;
    let start = Buffer.alloc(0);
    const file = await open(target, 'wx', 0o600);
    try {
      for await (const chunk of content) {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('the archive reader gave no bytes');
        if (start.length < START_BYTES) start = Buffer.concat([start, chunk.subarray(0, START_BYTES)]);
        size += chunk.length;
        this.bytes += chunk.length;
        if (this.bytes > this.#limits.unpackedBytes) throw refuseUnpacked(this.#limits);
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      const runs = executable ?? startsProgram(start);
      // Only these two modes exist: setuid, setgid and write permission never survive unpacking.
      await file.chmod(runs ? 0o555 : 0o444);
      this.files.push({ path, size, executable: runs, sha256: hash.digest('hex') });
    } finally {
      await file.close();
    }
  }
}
