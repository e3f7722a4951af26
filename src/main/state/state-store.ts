import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { toTimestamp } from '../../contract/common.ts';
import { invalid, PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { StateKey, StateList, StateValue } from '../../contract/state.ts';
import { writeFileAtomic } from '../base/atomic-write.ts';
import { systemClock } from '../base/clock.ts';
import { systemErrorCode } from '../base/system-error.ts';
import { fileOf, type KeyFolder, makeKeyFolder, withKeyFolder } from './key-folder.ts';
import { checkKey, decodeKey, namesOf } from './key-name.ts';
import { BATCH, folderBytes, orNull } from './measure.ts';
import { type ReadTime, readValue, tooLarge } from './read-value.ts';

/** Persisted key/value state of bots (wire.md section 4, State). Keys that are not allowed throw INVALID_REQUEST. */
export interface StateStore {
  /** Keys in order of their text. `total_bytes` counts everything below the bot's state folder. */
  list(botId: string): Promise<StateList>;
  /** Throws STATE_KEY_NOT_FOUND, TOO_LARGE, or INVALID_REQUEST when the bot left something that is not JSON. */
  get(botId: string, key: string): Promise<StateValue>;
  /** Replaces a value as a whole. Only for a bot that is not running: the caller sees to that. Throws TOO_LARGE. */
  set(botId: string, key: string, value: unknown): Promise<StateValue>;
  /** Throws STATE_KEY_NOT_FOUND. Only for a bot that is not running. */
  delete(botId: string, key: string): Promise<void>;
  /** Removes unfinished writes; returns how many. Only while no program of the bot runs. */
  sweepTemp(botId: string): Promise<number>;
}

export interface StateStoreOptions {
  /** The persisted folder of an instance (`bots/<bot_id>/state`); keys live in its `.platform` folder. */
  readonly dirOf: (botId: string) => string;
  /** In place of the clock of this machine. */
  readonly time?: ReadTime;
}

const TEMPORARY = /^\.tmp-\d+-\d+$/;

async function listKeys(folder: KeyFolder): Promise<StateKey[]> {
  const there = await readdir(folder.path);
  const known = new Set(there);
  const names = there.flatMap((name) => {
    const key = decodeKey(name);
    // Where a key has two files, the one that is read counts.
    return key === null || namesOf(key).find((one) => known.has(one)) !== name ? [] : [{ key, name }];
  });
  const keys: StateKey[] = [];
  for (let from = 0; from < names.length; from += BATCH) {
    const batch = names.slice(from, from + BATCH);
    const stats = await Promise.all(batch.map((each) => orNull(lstat(join(folder.path, each.name)))));
    for (const [at, each] of batch.entries()) {
      const stat = stats[at];
      if (stat?.isFile())
        keys.push({ key: each.key, size: stat.size, modified_at: toTimestamp(Math.floor(stat.mtimeMs)) });
    }
  }
  return keys.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** The JSON text of a value; what JSON cannot say is refused. */
function toText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw invalid('INVALID_REQUEST', [{ path: 'value', message: 'a state value must be JSON' }]);
  const size = Buffer.byteLength(text);
  if (size > LIMITS.stateValueBytes) throw tooLarge(size);
  return text;
}

const notFound = (key: string): PlatformError =>
  new PlatformError('STATE_KEY_NOT_FOUND', undefined, { details: { key } });

/** State of bots as files. Nothing is cached: the bots themselves write there. */
export function createStateStore(options: StateStoreOptions): StateStore {
  const { dirOf } = options;
  const time = options.time ?? { now: () => systemClock.now(), wait: (ms: number) => wait(ms) };

  async function get(botId: string, key: string): Promise<StateValue> {
    checkKey(key);
    const found = await withKeyFolder(dirOf(botId), (folder) => readValue(folder, key, time));
    if (found === null) throw notFound(key);
    return { bot_id: botId, ...found };
  }

  async function write(botId: string, key: string, text: string): Promise<void> {
    await withKeyFolder(dirOf(botId), async (folder) => {
      const file = await fileOf(folder, key);
      const before = (await orNull(lstat(file)))?.size ?? 0;
      const after = (await folderBytes(dirOf(botId))) - before + Buffer.byteLength(text);
      if (after > LIMITS.stateTotalBytes) {
        const message = `The state of this bot would be ${after} bytes; at most ${LIMITS.stateTotalBytes} are allowed.`;
        throw new PlatformError('TOO_LARGE', message, { hint: 'Delete keys that are no longer needed.' });
      }
      await writeFileAtomic(file, text, folder.owner);
    });
  }

  return {
    async list(botId) {
      const keys = (await withKeyFolder(dirOf(botId), listKeys)) ?? [];
      const total = await folderBytes(dirOf(botId));
      return { bot_id: botId, keys, total_bytes: total, over_quota: total > LIMITS.stateTotalBytes };
    },
    get,
    async set(botId, key, value) {
      checkKey(key);
      const text = toText(value);
      await makeKeyFolder(dirOf(botId));
      try {
        await write(botId, key, text);
      } catch (error) {
        if (systemErrorCode(error) === 'ENAMETOOLONG') {
          const message = 'this key is too long for a file name once its special characters are written as %xx';
          throw invalid('INVALID_REQUEST', [
            { path: 'key', message, hint: 'Use fewer characters outside A-Z a-z 0-9 _ . -' },
          ]);
        }
        if (systemErrorCode(error) === 'ENOSPC') throw new PlatformError('STORAGE_FULL', undefined, { cause: error });
        throw error;
      }
      return get(botId, key);
    },
    async delete(botId, key) {
      checkKey(key);
      const found = await withKeyFolder(dirOf(botId), async (folder) => {
        const file = await fileOf(folder, key);
        const stat = await orNull(lstat(file));
        // Nor may one of the same key and another spelling come to light.
        if (stat?.isFile()) for (const name of namesOf(key)) await rm(join(folder.path, name), { force: true });
        return stat?.isFile() === true;
      });
      if (found !== true) throw notFound(key);
    },
    async sweepTemp(botId) {
      const swept = await withKeyFolder(dirOf(botId), async (folder) => {
        const names = (await readdir(folder.path)).filter((name) => TEMPORARY.test(name));
        for (const name of names) await rm(join(folder.path, name), { force: true, recursive: true });
        return names.length;
      });
      return swept ?? 0;
    },
  };
}
