import type { ProjectEntry } from '../../../contract/project.ts';
import { BOT_CONFIG_FILE, readBotConfig } from '../../../packaging/bot-config.ts';
import { parseEntrypoint } from '../../../shared/parse-entrypoint.ts';
import type { ConfinedFolder } from './confined.ts';
import { readableText } from './readable-text.ts';

/**
 * Returns the path of the file that an editor shows first: the program that bot-config.yaml names, or bot-config.yaml itself
 * where that program is a binary, is not there, or is named by a configuration with mistakes. Null without a configuration.
 */
export async function firstShownFile(folder: ConfinedFolder, entries: readonly ProjectEntry[]): Promise<string | null> {
  const text = await readableText(folder, BOT_CONFIG_FILE);
  if (text === null) return null;
  const { config } = readBotConfig(text);
  if (config === undefined) return BOT_CONFIG_FILE;
  const { file } = parseEntrypoint(config.entrypoints.bot);
  const isThere = entries.some(({ path, kind }) => path === file && kind === 'file');
  return isThere && (await readableText(folder, file)) !== null ? file : BOT_CONFIG_FILE;
}
