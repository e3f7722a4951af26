import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../../contract/limits.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { readAtMost } from '../../../node/read-untrusted.ts';
import { decodeKey, namesOf } from './key-name.ts';
import { tooLarge } from './read-value.ts';
import { type StateFingerprint, stateFingerprint } from './state-fingerprint.ts';
import { fileOf, makeKeyFolder, openRegular, type StateKeyFolder, withKeyFolder } from './state-key-folder.ts';
import { BATCH, folderBytes, orNull } from './state-size.ts';
import type { StateMeasure, StateView, StoredKey, StoredText } from './state-view.ts';

const TEMPORARY = /^\.tmp-\d+-\d+$/;

async function listKeys(folder: StateKeyFolder): Promise<StoredKey[]> {
  const there = await readdir(folder.path);
  const known = new Set(there);
  const names = there.flatMap((name) => {
    const key = decodeKey(name);
    // If a key has two files, the one that read() takes counts.
    return key === null || namesOf(key).find((one) => known.has(one)) !== name ? [] : [{ key, name }];
  });
  const keys: StoredKey[] = [];
  for (let from = 0; from < names.length; from += BATCH) {
    const batch = names.slice(from, from + BATCH);
    const stats = await Promise.all(batch.map((each) => orNull(lstat(join(folder.path, each.name)))));
    for (const [at, each] of batch.entries()) {
      const stat = stats[at];
      if (stat?.isFile()) keys.push({ key: each.key, size: stat.size, modifiedMs: stat.mtimeMs });
    }
  }
  return keys;
}

async function readKey(folder: StateKeyFolder, key: string): Promise<StoredText | null> {
  const found = await openRegular(await fileOf(folder, key));
  if (found === null) return null;
  const { handle, size, modifiedMs } = found;
  try {
    if (size > LIMITS.stateValueBytes) throw tooLarge(size);
    // A bot that runs may make it larger meanwhile.
    const content = await readAtMost(handle, LIMITS.stateValueBytes);
    if (content === null) throw tooLarge(LIMITS.stateValueBytes + 1);
    return { size: content.length, modifiedMs, text: content.toString('utf8'), still: content.length === size };
  } finally {
    await handle.close();
  }
}

/** The state of a bot in a folder of this machine; its keys lie in `.platform`. Nothing is cached. */
export class LocalState implements StateView {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async list(): Promise<readonly StoredKey[]> {
    return (await withKeyFolder(this.#dir, listKeys)) ?? [];
  }

  read(key: string): Promise<StoredText | null> {
    return withKeyFolder(this.#dir, (folder) => readKey(folder, key));
  }

  async write(key: string, text: string): Promise<void> {
    await makeKeyFolder(this.#dir);
    await withKeyFolder(this.#dir, async (folder) => writeFileAtomic(await fileOf(folder, key), text, folder.owner));
  }

  async delete(key: string): Promise<boolean> {
    const found = await withKeyFolder(this.#dir, async (folder) => {
      const stat = await orNull(lstat(await fileOf(folder, key)));
      // A file with another spelling of the key must not reappear.
      if (stat?.isFile()) for (const name of namesOf(key)) await rm(join(folder.path, name), { force: true });
      return stat?.isFile() === true;
    });
    return found === true;
  }

  async measure(without?: string): Promise<StateMeasure> {
    const all = await folderBytes(this.#dir);
    if (without === undefined) return all;
    const size = await withKeyFolder(this.#dir, async (folder) => {
      return (await orNull(lstat(await fileOf(folder, without))))?.size ?? 0;
    });
    return { ...all, bytes: all.bytes - (size ?? 0) };
  }

  fingerprint(): Promise<StateFingerprint | null> {
    return stateFingerprint(this.#dir);
  }

  async sweep(): Promise<number> {
    const swept = await withKeyFolder(this.#dir, async (folder) => {
      const names = (await readdir(folder.path)).filter((name) => TEMPORARY.test(name));
      for (const name of names) await rm(join(folder.path, name), { force: true, recursive: true });
      return names.length;
    });
    return swept ?? 0;
  }

  async snapshot(): Promise<string> {
    return this.#dir;
  }
}
