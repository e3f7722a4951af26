import { toTimestamp } from '../../../../contract/common.ts';
import type { LostPart } from './block-table.ts';

/** Returns what the log of a bot says of a part of it that cannot be read. */
export function lostMessage(file: string, { kind, rows, from, to, reason }: LostPart): string {
  const what = rows === null ? `${kind}s` : `${rows} ${kind}${rows === 1 ? '' : 's'}`;
  const since = from === null ? '' : ` from ${toTimestamp(from)}`;
  const until = to === null ? '' : ` to ${toTimestamp(to)}`;
  return `A part of the log was damaged on the disk (${file}: ${reason}): ${what}${since}${until} cannot be read. The rest is as it was.`;
}
