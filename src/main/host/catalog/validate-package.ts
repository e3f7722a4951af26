import type { FileProblem } from '../../../contract/custom-bot.ts';
import { readBotConfig } from '../../../packaging/bot-config.ts';
import { readBotSchema } from '../../../packaging/bot-schema.ts';
import { checkInlineFiles, inTemporaryFolder } from '../../../packaging/inline-files.ts';
import { listPackageFiles } from '../../../packaging/project-files.ts';
import { readPackage } from '../../../project/read-package.ts';

/** What is wrong with files that are not published yet. */
export interface ValidatedTexts {
  readonly valid: boolean;
  readonly problems: FileProblem[];
  readonly warnings: FileProblem[];
}

/** Checks the two files without a package, as an editor does while typing. */
export function validateTexts(texts: {
  readonly config_yaml: string;
  readonly schema_json?: string | undefined;
}): ValidatedTexts {
  const config = readBotConfig(texts.config_yaml);
  const file = config.config?.schema.bot;
  const schema = texts.schema_json === undefined ? null : readBotSchema(texts.schema_json, file);
  const problems = [...config.problems, ...(schema?.problems ?? [])];
  return { valid: problems.length === 0, problems, warnings: [...config.warnings, ...(schema?.warnings ?? [])] };
}

/**
 * Checks the text files of a package by their paths, by the same check as publishing on this machine. Throws
 * INVALID_REQUEST for unsafe paths.
 */
export async function validateFiles(files: Readonly<Record<string, string>>): Promise<ValidatedTexts> {
  checkInlineFiles(files);
  return inTemporaryFolder(files, async (dir) => {
    const paths = (await listPackageFiles(dir)).map(({ path }) => path);
    const { problems, faults, warnings } = await readPackage(dir, paths, { os: process.platform, arch: process.arch });
    const all = [...problems, ...faults];
    return { valid: all.length === 0, problems: all, warnings: [...warnings] };
  });
}
