import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { RESULT_LINK } from '../../../../node/result-link-in-code.ts';

/**
 * The code as CODE_MOUNT_DIR of one run: links to everything in the code folder, which all runs of the version share,
 * and this run's own result file, because SDKs of other systems write their result there. On Windows, where only
 * administrators make links, it is the code folder itself.
 */
export async function codeView(codeDir: string, target: string, resultFile: string): Promise<string> {
  if (process.platform === 'win32') return codeDir;
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { mode: 0o700 });
  const names = (await readdir(codeDir)).filter((name) => name !== RESULT_LINK.name);
  await Promise.all(names.map((name) => symlink(join(codeDir, name), join(target, name))));
  await symlink(resultFile, join(target, RESULT_LINK.name));
  return target;
}
