import type { ApprovalDifference } from '../contract/approvals.ts';
import type { Bot } from '../contract/bot.ts';
import { NEEDS_ARMING } from './waiting-reasons.ts';

/** A value that is hidden as a whole. */
const WHOLE = '"********"';

/** The values as they are told: with masks in place of secrets. Null: not there. */
function told({ before, after, hidden }: ApprovalDifference): { before: string | null; after: string | null } {
  if (!hidden || before !== after) return { before, after };
  if (before === WHOLE) return { before: 'the present value', after: 'another value, which is not shown' };
  return { before, after: `${after}, with another secret, which is not shown` };
}

/** One difference as a line, such as `config.fast: 5 -> 8`. Secrets stand in it as masks. */
export function differenceWords(difference: ApprovalDifference): string {
  const { path } = difference;
  const { before, after } = told(difference);
  if (before === null) return `${path}: ${after ?? ''} (new)`;
  return after === null ? `${path}: ${before} (removed)` : `${path}: ${before} -> ${after}`;
}

/** The same for a list of values before and after. */
export function differenceText(difference: ApprovalDifference) {
  const { before, after } = told(difference);
  return { path: difference.path, before: before ?? 'not there', after: after ?? 'not there' };
}

/**
 * What an approval means for the program of a bot and for its arming, for the person who approves. An arming follows a change of a bot
 * that is enabled after it.
 */
export function approvalEffect(
  { enabled, arming }: Pick<Bot, 'enabled' | 'arming'>,
  differences: readonly ApprovalDifference[],
): string {
  const change = differences.find(({ path }) => path === 'enabled');
  const runs = (change?.after ?? String(enabled)) === 'true';
  if (!runs)
    return `The bot ${enabled ? 'stops' : 'stays stopped'}. Its arming does not follow: with another version, configuration or permits it has to be armed again before it starts.`;
  if (arming?.state === 'armed')
    return 'The bot may trade real money. Its arming follows, and ends when it would have.';
  return 'The bot may trade real money. This arms nothing: its arming stays as it is.';
}

/** True for a bot that starts once a person has armed it, and not before. A reason of before is none while it is armed. */
export function waitsToBeArmed({ arming, reason }: Pick<Bot, 'arming' | 'reason'>): boolean {
  return reason?.code === NEEDS_ARMING && arming !== null && arming.state !== 'armed';
}

/** True for a bot of which the page of everything that waits tells: also a change that can only be rejected stands there. */
export const isOnWaitingPage = (bot: Pick<Bot, 'approval' | 'arming' | 'reason'>): boolean =>
  bot.approval !== null || waitsToBeArmed(bot);

/** What of a bot waits for a person: a change to approve, the bot to be armed, or nothing. */
export function waitsFor(bot: Pick<Bot, 'approval' | 'arming' | 'reason'>): 'approval' | 'arming' | null {
  if (bot.approval?.status === 'waiting') return 'approval';
  return waitsToBeArmed(bot) ? 'arming' : null;
}
