import type { Approval } from '../contract/approvals.ts';
import { differenceWords } from '../shared/approval-words.ts';
import { seenTime, type TimeView } from '../shared/written-time.ts';
import { printable } from './terminal-text.ts';

/** A change that waits for a person, as lines: who asked, what would be different, and what keeps it from being made. */
export function approvalLines(one: Approval, view: TimeView): string[] {
  const client = one.client === null ? '' : ` (${printable(one.client)})`;
  return [
    `${printable(one.bot)}: ${printable(one.asked_by)}${client} asked for this on ${seenTime(one.asked_at, view)}`,
    ...(one.differences.length === 0
      ? one.changes.map((text) => `  ${printable(text)}`)
      : one.differences.map((difference) => `  ${printable(differenceWords(difference))}`)),
    ...(one.problem === null
      ? [`It waits until ${seenTime(one.expires_at, view)}. The bot goes on as it is.`]
      : [`It cannot be made now: ${printable(one.problem)}.`]),
  ];
}
