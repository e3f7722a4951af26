import { lstatSync } from 'node:fs';

interface Open<Reader> {
  readonly reader: Reader;
  readonly ino: number;
}

/** The file was removed since it was listed. */
export class FileGone extends Error {
  override readonly name = 'FileGone';

  constructor(file: string) {
    super(`${file} was removed while it was to be read`);
  }
}

/** Connections by path, up to a limit: the one that was unused longest is closed first. */
export class OpenDatabases<Reader extends { close(): void }> {
  readonly #most: number;
  readonly #openFile: (file: string) => Reader;
  readonly #open = new Map<string, Open<Reader>>();

  constructor(most: number, openFile: (file: string) => Reader) {
    this.#most = most;
    this.#openFile = openFile;
  }

  /** The connection to a file, valid until the next call. Throws FileGone for a missing file. */
  use(file: string): Reader {
    const known = this.#open.get(file);
    if (known !== undefined) {
      this.#open.delete(file);
      this.#open.set(file, known);
      return known.reader;
    }
    const ino = inoOf(file);
    if (ino === null) throw new FileGone(file);
    const reader = this.#opened(file);
    this.#open.set(file, { reader, ino });
    const [oldest] = this.#open.keys();
    if (this.#open.size > this.#most && oldest !== undefined) this.close(oldest);
    return reader;
  }

  /** Inode of the file that is, or would be, read; null for none. */
  ino(file: string): number | null {
    return this.#open.get(file)?.ino ?? inoOf(file);
  }

  close(file: string): void {
    const open = this.#open.get(file);
    this.#open.delete(file);
    open?.reader.close();
  }

  closeAll(): void {
    for (const file of [...this.#open.keys()]) this.close(file);
  }

  #opened(file: string): Reader {
    try {
      return this.#openFile(file);
    } catch (error) {
      if (inoOf(file) === null) throw new FileGone(file);
      throw error;
    }
  }
}

/** Identity of a file; null when it is not there. */
export function inoOf(file: string): number | null {
  return lstatSync(file, { throwIfNoEntry: false })?.ino ?? null;
}
