import { statSync } from 'node:fs';
import type { DataFolder } from './data-folder.ts';
import {
  type Beat,
  type BeatPlace,
  Heartbeat,
  mayRunElsewhere,
  movingBeat,
  type Owner,
  readBeat,
} from './heartbeat.ts';
import { lookExclusive, takeExclusive } from './kernel-lock.ts';
import { isLocalDisk, mayBeShared } from './local-disk.ts';
import { inContainer, machineId } from './machine-id.ts';
import { acquireLock, hostRunning, isOutOfSight, lockHolder, namedHolder } from './pid-lock-file.ts';
import { bootId } from './process-identity.ts';

/** A check whether the file is locked takes the lock for a moment, in which a host may try to start. */
const LOOK_MS = 1000;

/** A host that ended without letting go of its folder, as its heartbeat tells. */
export interface DeadHost {
  readonly pid: number;
  /** Its last heartbeat, in ms since the epoch. */
  readonly seenAt: number;
}

/** The hold of one process on a data folder; no other may work on the folder meanwhile. */
export interface HeldFolder {
  /** This file system keeps no locks: only the heartbeat shows whether another host runs. */
  readonly withoutLock: boolean;
  /** The last holder of the folder, if it ended without releasing it. */
  readonly died: DeadHost | null;
  /** Duration of taking the folder, in ms. */
  readonly tookMs: number;
  /** Releases the folder. Repeatable. */
  release(): Promise<void>;
}

export interface HoldOptions {
  /** `--host-identity`, for machines that tell no identity; else null. */
  readonly identity: string | null;
  /** Called when another host has worked on the folder since the same moment, and this one must give way. */
  readonly onOther?: (other: string) => void;
  readonly onError?: (where: string, error: unknown) => void;
  /** Called once the folder is this process's, before anything is written there: makes space on a full disk. */
  readonly makeSpace?: () => void;
}

function where(beat: Beat): string {
  return `on ${beat.name ?? beat.hostname}, process ${beat.pid} there`;
}

/** Names a holder of the exclusive lock that cannot be seen from here. */
async function unseenHolder(folder: DataFolder): Promise<string> {
  const holder = namedHolder(folder.lockFile);
  const apart = holder !== null && (await isOutOfSight(holder));
  return apart
    ? `process ${holder.pid} of another container or pid namespace`
    : 'a process that cannot be seen from here';
}

/** The error that names the holder of the exclusive lock, with its pid if the pid is of this namespace. */
async function refusal(folder: DataFolder): Promise<Error> {
  const pid = await lockHolder(folder.lockFile);
  return hostRunning(folder.root, pid === null ? await unseenHolder(folder) : `process ${pid}`, pid);
}

/** The heartbeat of a host elsewhere, if it moves. */
async function otherBeat(
  folder: DataFolder,
  self: Owner,
  locks: Pick<BeatPlace, 'withoutLock' | 'lockedLocally'>,
): Promise<Beat | null> {
  const found = readBeat(folder.beatFile);
  if (found === null) return null;
  const holder = namedHolder(folder.lockFile);
  const place = {
    ...locks,
    isShared: mayBeShared(folder.root),
    isOutOfSight: locks.withoutLock && holder !== null && (await isOutOfSight(holder)),
  };
  return mayRunElsewhere(found, self, place) ? movingBeat(folder.beatFile) : null;
}

/** The identity for this host's heartbeat. A container's own machine identity identifies no machine. */
export async function ownerHere(identity: string | null): Promise<Owner> {
  return { name: identity, machine: inContainer() === null ? await machineId() : null, boot: await bootId() };
}

/**
 * Takes a data folder for this process alone, before anything else in it is opened: by a lock that the system keeps, which holds
 * between containers and pid namespaces and ends with the process; by the file that names the holder; and by a heartbeat, visible
 * to machines that share a disk and not its locks. A holder that has died, in whatever way, delays nothing on its own local disk,
 * or on its own machine until that restarts; elsewhere this watches its heartbeat for 10 s. Rejects with HOST_RUNNING.
 */
export async function holdFolder(folder: DataFolder, options: HoldOptions): Promise<HeldFolder> {
  const begun = performance.now();
  // A visible living holder is reported at once.
  if ((await lockHolder(folder.lockFile)) !== null) throw await refusal(folder);
  const exclusive = takeExclusive(folder.exclusiveFile, LOOK_MS);
  if (exclusive === 'taken') throw await refusal(folder);
  const withoutLock = exclusive === 'unsupported';
  const lockedLocally = !withoutLock && isLocalDisk(folder.root);
  const steps: (() => void | Promise<void>)[] = [];
  if (!withoutLock) steps.push(() => exclusive.release());
  const release = async (): Promise<void> => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
  };
  let died: DeadHost | null = null;
  try {
    const self = await ownerHere(options.identity);
    const other = await otherBeat(folder, self, { withoutLock, lockedLocally });
    if (other !== null) throw hostRunning(folder.root, where(other), null);
    options.makeSpace?.();
    const lock = await acquireLock(folder.lockFile);
    steps.push(() => lock.release());
    died = leftBeat(folder);
    const beat = new Heartbeat(
      folder.beatFile,
      { ...self, lockedLocally },
      {
        onOther: (other) => options.onOther?.(where(other)),
        onError: (error) => options.onError?.('the heartbeat of this host', error),
      },
    );
    steps.push(() => beat.stop());
  } catch (error) {
    await release();
    throw error;
  }
  return { withoutLock, died, tookMs: Math.round(performance.now() - begun), release };
}

/** The heartbeat that a holder without a clean end has left. Only the holder of the folder may call this. */
function leftBeat({ beatFile }: DataFolder): DeadHost | null {
  const beat = readBeat(beatFile);
  return beat === null ? null : { pid: beat.pid, seenAt: Math.floor(statSync(beatFile).mtimeMs) };
}

/** The present holder of a folder. */
export interface SeenHolder {
  /** Null where the pid means nothing here. */
  readonly pid: number | null;
  readonly who: string;
}

/**
 * The process that works on a folder, by its locks and, where they do not tell, by its heartbeat, which takes up to 10
 * s; null if none is seen. Changes nothing there, and blocks no starting host. Throws the system's error for an
 * unreadable folder.
 */
export async function seenHolder(folder: DataFolder, identity: string | null): Promise<SeenHolder | null> {
  const pid = await lockHolder(folder.lockFile);
  if (pid !== null) return { pid, who: `process ${pid}` };
  const lock = lookExclusive(folder.exclusiveFile);
  if (lock === 'taken') return { pid: null, who: await unseenHolder(folder) };
  const other = await otherBeat(folder, await ownerHere(identity), {
    withoutLock: lock === 'unknown',
    lockedLocally: lock === 'free' && isLocalDisk(folder.root),
  });
  return other === null ? null : { pid: null, who: where(other) };
}
