import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
} from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

function eachFolder(dir: string, visit: (folder: string) => void): void {
  visit(dir);
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) eachFolder(join(dir, entry.name), visit);
}

/** Flushed at once: a disk takes several in one go, and each waits for all. */
const FLUSHED_AT_ONCE = 8;

/**
 * Makes every file and folder of a tree durable: a version that is recorded must not be half there after a power cut.
 * Windows flushes only what is open for writing, which a package no longer is: there the system does it in its own time.
 */
export async function flushTree(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() || entry.isDirectory());
  const paths = [dir, ...found.map((entry) => join(entry.parentPath, entry.name))];
  const flushNext = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const handle = await open(path);
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, flushNext));
}

function flushFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Moves an unpacked package to its place in the catalogue and makes its folders read-only (files already are). One
 * rename: the place holds the whole package or nothing. Throws when the place is taken.
 */
export function placeTree(from: string, to: string): void {
  if (existsSync(to)) throw new Error(`${to} exists already`);
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
  flushFolder(dirname(to));
  eachFolder(to, (folder) => chmodSync(folder, 0o555));
}

/** Moves a tree out of the catalogue; its own folder becomes writable, which a move needs. */
export function displaceTree(from: string, to: string): void {
  chmodSync(from, 0o755);
  renameSync(from, to);
}

/** Removes a tree whose folders are read-only. Missing is fine. */
export async function removeTree(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  if (lstatSync(dir).isDirectory()) eachFolder(dir, (folder) => chmodSync(folder, 0o755));
  await rm(dir, { recursive: true, force: true });
}

/**
 * Removes everything in `<dir>/<incoming>` and every `<user>/<name>/<version>` folder that is not among `known`.
 * Returns the removed paths, and those of `known` that have no folder.
 */
export async function sweepTrees(
  dir: string,
  incoming: string,
  known: ReadonlySet<string>,
): Promise<{ removed: readonly string[]; missing: readonly string[] }> {
  const removed: string[] = [];
  const found = new Set<string>();
  const children = (path: string) => {
    const entries = readdirSync(join(dir, path), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => `${path}${entry.name}/`);
  };
  const left = children(`${incoming}/`);
  const users = children('').filter((path) => path !== `${incoming}/`);
  for (const path of [...left, ...users.flatMap(children).flatMap(children)]) {
    const plain = path.slice(0, -1);
    if (known.has(plain)) {
      found.add(plain);
      continue;
    }
    await removeTree(join(dir, plain));
    removed.push(plain);
  }
  return { removed, missing: [...known].filter((path) => !found.has(path)) };
}
