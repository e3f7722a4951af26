import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { systemErrorCode } from './system-error.ts';

/** Interval between two heartbeats of a host, in ms: each is one small write into the cache of the file system. */
export const BEAT_MS = 3000;
/** A host whose heartbeat stands still for this long is taken for dead, in ms. */
export const STILL_MS = 10_000;
const LOOK_MS = 250;

/** Content of a heartbeat. */
export interface Beat {
  /** Identifies one start of one host: 16 hex digits. */
  readonly instance: string;
  /** Identity of the machine, else null. */
  readonly machine: string | null;
  /** Identity that the host was given by `--host-identity`, else null. */
  readonly name: string | null;
  /** The start of the machine, as `bootId` gives it. */
  readonly boot: string;
  readonly hostname: string;
  readonly pid: number;
  /** Start of the host, in ms since the epoch by its own clock. */
  readonly since: number;
  /** Counts up while the host runs. */
  readonly beats: number;
  /** The host holds the exclusive lock on a disk that no other kernel mounts. False in files of earlier releases. */
  readonly lockedLocally: boolean;
}

/** Identity behind a heartbeat: the parts that stay the same from one start of a host to the next. */
export type Owner = Pick<Beat, 'machine' | 'name' | 'boot'>;

/** Returns the heartbeat in a file; null without one, and for one that is only half written. */
export function readBeat(file: string): Beat | null {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return null;
  const text = (name: string): string | null => {
    const field: unknown = Reflect.get(value, name);
    return typeof field === 'string' ? field : null;
  };
  const count = (name: string): number => Number(Reflect.get(value, name) ?? 0);
  const instance = text('instance');
  const boot = text('boot');
  if (instance === null || boot === null) return null;
  return {
    instance,
    boot,
    machine: text('machine'),
    name: text('name'),
    hostname: text('hostname') ?? 'unknown',
    pid: count('pid'),
    since: count('since'),
    beats: count('beats'),
    lockedLocally: Reflect.get(value, 'lockedLocally') === true,
  };
}

/** Disk on which a heartbeat was found, and the state of the locks there. */
export interface BeatPlace {
  /** The file system keeps no locks. */
  readonly withoutLock: boolean;
  /** This process holds the exclusive lock on a disk that no other kernel mounts. */
  readonly lockedLocally: boolean;
  /** Other machines may mount the disk. */
  readonly isShared: boolean;
  /** The process in the lock file is of another container or pid namespace of this machine. */
  readonly isOutOfSight: boolean;
}

/**
 * True if the host of a heartbeat may run on another machine, judged by the heartbeat alone. False for an earlier host of our
 * own: one of the same name where one was given, else of the same boot or, where the disk is this machine's alone, of the same
 * machine. False as well if the heartbeat's host held the lock on a local disk, and this process now holds the lock on a local
 * disk: both locks are of one kernel, so that host is dead. One side alone proves nothing, for a network may export a local disk
 * and not its locks.
 */
export function mayRunElsewhere(found: Beat, self: Owner, place: BeatPlace): boolean {
  if (found.lockedLocally && place.lockedLocally) return false;
  if (place.withoutLock && place.isOutOfSight) return true;
  if (found.name !== null || self.name !== null) return found.name !== self.name;
  const isOtherMachine = found.machine !== null && self.machine !== null && found.machine !== self.machine;
  // Windows tells no boot apart from another, so that the machine counts as well.
  if (found.boot === self.boot) return isOtherMachine;
  // A cloned machine has the identity of its original.
  return place.withoutLock || place.isShared || found.machine === null || found.machine !== self.machine;
}

/** Watches a heartbeat until it moves, and returns it; returns null when it has stood still for long enough. */
export async function movingBeat(file: string, stillMs = STILL_MS): Promise<Beat | null> {
  const first = readBeat(file);
  const end = performance.now() + stillMs;
  while (performance.now() < end) {
    await wait(LOOK_MS);
    const now = readBeat(file);
    if (now !== null && (now.instance !== first?.instance || now.beats !== first.beats)) return now;
  }
  return null;
}

/** Shows other machines that share a disk that a host runs on this folder. */
export class Heartbeat {
  readonly #file: string;
  readonly #onOther: (other: Beat) => void;
  readonly #onError: (error: unknown) => void;
  #beat: Beat;
  #timer: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();
  #failed = false;

  /**
   * Begins to beat; throws when the first beat cannot be written. `onOther` gets the heartbeat of a host that began to work on
   * the folder at the same moment, where this one is to give way: the one that began later does.
   */
  constructor(
    file: string,
    owner: Owner & Pick<Beat, 'lockedLocally'>,
    options: { readonly onOther: (other: Beat) => void; readonly onError: (error: unknown) => void },
  ) {
    this.#file = file;
    this.#onOther = options.onOther;
    this.#onError = options.onError;
    this.#beat = {
      instance: randomBytes(8).toString('hex'),
      ...owner,
      hostname: hostname(),
      pid: process.pid,
      since: Date.now(),
      beats: 0,
    };
    writeFileSync(file, this.#text(), { mode: 0o600 });
    this.#timer = this.#later();
  }

  /** Ends the heartbeat and removes its file, unless another host has written it by now. Repeatable. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    clearTimeout(this.#timer);
    if (readBeat(this.#file)?.instance === this.#beat.instance) rmSync(this.#file, { force: true });
  }

  #text(): string {
    // A fixed length, so that a shorter beat leaves nothing of the one it overwrites.
    return `${JSON.stringify(this.#beat)}`.padEnd(500).concat('\n');
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#writing = this.#next();
    }, BEAT_MS).unref();
  }

  async #next(): Promise<void> {
    try {
      const found = readBeat(this.#file);
      if (found !== null && found.instance !== this.#beat.instance && isEarlier(found, this.#beat))
        this.#onOther(found);
      this.#beat = { ...this.#beat, beats: this.#beat.beats + 1 };
      await writeFile(this.#file, this.#text(), { mode: 0o600, flag: 'r+' }).catch((error: unknown) => {
        if (systemErrorCode(error) !== 'ENOENT') throw error;
        writeFileSync(this.#file, this.#text(), { mode: 0o600 });
      });
      this.#failed = false;
    } catch (error) {
      // A full disk is reported once, not with each beat.
      if (!this.#failed) this.#onError(error);
      this.#failed = true;
    }
    this.#timer = this.#later();
  }
}

function isEarlier(a: Beat, b: Beat): boolean {
  return a.since === b.since ? a.instance < b.instance : a.since < b.since;
}
