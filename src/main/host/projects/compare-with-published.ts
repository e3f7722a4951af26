import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectChange } from '../../../contract/project.ts';
import { listPackageFiles, type ProjectFile } from '../../../packaging/project-files.ts';

/** Brought in when publishing, or laid beside the code by the host: no work of the author. */
const NOT_OWN = /^(?:node_modules|vendor)\/|^result\.json$/;

/** Whether a file of a published version is work of its author. */
export const isOwnFile = (path: string): boolean => !NOT_OWN.test(path);

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  // Piece by piece: a package may hold a file of a gigabyte.
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

async function isSame({ source, size }: ProjectFile, published: string): Promise<boolean> {
  return (await stat(published)).size === size && (await hashOf(source)) === (await hashOf(published));
}

/** Paths of the files of a published version. */
export async function publishedPaths(codeDir: string): Promise<string[]> {
  const entries = await readdir(codeDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(codeDir.length + 1)
        .replaceAll('\\', '/'),
    );
}

/** Files that are not the same in a project and in the code of a published version, sorted; dependencies do not count. */
export async function compareWithPublished(
  dir: string,
  keep: readonly string[],
  codeDir: string,
): Promise<ProjectChange[]> {
  const own = new Map((await listPackageFiles(dir, { keep })).map((file) => [file.path, file]));
  const published = new Set(await publishedPaths(codeDir));
  const paths = [...new Set([...own.keys(), ...published])].filter(isOwnFile).sort();
  const found: ProjectChange[] = [];
  for (const path of paths) {
    const file = own.get(path);
    if (file === undefined) found.push({ path, change: 'removed' });
    else if (!published.has(path)) found.push({ path, change: 'added' });
    else if (!(await isSame(file, join(codeDir, path)))) found.push({ path, change: 'changed' });
  }
  return found;
}
