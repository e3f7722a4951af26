import type { BotArming } from '../contract/arming.ts';
import type { Bot } from '../contract/bot.ts';
import { seenTime, type TimeView } from './written-time.ts';

/** True for a bot that a person has allowed to trade with a live secret, also once the time for changes is over. */
export const isArmed = ({ arming }: Pick<Bot, 'arming'>): boolean =>
  arming?.state === 'armed' || arming?.state === 'expired';

/** How an arming stands, with its end as a person reads times. */
function standingText({ state, until, message }: BotArming, view: TimeView): string {
  if (until === null || (state !== 'armed' && state !== 'expired')) return message;
  return `${state === 'armed' ? 'it is armed until' : 'its arming ended on'} ${seenTime(until, view)}`;
}

/** The arming of a bot in a few words. */
export function armingText(arming: BotArming, view: TimeView): string {
  const { armed_by, for_review, stop_at_expiry } = arming;
  const by = armed_by === null ? '' : `, by ${armed_by}`;
  return `${standingText(arming, view)}${by}${for_review ? '; nobody has looked at it since' : ''}${stop_at_expiry ? '; the host stops it then' : ''}`;
}

/** What an arming would add to the one before, for the person who arms. */
export function sinceArming(arming: BotArming, now: Pick<Bot, 'version'>, view: TimeView): string {
  const { state, version } = arming;
  if (state === 'unarmed') return 'It was never armed, or its arming was taken away.';
  const from = version === now.version ? `version ${version}` : `version ${version}, and is at ${now.version} now`;
  return `It was armed with ${from}: ${standingText(arming, view)}.`;
}

/** What keeps a program of the bot away from the rest of this machine, in one sentence; `level` null: its engine is not there. */
export function protectionWords(engine: string, level: string | null): string {
  if (level === null) return `Its engine ${engine} is not on this host.`;
  if (level === 'partial')
    return `It runs on engine ${engine}; its network is not limited on this machine, so it can send its secrets anywhere.`;
  if (level !== 'none') return `It runs on engine ${engine}, isolated from the rest of this machine (${level}).`;
  return `It runs on engine ${engine} without isolation: its program can do what your account can, also read this host's files.`;
}
