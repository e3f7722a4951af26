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
import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree } from '../../../node/remove-tree.ts';

/** The user inside a container reads the code, whatever the umask of the host; the owner can remove it with `rm -rf`. */
const FOLDER_MODE = 0o755;

/** Sets the mode of every folder of a tree, its own last: where that is right, all are. */
function setFolderModes(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) setFolderModes(join(dir, entry.name));
  chmodSync(dir, FOLDER_MODE);
}

/** Early releases made folders read-only, so that their owner could not remove them with `rm -rf`. */
function openReadOnlyFolders(dir: string): void {
  const { mode, uid } = lstatSync(dir);
  if ((mode & 0o200) === 0 && uid === process.geteuid?.()) setFolderModes(dir);
}

/** Flushed at once: a disk takes several in one go, and each waits for all. */
const FLUSHED_AT_ONCE = 8;

/**
 * Flushes every file and folder of a tree: a recorded version must be whole after a power cut. Windows flushes only
 * files open for writing, which published files are not; there the system flushes in its own time.
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
 * Moves an unpacked package, whose files are read-only, to its place in the catalogue. One rename: the place holds the
 * whole package or nothing. Throws when the place is taken.
 */
export function placeTree(from: string, to: string): void {
  if (existsSync(to)) throw new Error(`${to} exists already`);
  setFolderModes(from);
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
  flushFolder(dirname(to));
}

/**
 * Removes everything in `<dir>/<incoming>` and every `<user>/<name>/<version>` folder that is not among `known`, and makes
 * the folders of the others writable for their owner. Returns the removed paths, and those of `known` that have no folder.
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
      openReadOnlyFolders(join(dir, plain));
      continue;
    }
    await removeTree(join(dir, plain));
    removed.push(plain);
  }
  return { removed, missing: [...known].filter((path) => !found.has(path)) };
}
