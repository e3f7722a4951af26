import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectChange } from '../../contract/project.ts';
import { listPackageFiles } from '../../packaging/project-files.ts';

/** Brought in when publishing, or laid beside the code by the host: no work of the author. */
const NOT_OWN = /^(?:node_modules|vendor)\/|^result\.json$/;

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

/** Paths of the files of a published version. */
async function publishedPaths(codeDir: string): Promise<string[]> {
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
  const own = new Map((await listPackageFiles(dir, { keep })).map(({ path, source }) => [path, source]));
  const published = new Set(await publishedPaths(codeDir));
  const paths = [...new Set([...own.keys(), ...published])].filter((path) => !NOT_OWN.test(path)).sort();
  const found: ProjectChange[] = [];
  for (const path of paths) {
    const source = own.get(path);
    if (source === undefined) found.push({ path, change: 'removed' });
    else if (!published.has(path)) found.push({ path, change: 'added' });
    else if ((await hashOf(source)) !== (await hashOf(join(codeDir, path)))) found.push({ path, change: 'changed' });
  }
  return found;
}
