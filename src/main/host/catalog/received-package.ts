import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import { invalid } from '../../../contract/errors.ts';
import { RESULT_LINK } from '../../../node/result-link-in-code.ts';
import type { Unpacked } from '../../../packaging/unpack.ts';
import type { PackageContent } from '../../../project/read-package.ts';

/** A package that was unpacked and checked. */
export interface ReceivedPackage {
  /** The folder with its files. */
  readonly dir: string;
  readonly unpacked: Unpacked;
  readonly content: PackageContent;
  readonly warnings: FileProblem[];
}

/** Throws INVALID_PACKAGE for a package with another content hash than the one wanted. */
export function checkHash({ hash }: Unpacked, wanted: string | undefined): void {
  if (wanted === undefined || wanted === hash) return;
  const message = `The package has the content hash ${hash}, not ${wanted}`;
  const hint = 'Get the package again from whoever made it, and compare the hash that they name.';
  throw invalid('INVALID_PACKAGE', [{ path: '', message, hint }]);
}

/**
 * Bots of other makers write their result beside their code, where a container cannot create files, so this link leads
 * from there to the result. Windows demands rights for links, so there only RESULT_FILE leads to the result.
 */
export async function linkResult(dir: string): Promise<void> {
  const link = join(dir, RESULT_LINK.name);
  if (process.platform !== 'win32' && !existsSync(link)) await symlink(RESULT_LINK.target, link);
}
