import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { invalid, type Problem } from '../contract/errors.ts';
import { PathSet, pathFault } from './package-path-rules.ts';

const FILES_BYTES = 2 * 1024 * 1024;
const MOST_FILES = 200;

/**
 * Refuses the files of a request, texts by their paths, if they are too many, too large or have unsafe names. Throws
 * INVALID_REQUEST.
 */
export function checkInlineFiles(given: Readonly<Record<string, string>>): void {
  const names = Object.keys(given);
  const bytes = Object.values(given).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (names.length > MOST_FILES || bytes > FILES_BYTES) {
    throw invalid('INVALID_REQUEST', [
      {
        path: 'files',
        message: `more than ${MOST_FILES} files or ${FILES_BYTES} bytes`,
        hint: 'Publish it by the CLI.',
      },
    ]);
  }
  const known = new PathSet();
  const problems = names.flatMap((name): Problem[] => {
    const found = pathFault(name) ?? known.add(name, 'file');
    return found === null ? [] : [{ path: JSON.stringify(name).slice(0, 300), ...found }];
  });
  if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
}

/** Writes the files of a request to a temporary folder for as long as the work takes. */
export async function inTemporaryFolder<T>(
  given: Readonly<Record<string, string>>,
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'publish-'));
  try {
    for (const [path, text] of Object.entries(given)) {
      const file = resolve(dir, path);
      // checkInlineFiles has refused such names; this guards against writing outside the folder.
      if (!file.startsWith(dir + sep)) throw new Error('a file of a package would be written outside its folder');
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, text, { flag: 'wx' });
    }
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
