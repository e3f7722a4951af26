import { setTimeout as wait } from 'node:timers/promises';
import { toTimestamp } from '../../../contract/common.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { StateList, StateValue } from '../../../contract/state.ts';
import { systemClock } from '../../../node/clock.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { checkKey } from './key-name.ts';
import { type ReadTime, readValue, tooLarge } from './read-value.ts';
import type { StateView } from './state-view.ts';

/** Persisted key/value state of bots. Invalid keys throw INVALID_REQUEST. */
export interface StateStore {
  /** Keys in order of their text. `total_bytes` counts everything below the bot's state folder. */
  list(botId: string): Promise<StateList>;
  /** Throws STATE_KEY_NOT_FOUND, TOO_LARGE, or INVALID_REQUEST when the bot left something that is not JSON. */
  get(botId: string, key: string): Promise<StateValue>;
  /** Replaces a value as a whole. Only for a bot that is not running: the caller sees to that. Throws TOO_LARGE. */
  set(botId: string, key: string, value: unknown): Promise<StateValue>;
  /** Throws STATE_KEY_NOT_FOUND. Only for a bot that is not running. */
  delete(botId: string, key: string): Promise<void>;
  /** Removes unfinished writes and returns their number. Only while no program of the bot runs. */
  sweepTemp(botId: string): Promise<number>;
}

export interface StateStoreOptions {
  /** The state of a bot. */
  readonly viewOf: (botId: string) => StateView;
  /** Replaces this machine's clock in tests. */
  readonly time?: ReadTime;
}

/** Closed folders that a list names. */
const MOST_LEFT_OUT = 20;

/** The JSON text of a value; refuses values that JSON cannot express. */
function toText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw invalid('INVALID_REQUEST', [{ path: 'value', message: 'a state value must be JSON' }]);
  const size = Buffer.byteLength(text);
  if (size > LIMITS.stateValueBytes) throw tooLarge(size);
  return text;
}

const notFound = (key: string): PlatformError =>
  new PlatformError('STATE_KEY_NOT_FOUND', undefined, { details: { key } });

/** State of bots, by bot. Nothing is cached: the bots themselves write there. */
export function createStateStore(options: StateStoreOptions): StateStore {
  const { viewOf } = options;
  const time = options.time ?? { now: () => systemClock.now(), wait: (ms: number) => wait(ms) };

  async function get(botId: string, key: string): Promise<StateValue> {
    checkKey(key);
    const found = await readValue(viewOf(botId), key, time);
    if (found === null) throw notFound(key);
    return { bot_id: botId, ...found };
  }

  async function write(state: StateView, key: string, text: string): Promise<void> {
    const after = (await state.measure(key)).bytes + Buffer.byteLength(text);
    if (after > LIMITS.stateTotalBytes) {
      const message = `The state of this bot would be ${after} bytes; at most ${LIMITS.stateTotalBytes} are allowed.`;
      throw new PlatformError('TOO_LARGE', message, { hint: 'Delete keys that are no longer needed.' });
    }
    await state.write(key, text);
  }

  return {
    async list(botId) {
      const state = viewOf(botId);
      const stored = await state.list();
      const keys = stored
        .map(({ key, size, modifiedMs }) => ({ key, size, modified_at: toTimestamp(Math.floor(modifiedMs)) }))
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
      const { bytes: total, closed } = await state.measure();
      const left_out = closed.slice(0, MOST_LEFT_OUT);
      return {
        bot_id: botId,
        keys,
        total_bytes: total,
        over_quota: total > LIMITS.stateTotalBytes,
        ...(left_out.length > 0 ? { left_out } : {}),
      };
    },
    get,
    async set(botId, key, value) {
      checkKey(key);
      const text = toText(value);
      try {
        await write(viewOf(botId), key, text);
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
      if (!(await viewOf(botId).delete(key))) throw notFound(key);
    },
    sweepTemp: (botId) => viewOf(botId).sweep(),
  };
}
