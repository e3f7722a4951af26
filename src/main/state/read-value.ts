import { toTimestamp } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { StateValue } from '../../contract/state.ts';
import { isNestedDeeper } from '../../isomorphic/json.ts';
import { readAtMost } from '../base/bounded-read.ts';
import { jsonErrorPlace } from '../base/json-place.ts';
import { fileOf, type KeyFolder, openRegular } from './key-folder.ts';

/** What reading a value needs to know of time. */
export interface ReadTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits so many milliseconds. */
  wait(ms: number): Promise<void>;
}

/** A value without the bot that it belongs to. */
export type FoundValue = Omit<StateValue, 'bot_id'>;

/** How long a bot may take to write a value in place, in ms: looked at again after each of these. */
const WAITS_MS = [5, 10, 20, 40, 80, 160, 320] as const;
/** A file that is older than this, in ms, is as its writer has left it. */
const JUST_NOW_MS = 2000;

/** A file as it was found at a moment. */
interface Look {
  readonly size: number;
  readonly modifiedMs: number;
  readonly text: string;
  /** Nobody wrote to it while it was read. */
  readonly still: boolean;
}

/** `size`: of the value, in bytes. */
export function tooLarge(size: number): PlatformError {
  const text = `The value is ${size} bytes; a state value has at most ${LIMITS.stateValueBytes}.`;
  return new PlatformError('TOO_LARGE', text, { hint: 'Split it over several keys.' });
}

async function look(file: string): Promise<Look | null> {
  const found = await openRegular(file);
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

function parse(text: string): { readonly value: unknown } | SyntaxError {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

function tooDeep(key: string): PlatformError {
  const text = `The state key ${JSON.stringify(key)} holds JSON that is nested deeper than ${LIMITS.answerDepth} levels`;
  return new PlatformError('INVALID_REQUEST', text, {
    hint: 'The bot wrote it itself, and reads it as before. Store something flatter, or delete the key.',
  });
}

function notJson(key: string, why: SyntaxError, fresh: boolean): PlatformError {
  const text = `The state key ${JSON.stringify(key)} does not hold JSON${jsonErrorPlace(why)}`;
  const hint = fresh
    ? 'The bot has written this file itself just now: if it is still at it, ask again.'
    : 'The bot wrote this file itself, or its disk was damaged. Set the key to a new value, or delete it.';
  return new PlatformError('INVALID_REQUEST', text, { hint });
}

/**
 * Reads a key's value; null when there is none. Bots that were not made with our SDKs write their files in place: one that
 * is half-written at this moment is looked at again, for two thirds of a second at most. Throws TOO_LARGE, or INVALID_REQUEST
 * for what is not JSON then.
 */
export async function readValue(folder: KeyFolder, key: string, time: ReadTime): Promise<FoundValue | null> {
  const file = await fileOf(folder, key);
  for (let attempt = 0; ; attempt++) {
    const found = await look(file);
    if (found === null) return null;
    const { size, modifiedMs, text, still } = found;
    const parsed = parse(text);
    const fresh = Math.abs(time.now() - modifiedMs) < JUST_NOW_MS;
    const pause = WAITS_MS[attempt];
    const whole = still && 'value' in parsed;
    if (!whole && fresh && pause !== undefined) await time.wait(pause);
    else if ('value' in parsed) {
      if (isNestedDeeper(text, parsed.value, LIMITS.answerDepth)) throw tooDeep(key);
      return { key, size, modified_at: toTimestamp(Math.floor(modifiedMs)), value: parsed.value };
    } else throw notJson(key, parsed, fresh);
  }
}
