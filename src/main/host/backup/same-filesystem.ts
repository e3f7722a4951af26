import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';

/** Entries that a restore moves, or moves to. */
const MOVED = ['settings.json', 'catalog', 'bots', 'set-aside'];

/** Paths on which something is mounted; nothing else shows a mount of the same disk. Only Linux lists them. */
function mountPoints(): ReadonlySet<string> {
  if (process.platform !== 'linux') return new Set();
  const unescaped = (path: string): string =>
    path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
}

/** Throws INVALID_REQUEST where a part of a data folder lies on a disk of its own: nothing can be moved between two. */
export function checkSameFilesystem(folder: DataFolder): void {
  const mounts = mountPoints();
  const root = realpathSync(folder.root);
  const { dev } = statSync(root);
  for (const name of MOVED) {
    const path = join(root, name);
    if (!existsSync(path) || (statSync(path).dev === dev && !mounts.has(path))) continue;
    throw new PlatformError('INVALID_REQUEST', `${path} lies on a disk, or is a mount, of its own`, {
      hint: 'Nothing was changed. A restore moves what is there aside: unmount it and put its files into the data folder, or restore into another one with --data DIR.',
    });
  }
}
