import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { StateValue } from '../../../contract/state.ts';
import { jsonErrorPosition } from '../../../node/json-position-without-quote.ts';
import { isNestedDeeper } from '../../../shared/json.ts';
import type { StateView } from './state-view.ts';

/** Clock for reading a value. */
export interface ReadTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits so many milliseconds. */
  wait(ms: number): Promise<void>;
}

/** A value without the id of its bot. */
export type FoundValue = Omit<StateValue, 'bot_id'>;

/** Waits in ms before each further attempt to read a value that a bot may be writing in place. */
const WAITS_MS = [5, 10, 20, 40, 80, 160, 320] as const;
/** Age of a file in ms above which its writer has surely finished. */
const JUST_NOW_MS = 2000;

/** Error for a value of `size` bytes, which is above the limit. */
export function tooLarge(size: number): PlatformError {
  const text = `The value is ${size} bytes; a state value has at most ${LIMITS.stateValueBytes}.`;
  return new PlatformError('TOO_LARGE', text, { hint: 'Split it over several keys.' });
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
  const text = `The state key ${JSON.stringify(key)} does not hold JSON${jsonErrorPosition(why)}`;
  const hint = fresh
    ? 'The bot has written this file itself just now: if it is still at it, ask again.'
    : 'The bot wrote this file itself, or its disk was damaged. Set the key to a new value, or delete it.';
  return new PlatformError('INVALID_REQUEST', text, { hint });
}

/**
 * Returns a key's value; null when the key is missing. Bots without our SDKs may write in place, so a half-written file
 * is read again for up to two thirds of a second. Throws TOO_LARGE, or INVALID_REQUEST if the value is still not JSON.
 */
export async function readValue(
  state: Pick<StateView, 'read'>,
  key: string,
  time: ReadTime,
): Promise<FoundValue | null> {
  for (let attempt = 0; ; attempt++) {
    const found = await state.read(key);
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
