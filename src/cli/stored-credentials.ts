import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { isJsonObject } from '../shared/json.ts';

/** A key that `platform auth login` stored for a host. */
export interface StoredKey {
  readonly key: string;
  readonly key_id: string;
  readonly name: string;
}

type Keys = Record<string, StoredKey>;

function isStoredKey(value: unknown): value is StoredKey {
  return isJsonObject(value) && [value.key, value.key_id, value.name].every((field) => typeof field === 'string');
}

/** The keys of `auth login`, by host address, in a file that only this user can read. */
export class Credentials {
  readonly #dir: string;
  readonly file: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.file = join(dir, 'credentials.json');
  }

  get(url: string): StoredKey | null {
    const keys = this.#read();
    return Object.hasOwn(keys, url) ? (keys[url] ?? null) : null;
  }

  set(url: string, key: StoredKey): void {
    this.#write({ ...this.#read(), [url]: key });
  }

  /** Removes the key of a host; false when there was none. */
  remove(url: string): boolean {
    const { [url]: found, ...rest } = this.#read();
    if (found !== undefined) this.#write(rest);
    return found !== undefined;
  }

  /** Throws if a key cannot be stored, because the file is damaged or the folder read-only. Changes nothing. */
  check(): void {
    rmSync(this.#prepare(this.#read()));
  }

  #read(): Keys {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
      throw error;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (!isJsonObject(value)) throw new Error('it holds no JSON object');
      return Object.fromEntries(
        Object.entries(value).filter((pair): pair is [string, StoredKey] => isStoredKey(pair[1])),
      );
    } catch (error) {
      throw new PlatformError(
        'INVALID_REQUEST',
        `${this.file} is damaged: ${error instanceof Error ? error.message : error}`,
        {
          hint: 'Remove the file and log in again with `platform auth login`.',
        },
      );
    }
  }

  #write(keys: Keys): void {
    const temporary = this.#prepare(keys);
    try {
      renameSync(temporary, this.file);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Writes a temporary file beside the real one; removes it on failure. */
  #prepare(keys: Keys): string {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const temporary = `${this.file}.tmp-${process.pid}`;
    try {
      writeFileSync(temporary, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      if (process.platform !== 'win32') chmodSync(temporary, 0o600);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    return temporary;
  }
}
