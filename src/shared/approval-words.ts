import type { ApprovalDifference } from '../contract/approvals.ts';
import type { Bot } from '../contract/bot.ts';
import { NEEDS_ARMING } from './waiting-reasons.ts';

/** One difference as a line, such as `config.fast: 5 -> 8`. A secret is named, and its values are not. */
export function differenceWords({ path, before, after, hidden }: ApprovalDifference): string {
  if (hidden && before !== null && after !== null) return `${path}: another value, which is not shown`;
  if (before === null) return `${path}: ${after ?? ''} (new)`;
  if (after === null) return `${path}: ${before} (removed)`;
  return `${path}: ${before} -> ${after}`;
}

/** The same for a list of values before and after. */
export function differenceText({ path, before, after, hidden }: ApprovalDifference) {
  if (hidden && before !== null && after !== null)
    return { path, before: 'the present value', after: 'another value, which is not shown' };
  return { path, before: before ?? 'not there', after: after ?? 'not there' };
}

/** What of a bot waits for a person: a change to approve, the bot to be armed, or nothing. */
export function waitsFor({ approval, reason }: Pick<Bot, 'approval' | 'reason'>): 'approval' | 'arming' | null {
  if (approval?.status === 'waiting') return 'approval';
  return reason?.code === NEEDS_ARMING ? 'arming' : null;
}
