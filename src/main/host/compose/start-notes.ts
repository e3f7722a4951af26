import { toTimestamp } from '../../../contract/common.ts';
import type { DeadHost, HeldFolder } from '../../../node/hold-folder.ts';
import type { CopiedFolder } from '../bots/copied-folder.ts';
import type { Isolation } from '../bots/isolation.ts';

export interface StartNotesDeps {
  readonly held: HeldFolder;
  readonly copiedFolder: CopiedFolder;
  readonly isolation: Isolation;
  /** Number of bots whose programs went on without a host and were taken over. */
  readonly takenOver: number;
}

function deathNote({ pid, seenAt }: DeadHost, takenOver: number): string {
  const bots =
    takenOver === 0
      ? 'No bot went on.'
      : `${takenOver === 1 ? '1 bot' : `${takenOver} bots`} went on and ${takenOver === 1 ? 'was' : 'were'} taken over.`;
  return `The last host (process ${pid}) ended without being stopped, a few seconds after ${toTimestamp(seenAt)}. ${bots}`;
}

/** Returns notes for people about a start of the host, for its log and for the user who started it. */
export async function startNotes({ held, copiedFolder, isolation, takenOver }: StartNotesDeps): Promise<string[]> {
  const unmet = await isolation.unmet();
  // The heartbeat in a copy is that of the original.
  const died = copiedFolder.info().state === 'copied' ? null : held.died;
  return [
    ...(died === null ? [] : [deathNote(died, takenOver)]),
    ...(unmet === null ? [] : [unmet]),
    ...copiedFolder.notes(),
    ...(held.withoutLock
      ? ['This disk keeps no locks: only a heartbeat prevents two hosts from using this folder.']
      : []),
  ];
}
