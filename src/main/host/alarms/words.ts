import type { Reason } from '../../../contract/bot.ts';
import { visibleName } from '../../../shared/visible-name.ts';

const NAME_CHARS = 100;
/** Most characters of a bot's own words in one alarm. */
export const BOT_TEXT_CHARS = 200;

/**
 * Codes whose message the host writes by itself, from numbers and its own words. The messages of all others may quote a bot, a
 * package or a setting, and stay away from channels.
 */
const OWN_WORDS = new Set([
  'EXIT_CODE',
  'KILLED',
  'LOST',
  'LIMIT',
  'TIMED_OUT',
  'MISSED',
  'OVERLAP',
  'ENGINE_LOST',
  'NOT_ADOPTED',
  'DID_NOT_STOP',
]);

/** Cuts a text to whole characters, with an ellipsis where something is missing. */
export function cut(text: string, max: number): string {
  const chars = [...text];
  return chars.length <= max ? text : `${chars.slice(0, Math.max(0, max - 1)).join('')}…`;
}

/** Text on one line, without characters that hide or turn it. */
export function oneLine(text: string, max: number): string {
  return cut(visibleName(text.replaceAll(/\s+/gu, ' ').trim()), max);
}

/** A name as messages show it. */
export const nameWords = (name: string): string => oneLine(name, NAME_CHARS);

/** Why a bot failed, in words of the host alone. */
export function reasonWords(reason: Reason | null): string {
  if (reason === null) return 'No reason is known.';
  return OWN_WORDS.has(reason.code) ? `${oneLine(reason.message, 300)} (${reason.code}).` : `${reason.code}.`;
}

/** What the bot itself may have said in a reason; null where the host wrote all of it. */
export function botWords(reason: Reason | null): string | null {
  return reason === null || OWN_WORDS.has(reason.code) ? null : reason.message;
}
