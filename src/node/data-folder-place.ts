import { createHash } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { hostIdFile, hostIdOf, makeHostId } from './host-id.ts';
import { inContainer, machineId } from './machine-id.ts';
import { systemErrorCode } from './system-error.ts';

/** Facts that distinguish the place of a data folder from every other; null where the system tells none reliably. */
export interface Place {
  /** Identity that a person gave the place (`--host-identity`). */
  readonly name: string | null;
  readonly machine: string | null;
  /** Inode and birth of `host-id`, which nothing rewrites: a copy has others. */
  readonly file: string | null;
  /** Absolute, without links. Not compared: a folder may be renamed. */
  readonly path: string;
}

/** The present place, and the reason why it shows less than others do; null where nothing is missing. */
export interface FoundPlace {
  readonly place: Place;
  readonly weak: string | null;
}

/** File systems, by Linux's numbers, that invent inode numbers or keep no birth times. */
const UNSTABLE: Readonly<Record<number, string>> = {
  19780: 'FAT',
  538032816: 'exFAT',
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'SMB',
  4266872130: 'SMB',
  16914839: '9P',
  1397113167: 'AFS',
  12805120: 'Ceph',
  2020557398: 'a shared folder of VirtualBox',
  1702057286: 'a file system of a program (FUSE)',
  2035054128: 'overlay',
};
/** Longer than the resolution of a file system's timestamps. */
const TICK_MS = 20;

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * True when the birth time is unreliable: where a file system keeps none, Node gives the change time, which moves when
 * the mode is set again.
 */
function birthMoves(file: string, found: BigIntStats): boolean {
  if (found.birthtimeNs !== found.ctimeNs) return false;
  pause(TICK_MS);
  chmodSync(file, 0o600);
  return statSync(file, { bigint: true }).birthtimeNs !== found.birthtimeNs;
}

function fileIdentity(root: string): { readonly file: string } | { readonly weak: string } {
  const system = process.platform === 'linux' ? UNSTABLE[statfsSync(root).type] : undefined;
  if (system !== undefined) return { weak: `the folder is on ${system}` };
  const file = hostIdFile(root);
  const stats = statSync(file, { bigint: true });
  if (stats.birthtimeNs === 0n || stats.ino === 0n || birthMoves(file, stats)) {
    return { weak: 'this disk does not tell when a file was made' };
  }
  return { file: `${stats.ino} ${stats.birthtimeNs}` };
}

/**
 * Tells a data folder from all others of this machine, also from a copy that has been put in its place, as far as the disk
 * tells when a file was made: 32 hex digits. Must be called by the one who holds the lock.
 */
export function folderIdentity(dataDir: string): string {
  const id = hostIdOf(dataDir);
  const found = fileIdentity(realpathSync(dataDir));
  const file = 'file' in found ? found.file : '';
  return createHash('sha256').update(`${id} ${file}`).digest('hex').slice(0, 32);
}

/** Finds out the place of a data folder. Only the holder of the folder may call this. */
export async function findPlace(dataDir: string, name: string | null): Promise<FoundPlace> {
  const path = realpathSync(dataDir);
  makeHostId(path);
  const container = inContainer();
  if (container !== null) return { place: { name, machine: null, file: null, path }, weak: container };
  const machine = await machineId();
  const identity = fileIdentity(path);
  const file = 'file' in identity ? identity.file : null;
  const weak = 'weak' in identity ? identity.weak : machine === null ? 'this machine has no identity' : null;
  return { place: { name, machine, file, path }, weak };
}

/** True when two paths lead to one folder at this moment, e.g. by a link or a mount. */
export function isSameFolder(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.dev === other.dev && one.ino === other.ino;
  } catch (error) {
    if (systemErrorCode(error) === null) throw error;
    return false;
  }
}

/** Returns, in words, why this process cannot see whether a data folder is in use; null if the folder's content tells. */
export function whyUnseen(root: string): string | null {
  try {
    accessSync(root, constants.R_OK | constants.X_OK);
    if (existsSync(hostIdFile(root))) return null;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === null) throw error;
    if (code === 'EACCES' || code === 'EPERM') return 'this user may not look into it';
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return `it cannot be read (${code})`;
  }
  return 'nothing lies there now: it was removed or renamed, or its disk is not mounted';
}

/**
 * Path of the recorded folder if it still exists apart from this one, else null: a snapshot keeps inodes and births.
 */
export function originalAt(recorded: Place, now: Place): string | null {
  if (recorded.path === now.path) return null;
  const there = join(recorded.path, 'host-id');
  const here = hostIdFile(now.path);
  if (!existsSync(there) || !existsSync(here)) return null;
  const [a, b] = [statSync(there), statSync(here)];
  // Both are read at the same moment, so equal device numbers show one folder that is mounted twice.
  if (a.dev === b.dev && a.ino === b.ino) return null;
  return readFileSync(there, 'utf8') === readFileSync(here, 'utf8') ? recorded.path : null;
}

/**
 * Compares the place of a folder with the recorded one. `unknown`: the record has nothing to compare. A place that has
 * lost its identity is another one, e.g. a machine's folder mounted into a container.
 */
export function comparePlaces(recorded: Place, now: Place): 'same' | 'other' | 'unknown' {
  if (recorded.name !== null && now.name !== null) return recorded.name === now.name ? 'same' : 'other';
  const told = [
    [recorded.machine, now.machine],
    [recorded.file, now.file],
  ].filter(([was]) => was !== null);
  if (told.length === 0) return recorded.name === null ? 'unknown' : 'other';
  const both = told.filter(([, is]) => is !== null);
  return both.length > 0 && both.every(([was, is]) => was === is) ? 'same' : 'other';
}
