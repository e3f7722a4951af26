import { createHash } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isClosed, systemErrorCode } from '../../../node/system-error.ts';

/** What the state of a bot looked like at a moment. Equal fingerprints mean unchanged state, if the first is settled. */
export interface StateFingerprint {
  readonly text: string;
  /**
   * The last change is long enough ago that a further one surely looks different: the clock of file times is coarse, and
   * two writes of the same size within one of its ticks cannot be told apart.
   */
  readonly settled: boolean;
}

const MOST_FILES = 2000;
const AT_ONCE = 64;
/** Several ticks of the coarsest clock that a kernel stamps files with. */
export const SETTLE_MS = 50;

/** A missing file is no error: its absence is part of the fingerprint. */
async function orGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Each program has it, made when the first one is started. */
const KEYS = '.platform';

interface Tree {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** Paths of all that is below a folder; null when there are too many, or something whose content cannot be seen from here. */
async function listTree(root: string, most: number): Promise<Tree | null> {
  const folders = [''];
  const files: string[] = [];
  // It grows meanwhile.
  for (const folder of folders) {
    const entries: Dirent[] = (await orGone(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
      else return null;
      if (files.length + folders.length > most) return null;
    }
  }
  return { folders: folders.filter((path) => path !== '' && path !== KEYS).sort(), files: files.sort() };
}

function lineOf(path: string, stat: BigIntStats | null): string {
  if (stat === null) return `${path}\0gone\n`;
  return `${path}\0${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}\n`;
}

async function fingerprintOf(dir: string, most: number): Promise<StateFingerprint | null> {
  const begun = Date.now();
  const tree = await listTree(dir, most);
  if (tree === null) return null;
  const { folders, files } = tree;
  const hash = createHash('sha256');
  for (const path of folders) hash.update(`${path}\0folder\n`);
  let newest = 0;
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const part = files.slice(at, at + AT_ONCE);
    const stats = await Promise.all(part.map((path) => orGone(lstat(join(dir, path), { bigint: true }))));
    stats.forEach((stat, index) => {
      newest = Math.max(newest, stat === null ? begun : Number(stat.ctimeNs / 1_000_000n));
      hash.update(lineOf(part[index] ?? '', stat));
    });
  }
  return { text: hash.digest('base64'), settled: newest <= begun - SETTLE_MS };
}

/** Null for a state that cannot be watched in this way: more than `most` files, or links in it, or a part that the bot has closed. */
export async function stateFingerprint(dir: string, most = MOST_FILES): Promise<StateFingerprint | null> {
  try {
    return await fingerprintOf(dir, most);
  } catch (error) {
    if (isClosed(error)) return null;
    throw error;
  }
}
