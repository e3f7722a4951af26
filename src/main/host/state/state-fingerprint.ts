import { createHash } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolderBeneath } from '../../../node/open-untrusted.ts';
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
  /** Files by path, in order; null for one that has gone since. */
  readonly files: readonly (readonly [string, BigIntStats | null])[];
}

/** The entries of an opened folder, each with the status of a file; null for an entry that cannot be watched. */
async function entriesOf(
  here: string,
  most: number,
): Promise<readonly (readonly [Dirent, BigIntStats | null])[] | null> {
  const entries: Dirent[] = await readdir(here, { withFileTypes: true });
  if (entries.length > most || entries.some((entry) => !entry.isDirectory() && !entry.isFile())) return null;
  const found: (readonly [Dirent, BigIntStats | null])[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const part = entries.slice(at, at + AT_ONCE).map(async (entry) => {
      const stat = entry.isFile() ? await orGone(lstat(join(here, entry.name), { bigint: true })) : null;
      return [entry, stat] as const;
    });
    found.push(...(await Promise.all(part)));
  }
  return found;
}

/** Returns everything below a folder; null for too many paths, or for an entry whose content cannot be seen from here. */
async function listTree(root: string, most: number): Promise<Tree | null> {
  const folders = [''];
  const files: (readonly [string, BigIntStats | null])[] = [];
  // The array grows during the loop.
  for (const folder of folders) {
    const read = readFolderBeneath(root, folder, async (here) => ({ entries: await entriesOf(here, most) }));
    const { entries } = (await orGone(read)) ?? { entries: [] };
    if (entries === null) return null;
    for (const [entry, stat] of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else files.push([path, stat]);
    }
    if (files.length + folders.length > most) return null;
  }
  return {
    folders: folders.filter((path) => path !== '' && path !== KEYS).sort(),
    files: files.sort(([a], [b]) => (a < b ? -1 : 1)),
  };
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
  for (const [path, stat] of files) {
    newest = Math.max(newest, stat === null ? begun : Number(stat.ctimeNs / 1_000_000n));
    hash.update(lineOf(path, stat));
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
