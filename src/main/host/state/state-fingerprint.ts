import { createHash } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isClosed, systemErrorCode } from '../../../node/system-error.ts';

/** Fingerprint of a bot's state at a moment. Equal fingerprints mean unchanged state, if the first is settled. */
export interface StateFingerprint {
  readonly text: string;
  /**
   * True if the last change is so old that a further one gets another time. The clock of file times is coarse: two
   * writes of the same size within one of its ticks cannot be distinguished.
   */
  readonly settled: boolean;
}

const MOST_FILES = 2000;
const AT_ONCE = 64;
/** Several ticks of the coarsest clock that a kernel uses for times of files. */
export const SETTLE_MS = 50;

/** Awaits work on a path; null if the file is missing: its absence is part of the fingerprint. */
async function orGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Folder that every state has, because the start of the first program creates it. */
const KEYS = '.platform';

interface Tree {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/**
 * Returns the paths of everything below a folder; null for too many paths, or for an entry whose content cannot be seen
 * from here.
 */
async function listTree(root: string, most: number): Promise<Tree | null> {
  const folders = [''];
  const files: string[] = [];
  // The array grows during the loop.
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

/**
 * Returns the fingerprint of a state; null for one that cannot be watched: more than `most` files, or links in it, or a
 * part that the bot has made unreadable.
 */
export async function stateFingerprint(dir: string, most = MOST_FILES): Promise<StateFingerprint | null> {
  try {
    return await fingerprintOf(dir, most);
  } catch (error) {
    if (isClosed(error)) return null;
    throw error;
  }
}
